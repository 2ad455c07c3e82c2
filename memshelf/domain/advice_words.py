"""The sentences of advice, in English and in Russian; one answer is in one language."""

from __future__ import annotations

from typing import NamedTuple

from .advice import Advice, Note, Proposal
from .economy import short


class Words(NamedTuple):
    """Every sentence of one language, to be filled by `str.format`."""

    reasons: dict[str, str]
    notes: dict[str, str]
    places: dict[str, str]
    actions: dict[str, str]
    head: str
    rollup: str
    summary: str
    nothing: str
    proposals: str
    digest: str
    decisions: str
    section: str


EN = Words(
    reasons={
        "shelved": "on the shelf as {episode}: carrying it repeats the shelf",
        "live": "said to be live, and on the shelf as {episode}: drop it once it need not be whole",
        "closed": "closed; net of the ~200 tokens that an episode costs every later session",
        "idle": "untouched for {idle} turns; net of the ~200 tokens that an episode costs every "
        "later session",
        "index": "INDEX.md costs {size} tokens of every session, over 3 % of the window; folding "
        "shrinks the index alone, recall and search keep every episode",
    },
    notes={
        "none": "No occupants were named: this is the shelf alone. Name them with --occupant.",
        "not-there": "{0!r} claims the episode {1}, which is not on the shelf.",
        "same-name": "{0!r} has the name of {1}: if it is that one, say episode={1}.",
        "no-state": "{0} of the occupants say neither a state nor idle turns, and count as live.",
        "small": "{0} too small to propose: below {1} tokens an episode, which costs ~{2} of every "
        "session, does not pay.",
        "dear-lines": "The lines of INDEX.md are dearer than they should be; folding does not help "
        "with that, shorter titles and descriptions do (`memshelf doctor` names the dearest).",
        "nearly-all": "Folding would take {0} of {1} episodes: shorter lines help more.",
    },
    places={
        "static": "instructions",
        "memory": "memshelf itself",
        "live": "live",
        "reclaimable": "could be put down",
    },
    actions={"drop": "drop", "shelve": "shelve", "rollup": "roll up"},
    head="{accounted} of {budget} tokens accounted for",
    rollup="{count} episodes through {until}",
    summary="context: {accounted} accounted of {budget} · memshelf itself {memory} · {rest}",
    nothing="nothing to propose",
    proposals="{reclaimable} reclaimable in {count} proposal(s)",
    digest="<your digest>",
    decisions="<your decisions>",
    section="<Section>",
)
RU = Words(
    reasons={
        "shelved": "уже на полке как {episode}: держать в окне — значит повторять полку",
        "live": "названо живым и уже на полке как {episode}: уберите, когда целиком не нужно",
        "closed": "закрыто; за вычетом ~200 токенов, которых эпизод стоит каждой будущей сессии",
        "idle": "не трогали ходов: {idle}; за вычетом ~200 токенов, которых эпизод стоит каждой "
        "будущей сессии",
        "index": "INDEX.md стоит каждой сессии {size} токенов, больше 3 % окна; свёртка уменьшает "
        "только указатель, recall и search видят все эпизоды",
    },
    notes={
        "none": "Состав окна не назван: это только полка. Назовите его через --occupant.",
        "not-there": "«{0}» ссылается на эпизод {1}, которого на полке нет.",
        "same-name": "«{0}» носит имя эпизода {1}: если это он, скажите episode={1}.",
        "no-state": "Без состояния и простоя: {0}; считаются живыми.",
        "small": "Слишком малы для эпизода: {0}; меньше {1} токенов не окупают ~{2} в каждой "
        "сессии.",
        "dear-lines": "Строки INDEX.md дороже положенного; свёртка тут не поможет, помогут короткие "
        "названия и описания (`memshelf doctor` назовёт самые дорогие).",
        "nearly-all": "Свёртка заберёт эпизодов: {0} из {1}; короткие строки помогут больше.",
    },
    places={
        "static": "инструкции",
        "memory": "сам memshelf",
        "live": "живое",
        "reclaimable": "можно убрать",
    },
    actions={"drop": "убрать", "shelve": "на полку", "rollup": "свернуть"},
    head="учтено токенов: {accounted} из {budget}",
    rollup="эпизодов: {count}, по {until}",
    summary="контекст: учтено {accounted} из {budget} · сам memshelf {memory} · {rest}",
    nothing="предлагать нечего",
    proposals="можно вернуть {reclaimable}, предложений: {count}",
    digest="<ваш дайджест>",
    decisions="<ваши решения>",
    section="<Раздел>",
)


def words(language: str) -> Words:
    """The sentences for a language tag: Russian ones for `ru`, English ones for all others."""
    return RU if language.lower().split("-")[0] == "ru" else EN


def why(said: Words, proposal: Proposal) -> str:
    """Why something is proposed."""
    return said.reasons[proposal.reason].format(**proposal._asdict())


def target(said: Words, proposal: Proposal) -> str:
    """What is proposed to be put down: the occupant's label, or the episodes to fold."""
    if proposal.action != "rollup":
        return proposal.target
    return said.rollup.format(count=proposal.folded, until=proposal.until)


def note(said: Words, one: Note) -> str:
    """A note as a sentence."""
    return said.notes[one.name].format(*one.words)


def summary(said: Words, found: Advice) -> str:
    """All of it in one line."""
    some = said.proposals.format(reclaimable=short(found.reclaimable), count=len(found.proposals))
    return said.summary.format(
        accounted=short(found.accounted),
        budget=short(found.budget),
        memory=short(found.memory),
        rest=some if found.proposals else said.nothing,
    )

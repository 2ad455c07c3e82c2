"""Episodes as agents write them, from a seed: the same text for the same seed, everywhere."""

from __future__ import annotations

import datetime
import json
import math
import random
from collections.abc import Iterator
from typing import NamedTuple

from . import prose, words
from .prose import Voice

SEED = "memshelf bench 1"
FIRST_DAY, DAYS = datetime.date(2023, 12, 1), 1_094
LANGUAGES = {"en": 62, "ru": 23, "zh": 7, "mixed": 8}
KINDS = {"topic": 60, "research": 22, "session": 18}
CATEGORIES = {"topic": "topics", "research": "research", "session": "sessions"}
_NEEDED = {
    "topic": ("Decisions",),
    "research": ("Findings",),
    "session": ("Timeline", "Open threads"),
}
_FURTHER = (
    *("Artifacts", "Open threads", "Raw excerpts", "Context", "Alternatives", "Numbers"),
    *("Sources", "Risks", "Next steps", "Background"),
)
_FIRST = ("Decisions", "Timeline", "Artifacts", "Open threads", "Raw excerpts")
_LARGEST = 79_000


class Plan(NamedTuple):
    """What is settled of an episode before its text, so that later ones can mention it."""

    id: str
    kind: str
    day: datetime.date
    area: str

    @property
    def path(self) -> str:
        """Where it lies on the shelf."""
        return f"docs/{CATEGORIES[self.kind]}/{self.id}.md"


def episodes(count: int, seed: str = SEED) -> Iterator[tuple[str, str]]:
    """Path and text of each episode of a shelf of `count`, oldest first."""
    rng = random.Random(f"{seed} {count}")
    vocabulary = words.vocabulary(rng)
    plans = _plans(rng, count)
    mentioned: list[int] = []
    for place, plan in enumerate(plans):
        language = rng.choices(tuple(LANGUAGES), tuple(LANGUAGES.values()))[0]
        voice = Voice(rng, vocabulary, language, plan.area)
        chosen = _mentions(rng, place, mentioned)
        text = _body(voice, plan, [plans[one] for one in chosen])
        if place % 1_000 == min(417, count // 2):
            text += f"\nThe {words.RARE} case stays on record.\n"
        yield plan.path, f"{_front(voice, plan, place)}\n{text}"


def _plans(rng: random.Random, count: int) -> list[Plan]:
    days = sorted(int(DAYS * rng.random() ** 0.8) for _ in range(count))
    plans, taken = [], set()
    for number in days:
        day = FIRST_DAY + datetime.timedelta(days=number)
        area = rng.choice(words.AREAS)
        nouns = rng.sample(words.ENGLISH[area].split(), rng.choice((2, 2, 3)))
        stem = base = f"{day}-{rng.choice(words.LIKE)}-{'-'.join(nouns)}"
        again = 2
        while stem in taken:
            stem, again = f"{base}-{again}", again + 1
        taken.add(stem)
        plans.append(Plan(stem, rng.choices(tuple(KINDS), tuple(KINDS.values()))[0], day, area))
    return plans


def _mentions(rng: random.Random, place: int, mentioned: list[int]) -> list[int]:
    """Earlier episodes to mention. What was mentioned is mentioned again: few have most of it."""
    chosen = []
    for _ in range(min(9, int(rng.paretovariate(1.3)) - 1) if place else 0):
        again = mentioned and rng.random() < 0.7
        recent = max(0, place - 1 - int(rng.expovariate(1 / 30)))
        target = rng.choice(mentioned) if again else rng.choice((recent, rng.randrange(place)))
        mentioned.append(target)
        chosen.append(target)
    return chosen


# --- front matter ----------------------------------------------------------------------------


def _front(voice: Voice, plan: Plan, place: int) -> str:
    """The peer's form: a heading with the id, then the front matter."""
    rng = voice.rng
    begun = plan.day - datetime.timedelta(days=rng.choice((0, 0, 1, 4, 9)))
    fields = {"id": plan.id, "kind": plan.kind}
    if rng.random() < 0.5:
        fields["session"] = f"s-{plan.day}-{rng.randint(1, 9)}"
    fields["span"] = str(plan.day) if begun == plan.day else f"{begun}..{plan.day}"
    fields["date"] = str(plan.day)
    fields["display_title"] = _quoted(_title(voice, place))
    fields["description"] = _quoted(_clipped(voice.sentence(), 118))
    drawn = rng.choices(voice.words.tags, cum_weights=voice.words.tag_weights, k=rng.randint(1, 6))
    fields["tags"] = f"[{', '.join(dict.fromkeys(drawn))}]"
    fields["approx_tokens"] = str(int(rng.lognormvariate(math.log(30_000), 1)))
    fields["approx_tokens_source"] = rng.choices(("estimate", "measured"), (85, 15))[0]
    fields["mode"] = rng.choices(("live", "import"), (90, 10))[0]
    if rng.random() < 0.3:
        fields["notes"] = _quoted(_clipped(voice.speaking("en").sentence(), 80))
    lines = "\n".join(f"{key}: {value}" for key, value in fields.items())
    return f"# {plan.id}\n\n---\n{lines}\n---\n"


def _title(voice: Voice, place: int) -> str:
    one, two = voice.noun(), voice.noun()
    between = {"ru": " и ", "zh": "与"}.get(voice.language, ' and "')
    close = '"' if between.endswith('"') else ""
    return f"{one.capitalize()}{between}{two}{close}: {place + 1}"


def _clipped(text: str, limit: int) -> str:
    plain = text.replace("*", "").replace("`", "")
    return plain if len(plain) <= limit else plain[:limit].rpartition(" ")[0]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# --- body ------------------------------------------------------------------------------------


def _body(voice: Voice, plan: Plan, mentioned: list[Plan]) -> str:
    """Digest and sections; the size is log-normal, with few very long ones, as on real shelves."""
    rng = voice.rng
    further = rng.sample(_FURTHER, rng.randint(2, 6))
    names = list(dict.fromkeys((*_NEEDED[plan.kind], *further)))
    names.sort(key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    bodies: dict[str, list[str]] = {name: [] for name in names}
    for other in mentioned:
        bodies[rng.choice(names)].append(_mention(voice, other))
    for name in names:
        bodies[name].append(prose.items(voice) if name in _FIRST[:2] else prose.block(voice))
    wanted = min(_LARGEST, rng.lognormvariate(math.log(1_150), 1.2))
    while wanted > 0:
        more = prose.block(voice)
        bodies[rng.choice(names)].append(more)
        wanted -= len(more.encode())
    sections = [f"## {name}\n" + "\n\n".join(parts) + "\n" for name, parts in bodies.items()]
    return "\n".join([f"## Digest\n{_digest(voice)}\n", *sections])


def _mention(voice: Voice, other: Plan) -> str:
    shape = voice.rng.choice(
        ("See {id}: {text}", "Follows `{id}`. {text}", "[before](../{link}): {text}")
    )
    link = other.path.removeprefix("docs/")
    return shape.format(id=other.id, link=link, text=voice.sentence())


def _digest(voice: Voice) -> str:
    """About 80 to 118 words: what was decided and rejected, what it rests on, what is open."""
    one, two = voice.noun(), voice.noun()
    begin, end = _FRAMES.get(voice.language, _FRAMES["en"])
    parts = [begin.format(one=one, two=two)]
    last = end.format(one=one, two=two)
    enough = voice.rng.randint(80, 100)
    while _length(parts) + _length([last]) < enough:
        parts.append(voice.sentence())
    words_left = 118 - _length([last])
    return f"{_first_words(' '.join(parts), words_left)} {last}"


_FRAMES = {
    "en": (
        "The decision is to keep the {one}; the {two} was rejected for what it costs.",
        "Open: how the {one} behaves under load.",
    ),
    "ru": ("Решено оставить {one}; отклонили {two} из-за цены.", "Открыто: {one} под нагрузкой."),
    "zh": ("Decided 决定保留{one}，rejected 拒绝{two}。", "Open 未决：{one}还没有测量。"),
}


def _length(parts: list[str]) -> int:
    """Words; of a script without spaces, two characters make one."""
    text = " ".join(parts)
    wide = sum(char >= "\u3000" for char in text)
    return len(text.split()) + wide // 2


def _first_words(text: str, limit: int) -> str:
    while _length([text]) > limit:
        text = text.rpartition(" ")[0].rstrip(".,")
    return text

"""The languages whose words are brought to their stems: which one a text is in, and its small words.

Small words (articles, pronouns, question words) tell a language, and they say nothing of what a
question is about. The lists are short on purpose: what stands in every second text weighs next to
nothing anyway.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

from ..domain.patterns import lazy
from ..domain.text import fold

ENGLISH, RUSSIAN = "english", "russian"

_SMALL = {
    ENGLISH: """a an the and or but nor not no of to in on at by for from with into about over under
        between after before than then as if so is are was were be been being am do does did done
        has have had having can could may might must shall should will would it its he him his she
        her they them their we us our you your i me my this that these those there here what which
        who whom whose when where why how any some all such s t don doesn didn isn wasn please tell
        show find give know there""",
    "german": """der die das den dem des ein eine einen einem einer eines und oder aber nicht kein
        keine von zu zur zum im in am an auf aus bei mit nach seit vor über unter zwischen für gegen
        ohne um durch als wenn ob weil dass ist sind war waren wird werden wurde wurden hat haben
        hatte hatten kann können konnte muss müssen soll sollen es er sie wir ihr ich du uns unser
        sein ihre seine diese dieser dieses diesem diesen was welche welcher welches welchen wer wem
        wen wo wann warum wieso weshalb wie wofur woran womit worauf wohin gibt gab auch noch nur
        schon sich man bitte""",
    "french": """le la les l un une des du de d et ou mais ne pas plus a à au aux en dans sur sous par
        pour avec sans chez vers entre est sont était étaient être été ont avait avons il elle ils
        elles nous vous je tu on se ce cet cette ces qui que quoi quel quelle quels quelles quand
        comment pourquoi où combien son sa ses leur leurs notre votre y n s c qu j m t""",
    "spanish": """el la los las un una unos unas y o pero no de del a al en con sin por para sobre
        entre desde hasta es son era eran fue fueron ser estar está están hay ha han habia se lo le
        les su sus nos nuestro yo tu que qué quien quién quienes cual cuál cuales cuando cuándo como cómo donde dónde cuanto cuánto cuantos
        este estos esto estas él ese esa eso más ya""",
    RUSSIAN: """и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только
        ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был
        была были него до вас нибудь опять вам ведь там потом себя ей может они тут где есть надо
        ней для мы тебя их чем сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того
        потому этого какой какая какое какие каков каким каком какую совсем ним здесь этом почти мой
        тем чтобы нее сейчас куда зачем почему сколько всех можно при об это эта эти этой этих наш
        наша наши нам нами нас этим про между через после перед над из-за который которая которое
        которые которого которой которых откуда отчего ль из""",
}
SMALL = frozenset(fold(word) for words in _SMALL.values() for word in words.split())
"""The small words of all languages, folded."""
LATIN = tuple(name for name in _SMALL if name != RUSSIAN)
_CODES = {"en": ENGLISH, "de": "german", "fr": "french", "es": "spanish"}

_CYRILLIC = lazy("[\u0400-\u04ff]")
_PLAIN = lazy(r"[^\W\d_]+")

# What asks, joins and counts in scripts without spaces: taken out of a question before it is cut up.
PARTICLES = lazy(
    "为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样|怎么|怎麼|怎样|怎樣|如何|哪一个|哪个|哪些|哪里|哪儿|哪種|哪种|哪|"
    "多少|几个|谁|誰|是否|有没有|能否|可以|请问|請問|关于|關於|我们|我們|吗|嗎|呢|吧|了|的|是|在|和|与|與|被|把|对|對|从|從|"
    "ですか|でした|です|ました|ますか|ます|ません|どうして|どこ|どの|どれ|どう|なぜ|何故|いつ|だれ|誰が|とは|から|まで|"
    "には|では|への|の|は|が|を|に|へ|と|も|で|か"
)


def language_of(text: str, declared: str = "") -> str:
    """The language by whose rules the Latin words of a text are stemmed: the declared one, else
    that of which most small words are in it, English where none does.

    Some hundred words are enough.

    >>> language_of("Die Kosten für den Speicher sind zu hoch"), language_of("Решение принято")
    ('german', 'english')
    """
    known = _CODES.get(declared[:2].lower())
    if known:
        return known
    seen = set(_ascii(text).split())
    votes = {name: len(words & seen) for name, words in _tells().items()}
    return max(LATIN, key=votes.__getitem__)  # of equal ones the first: English


def _ascii(text: str) -> str:
    """The text without what is not ASCII (`für` is `fr`): a tenth of what folding it would take."""
    return text.encode("ascii", "ignore").decode("ascii").lower()


@cache
def _tells() -> dict[str, frozenset[str]]:
    return {name: frozenset(_ascii(_SMALL[name]).split()) for name in LATIN}


def stem(word: str, language: str) -> str:
    """The stem of a folded word by Snowball's rules; a word in Cyrillic by the Russian ones.

    A stem that does not begin as its word does (`dying`, `die`) is not taken, so that whatever has
    a stem can be looked for by how that begins.

    >>> stem("решениями", "english"), stem("caching", "english"), stem("kosten", "german")
    ('реш', 'cach', 'kost')
    """
    if len(word) < 3 or word[0].isdigit():
        return word
    if _CYRILLIC.match(word):
        return _shortest(word)
    found = _stemmer(language)(word)
    return found if found == word or word.startswith(probe(found)) else word


def _shortest(word: str) -> str:
    """A Russian stem, stemmed until nothing more comes off: `лимита` gives `лимит` and that `лим`,
    by which alone the forms of one word meet."""
    found = _stemmer(RUSSIAN)(word)
    return found if found == word or len(found) < 3 else _shortest(found)


def probe(token: str) -> str:
    """How every word begins that has this token for its stem.

    >>> probe("decis"), probe("208"), probe("東京")
    ('dec', '2', '東')
    """
    if token[:1].isdigit():
        return token[0]  # `10 000` is the number 10000
    sure = min(max(3, len(token) - 2), max(2, len(token) - 1))
    return token[:sure] if _PLAIN.match(token) and len(token) > 2 else token[:1]


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    from Stemmer import Stemmer  # type: ignore[import-not-found]  # it has no types

    stemmer, alone = Stemmer(language), threading.Lock()

    def stem(word: str) -> str:
        with alone:  # a stemmer serves one thread at a time
            found: str = stemmer.stemWord(word)
            return found

    return stem

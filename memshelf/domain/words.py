"""What a text is cut into, as sources of patterns and as tables: for the engine of search, and for
the pages, whose script gets them when it is rendered.

Every pattern here means the same to Python and, once `render/search_script.py` has rewritten its
classes, to a browser.
"""

from __future__ import annotations

from .text import DENSE, fold

# --- runs, and what is in them ------------------------------------------------------------------

UNSEEN = r"\u00ad\u200b-\u200d\u2060\ufeff"
"""For a class of a pattern: characters that nobody sees."""
VOWELS = (
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    r"\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u08ca-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75"
    r"\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63"
    r"\u0d81-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f39\u0f3e-\u0f84\u0f86-\u0fbc"
    r"\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd\u180b-\u180d"
    r"\u1ab0-\u1b44\u302a-\u302f\u3099\u309a\ua980-\ua9c0\uabe3-\uabea\uabec\uabed"
)
"""Vowels and other signs that are written at letters and are none to Python: Hebrew and Arabic points,
the signs of the scripts of India, Tibet and south-east Asia, the voicing of kana. Ranges hold letters
too where nothing else stands between."""
IN = rf"\w#+\u0300-\u036f\u0483-\u0489{VOWELS}{UNSEEN}"
"""For a class of a pattern: what a run is made of, beside what joins its parts."""
_IN = f"[{IN}]"
RUN = rf"{_IN}+(?:[-'’._]{_IN}+|(?<=\d)[ ,\u00a0\u2009\u202f]\d\d\d(?!\w))*"
"""A run of a text. What it stands for depends on itself alone, and on the text's language."""

DENSE_RUN = f"[{DENSE}]+"
GROUPED = r"[1-9]\d{0,2}(?:[ ,.'’\u00a0\u2009\u202f]\d\d\d)+"
VERSION = r"[vV]?(\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|alpha|beta|post|dev)\.?\d*)?)"
SPACES = r"[ \u00a0\u2009\u202f]+"
MARKED = r"[,+#]+"
JOINTS = r"[-'’_]+"
CAMEL = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"
"""The words of CamelCase, all of whose letters are ASCII."""
MIXED = r"[a-z][A-Z]|[A-Z]{2}[a-z]"
NUMBERED = r"([^\W\d_]{3,})\d+"
SIGNED = r"[^\W\d_][+#]+"
EDGES = "-'’._,"
"""What a piece of a run neither begins nor ends with."""
LONGEST = 48
"""Characters of a token; what is longer is cut, so that no heap of base64 fills the index."""
MANY_PARTS = 4
"""More parts than these are no compound: their whole is no token."""

# --- questions -------------------------------------------------------------------------------------

QUOTED = '"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]'
"""What a question has in quotes: one of the groups."""
DASH = r"(?<!\S)[-–−]"
"""Before what is to be left out."""
MINUS = rf"{DASH}(?=[\w#])"
"""Before a word that is to be left out."""
HIRAGANA = r"[\u3041-\u309f\u30fc]+"
FILLING = "的了吗嗎呢吧是"
"""Two characters of which one is here say nothing, nor do two of hiragana."""

ENGLISH, RUSSIAN = "english", "russian"

SMALL_OF = {
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
SMALL = frozenset(fold(word) for words in SMALL_OF.values() for word in words.split())
"""The small words of all languages, folded."""

PARTICLES = (
    "为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样|怎么|怎麼|怎样|怎樣|如何|哪一个|哪个|哪些|哪里|哪儿|哪種|哪种|哪|"
    "多少|几个|谁|誰|是否|有没有|能否|可以|请问|請問|关于|關於|我们|我們|吗|嗎|呢|吧|了|的|是|在|和|与|與|被|把|对|對|从|從|"
    "ですか|でした|です|ました|ますか|ます|ません|どうして|どこ|どの|どれ|どう|なぜ|何故|いつ|だれ|誰が|とは|から|まで|"
    "には|では|への|の|は|が|を|に|へ|と|も|で|か"
)
"""What asks, joins and counts in scripts without spaces: taken out of a question first."""

# --- letters -----------------------------------------------------------------------------------------

CASED = {
    "ß": "ss",
    "ẞ": "ss",
    "ſ": "s",
    "ς": "σ",
    "ŉ": "ʼn",
    "ǰ": "ǰ",
    "և": "եւ",
    "µ": "μ",
    "\u0345": "ι",
}
CASED |= dict(zip("ᲀᲁᲂᲃᲄᲅᲆᲇᲈ", "вдосттъѣꙋ", strict=True))
"""What case folding makes of letters that lower case leaves as they are, or makes another of; where
that is more than one letter, and in no compatibility form."""

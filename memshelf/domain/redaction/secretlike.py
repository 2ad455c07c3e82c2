"""Is a value that stands behind `password:` or `token =` a secret, or only where one would stand?

The questions are asked of one value at a time (at most 256 characters of it), never of a text.
"""

from __future__ import annotations

import re

from .tokens import MASK

# What shows where a secret goes: a variable, a template slot, a YAML tag or alias, stars and dots.
_SLOT = re.compile(
    r"""(?:
      \$\{[^}]*\}? | \$\{\{.* | \{\{.* | \$\([^)]*\)? | \$[A-Za-z_]\w*(?:\[[^\]]*\])?
    | \$env:\w+ | %[A-Za-z_]\w*% | %\([a-z_]+\)s | %[a-z] | @[A-Z_]+@ | @[a-z_]+ | :[a-z_]+ | \#\{.*
    | <[^<>]*> | <[a-z][\w-]* | \[[^\[\]]*\] | \{[^{}]*\} | \([^()]*\)
    | !(?:[A-Z][A-Za-z]+|vault|secret|env\w*|include) | [*&][a-z][a-z_-]*
    | &(?:lt|\#x3[Cc]|\#60);.* | \$[A-Za-z_]\w*(?:::|->|\[|\{).*
    | [\W_]+ | [xX*.•…_#-]{3,}
    | [\w-]{0,12}[-_]?(?:\.{3}|…|[xX]{4,}|\*{3,}).{0,12}
    )""",
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(
    r"""(?i)(?:
      your[-_ .].* | <?(?:insert|enter|paste|replace|change|fill|example|sample|dummy|fake|some
        |placeholder|redacted|removed|hidden|masked|censored)(?:[-_][a-z_-]*)?>?
    | (?:my|our|the|a|new|old|test)[-_][a-z_-]*(?:pass|secret|token|key|cred|pwd)[a-z_-]*
    | changeme | change_?it | replaceme | fixme | n/a | foo(?:bar)? | bar | baz | qux | asdf | lorem
    | .*(?:[-_ ]here|placeholder|redacted|_goes_.*|[-_ ]example)
    )""",
    re.VERBOSE,
)
_CASED_PLACEHOLDER = re.compile(r"[Yy]our[A-Z]\w*|YOUR\w*|my[A-Z][a-z]+(?:[A-Z][a-z]+)*")

# Words that describe, type or grammatically continue; none of them is anybody's secret.
_WORDS = frozenset(
    """
    none null nil undefined nan true false yes no on off empty blank unset default auto automatic
    optional required mandatory needed missing absent present given provided supplied unknown any
    str string text bytes byte char chars int integer number float bool boolean object array list
    dict map set tuple type enum uuid date datetime varchar secretstr buffer binary blob option
    void never self this that it its cls input output value values field param parameter argument
    arg args kwargs key keys name names id ids user username login email header headers cookie body
    query form file files path env environment environ variable variables config settings vault
    keychain keyring keystore store manager provider service bearer basic digest oauth oauth2 jwt
    saml ssl tls ssh sso ldap kerberos bitwarden 1password api app auth authentication authorization
    access refresh session csrf github gitlab google azure aws gcp kubernetes docker bcrypt scrypt
    argon2 argon2id pbkdf2 opaque signed unsigned encrypted decrypted hashed salted plain plaintext
    cleartext raw valid invalid wrong correct right good bad weak strong long short old new same
    different current previous next first last expired expires revoked rotated rotate rotates
    rotating leaked exposed compromised stored saved unchanged updated changed reset forgotten lost
    disabled enabled active inactive accepted rejected denied allowed deprecated removed deleted
    hidden masked redacted secret secrets password passwords passwd token tokens credential
    credentials passphrase pin otp totp mfa hash hashes md5 sha1 sha256 sha512 base64 hex utf-8 utf8
    ascii json yaml toml xml html inherit inherited generated random static dynamic shared public
    private internal external personal managed global local remote test tests testing tested demo
    todo tbd pending done open closed ok error failed fails fail pass passed passes flag flags
    option options arguments shift split userdata data switch prompt stdin stdout callback function method class struct interface literal
    constant const let var def return await async new lambda if else for while
    a an the and or not nor but is are was were be been being has have had do does did can could may
    might must shall should will would to of in on at by with from into onto over under per via as
    than then so because when where which who what whose how why here there see ask use using used
    uses get gets got read reads write writes need needs means mean one two three each every some all
    most more less only also still just now later before after again your my our their his her you
    we they he she i word words unit units piece part parts character characters count counts limit
    budget bucket window size length total sum usage cost price rate ratio section sections
    """.split()
)
# In a quoted value these mark a sentence for people ("Enter your password", "see vault").
_TALK = frozenset(
    """
    your must please enter should cannot can't invalid required incorrect wrong expired forgot
    forgotten reset confirm see ask stored vault is are was were not from for with at least
    this that choose type provide missing password passwords token tokens secret username email
    login credentials don't here пароль пароля пароли введите ваш ваша токен секрет неверный забыли
    """.split()
)
_NOUN = re.compile(
    r"(?:api|auth|access|client|user|db|app|jwt|my)?"
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|cred(?:ential)?|пароль|токен)s?",
    re.IGNORECASE,
)
# Neighbours that no English word has: with one of them letters are drawn, not spelt.
_UNSPELT = re.compile(
    r"[bcdfghjklmnpqrstvwxz]{6}|q[^ueaoilt]|[bfgpvwx]q|j[bcdfghklmnpqrtvwxz]|[bcdfgjkmpqvwz]x"
    r"|v[bcdfghjkqwxz]|x[jkrz]|z[bcdfjkqrvx]|[cfghkmpqvwxz]j|(.)\1\1"
)
_TECH = re.compile(
    r"""(?ix)(?:
      (?:sha|md|base|utf|aes|rsa|des|hs|rs|es|ps|ed|crc|blake|argon|pbkdf|bcrypt|scrypt|pkcs|x|p
        |secp|curve|chacha|poly|fnv|murmur|xxh|ripemd|rc|h|mp|ipv|http|tls|ssl|oauth|auth|gpt|bert
        |llama|gemini|claude|qwen|mistral|phi|o|t|k|i|l|a|s|ec|web|log|neo|py|python|php|java|es
        |html|css|json|sqlite|postgres|psycopg|win|arm|amd|int|uint|float|bf|fp|v|ver|version|step
        |phase|part|page|line|row|col|level|option|case|chapter|section|issue|bug|pr|round|run|test
        |user|key|file|item|node|host|db|app|server|client|day|week|month|year|q|iso|rfc|b|f|n|m|r
        |c|d|e|g|j|u|w|y|z|token|tokens|secret|api|env|var|arg|param|value)
        [-_.]?\d{1,5}[a-z]{0,3}
    | 2fa | k8s | i18n | l10n | a11y | secp256k1 | curve25519 | \d{1,3}[a-z]{1,2}
    )"""
)
_NUMBER = re.compile(
    r"""(?ix)[~≈<>≤≥±+-]{0,2}(?:0x[0-9a-f]{1,8}|\d[\d,._]{0,20}
    (?:[kmgtb%]|[a-zµ]{1,3}|[-/ ]?(?:bit|byte|char|character|word|token|day|hour|minute|second|min
       |sec|week|month|year|digit|h|s|m)s?)?
    (?:[/x*+-]\d{0,9}\.?\d{0,9}[a-z]{0,8})?)"""
)
_DATED = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[-T .].*)?|v?\d+(?:\.\d+){1,3}(?:[-+._][\w.-]*)?")
_PATH = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:|\$\w+|%\w+%)?[/\\](?:[\w.@ {}$+-]*[/\\])*[\w.@{}$*+-]*"
    r"|[\w.-]+(?:/[\w.@-]+)+/?|[\w-]+\.(?:txt|json|ya?ml|toml|ini|env|pem|key|crt|cfg|conf|md|py|js"
    r"|ts|sh|go|rs|rb|java|html|xml|csv|sql|db|log|lock|gpg|asc)"
)
_ROOTED = re.compile(r"[~/\\]|\.{1,2}[/\\]|[A-Za-z]:[\\/]")
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|arn:aws|urn:)\S*", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w.-]+/[\w.-]+#\d+")
_NUMBERED = re.compile(r"[A-Z]?[a-z]{0,8}\d{1,5}(?:[A-Z]?[a-z]{2,16}+)*")
_TYPE = re.compile(
    r"[A-Z][A-Za-z0-9]{1,30}(?:Key|Token|Secret|Password|Credential)s?(?:Types?|[A-Z])?"
)
_HUMPS = re.compile(r"[A-Z][a-z]{1,16}+|[a-z]{2,16}+|[A-Z]{1,5}(?=[A-Z][a-z])|[A-Z]{1,5}$")
_STATEMENT = re.compile(
    r"(?:await|new|lambda|function|async|not|yield|fn)[\s(]"
    r"|[\[{(](?:\s*$|[A-Za-z_]+[.(,\s]|[^\])}]{0,200}[\])}](?!\w))"
)
_CALL = re.compile(
    r"[&*!-]{0,2}(?:(?:await|new|yield|typeof)\s+)?"
    r"([A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]{0,60}){0,8})[!?]?([(\[])"
)
_STRING = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`")
_INDEX = re.compile(r".{0,80}?\](?![\w|])|.{0,80}[\[,]\s*$|$")
_ODD = re.compile(r"^[^)\]]{0,60}?(?:[!#%^;|\\]\w|\w[!#%^;|?>])")
_MEMBER = re.compile(
    r"[&*!]?[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]{0,60}){1,8}(?::[A-Za-z_]\w*)?"
)
_REGEX = re.compile(
    r"\(\?[:=!<iP]|\[\^[^\]\s]{1,20}\]|\[[^\]\s]{0,12}[aA0]-[zfZF9]|\\[sdwbSDWB](?![A-Za-z0-9])|\.\*|\]\+"
)
_FORMAT = re.compile(r"%\(?\w{0,20}\)?[sdrifxq]")
_BRACES = re.compile(r"\$?\{[\w.!:]{0,60}\}")
_NOTHING = re.compile(r"\W*|_*|(\w)\1{2,}|[xX]{1,2}")
_COLOUR = re.compile(r"(?:[a-z]+ )?#[0-9A-Fa-f]{3,8}")
_EXPRESSION = re.compile(r"[&*!~-]*\w{1,30}(?:\+\+|--|[-+*/%|&]\w{1,30})?[;,)]*")
_SIGNS = re.compile(r"[!@#$%^&*+=~?]")


def is_slot(value: str) -> bool:
    """True for what only shows where a secret goes, and for a mask: `${X}`, `<key>`, `your-key`."""
    bare = value.strip().strip("*`\"'")
    filled = _BRACES.sub("", bare)
    return (
        bool(_NOTHING.fullmatch(bare))
        or not re.search(r"\w", _FORMAT.sub("", filled))
        or (filled != bare and is_wordy(filled))
        or bool(MASK.match(bare))
        or bool(_SLOT.fullmatch(bare))
        or bool(_PLACEHOLDER.fullmatch(bare))
        or bool(_CASED_PLACEHOLDER.fullmatch(bare))
    )


def is_vocabulary(value: str) -> bool:
    """True for a word that describes a value instead of being one (`required`, `str`), and for alphabets."""
    bare = value.strip(".,;:!?()[]*`\"'").lower()
    return bare in _WORDS or "abcdefghijklmnopqrst" in bare


def is_sentence(value: str) -> bool:
    """True for quoted words that talk to people: "Enter your password", "see vault"."""
    words = re.findall(r"[\w']+", value.lower())
    return len(words) > 1 and any(word in _TALK for word in words)


def is_number(value: str) -> bool:
    """True for a number with or without a unit or a sign: `4096`, `~12k`, `1.5`, `30s`, `256-bit`."""
    bare = value.rstrip(".,;:)]}")
    return bool(_NUMBER.fullmatch(bare) or _COLOUR.fullmatch(bare))


def is_regex(value: str) -> bool:
    """True for a regular expression, which a lexer calls its token."""
    return bool(_REGEX.search(value))


def is_place(value: str) -> bool:
    """True for a path of ordinary names or a URL: where a secret may lie, and no secret itself."""
    if _URL.match(value) or _EMAIL.fullmatch(value):
        return True
    parts = [part for part in re.split(r"[/\\]", value) if part]
    return bool(_PATH.fullmatch(value)) and all(is_wordy(p) or len(p) <= 3 for p in parts)


def is_path(value: str) -> bool:
    """True for what is written like a path from a root, the home or the current folder."""
    return bool(_ROOTED.match(value) and re.fullmatch(r"[\w ./\\:~+-]*", value))


def is_code(value: str, line: str) -> bool:
    """True where the value is an expression: a call, an index, a member; `line` goes on after it."""
    whole = value + line
    if _STATEMENT.match(whole) or is_regex(value):
        return True
    call = _CALL.match(whole)
    if call and all(map(_is_identifier, re.findall(r"[^\W_]+", call[1]))):
        inside = whole[call.end() :]
        if call[2] == "[":
            return bool(_INDEX.match(inside))
        return not _ODD.search(_STRING.sub("", inside))
    bare = value.rstrip(",;)")
    names = re.sub(r"::|->|\?\.|[$&*!]", ".", bare)
    return bool(_MEMBER.fullmatch(bare)) and (is_wordy(names) or bool(_TYPE.search(bare)))


def _is_identifier(word: str) -> bool:
    short = len(word) < 4 and (word.islower() or word.isupper() or word.istitle())
    return is_wordy(word) or short or bool(_NUMBERED.fullmatch(word))


def is_expression(value: str) -> bool:
    """True for a bare name or a small sum of names: `lexeme`, `@token`, `i+1`, `n++;`."""
    bare = value.lstrip("@$:")
    return bool(_EXPRESSION.fullmatch(bare)) and all(
        is_wordy(word) or len(word) < 4 or word.isdigit() for word in re.findall(r"\w+", bare)
    )


def is_wordy(value: str) -> bool:
    """True for names made of words: `prod-db-password`, `AutoTokenizer`, `docs/a.md`, `v1.2.3`."""
    if _DATED.fullmatch(value) or _TECH.fullmatch(value):
        return True
    parts = [part for part in re.split(r"[-_./: ]+", value) if part]
    return bool(parts) and all(_is_word(part, len(parts) > 1) for part in parts)


def is_reference(value: str) -> bool:
    """True for words that name a secret: `db-password`, `MY_TOKEN`, `current_token`."""
    words = re.findall(r"[A-Z]?[a-zа-яё]+|[A-ZА-Я]+(?![a-z])", value)
    return is_wordy(value) and any(_NOUN.fullmatch(word) for word in words)


def _is_word(part: str, chained: bool) -> bool:
    if part.isdigit():
        return len(part) <= 8 and chained
    if part.isalpha():
        if len(part) >= 8 and _UNSPELT.search(part.lower()):
            return False
        plain = part.islower() or part.isupper() or part.istitle()
        return (plain and len(part) <= 16) or _is_camel(part)
    return bool(_TECH.fullmatch(part)) or (
        chained and bool(re.fullmatch(r"[a-z]{3,}\d{1,2}", part))
    )


def _is_camel(letters: str) -> bool:
    humps = _HUMPS.findall(letters)
    short = sum(len(hump) == 2 for hump in humps)
    spelt = not any(len(hump) > 3 and _UNSPELT.search(hump.lower()) for hump in humps)
    return "".join(humps) == letters and short * 2 <= len(humps) and spelt


def is_strong(value: str, digits: int = 1) -> bool:
    """True for what is hardly ever a word: letters with digits or signs in it, or mixed cases.

    `digits` is how many of them a word must have behind it: `hunter2` has one.
    """
    value = value.strip()
    if not value.isascii():
        return any(is_strong(piece, digits) for piece in re.findall(r"[!-~]{5,}", value))
    if len(value) < 5 or not re.search(r"[A-Za-z]", value):
        return False
    if is_number(value) or is_wordy(value) or is_place(value):
        return False
    if numbered := re.fullmatch(r"[A-Za-z]?[a-z]+(\d+)", value):
        return len(numbered[1]) >= digits
    if re.search(r"\d", value) or " " in value:
        return bool(re.search(r"\d", value))
    signs = len(_SIGNS.findall(value[1:]))
    inside = re.search(r"[A-Za-z][!@#$%^][A-Za-z]", value)
    return signs > 2 or bool(inside) or any(map(_is_scrambled, re.split(r"[^A-Za-z]+", value)))


def _is_scrambled(letters: str) -> bool:
    """True for letters that nobody spells: in mixed cases, or with neighbours no word has."""
    if len(letters) < 4 or "abcde" in letters.lower():
        return False
    mixed = not (letters.islower() or letters.isupper() or letters.istitle())
    if mixed:
        return not _is_camel(letters)
    return len(letters) >= 10 and bool(_UNSPELT.search(letters.lower()))

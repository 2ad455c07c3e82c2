"""Made-up secrets of every kind and decoys that look like them, put together at run time.

No file holds a whole secret: prefixes are joined from pieces and the rest is drawn from a seeded
random source, so that neither a scanner of this repository nor a reader finds one.
`python -m tests.secret_corpus` prints how memshelf and detect-secrets do on it.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Sample(NamedTuple):
    """A text that holds a secret, and the pieces of it that must not survive."""

    kind: str
    text: str
    pieces: tuple[str, ...]


# kind, pieces of the prefix, alphabet, length, what stands behind it
TOKENS: tuple[tuple[str, str, str, int, str], ...] = (
    ("github-token", "gh p_", ALNUM, 36, ""),
    ("github-token", "gh o_", ALNUM, 36, ""),
    ("github-token", "gh u_", ALNUM, 36, ""),
    ("github-token", "gh s_", ALNUM, 36, ""),
    ("github-token", "gh r_", ALNUM, 76, ""),
    ("github-token", "github _pat_", ALNUM, 82, ""),
    ("sonar-token", "sq u_", HEX, 40, ""),
    ("gitlab-token", "gl pat-", URL64, 20, ""),
    ("gitlab-token", "gl dt-", URL64, 20, ""),
    ("gitlab-token", "gl rt-", URL64, 20, ""),
    ("slack-token", "xo xb-", string.digits, 12, "-{d12}-{a24}"),
    ("slack-token", "xo xp-", string.digits, 12, "-{d12}-{d12}-{h32}"),
    ("slack-token", "xa pp-1-", UPPER, 11, "-{d13}-{h64}"),
    ("slack-webhook", "https://hooks.sl ack.com/services/T", UPPER, 9, "/B{u9}/{a24}"),
    ("discord-webhook", "https://disc ord.com/api/web hooks/", string.digits, 18, "/{w68}"),
    ("stripe-key", "sk _live_", ALNUM, 24, ""),
    ("stripe-key", "rk _live_", ALNUM, 24, ""),
    ("stripe-key", "sk _test_", ALNUM, 24, ""),
    ("stripe-key", "wh sec_", ALNUM, 32, ""),
    ("google-api-key", "AI za", URL64, 35, ""),
    ("google-oauth", "GOC SPX-", URL64, 28, ""),
    ("google-oauth", "ya 29.", URL64, 90, ""),
    ("aws-access-key", "AK IA", UPPER, 16, ""),
    ("aws-access-key", "AS IA", UPPER, 16, ""),
    ("npm-token", "np m_", ALNUM, 36, ""),
    ("pypi-token", "py pi-AgEIcHlwaS5vcmc", URL64, 140, ""),
    ("sendgrid-key", "S G.", URL64, 22, ".{w43}"),
    ("anthropic-key", "sk -ant-api03-", URL64, 93, "AA"),
    ("openai-key", "sk -proj-", URL64, 60, ""),
    ("openai-key", "sk -", ALNUM, 48, ""),
    ("huggingface-token", "h f_", string.ascii_letters, 34, ""),
    ("digitalocean-token", "do p_v1_", HEX, 64, ""),
    ("shopify-token", "shp at_", HEX, 32, ""),
    ("twilio-key", "S K", HEX, 32, ""),
    ("mailgun-key", "ke y-", HEX, 32, ""),
    ("telegram-token", "", string.digits, 10, ":AA{w33}"),
    ("discord-token", "M", ALNUM, 23, ".{a6}.{w27}"),
    ("databricks-token", "da pi", HEX, 32, ""),
    ("linear-key", "lin _api_", ALNUM, 40, ""),
    ("notion-token", "nt n_", ALNUM, 46, ""),
    ("notion-token", "sec ret_", ALNUM, 43, ""),
    ("doppler-token", "dp .pt.", ALNUM, 43, ""),
    ("vault-token", "hv s.", URL64, 95, ""),
    ("docker-token", "dck r_pat_", URL64, 27, ""),
    ("grafana-token", "gl sa_", ALNUM, 32, "_{h8}"),
    ("sentry-token", "sn tryu_", HEX, 64, ""),
    ("atlassian-token", "ATA TT3", URL64, 186, ""),
    ("square-token", "sq0 atp-", URL64, 22, ""),
    ("newrelic-key", "NR AK-", UPPER, 27, ""),
    ("postman-key", "PM AK-", HEX, 24, "-{h34}"),
    ("planetscale-token", "psc ale_tkn_", URL64, 43, ""),
    ("groq-key", "gs k_", ALNUM, 52, ""),
    ("tailscale-key", "ts key-auth-", ALNUM, 17, "-{a32}"),
    ("brevo-key", "xkey sib-", HEX, 64, "-{a16}"),
    ("rubygems-token", "ruby gems_", HEX, 48, ""),
    ("api-key", "pp lx-", ALNUM, 48, ""),
    ("azure-secret", "", ALNUM, 3, "8Q~{a34}"),
)
"""Provider tokens: the blanks in a prefix are taken out when it is used."""

SENTENCES = (
    "The deploy used {} and failed.",
    "- key: {}",
    "`{}` was in the log of the night shift",
    "curl -H 'X-Key: {}' https://api.example.org/v1",
    'TOKEN = "{}"',
    "see {}, rotated since",
    "({})",
    '{{"value": "{}"}}',
)

# Where a secret stands behind a name: `{}` is the secret.
NAMED: tuple[str, ...] = (
    "password: {}",
    "password = {}",
    "PASSWORD={}",
    'password: "{}"',
    "password: '{}'",
    'password = "{}"',
    "passwd: {}",
    "pwd={}",
    '"password": "{}"',
    '{{"user": "joe", "password":"{}"}}',
    "export DB_PASSWORD={}",
    'export API_KEY="{}"',
    "AWS_SECRET_ACCESS_KEY={}",
    "aws_secret_access_key = {}",
    "api_key: {}",
    '"api_key": "{}"',
    "apikey={}",
    "apiKey: '{}',",
    "access_key = '{}'",
    "auth_token: {}",
    'const clientSecret = "{}";',
    "client_secret={}",
    "SECRET_KEY = '{}'",
    "secret: {}",
    "JWT_SECRET={}",
    "private_key: {}",
    "encryption_key: {}",
    "the password is {}",
    "The password for staging was {}, changed on Monday.",
    "- **Password:** {}",
    "Password: `{}`",
    "| db password | {} |",
    "set the password to {}",
    "mysqldump --password {} shop",
    "deploy --token={} now",
    "login --api-key '{}'",
    "PGPASSWORD={} psql -h db.example.org",
    "machine ftp.example.org login joe password {}",
    "ALTER USER joe WITH PASSWORD '{}';",
    "Server=db;User Id=joe;Password={};Encrypt=true",
    "https://api.example.org/cb?access_token={}&user=1",
    "<password>{}</password>",
    '<add key="DbPassword" value="{}"/>',
    "- name: DB_PASSWORD\n  value: {}",
    'config["password"] = "{}"',
    "'password' => '{}',",
    "password: str = '{}'",
    "//registry.example.org/:_authToken={}",
    "x-api-key: {}",
    "пароль: {}",
)


PHRASES = (
    'password: "{}"',
    "passphrase = '{}'",
    'export DB_PASSWORD="{}"',
    'the password is "{}"',
    '"secret": "{}"',
)
"""Layouts in which a secret of several words is told by its quotes."""

WORDS = "correct horse battery staple lamp river candle orbit velvet thunder maple anchor".split()

URLS = (
    "https://{u}:{p}@git.example.org/x.git",
    "postgres://{u}:{p}@db.example.org:5432/shop",
    "redis://:{p}@localhost:6379/0",
    "mongodb+srv://{u}:{p}@cluster0.example.org/x?retryWrites=true",
    "amqp://{u}:{p}@mq:5672//",
)


def secrets(seed: int = 1) -> list[Sample]:
    """At least a hundred samples; another seed makes others of the same kinds."""
    rng = random.Random(seed)
    return [*_tokens(rng), *_named(rng), *_placed(rng), *_key_blocks(rng)]


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    """Random letters of an alphabet, as mixed as those of a real token are."""
    while True:
        text = "".join(rng.choices(alphabet, k=length))
        if length < 16 or len(alphabet) < 12:
            return text
        digits = any(c.isdigit() for c in text) or alphabet.isalpha()
        cases = len({c.isupper() for c in text if c.isalpha()}) == 2
        if digits and (cases or alphabet in (HEX, UPPER)):
            return text


def _filled(rng: random.Random, tail: str) -> str:
    """A tail with its slots filled: `{a24}` is 24 of ALNUM, d digits, h hex, u UPPER, w URL64."""
    kinds = {"a": ALNUM, "d": string.digits, "h": HEX, "u": UPPER, "w": URL64}
    return re.sub(r"\{(\w)(\d+)\}", lambda m: draw(rng, kinds[m[1]], int(m[2])), tail)


def provider_tokens(rng: random.Random) -> Iterator[Sample]:
    """One bare token of each row of TOKENS."""
    for kind, prefix, alphabet, length, tail in TOKENS:
        token = prefix.replace(" ", "") + draw(rng, alphabet, length) + _filled(rng, tail)
        yield Sample(kind, token, (token.rpartition("//")[2].partition("/")[2] or token,))


def _tokens(rng: random.Random) -> Iterator[Sample]:
    for number, token in enumerate(provider_tokens(rng)):
        yield token._replace(text=SENTENCES[number % len(SENTENCES)].format(token.text))


def password(rng: random.Random) -> str:
    """A password as people make them: letters, digits, and often a sign in the middle."""
    left, right = draw(rng, string.ascii_letters, 5), draw(rng, ALNUM, 5)
    return left + rng.choice(["", "!", "-", "_", "@", "%", "."]) + str(rng.randint(2, 99)) + right


def _named(rng: random.Random) -> Iterator[Sample]:
    for layout in NAMED:
        secret = password(rng)
        yield Sample("named", layout.format(secret), (secret,))
    for layout in PHRASES:
        secret = " ".join(rng.sample(WORDS, 4))
        yield Sample("phrase", layout.format(secret), (secret,))


def _placed(rng: random.Random) -> Iterator[Sample]:
    for url in URLS:
        secret = draw(rng, ALNUM, 12)
        yield Sample("url-password", url.format(u="joe", p=secret), (f":{secret}@",))
    basic = base64.b64encode(f"joe:{draw(rng, ALNUM, 14)}".encode()).decode()
    yield Sample("basic-auth", f"Authorization: Basic {basic}", (basic,))
    yield Sample("basic-auth", json.dumps({"auths": {"r.example.org": {"auth": basic}}}), (basic,))
    bearer = draw(rng, URL64, 32)
    yield Sample("bearer", f"curl -H 'Authorization: Bearer {bearer}' x", (bearer,))
    parts = [_json64(rng, keys) for keys in (("alg", "typ"), ("sub", "iat"))]
    jwt = ".".join([*parts, draw(rng, URL64, 43)])
    yield Sample("jwt", f"it sent {jwt} in a cookie", (jwt, parts[1]))
    azure = draw(rng, BASE64, 86) + "=="
    line = "AccountName=shop;Account" + f"Key={azure};EndpointSuffix=core.example.net"
    yield Sample("azure-storage-key", line, (azure,))
    sas = draw(rng, ALNUM, 43) + "%3D"
    yield Sample("azure-sas", f"https://a.example.net/c?sv=2024-01-01&se=2027&sig={sas}", (sas,))
    bare = draw(rng, BASE64, 40)
    key = "AK" + "IA" + draw(rng, UPPER, 16)
    yield Sample("aws-secret-key", f"Access key ID,Secret access key\n{key},{bare}\n", (key, bare))


def _json64(rng: random.Random, keys: tuple[str, ...]) -> str:
    text = json.dumps({key: draw(rng, LOWER, 9) for key in keys}).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _border(word: str, what: str) -> str:
    return "-" * 5 + f"{word} {what}PRIVATE " + "KEY" + "-" * 5


def _lines(rng: random.Random, count: int = 4) -> list[str]:
    return [draw(rng, BASE64, 64) for _ in range(count)] + [draw(rng, BASE64, 30) + "=="]


LAYOUTS: dict[str, Callable[[list[str]], str]] = {
    "plain": lambda lines: "\n".join(["", *lines, ""]),
    "CRLF": "\r\n".join,
    "escaped": lambda lines: '{"k": "' + "\\n".join(lines) + '\\n"}',
    "YAML": lambda lines: "key: |\n" + "".join(f"    {line}\n" for line in lines) + "next: 1\n",
    "quote": lambda lines: "".join(f"> {line}\n" for line in lines),
    "spaces": " ".join,
    "joined": "".join,
    "env": lambda lines: "PRIVATE_" + 'KEY="' + "\n".join(lines) + '"',
    "cut": lambda lines: "\n".join(lines[:-1]) + "\n\nAnd then it broke off.",
    "headless": lambda lines: "It goes on:\n" + "\n".join(lines[1:]) + "\nEnd of file.",
    "fenced": lambda lines: "```\n" + "\n".join(lines) + "\n```\n",
}


def _key_blocks(rng: random.Random) -> Iterator[Sample]:
    kinds = ("RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ")
    for number, (name, layout) in enumerate(LAYOUTS.items()):
        what, lines = kinds[number % len(kinds)], _lines(rng)
        block = [_border("BEGIN", what), *lines, _border("END", what)]
        kept = lines[:-1] if name == "cut" else lines
        yield Sample(f"private-key {name}", layout(block), tuple(kept))
    lines, legacy = _lines(rng), ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", ""]
    block = [_border("BEGIN", "RSA "), *legacy, *lines, _border("END", "RSA ")]
    yield Sample("private-key headers", "\n".join(block), tuple(lines))
    lines = [*_lines(rng), "=" + draw(rng, ALNUM, 4)]
    borders = [_border(word, "PGP ").replace("KEY-", "KEY BLOCK-") for word in ("BEGIN", "END")]
    yield Sample("private-key PGP", "\n".join([borders[0], "", *lines, borders[1]]), tuple(lines))
    lines = _lines(rng)
    head = "PuTTY-User-" + "Key-File-3: ssh-ed25519\nEncryption: none\nComment: joe\n"
    text = head + "Private-Lines: 5\n" + "\n".join(lines) + "\nPrivate-MAC: " + draw(rng, HEX, 64)
    yield Sample("private-key PuTTY", text, tuple(lines))


def decoys(seed: int = 1) -> list[str]:
    """At least a hundred texts that hold no secret, each of which some scanner takes for one."""
    rng = random.Random(seed)
    sha1, sha256 = draw(rng, HEX, 40), draw(rng, HEX, 64)
    uuid = "-".join(draw(rng, HEX, n) for n in (8, 4, 4, 4, 12))
    sri, image = draw(rng, BASE64, 86) + "==", draw(rng, BASE64, 200) + "=="
    drawn = [
        f"commit {sha1}",
        f"fixed in {sha1[:12]} and {sha1}",
        f'rev = "{sha1}"',
        f"id: {uuid}",
        f"request {uuid} failed",
        f'"integrity": "sha512-{sri}"',
        f"--hash=sha256:{sha256}",
        f'checksum = "{sha256}"',
        f"sha256:{sha256}",
        f"image: registry.example.org/app@sha256:{sha256}",
        f"docker://alpine:3.18@sha256:{sha256}",
        f"![chart](data:image/png;base64,{image})",
        f'etag: "{draw(rng, HEX, 32)}"',
        f"cache-key: deps-{sha1[:16]}",
        f"memshelf/domain/redact.py,sha256={draw(rng, URL64, 43)},4120",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{draw(rng, BASE64, 43)} joe@laptop",
        f"-----BEGIN CERTIFICATE-----\n{draw(rng, BASE64, 64)}\n-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{draw(rng, BASE64, 64)}\n-----END PUBLIC KEY-----",
        f"The file begins with {_border('BEGIN', '')} and must stay out of git.",
        string.ascii_lowercase + string.ascii_uppercase + string.digits,
    ]
    return drawn + [line for line in DECOYS.splitlines() if line.strip()]


DECOYS = r"""
max_tokens = 4096
approx_tokens=12000
approx_tokens: 41000
max_tokens: 200K
tokens: 4096
token_count = 12000
tokens_per_second=35
TOKEN_LIMIT=4096
1 token = 4 characters
tokens used: 12,345
the token = a unit
The secret = what nobody knows
PWD=/home/me
OLDPWD=/home/me/src
PWD="/home/me/my files"
if token == 'x':
if (token === "abc123") {
token = tokens[0]
token = parts[1].strip()
token = response.json()["access_token"]
token = x if y else z
token = re.compile(r"[a-z]+")
token => token.value
token, err := parser.Next()
const token = await getToken();
self.token = token
f(token=token, x=1)
Token::new(x)
password = os.environ["X"]
password = getpass.getpass("Password: ")
password = input("Password: ")
password = None
password=password
password: str
password: Annotated[str, Field(min_length=8)]
def login(user: str, password: str) -> Token:
token?: string;
let token: string | undefined;
api_key = settings.API_KEY
apiKey: process.env.OPENAI_API_KEY,
secret = secrets.token_hex(32)
password: required
password: null
password: ~
password: ""
password:
token: expired
Password: rotated
secret: see vault
password: "Enter your password"
"password": "Password must be at least 8 characters"
"token_type": "bearer"
token: ${{ secrets.GITHUB_TOKEN }}
${{ secrets.X }}
secrets: inherit
PASSWORD=$PASSWORD
PASSWORD="${DB_PASSWORD:-}"
TOKEN=`cat token.txt`
export TOKEN=$(vault read -field=token x)
password: "{{ lookup('env', 'DB') }}"
password: !vault |
password: *default
API_KEY=<your-token>
api_key: YOUR_API_KEY
api_key: "your-api-key-here"
password: changeme
password: ********
password: [REDACTED]
password: «redacted:credential»
API_KEY=«redacted:env-secret»
--token <token>
--password-stdin
use --token to pass a token
the --password flag is required
The password is required.
The password is too short
the token is base64
the token is v2
the secret is SHA-256 hashed
the password was changed on 2026-03-04
password policy: 12 characters
token bucket of 60 requests
Rate limits: token bucket per key
token_url: https://auth.example.com/token
TOKEN_URL=https://auth.example.com/token
password_file: /run/secrets/db
PASSWORD_RESET_TIMEOUT = 259200
password_min_length: 8
password_hash_algorithm: argon2id
secretName: db-creds
arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
primary_key: id
public_key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"
"key": "value-of-the-map"
monkey = patch
keyboard: us-intl
secretary: Anna Lee
tokenizer: gpt2
tokenizer = AutoTokenizer.from_pretrained("gpt2")
pad_token = "<pad>"
cls_token: "[CLS]"
Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Basic <credentials>
Basic authentication is switched off
/usr/local/lib/python3.11/site-packages/memshelf/domain/redaction/__init__.py
2026-06-02-queue-stall-incident
see 2026-01-20-token-bucket-limiter for the reasons
https://example.org/a/b?c=d#e
http://localhost:8080/
https://localhost:3000/@vite/client
https://example.com:8443/a:b@c
https://medium.com/@joe/post-with-a-long-title-1a2b3c4d5e6f
git@github.com:x/y
ssh://git@github.com/x/y.git
mailto:joe@example.com
http://[::1]:8080/a@b
sk-learn is a library; task-scheduling-with-priority-queues
npm_config_registry=https://registry.example.org
hf_hub_download(repo_id="x")
key-value-store-with-append-only-log
gh p is not a prefix, ghp_ is
pass: 3, fail: 1
passes: 12
bypass = true
compass: north
v1.2.3-beta.4+build.5
Пароли храним только в менеджере паролей, а не в заметках.
Пароль: не хранить в репозитории
Решили, что токен живёт 15 минут.
пароль — это секрет
密码：不要写进仓库
"""


class Outcome(NamedTuple):
    """How one scanner did: secrets found of how many, decoys flagged of how many, misses by kind."""

    scanner: str
    found: int
    secrets: int
    flagged: int
    decoys: int
    missed: Counter[str]


def measure(seed: int = 1) -> list[Outcome]:
    """memshelf and detect-secrets (its `scan_file`, default plugins and filters) on the corpus."""
    from memshelf.domain.redact import redact

    def ours(text: str) -> str:
        return redact(text)[0]

    def found(sample: Sample) -> bool:
        return not any(piece in ours(sample.text) for piece in sample.pieces)

    rows = [_outcome("memshelf", found, lambda text: ours(text) != text, seed)]
    with tempfile.TemporaryDirectory() as folder:
        scan = _detect_secrets(Path(folder))
        rows.append(_outcome("detect-secrets", lambda sample: scan(sample.text), scan, seed))
    return rows


def _outcome(
    scanner: str, found: Callable[[Sample], bool], flagged: Callable[[str], bool], seed: int
) -> Outcome:
    samples, harmless = secrets(seed), decoys(seed)
    missed = Counter(sample.kind for sample in samples if not found(sample))
    wrong = sum(flagged(text) for text in harmless)
    total = len(samples)
    return Outcome(scanner, total - missed.total(), total, wrong, len(harmless), missed)


def _detect_secrets(folder: Path) -> Callable[[str], bool]:
    """True for a text in which detect-secrets finds anything, as a Markdown file of its own."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    def scan(text: str) -> bool:
        file = folder / "episode.md"
        file.write_text(text + "\n", encoding="utf-8")
        with default_settings():
            return any(True for _ in scan_file(str(file)))

    return scan


def main() -> None:
    """Print the table that docs quote."""
    print("| scanner | secrets found | decoys flagged |\n|---|---|---|")
    for row in measure():
        print(f"| {row.scanner} | {row.found} of {row.secrets} | {row.flagged} of {row.decoys} |")
        for kind, number in row.missed.most_common():
            print(f"<!-- missed by {row.scanner}: {kind} ×{number} -->")


if __name__ == "__main__":
    main()

"""Made-up secrets of every kind and decoys that look like them, put together at run time.

No file holds a whole secret: prefixes are joined from pieces and the rest is drawn from a seeded
random source, so that neither a scanner of this repository nor a reader finds one.
`python -m tests.secret_corpus` prints how memshelf and detect-secrets do on it.
"""

from __future__ import annotations

import base64
import json
import random
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
    "TOKEN = \"{}\"",
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


def secrets(seed: int = 1) -> list[Sample]:
    """At least a hundred samples; another seed makes others of the same kinds."""
    rng = random.Random(seed)
    return [*_tokens(rng), *_named(rng), *_others(rng), *_key_blocks(rng)]


def _draw(rng: random.Random, alphabet: str, length: int) -> str:
    """Random letters, with a digit and, where the alphabet has both, both cases."""
    while True:
        text = "".join(rng.choices(alphabet, k=length))
        plain = length < 16 or alphabet in (string.digits, string.ascii_letters)
        mixed = text.upper() != text and text.lower() != text and any(c.isdigit() for c in text)
        if plain or (mixed if alphabet not in (HEX, LOWER, UPPER) else len(set(text)) > 7):
            return text


def _tail(rng: random.Random, tail: str) -> str:
    """Fill the slots of a tail: `{a24}` is 24 letters and digits, d digits, h hex, u upper, w url."""
    kinds = {"a": ALNUM, "d": string.digits, "h": HEX, "u": UPPER, "w": URL64}
    parts = [part for piece in tail.split("{") for part in piece.split("}")]
    slots = (tail.startswith("{"),)
    del slots
    out, inside = "", False
    for char in tail:
        if char == "{":
            inside, slot = True, ""
        elif char == "}":
            inside = False
            out += _draw(rng, kinds[slot[0]], int(slot[1:]))
        elif inside:
            slot += char
        else:
            out += char
    del parts
    return out

"""The shapes of credentials that can be told by their own letters, as bytes of UTF-8.

Each shape names its anchors (a text without any of them cannot hold it) and is compiled when an
anchor is first seen. Two rules keep every pattern linear on any input: nothing may be demanded
after an unbounded run (what must follow is judged on the match), and what was matched and judged
harmless is stepped over whole. The prefixes and lengths are public facts of the providers' manuals
and of the rule sets of gitleaks, detect-secrets and secretlint; lengths are taken generously, since
providers lengthen their tokens more often than they change a prefix.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Shape(NamedTuple):
    """One credential: its kind, the anchors, the pattern, and what a match must look like.

    `form` is one of `tokens.FORMS`. A group named `secret` is what is masked, without one the whole
    match; a group named `body` is what is judged, without one what is masked.
    """

    kind: str
    anchors: tuple[bytes, ...]
    pattern: bytes
    form: str = "random"


def _family(
    kind: str, prefixes: str, body: str, form: str = "random", before: bytes = rb"A-Za-z0-9"
) -> Shape:
    """The shape of tokens that begin with one of some literal prefixes, not behind `before`."""
    words = tuple(sorted(prefixes.encode().split(), reverse=True))
    # Not the beginning of a checksum: `sha256=sk_...`, `sha512-re_...`.
    start = (
        b"(?<![%s])" % before
        + rb"(?<!sha256[=:-])(?<!sha512[=:-])(?:"
        + b"|".join(map(re.escape, words))
        + rb")"
    )
    return Shape(kind, words, start + body.encode(), form)


# Bodies. After a full body more groups may follow a dot, dash or underscore: taken along.
_ALNUM = r"[A-Za-z0-9]{16,}+(?:[._-][A-Za-z0-9_-]++){0,4}"
_WIDE = r"[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]++){0,4}"
_HEX = r"[A-Fa-f0-9]{24,}+(?:[._-][A-Za-z0-9]++){0,4}"
_B64 = r"[A-Za-z0-9+/_-]{16,}+={0,2}"

SHAPES: tuple[Shape, ...] = (
    Shape("aws-access-key", (b"AKIA",), rb"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])", "any"),
    Shape(
        "aws-access-key",
        (b"ASIA", b"ABIA", b"ACCA", b"A3T"),
        rb"(?<![A-Za-z0-9])A(?:SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    Shape(
        "sonar-token",
        (b"squ_", b"sqp_", b"sqa_"),
        rb"(?<![A-Za-z0-9])sq[upa]_[0-9a-f]{32,}+",
        "any",
    ),
    Shape(
        "github-token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        rb"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,255}+(?:[._-][A-Za-z0-9_-]++){0,4}",
        "any",
    ),
    _family("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"(?:[0-9]{{1,12}}_)?{_ALNUM}"),
    _family("github-token", "github_pat_", r"[A-Za-z0-9_]{20,}+"),
    _family(
        "gitlab-token",
        "glpat- gldt- glft- glrt- glrtr- glsoat- glcbt- glffct- glimt- glptt- glagent- gloas- "
        "glwt- GR1348941 _gitlab_session=",
        r"[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]++){0,4}",
    ),
    Shape(
        "slack-token",
        (b"xox", b"xapp-", b"xwfp-"),
        rb"(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{10,}+",
    ),
    Shape(
        "slack-webhook",
        (b"hooks.slack",),
        rb"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{16,}+)",
    ),
    Shape(
        "discord-webhook",
        (b"/api/webhooks/",),
        rb"discord(?:app)?\.com/api/webhooks/(?P<secret>[0-9]{10,20}/[\w-]{20,}+)",
    ),
    Shape(
        "teams-webhook",
        (b".webhook.office.com",),
        rb"\.webhook\.office\.com/(?P<secret>webhookb2/[\w@/-]{30,}+)",
    ),
    _family("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", r"\w{10,}+"),
    _family("stripe-key", "whsec_", _B64),
    _family("google-api-key", "AIza", r"[A-Za-z0-9_-]{30,}+"),
    _family("google-oauth", "GOCSPX- ya29. 1//0", r"[A-Za-z0-9_-]{16,}+"),
    _family("npm-token", "npm_", r"[A-Za-z0-9]{20,}+"),
    _family("pypi-token", "pypi-", r"[A-Za-z0-9_-]{30,}+", "mixed"),
    Shape(
        "sendgrid-key",
        (b"SG.",),
        rb"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}+",
    ),
    _family("anthropic-key", "sk-ant-", r"[A-Za-z0-9_-]{16,}+"),
    Shape(
        "openai-key",
        (b"sk-",),
        rb"(?<![A-Za-z0-9_-])sk-(?P<body>[A-Za-z0-9_-]{20,}+)",
        "solid",
    ),
    _family("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{20,}+"),
    _family("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX),
    _family("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", _HEX),
    Shape(
        "twilio-key",
        (b"SK", b"AC"),
        rb"(?<![A-Za-z0-9])(?:SK|AC)[0-9a-fA-F]{32}(?![A-Za-z0-9])",
    ),
    Shape(
        "mailgun-key",
        (b"key-",),
        rb"(?<![A-Za-z0-9])key-(?P<body>[0-9a-z]{32})(?![A-Za-z0-9])",
    ),
    Shape(
        "mailchimp-key",
        (b"-us",),
        rb"(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])",
    ),
    Shape(
        "telegram-token",
        (b":",),
        rb"(?<![0-9])[0-9]{8,10}:(?P<body>[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])",
        "mixed",
    ),
    Shape(
        "discord-token",
        (b".",),
        rb"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}+",
        "mixed",
    ),
    Shape(
        "azure-storage-key",
        (b"Key=",),
        rb"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{20,}+={0,2})",
    ),
    Shape("azure-sas", (b"sig=",), rb"(?<![A-Za-z0-9])sig=(?P<secret>[A-Za-z0-9%+/_-]{30,}+=*+)"),
    Shape("azure-secret", (b"Q~",), rb"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,40}"),
    _family("databricks-token", "dapi", r"[a-h0-9]{32}(?:-[0-9])?"),
    _family("linear-key", "lin_api_ lin_oauth_ lin_wh_", _ALNUM),
    _family("notion-token", "ntn_", _ALNUM),
    _family("notion-token", "secret_", r"[A-Za-z0-9]{32,}+", "mixed"),
    _family("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{20,}+"),
    _family("vault-token", "hvs. hvb. hvr.", r"[A-Za-z0-9_-]{16,}+"),
    _family("docker-token", "dckr_pat_ dckr_oat_", _WIDE),
    _family("grafana-token", "glsa_ glc_ eyJrIjoi", _B64),
    _family("sentry-token", "sntrys_ sntryu_", _B64),
    _family("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=-]{16,}+", "mixed"),
    _family("square-token", "sq0atp- sq0csp- sq0idp-", r"[A-Za-z0-9_-]{20,}+", "mixed"),
    Shape(
        "square-token",
        (b"EAAA",),
        rb"(?<![A-Za-z0-9+/_-])EAAA[A-Za-z0-9_-]{20,64}(?![A-Za-z0-9+/_-])",
        "mixed",
    ),
    Shape(
        "facebook-token",
        (b"EAAC", b"EAAM", b"EAAB", b"EAAG"),
        rb"(?<![A-Za-z0-9+/_-])EAA[CMBG][A-Za-z0-9]{60,}+",
        "mixed",
    ),
    _family("newrelic-key", "NRAK- NRII- NRJS- NRRA-", r"[A-Za-z0-9-]{16,}+"),
    _family("postman-key", "PMAK-", _HEX),
    _family("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{30,}+"),
    _family("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w=.-]{20,}+"),
    _family("supabase-token", "sbp_ sb_secret_", _WIDE),
    _family("groq-key", "gsk_", r"[A-Za-z0-9]{30,}+"),
    _family("tailscale-key", "tskey-", r"[A-Za-z0-9-]{16,}+"),
    _family("brevo-key", "xkeysib- xsmtpsib-", _HEX),
    _family("rubygems-token", "rubygems_", _HEX),
    _family("terraform-token", "ATLAS-", r"[A-Za-z0-9_-]{30,}+", "mixed"),
    Shape(
        "terraform-token",
        (b".atlasv1.",),
        rb"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{30,}+",
    ),
    Shape(
        "airtable-token",
        (b"pat",),
        rb"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}+",
    ),
    Shape(
        "dynatrace-token",
        (b"dt0",),
        rb"(?<![A-Za-z0-9])dt0[a-z][0-9]{2}\.[A-Za-z0-9]{20,32}\.[A-Za-z0-9]{40,}+",
    ),
    Shape(
        "1password-key",
        (b"A3-",),
        rb"(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}",
    ),
    Shape("1password-key", (b"ops_eyJ",), rb"ops_eyJ[A-Za-z0-9+/_-]{40,}+={0,2}"),
    Shape(
        "hubspot-token",
        (b"pat-",),
        rb"(?<![A-Za-z0-9])pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    Shape(
        "plaid-token",
        (b"access-",),
        rb"(?<![A-Za-z0-9])access-(?:sandbox|development|production)-[0-9a-f-]{36}",
    ),
    Shape(
        "api-key",
        (b"v1.0-",),
        rb"(?<![A-Za-z0-9])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}+",
    ),
    Shape("api-key", (b":APA91b",), rb"(?<![A-Za-z0-9])AAAA[\w-]{7}:APA91b[\w-]{100,}+"),
    Shape(
        "api-key",
        (b"t1.",),
        rb"(?<![A-Za-z0-9])t1\.[\w-]{20,200}={0,2}\.[\w-]{80,}+={0,2}",
    ),
    Shape(
        "api-key",
        (b"pat.", b"sat."),
        rb"(?<![A-Za-z0-9])[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
    ),
    Shape("api-key", (b"_mmk",), rb"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    Shape("api-key", (b"sha256~",), rb"(?<![A-Za-z0-9])sha256~[\w-]{40,}+"),
    Shape("api-key", (b"live_", b"test_"), rb"(?<![\w])(?:live|test)_(?:pub_)?[a-f0-9]{31,35}"),
    _family("api-key", "amzn.mws. amzn1.oa2-cs.v1.", r"[a-f0-9-]{32,}+"),
    # Prefixes that no one else uses, each of a single provider.
    _family(
        "api-key",
        "pplx- xai- tvly- pcsk_ esecret_ r8_ fw_ lsv2_pt_ lsv2_sk_ figd_ tfp_ pnu_ rdme_ sgp_ "
        "shippo_live_ shippo_test_ duffel_live_ duffel_test_ CLOJARS_ CCIPAT_ CCIPRJ_ CFPAT- "
        "bkua_ hcaik_ hcxik_ HRKU-AA pul- ico- dnkey- fio-u- tk-us- s-s4t2ud- s-s4t2af- "
        "FLWSECK_TEST- FLWSECK- rzp_live_ rzp_test_ rnd_ vcp_ fo1_ re_ ck_ cs_ y0_ nfp_ p8e- "
        "sl.u. sl.B SWMTKN-1- SWMKEY-1- API- jina_ csk- fc- "
        "bb_live_ e2b_ rpa_ phx_ napi_ chpt_ wandb_v1_ secret-live- secret-test- snyk_",
        r"[A-Za-z0-9_-]{20,}+(?:\.[A-Za-z0-9_-]++){0,4}",
        "solid",
        before=rb"A-Za-z0-9_-",
    ),
    # Letters alone, which the base64 of a picture may hold too: not behind a sign of base64.
    Shape(
        "api-key",
        (b"EZAK", b"EZTK", b"AKCp", b"cmVmd", b"LTAI", b"AQVN", b"cio", b"oy2"),
        rb"(?<![A-Za-z0-9+/_=-])(?:EZ[AT]K|AKCp|cmVmd|LTAI|AQVN|cio|oy2)[A-Za-z0-9_-]{20,}+",
        "solid",
    ),
    _family("api-key", "sm_aat_ sm_pat_ sm_sat_", r"[A-Za-z0-9]{16,}+"),
    _family("api-key", "sk_", r"[a-f0-9]{40,}+"),
    _family("api-key", "fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/=,]{40,}+", "mixed"),
    # A key file in base64: of an OpenSSH key, and of the words "-----BEGIN" that no certificate
    # or public key follows.
    Shape("private-key", (b"b3BlbnNzaC1rZXktdjE",), rb"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{16,}+"),
    Shape(
        "private-key",
        (b"LS0tLS1CRUdJTi",),
        rb"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM|BDRVRJ|BYNT)[A-Za-z0-9+/=]{32,}+",
    ),
    Shape(
        "jwt",
        (b"eyJ",),
        rb"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_=-]{8,}+(?:\.[A-Za-z0-9_=-]*+){1,4}",
        "dotted",
    ),
)

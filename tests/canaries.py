"""A shelf of mixed visibility with a canary, a made-up word, in every place of what is hidden."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from conftest import commit_all
from gitkit import git, put

import memshelf
from memshelf.storage.store import Store

TOML = '[publish]\ninclude = ["public"]\nreaders = "public"\n'
PUBLIC, SECOND = "2026-01-05-tide-tables", "2026-02-09-harbour-lights"
_FIELDS = (
    *("title", "description", "tag", "keyword", "session", "notes", "author", "agent", "extra"),
    *("extra_list", "extra_map", "op", "digest", "section", "heading", "decision", "rejected"),
    *("thread", "timeline", "artifact", "excerpt", "code", "inline", "cell", "alt", "picture"),
    *("link", "address", "comment", "quote", "id", "link_title", "cyrillic", "chinese"),
)
"""Where the canaries of one hidden episode are."""

HIDDEN = """\
---
id: 2026-03-02-{id}
kind: research
date: 2026-03-02
{visibility}
display_title: "About {title} and no more"
description: "Of {description}."
tags: [{tag}]
keywords: [{keyword}]
session: "{session}"
notes: "{notes}"
author: "{author} <{author}@example.org>"
agent: "{agent}"
op: "{op}"
supersedes: [{public}]
x_extra: "{extra}"
x_list: [{extra_list}]
x_map: {{{extra_map}: 1}}
approx_tokens: 10
---

# About {title} and no more

## Digest
The digest of the {digest}.

## {section}
The text of a section says {heading} and goes on.

## Decisions
- Take {decision}.
- Rejected: {rejected}.

## Open threads
- Ask {thread}?

## Timeline
- 2026-03-02 {timeline}

## Artifacts
- {artifact}: ![{alt}]({picture}.png), [{link}](https://example.org/{address} "{link_title}")

| name | value |
|---|---|
| one | {cell} |

<!-- {comment} -->

> {quote}

Запуск {cyrillic} завтра. 计划{chinese}明天。

## Raw excerpts
{excerpt} and x1
`{inline}`

```python
{code} = 1
```
"""
SHOWN = """\
---
id: {id}
kind: topic
date: {date}
visibility: public
display_title: "{title}"
tags: [sea]
supersedes: [2026-03-02-{private[id]}]
closes: [2026-03-02-{team[id]}/t1]
approx_tokens: 10
---

# {title}

## Digest
The tide tables are printed. See 2026-03-02-{private[id]} and
[this one](2026-03-02-{past[id]}.md).

## Decisions
- Print them, as 2026-03-02-{broken}/d1 says.
"""


class Canaries(NamedTuple):
    """A shelf, and every word of it that the public must never see, by where it is."""

    store: Store
    words: Mapping[str, str]
    texts: Mapping[str, str]
    """What a page would hold that shows the place of a canary, by the place."""

    def seen(self, data: bytes) -> list[str]:
        """The places whose canary stands in some bytes, in whatever case."""
        low = data.decode("utf-8", "replace").casefold()
        return [place for place, word in self.words.items() if word.casefold() in low]


def word(rng: random.Random) -> str:
    """A word that nobody ever wrote."""
    return "zq" + "".join(rng.choice("bcdfghjkmprtvwxz") for _ in range(10))


def shelf(folder: Path) -> Canaries:
    """A shelf in a repository: two public episodes, and a private, a team, a past, a broken one."""
    rng = random.Random(folder.name)
    memshelf.init(folder, name="Harbour")
    levels = {
        "private": "visibility: private",
        "team": "visibility: team",
        "past": "visibility: public\nretain_until: 2026-03-03",
    }
    made = {level: _words(rng) for level in levels}
    words, texts = {}, {}
    for level, line in levels.items():
        own = made[level]
        put(folder, f"docs/research/2026-03-02-{own['id']}.md", _hidden(own, line))
        words |= {f"{level} {name}": text for name, text in own.items()}
        texts |= {f"{level} {name}": _shown(name, text) for name, text in own.items()}
    words |= {name: word(rng) for name in ("broken id", "broken text", "retro", "recall", "policy")}
    texts["retro"] = f"The year of {words['retro']} was long."
    texts["broken id"] = f"2026-03-02-{words['broken id']}"
    broken = f'---\nid: [\ndisplay_title: "{words["broken text"]}\n---\n'
    put(folder, f"docs/topics/2026-03-02-{words['broken id']}.md", broken)
    put(folder, "retros/2026Q1.md", texts["retro"] + "\n")
    rows = f"2026-03-02-{made['private']['id']}\t{words['recall']}\t12\n"
    put(folder, "recall-log.tsv", f"episode_id\tsection\ttokens\n{rows}")
    put(folder, "POLICY.patterns", f"house-rule {words['policy']}\\d+\n")
    for place, (name, title) in enumerate(((PUBLIC, "Tide tables"), (SECOND, "Harbour lights"))):
        text = SHOWN.format(id=name, title=title, date=name[:10], broken=words["broken id"], **made)
        put(
            folder, f"docs/topics/{name}.md", text if not place else text.replace("The tide", "All")
        )
    commit_all(folder)
    return Canaries(memshelf.open_shelf(folder), words, texts)


def told(made: Canaries, folder: Path) -> Canaries:
    """The same, told to publish, with a bare repository in the folder as its origin."""
    root = made.store.root
    settings = (root / "memshelf.toml").read_text("utf-8")
    put(root, "memshelf.toml", f"{settings}\n{TOML}")
    git(root, "commit", "-qam", "tell")
    git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(root, "remote", "add", "origin", str(folder / "remote.git"))
    git(root, "push", "-q", "origin", "main")
    return made._replace(store=memshelf.open_shelf(root))


def _words(rng: random.Random) -> dict[str, str]:
    words = {name: word(rng) for name in _FIELDS}
    words["cyrillic"] = "щъ" + "".join(rng.choice("бвгджзклмн") for _ in range(8))
    words["chinese"] = "".join(rng.choice("龘靐齉齾爩鱻麤龗") for _ in range(6))
    return words


def _hidden(words: Mapping[str, str], line: str) -> str:
    return HIDDEN.format(visibility=line, public=PUBLIC, **words)


_LINES = {
    "id": "2026-03-02-{}",
    "title": "About {} and no more",
    "description": "Of {}.",
    "digest": "The digest of the {}.",
    "heading": "The text of a section says {} and goes on.",
    "decision": "Take {}.",
    "rejected": "Rejected: {}.",
    "thread": "Ask {}?",
    "timeline": "2026-03-02 {}",
    "picture": "{}.png",
    "address": "https://example.org/{}",
    "cyrillic": "Запуск {} завтра.",
    "chinese": "计划{}明天",
    "excerpt": "{} and x1",
    "code": "{} = 1",
    "author": "{0} <{0}@example.org>",
    "artifact": "{}:",
}


def _shown(name: str, text: str) -> str:
    """What a page shows of a field."""
    return _LINES.get(name, "{}").format(text)


def inside(path: Path) -> bytes:
    """All that a file holds, with its name; the files of a book one after the other."""
    data = path.read_bytes()
    if path.suffix == ".epub":
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            data = b"\n".join(name.encode() + b"\n" + book.read(name) for name in book.namelist())
    return path.name.encode() + b"\n" + data

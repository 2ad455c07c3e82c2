"""Compare the copies of memshelf that answer on this machine with a checkout of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..domain.errors import ShelfError
from ..domain.text import plural
from ..verb import verb

if TYPE_CHECKING:
    from ..capture.installed import Copy


class NothingToCompare(ShelfError):
    """There is no checkout, or it cannot be told of a copy what it holds."""

    code = "freshness-unknown"
    exit_code = 2


@dataclass(frozen=True)
class Fresh:
    """The checkout, its hash and what was committed to its code since the last tag, and each copy
    with whether it holds the same code."""

    checkout: str
    code: str
    since: str
    copies: tuple[Copy, ...]

    @property
    def ok(self) -> bool:
        """False where one of them holds other code."""
        return not any(copy.state == "differs" for copy in self.copies)

    def __str__(self) -> str:
        since = f", {self.since}" if self.since else ""
        head = f"checkout {self.checkout}: {self.code}{since}"
        return "\n".join([head, *map(str, self.copies)])


@verb(mcp=False)
def freshness(
    repo: Annotated[Path | None, "A checkout of memshelf [the current folder]."] = None,
) -> Fresh:
    """Compare the copies of memshelf that answer on this machine with a checkout of it.

    Exit code 0 where all hold its code, 1 where one does not, 2 where that cannot be told.

    Example:
    memshelf freshness ~/src/memshelf
    """
    from .. import __version__
    from ..capture.installed import copies
    from ..capture.served import code_hash

    folder = (repo or Path()).expanduser().resolve()
    places = (folder / name for name in ("memshelf", "src/memshelf"))
    package = next((one for one in places if (one / "surfaces" / "cli.py").is_file()), None)
    if package is None:
        raise NothingToCompare(f"{folder} is no checkout of memshelf.", "Name the folder of one.")
    since = _since(folder, package)
    made = Fresh(str(folder), code_hash(package), since, tuple(copies(__version__, folder)))
    unknown = [copy.answers for copy in made.copies if copy.state == "unknown"]
    if made.ok and unknown:
        said = f"It cannot be told for {', '.join(unknown)}."
        raise NothingToCompare(said, "`memshelf doctor --installed` says why.")
    return made


def _since(folder: Path, package: Path) -> str:
    """How many commits changed the package since the last tag; "" where git does not say."""
    from ..storage.repo import Repo, literal

    repo = Repo.of(folder)
    tag = repo.git("describe", "--tags", "--abbrev=0", check=False).out.strip() if repo else ""
    if repo is None or not tag:
        return ""
    inside = repo.where.full(package.relative_to(folder).as_posix())
    ran = repo.git("rev-list", "--count", f"{tag}..HEAD", "--", literal(inside), check=False)
    return f"{plural(int(ran.out.strip() or 0), 'commit')} since {tag}"

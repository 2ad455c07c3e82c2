"""A remote whose history was rewritten: what was taken out of it must not come back by a push."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.text import plural
from .gitcall import GitTrouble
from .remote import Target, known
from .repo import Repo


class Rewritten(GitTrouble):
    """Commits that the remote's branch had are gone from it, and still here."""

    code = "remote-rewritten"


def refuse(repo: Repo, to: Target) -> None:
    """Raise Rewritten where commits that the remote's branch had are gone from it and still here.

    What it had is told by the notes that git keeps of it in this clone (its reflog); where it keeps
    none, nothing is known and nothing said.
    """
    ours = _beyond(repo, [to.ref]) if known(repo, to) else []
    if not ours:
        return
    own = {*_beyond(repo, [to.ref, *_former(repo, to)])}
    gone = [commit for commit in ours if commit not in own]
    if gone:
        raise _rewritten(to, gone, bool(own))


def _former(repo: Repo, to: Target) -> set[str]:
    """Every commit at which this clone saw the remote's branch."""
    return {*repo.git("rev-list", "-g", to.ref, "--", check=False).out.split()}


def _beyond(repo: Repo, revisions: Iterable[str]) -> list[str]:
    """The commits that are here and lead to none of some revisions, children before parents."""
    asked = "".join(f"{line}\n" for line in ("HEAD", *(f"^{name}" for name in revisions)))
    words = ("rev-list", "--topo-order", "--ignore-missing", "--stdin")
    return repo.git(*words, stdin=asked.encode()).out.split()


def _rewritten(to: Target, gone: list[str], own: bool) -> Rewritten:
    how = f"git rebase --onto {to.label} {gone[0][:12]}" if own else f"git reset --keep {to.label}"
    what = "puts your own commits on top of it" if own else "goes there"
    return Rewritten(
        f"The history of {to.label} was rewritten: {plural(len(gone), 'commit')} that it had, and "
        "this clone still has, are gone from it. Nothing was changed or pushed, since that would "
        "bring back what was taken out.",
        f"`{how}` {what}. If they are to be there again, bring them back by hand: "
        f"git merge {to.label}, then git push {to.remote} {to.local}:{to.branch}",
    )

"""Who can read the remotes of a shelf, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .finding import Finding
from .hosts import asking_address, shown


def addresses(remotes: Mapping[str, str]) -> list[str]:
    """The addresses that are to be asked, none for remotes that are folders."""
    return [address for url in remotes.values() if (address := asking_address(url))]


def reach(remotes: Mapping[str, str], seen: Mapping[str, str]) -> Iterator[Finding]:
    """What is to be said of remotes, by name and address, given who reads what was asked.

    Names and passwords in an address are never repeated.
    """
    if not remotes:
        yield Finding("info", "no-remote", "No remote: the shelf is on this machine alone.")
    for name, url in sorted(remotes.items()):
        where, address = f"{name} ({shown(url)})", asking_address(url)
        answer = seen.get(address, "unknown") if address else "private"
        if answer == "public":
            said = f"Everybody can read {where}."
            fix = "Make the repository private at its host; what was fetched meanwhile stays known."
            yield Finding("error", "public-remote", said, "", fix)
        elif answer == "private":
            said = f"{where} is a folder." if not address else f"{where} is not shown to everybody."
            yield Finding("info", "remote-private", said)
        else:
            said = f"Who can read {where} was not to be learned."
            fix = "Look at its settings, or ask again with a network."
            yield Finding("warning", "remote-unverified", said, "", fix)

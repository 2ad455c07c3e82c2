"""What a list is asked to be about: words that stand in a text, a title or tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .shelf import Shelf
from .text import fold


class About(NamedTuple):
    """Folded words of which each must stand somewhere; none of them asks for nothing."""

    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> About:
        """The words of a request, parted at white space: `C++` is one of them."""
        return cls(tuple(fold(text).split()))

    def __bool__(self) -> bool:
        return bool(self.words)

    def holds(self, text: str) -> bool:
        """True where every word stands in a text, in any case, with or without accents.

        >>> About.of("cafe API").holds("The API of the Café"), About.of("cafes").holds("Café")
        (True, False)
        """
        folded = fold(text)
        return all(word in folded for word in self.words)

    def among(self, shelf: Shelf) -> Callable[[str, str], bool]:
        """Tells of an episode's id and a text in it whether these are about the words: they stand
        in the text, the episode's title or its tags."""

        def wanted(episode: str, text: str) -> bool:
            entry = shelf.by_id.get(episode)
            beside = " ".join((entry.heading, *entry.tags)) if entry else ""
            return self.holds(f"{text}\n{beside}")

        return wanted

"""How a page is searched: what its field for words can do."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


class Finder(Protocol):
    """A field whose words are searched in what is shown, or filter it."""

    def begin(self) -> None:
        """Let the user type."""


@runtime_checkable
class Places(Finder, Protocol):
    """Finds one place after another."""

    def go_on(self, *, back: bool = False) -> None:
        """Go to the next, or the one before."""

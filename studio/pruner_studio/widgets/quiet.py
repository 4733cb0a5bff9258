"""Changes that are not the user's doing, so that nobody is told of them."""

from __future__ import annotations


class Quiet:
    """True inside its `with`, within which there may be another one, and false after it, whatever was raised there."""

    def __init__(self) -> None:
        self._depth = 0

    def __bool__(self) -> bool:
        return self._depth > 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

"""Errors that a user can do something about; all others are the product's own."""


def first_words(error: BaseException) -> str:
    """The first line of what an exception says, cut where it is long."""
    return (str(error).strip() or "no message").splitlines()[0][:200]


class UserError(Exception):
    """The user's or the environment's: says what happened and what to do; nothing is lost.

    Args:
        message: one sentence saying what happened.
        hint: one sentence saying what to do about it.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class StoppedError(UserError):
    """The user had it stopped, and it did so in good order."""


class PhaseSilentError(UserError):
    """Raised inside a phase that has been silent for too long, wherever it is."""

    def __init__(self) -> None:
        super().__init__("It gave no sign of life for too long and was ended.", "Resume goes on with what is left.")

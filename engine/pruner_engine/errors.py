"""Errors that a user can do something about; all others are the product's own."""

import errno
import os

STOPPED = "It was stopped. The same command begins anew."  # what ^C makes of a command that leaves nothing behind
_NO_LOOP = "Remove that link, or choose another place."


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


def of_the_current_folder(error: BaseException) -> UserError | None:
    """What to tell where the system finds no folder that names without a folder would be in."""
    if isinstance(error, FileNotFoundError) and error.filename is None:
        try:
            os.getcwd()  # noqa: PTH109  which pathlib's own asks, too
        except FileNotFoundError:
            return UserError("The current folder was removed.", "Change to another one, or name files in full.")
    return None


def of_surroundings(error: BaseException) -> UserError | None:
    """What to tell of an error of the user or the system, wherever that was raised; None for one that is ours."""
    if isinstance(error, UserError):
        return error
    found = _of_the_process(error) or of_the_current_folder(error)
    return found or (_of_the_system(error) if isinstance(error, OSError) else None)


def _of_the_process(error: BaseException) -> UserError | None:
    """Of its memory, its user and the libraries that it finds."""
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map segment" in str(error)):
        return UserError("There is not enough memory.", "Close other programs, or raise the limit (ulimit -v).")
    if isinstance(error, UnicodeEncodeError) and "surrogates" in error.reason:
        return UserError(f"The name {error.object!a} is not UTF-8.", "Rename the file or its folder.")
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return UserError("This user has no home folder.", "Set HOME to a folder that may be written.")
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # of pathlib, before Python 3.13
        return UserError(f"{first_words(error)}, which leads back to itself.", _NO_LOOP)
    if _is_of_a_library(error):
        hint = "Reinstall it; `pruner doctor` tells more. Nothing measured is lost."
        return UserError(f"A library that is needed cannot be loaded: {first_words(error).rstrip('.')}.", hint)
    return None


def _of_the_system(error: OSError) -> UserError | None:
    """Of what the system refuses."""
    number = error.errno
    if number == errno.ENOENT and "temporary directory" in str(error.strerror):  # Python tries to write in each
        hint = "Free some space, or set TMPDIR to a folder that may be written."
    elif number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        hint = "Free some space, then try again: nothing measured is lost."
    elif number in (errno.EMFILE, errno.ENFILE):
        hint = "Raise the limit of open files (ulimit -n), then try again: nothing measured is lost."
    elif number in (errno.ENOMEM, errno.EAGAIN):
        hint = "Close other programs, or raise the limits (ulimit -a), then try again: nothing measured is lost."
    elif number in (errno.EACCES, errno.EPERM, errno.EROFS):
        hint = "Check the permissions, or choose another place."
    elif number == errno.ENAMETOOLONG:
        hint = "Choose a shorter name."
    elif number == errno.ELOOP:
        hint = _NO_LOOP
    elif number in (errno.EIO, errno.ENXIO, errno.ENODEV, errno.ENOTCONN, errno.ESTALE):  # it was taken away, too
        hint = "Check the disk, then try again: nothing measured is lost."
    else:
        return None
    if error.filename:
        return UserError(f"The system refused: {error.strerror} ({error.filename}).", hint)
    return UserError(f"The system refused: {error.strerror}.", hint)


def _is_of_a_library(error: BaseException) -> bool:
    """Whether a library of somebody else is missing or broken."""
    if isinstance(error, ImportError):
        return not (error.name or "").startswith("pruner_")
    return isinstance(error, OSError) and error.errno is None and "shared object" in str(error)

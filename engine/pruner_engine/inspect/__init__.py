"""Look into a schedule: its code, its loop nest after every instruction, what makes two schedules differ.

`diff` needs no TVM; the rest is imported when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pruner_engine.inspect.texts import code_of

__all__ = ["FORMS", "code_of"]

FORMS = ("trace", "nest", "tvmscript", "replay", "llvm", "asm", "cuda", "ptx")


def __getattr__(name: str) -> Any:
    if name != "code_of":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pruner_engine.inspect import texts

    return getattr(texts, name)

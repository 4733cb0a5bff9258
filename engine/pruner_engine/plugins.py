"""Strategies, cost models and schedule rules of other people: Python modules that register themselves when imported.

Two ways in, both chosen by the user: a file named with `--plugin`, and an installed distribution that has an entry
point in the group `pruner_studio.plugins`. A project file never brings a plugin along: opening one runs nobody's code.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Collection, Sequence
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import TracebackType

from pruner_engine.errors import UserError, first_words, of_surroundings

GROUP = "pruner_studio.plugins"
_NAMED = "pruner_plugin_"  # begins the name of a module that is a plugin's file
_MEND = "Mend it, or leave it out."


def load_plugins(files: Sequence[str]) -> None:
    """Import every installed plugin and the named files, each once a process.

    Raises:
        UserError: a file cannot be read, or a plugin's own code fails.
    """
    for entry in installed_plugins():
        _run(f"{entry.name} ({entry.value})", entry.load, hint_to_take_away(entry))
    for file in files:
        _load_file(Path(file).resolve())


@functools.cache
def installed_plugins() -> EntryPoints:
    """Looked for once: that reads a file of every distribution there is, and each question to an engine comes here."""
    return entry_points(group=GROUP)


def hint_to_take_away(entry: EntryPoint) -> str:
    """What to do about an installed plugin that fails."""
    return f"Mend it, or take it away: pip uninstall {entry.dist.name}." if entry.dist else _MEND


def _load_file(path: Path) -> None:
    name = f"{_NAMED}{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UserError(f"The plugin {path} is no Python file that can be read.", "Name a .py file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # as for a script: it may have modules beside it
    loader = spec.loader
    try:
        _run(str(path), lambda: loader.exec_module(module))
    except UserError:
        del sys.modules[name]
        raise


def hint_to_mend() -> str:
    """What to do where a plugin gives something else than is expected."""
    return "Mend its plugin; docs/extending.md says what is expected."


def refuse_uncallable(make: Callable[..., object], *given: object) -> None:
    """Raises TypeError where what a plugin registers cannot be called so: it is told with the plugin's line."""
    try:
        inspect.signature(make).bind(*given)
    except TypeError as error:
        raise TypeError(f"{make!r} cannot be called: {error}") from None
    except ValueError:  # what is written in C need not tell
        pass
    if lacking := getattr(make, "__abstractmethods__", None):
        raise TypeError(f"{make!r} lacks {', '.join(sorted(lacking))}")


def fault_of_plugin(error: BaseException) -> UserError | None:
    """What to tell of an error that comes from a plugin's code, or from what that has called; None where ours was
    called last."""
    packages = {entry.module.partition(".")[0] for entry in installed_plugins()}
    files = tuple(filter(None, (_place_of(name) for name in [*sys.modules] if _is_named(name, packages))))
    trace, last = error.__traceback__, None
    while trace is not None:
        if _is_of_plugin(trace, packages, files) or _module_of(trace).startswith("pruner_engine"):
            last = trace
        trace = trace.tb_next
    if last is None or not _is_of_plugin(last, packages, files):
        return None
    file, words = last.tb_frame.f_code.co_filename, f"{type(error).__name__}: {first_words(error)}"
    return UserError(f"The plugin {file} fails in line {last.tb_lineno}: {words}.", _MEND)


def told_of(error: BaseException) -> UserError | None:
    """What to tell of an error of the user, of the system or of a plugin; None for one that is ours."""
    return of_surroundings(error) or fault_of_plugin(error)


def _is_of_plugin(trace: TracebackType, packages: Collection[str], files: tuple[str, ...]) -> bool:
    """By its module, or where TVM has called it and tells of its lines only, by its file."""
    return _is_named(_module_of(trace), packages) or trace.tb_frame.f_code.co_filename in files


def _is_named(module: str, packages: Collection[str]) -> bool:
    return module.startswith(_NAMED) or module.partition(".")[0] in packages


def _module_of(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__"))


def _place_of(module: str) -> str | None:
    return getattr(sys.modules[module], "__file__", None)


def _run(what: str, load: Callable[[], object], mend: str = _MEND) -> None:
    try:
        load()
    except (Exception, SystemExit) as error:  # whatever somebody else's code raises
        line = _line_of(error, what)
        raise UserError(f"The plugin {what} fails{line}: {type(error).__name__}: {error}.", mend) from error


def _line_of(error: BaseException, file: str) -> str:
    """The last line of the plugin's own file in the error's trace."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = f" in line {trace.tb_lineno}"
        trace = trace.tb_next
    return found

"""Make the virtual environment of a checkout and install what it lacks; standard library only.

Usage: setup_env.py ROOT VENV. `packaging/bootstrap` calls it with a suitable Python.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

# what Qt's platform plugins load, by library and by Debian's package of it
LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
_PROGRAMS = {"ld": "binutils", "Xvfb": "xvfb", "xauth": "xauth"}


def main(root: Path, folder: Path) -> int:
    """Set up; returns the exit code."""
    constraints = root / "packaging" / "constraints.txt"
    stamp, wanted = folder / ".setup-done", _stamp(root, constraints)
    python = folder / "bin" / "python"
    if python.exists() and stamp.is_file() and stamp.read_text() == wanted:
        return 0
    runs = _runs(python)
    if not runs and _is_foreign(folder):
        _say(f"{folder} is no virtual environment, and what it holds would be lost. Set VENV to a new folder.")
        return 1
    _system_packages()
    _say(f"Making {folder} with Python {sys.version.split()[0]}; the first time takes some minutes.")
    if not runs:
        venv.create(folder, with_pip=True, clear=folder.exists())
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = subprocess.run([*pip, "--constraint", str(constraints), "--editable", f"{root}[dev]"], check=False)
    if done.returncode:
        _say("The dependencies could not be installed; the lines above say why. Run the same command again to go on.")
        return 1
    stamp.write_text(wanted)
    return 0


def _stamp(root: Path, constraints: Path) -> str:
    """Changes with whatever the installation depends on."""
    digest = hashlib.sha256(str(root).encode())
    for path in (root / "pyproject.toml", constraints, Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_foreign(folder: Path) -> bool:
    """Whether something is there that is no virtual environment, which making one would remove."""
    if not folder.exists() or (folder / "pyvenv.cfg").is_file():
        return False
    return not folder.is_dir() or any(folder.iterdir())


def _system_packages() -> None:
    """Install what Debian's packages can give; elsewhere, or where that fails, say in a sentence what is missing."""
    missing = [package for library, package in LIBRARIES.items() if not _loads(library)]
    missing += [package for program, package in _PROGRAMS.items() if shutil.which(program) is None]
    if missing and shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo"] if shutil.which("sudo") else None
        if root is not None:
            _say(f"Installing with apt: {' '.join(missing)}")
            subprocess.run([*root, "apt-get", "update", "-qq"], check=False, stdout=sys.stderr)
            done = subprocess.run(
                [*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
                check=False,
                stdout=sys.stderr,
                env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            )
            if done.returncode == 0:
                return
    if missing:
        _say(f"Without these system packages (Debian's names) the window may not open: {' '.join(missing)}")


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _runs(python: Path) -> bool:
    try:
        return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

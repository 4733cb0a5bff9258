"""Build build/pruner-studio_VERSION_ARCHITECTURE.deb; standard library and Debian's dpkg only.

Usage: deb.py ROOT. The package holds a virtual environment of Debian's Python in /usr/lib/pruner-studio, so that
`sys.executable -m` finds there what this process has, whatever else is installed, and the entries of desktops' menus.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from setup_env import LIBRARIES

NAME = "pruner-studio"
HOME = Path("usr/lib") / NAME
COMMANDS = ("pruner", NAME)
_PYTHON = Path("/usr/bin/python3")
_SHARED = ("applications", "icons", "metainfo", "mime")
# Tools and tests; PyTorch's headers stay, for its own compiler
_UNUSED = (
    *("torch/bin/protoc*", "torch/bin/test_*", "torch/share", "torch/test"),
    *(f"PySide6/{name}" for name in ("Qt/libexec", "Qt/metatypes", "Qt/qml", "assistant", "designer", "include")),
    *(f"PySide6/{name}" for name in ("linguist", "lrelease", "lupdate", "qmlformat", "qmllint", "qmlls", "svgtoqml")),
    *(f"PySide6/{name}" for name in ("doc", "glue", "scripts", "typesystems")),
)

_CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Section: devel
Priority: optional
Maintainer: Pruner Studio developers
Installed-Size: {size}
Depends: {depends}
Suggests: g++, lld, python3-dev
Description: {summary}
 Pruner Studio compiles a model (ONNX, torch.export, TensorFlow Lite) with Apache
 TVM, searches the schedules of its kernels by draft, then verify, and shows
 everything that happens: in a window (pruner-studio) and in the terminal (pruner).
"""
# What Python keeps of modules that root has run is not in dpkg's list. It is called after upgrades, too: for what came
POSTRM = f"""\
#!/bin/sh
set -e
case "$1" in
    remove | purge) rm -rf /{HOME} ;;
esac
"""
_COPYRIGHT = f"""\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Pruner Studio
Comment: The licence of each library that comes along lies in its folder ending in .dist-info below /{HOME}.

Files: *
Copyright: Pruner Studio developers
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
"""


def main(root: Path) -> int:
    """Build it; returns the exit code."""
    if not _PYTHON.exists() or shutil.which("dpkg-deb") is None:
        return _refuse("A Debian package is built with Debian's own Python and dpkg: install python3 and dpkg-dev.")
    os.umask(0o022)
    tree, python = root / "build" / "deb", _PYTHON.resolve()
    shutil.rmtree(tree, ignore_errors=True)
    _install(root, tree, python)
    if why := too_large(tree / HOME):
        return _refuse(why)
    settle(tree)
    # compiled here, as users may not write there; for the paths of users, and for whatever times unpacking gives
    options = ["-q", "-j", "0", "-s", tree, "-p", "/", "--invalidation-mode", "unchecked-hash"]
    subprocess.run(
        [python, "-m", "compileall", *options, tree / HOME / "lib"], check=False
    )  # a few files are for newer Pythons
    print(pack(tree, root / "build", python.name))
    return 0


def _install(root: Path, tree: Path, python: Path) -> None:
    """A virtual environment with all but the package `boards`, whose linker Debian has."""
    home = tree / HOME
    subprocess.run([python, "-m", "venv", "--without-pip", home], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", home / "bin" / "python"]
    constraints = root / "packaging" / "constraints.txt"
    options = ["--quiet", "--no-compile", "--constraint", constraints]
    subprocess.run([*pip, "install", *options, f"{root}[compare]"], check=True)


def too_large(environment: Path) -> str:
    """Why what was installed into an environment is not packed; empty if it is."""
    if not any(environment.glob("lib/*/site-packages/nvidia")):
        return ""
    why = "PyTorch came with CUDA's libraries, which make a package some gigabytes larger."
    return f"{why} Run this again with PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu"


def settle(tree: Path) -> None:
    """Make of the environment below a folder one that lies below the root of all, without what nobody needs there."""
    home = tree / HOME
    for path in (home / "bin").iterdir():
        if path.name not in COMMANDS and not path.name.startswith("python"):
            path.unlink()
    for path in (home / "pyvenv.cfg", *(home / "bin" / name for name in COMMANDS)):
        path.write_text(path.read_text().replace(str(tree), ""))
    for name in _SHARED:
        shutil.copytree(home / "share" / name, tree / "usr" / "share" / name, dirs_exist_ok=True)
    shutil.rmtree(home / "share")
    for packages in home.glob("lib/*/site-packages"):
        for path in (path for name in _UNUSED for path in packages.glob(name)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in packages.glob(f"{NAME.replace('-', '_')}-*.dist-info/direct_url.json"):  # where it was built
            path.unlink()
    (tree / "usr" / "bin").mkdir(parents=True)
    for name in COMMANDS:
        (tree / "usr" / "bin" / name).symlink_to(Path("..") / HOME.relative_to("usr") / "bin" / name)
    documents = tree / "usr" / "share" / "doc" / NAME
    documents.mkdir(parents=True)
    (documents / "copyright").write_text(_COPYRIGHT)


def pack(tree: Path, folder: Path, python: str) -> Path:
    """The package of a tree of files.

    Args:
        python: Debian's package of the interpreter, such as python3.11.
    """
    product = installed(tree)
    told = ["dpkg", "--print-architecture"]
    architecture = subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(
        _CONTROL.format(
            name=NAME,
            version=product.version,
            architecture=architecture,
            size=sum(path.lstat().st_size for path in tree.rglob("*")) // 1024,
            depends=", ".join([python, "binutils", "tar", *LIBRARIES.values()]),
            summary=product.metadata["Summary"],
        )
    )
    (control / "postrm").write_text(POSTRM)
    (control / "postrm").chmod(0o755)
    made = folder / f"{NAME}_{product.version}_{architecture}.deb"
    # xz would take a quarter of an hour for a twentieth less
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", tree, made], check=True, stdout=2)
    return made


def installed(tree: Path) -> Distribution:
    """The product as it was installed below a folder."""
    packages = [str(path) for path in tree.glob(f"{HOME}/lib/*/site-packages")]
    return next(iter(distributions(name=NAME, path=packages)))


def _refuse(why: str) -> int:
    print(why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""The Debian package: what its control file says, where its files lie, and what they know."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import deb  # noqa: E402
from setup_env import LIBRARIES  # noqa: E402

WITH_DPKG = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")


@pytest.fixture
def tree(tmp_path):
    """A folder as pip leaves it, with the product as its only package and a tool of Qt."""
    made = tmp_path / "deb"
    home = made / deb.HOME
    files = {
        "pyvenv.cfg": f"home = /usr/bin\ncommand = /usr/bin/python3.11 -m venv {home}\n",
        "bin/pruner": f"#!{home}/bin/python\nprint('tunes')\n",
        "bin/pruner-studio": f"#!{home}/bin/python\nprint('opens a window')\n",
        "bin/isympy": "",
        "share/applications/pruner-studio.desktop": "[Desktop Entry]\n",
        "share/icons/hicolor/scalable/apps/pruner-studio.svg": "<svg/>\n",
        "share/metainfo/studio.pruner.PrunerStudio.metainfo.xml": "<component/>\n",
        "share/mime/packages/pruner-studio.xml": "<mime-info/>\n",
        "share/man/man1/isympy.1": "",
    }
    packages = {
        "PySide6/designer": "",
        "PySide6/Qt/qml/QtQuick/qmldir": "",
        "PySide6/QtCore.py": "",
        "pruner_engine/__init__.py": "",
        "pruner_studio-1.2.3.dist-info/METADATA": "Name: pruner-studio\nVersion: 1.2.3\nSummary: Tunes\n",
        "pruner_studio-1.2.3.dist-info/direct_url.json": f'{{"url": "file://{tmp_path}"}}',
    }
    for name, text in {
        **files,
        **{f"lib/python3.11/site-packages/{name}": text for name, text in packages.items()},
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    (home / "bin" / "python").symlink_to(sys.executable)
    return made


def test_files_lie_where_debian_looks_for_them(tree):
    deb.settle(tree)
    packages = "usr/lib/pruner-studio/lib/python3.11/site-packages"
    assert {str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir()} == {
        "usr/bin/pruner",
        "usr/bin/pruner-studio",
        "usr/lib/pruner-studio/bin/pruner",
        "usr/lib/pruner-studio/bin/pruner-studio",
        "usr/lib/pruner-studio/bin/python",
        "usr/lib/pruner-studio/pyvenv.cfg",
        "usr/share/applications/pruner-studio.desktop",
        "usr/share/doc/pruner-studio/copyright",
        "usr/share/icons/hicolor/scalable/apps/pruner-studio.svg",
        "usr/share/metainfo/studio.pruner.PrunerStudio.metainfo.xml",
        "usr/share/mime/packages/pruner-studio.xml",
        f"{packages}/PySide6/QtCore.py",
        f"{packages}/pruner_engine/__init__.py",
        f"{packages}/pruner_studio-1.2.3.dist-info/METADATA",
    }


def test_nothing_names_the_folder_in_which_it_was_built(tree):
    deb.settle(tree)
    files = [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in files if str(tree.parent) in path.read_text()]
    command = tree / "usr" / "bin" / "pruner"
    assert command.read_text().splitlines()[0] == "#!/usr/lib/pruner-studio/bin/python"
    assert not Path(command.readlink()).is_absolute()


@WITH_DPKG
def test_the_control_file_names_what_the_product_and_its_window_need(tree):
    deb.settle(tree)
    made = deb.pack(tree, tree.parent, "python3.11")

    def field(name):
        return subprocess.run(["dpkg-deb", "-f", made, name], capture_output=True, text=True, check=True).stdout.strip()

    assert made.name == f"pruner-studio_1.2.3_{field('Architecture')}.deb"
    assert (field("Package"), field("Version")) == ("pruner-studio", "1.2.3")
    assert field("Description").startswith("Tunes\n")
    needs = field("Depends").split(", ")
    assert {"python3.11", "binutils", *LIBRARIES.values()} <= set(needs)


@WITH_DPKG
def test_it_holds_files_of_root_and_what_cleans_up(tree):
    deb.settle(tree)
    made = deb.pack(tree, tree.parent, "python3.11")
    listed = subprocess.run(["dpkg-deb", "-c", made], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {line.split()[1] for line in listed} == {"root/root"}
    subprocess.run(["dpkg-deb", "-e", made, tree.parent / "control"], check=True)
    assert (tree.parent / "control" / "postrm").read_text() == deb.POSTRM


@pytest.mark.parametrize(("step", "left"), [("upgrade", True), ("remove", False), ("purge", False)])
def test_what_is_removed_leaves_nothing_and_what_is_upgraded_stays(tmp_path, step, left):
    kept = tmp_path / deb.HOME / "lib" / "__pycache__"
    kept.mkdir(parents=True)
    script = deb.POSTRM.replace(f"/{deb.HOME}", str(tmp_path / deb.HOME))
    subprocess.run(["/bin/sh", "-c", script, "postrm", step], check=True)
    assert (tmp_path / deb.HOME).exists() == kept.exists() == left


def test_cuda_libraries_of_pytorch_are_refused_with_what_to_do(tree):
    assert deb.too_large(tree / deb.HOME) == ""
    (tree / deb.HOME / "lib" / "python3.11" / "site-packages" / "nvidia").mkdir()
    assert "PIP_EXTRA_INDEX_URL=" in deb.too_large(tree / deb.HOME)


def test_where_debian_is_not_it_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(deb, "_PYTHON", tmp_path / "python3")
    assert deb.main(tmp_path) == 1
    assert "install python3" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

"""What software centres show: it agrees with the project and with the entry in desktops' menus."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
METAINFO = ROOT / "packaging" / "pruner-studio.metainfo.xml"
PROJECT = (ROOT / "pyproject.toml").read_text()


@pytest.fixture
def told():
    return ElementTree.parse(METAINFO).getroot()


@pytest.fixture
def entry():
    read = configparser.ConfigParser(interpolation=None)
    read.read(ROOT / "packaging" / "pruner-studio.desktop", encoding="utf-8")
    return read["Desktop Entry"]


def test_it_is_of_the_entry_in_menus(told, entry):
    assert told.get("type") == "desktop-application"
    launched = told.findtext("launchable")
    assert f"share/applications/{launched}" in PROJECT and (ROOT / "packaging" / launched).is_file()
    assert (told.findtext("name"), told.findtext("icon")) == (entry["Name"], entry["Icon"])
    assert f'"share/metainfo/{told.findtext("id")}.metainfo.xml"' in PROJECT
    assert {name.text for name in told.iter("category")} == set(entry["Categories"].split(";")) - {""}


def test_its_newest_release_and_licence_are_the_projects(told):
    def said(name):
        return re.search(rf'^{name} = "(.+)"$', PROJECT, re.MULTILINE)[1]

    assert told.find("releases/release").get("version") == said("version")
    assert told.findtext("project_license") == said("license")


def test_programs_are_the_projects(told):
    commands = re.findall(r'^([\w-]+) = "pruner_\w+\.[\w.]+:main"$', PROJECT, re.MULTILINE)
    assert [name.text for name in told.iter("binary")] == commands


def test_project_files_are_known_and_opened_by_the_window(told, entry):
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = ElementTree.parse(ROOT / "packaging" / "pruner-studio.mime.xml").getroot().find(f"{space}mime-type")
    assert entry["MimeType"] == f"{kind.get('type')};"
    assert told.findtext("provides/mediatype") == kind.get("type")
    assert kind.find(f"{space}glob").get("pattern") == "*.pruner"


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed")
def test_appstream_finds_nothing_wrong():
    done = subprocess.run(
        ["appstreamcli", "validate", "--no-net", METAINFO], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout

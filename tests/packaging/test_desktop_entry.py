"""What menus of desktops show of the window."""

import configparser
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_entry_starts_the_window_by_its_installed_name():
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(ROOT / "packaging" / "pruner-studio.desktop", encoding="utf-8")
    command, file = entry["Desktop Entry"]["Exec"].split()
    project = (ROOT / "pyproject.toml").read_text()
    assert f'{command} = "pruner_studio.app:main"' in project and file == "%f"
    icon = f"{entry['Desktop Entry']['Icon']}.svg"
    assert (ROOT / "resources" / "icons" / icon).is_file() and f"share/icons/hicolor/scalable/apps/{icon}" in project

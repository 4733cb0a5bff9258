"""Texts in the user's language: English in the code, Qt's `.qm` files made from `resources/translations/*.ts`.

`make translations` collects the texts and compiles the files.
"""

from __future__ import annotations

import os

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from pruner_engine.resources import resource_dir
from pruner_engine.units import write_decimals_with

_installed: list[QTranslator] = []


def tr(text: str) -> str:
    """The text in the user's language; what varies is put in afterwards by `str.format`."""
    return QCoreApplication.translate("", text) if text else ""  # Qt's answer to no text is the header of the file


def translating() -> bool:
    """Texts are shown in another language than that of the code."""
    return bool(_installed)


def chosen_language() -> str:
    """What was chosen for the next start, such as `de`; empty for the system's."""
    return str(QSettings().value("language", ""))


def choose_language(language: str) -> None:
    """Use a language from the next start on: texts are translated as the window's modules are imported."""
    QSettings().setValue("language", language)


def _type_as_in(language: str) -> None:
    """Let fields take and show numbers as the texts around them do, whatever the system's language is."""
    wanted, system = QLocale(language), QLocale.system()
    QLocale.setDefault(system if system.language() == wanted.language() else wanted)


def install(app: QCoreApplication, language: str = "") -> bool:
    """Use a language (`de`), that of PRUNER_LANGUAGE, the chosen one or the system's; False for one without a file.

    Must come before the windows' modules are imported: they hold texts that are translated once.
    """
    for old in _installed:
        app.removeTranslator(old)
    _installed.clear()
    wanted = language or os.environ.get("PRUNER_LANGUAGE", "") or chosen_language() or QLocale.system().name()
    translator = QTranslator(app)
    write_decimals_with(".")
    if not translator.load(f"studio_{wanted}", str(resource_dir() / "translations")):
        _type_as_in("en")
        return False
    _type_as_in(wanted)
    write_decimals_with(QLocale(wanted).decimalPoint())
    own = QTranslator(app)  # of what Qt itself writes: buttons of questions, menus of fields, file dialogs
    own.load(f"qtbase_{wanted}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    for made in (own, translator):
        app.installTranslator(made)
        _installed.append(made)
    return True

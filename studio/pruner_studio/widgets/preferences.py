"""What a user chooses once for all projects; each choice is kept as it is made."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from pruner_studio.announcing import announce
from pruner_studio.models.paths import unusable
from pruner_studio.models.projects import choose_project_folder, expanded, project_folder, usual_folder
from pruner_studio.models.words import THEMES
from pruner_studio.theme import CHOICES, theme
from pruner_studio.translation import choose_language, chosen_language, tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.file_dialog import ask_for_folder
from pruner_studio.widgets.path_field import PathField
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.side_window import SideWindow
from pruner_studio.widgets.wheel import leave_wheel

_LANGUAGES = {"": tr("As the system"), "en": tr("English"), "de": tr("German")}


class Preferences(SideWindow):
    """Their fields; there is nothing to confirm."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Preferences"), parent)
        self.resize(theme.pixels(560), self.height())
        self.projects = PathField(tr("Folder for projects"), ask_for_folder)
        self.projects.line.setPlaceholderText(str(usual_folder()))
        if project_folder() != usual_folder():
            self.projects.line.setText(str(project_folder()))
        self.projects.line.editingFinished.connect(self._keep_folder)
        self.refusal = label("", "warn", wrap=True, name=tr("Why the folder cannot be used"))
        self.language = QComboBox()
        self.language.setAccessibleName(tr("Language"))
        leave_wheel(self.language)
        for language, name in _LANGUAGES.items():
            self.language.addItem(name, language)
        self.language.setCurrentIndex(max(0, self.language.findData(chosen_language())))
        self.language.currentIndexChanged.connect(lambda _: choose_language(self.language.currentData()))
        self.theme = Segments(tr("Theme"), [(choice, THEMES[choice]) for choice in CHOICES])
        self.theme.chosen.connect(theme.choose)
        theme.changed.connect(self._mark_theme)
        self._mark_theme()
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        for name, part in (
            (tr("Folder for projects"), self.projects),
            ("", self.refusal),
            ("", label(tr("New projects are offered to be kept there."), "faint", wrap=True)),
            (tr("Language"), self.language),
            ("", label(tr("Another language is used when the window is started again."), "faint", wrap=True)),
            (tr("Theme"), self.theme),
        ):
            form.addRow(label(name, "muted"), part)
        form.setRowVisible(self.refusal, False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(14)
        column.addLayout(form)
        column.addStretch(1)
        column.addWidget(buttons)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """As high as its lines need at this width: a form asks only for as much as they need in one line each."""
        if (layout := self.layout()) is not None:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

    def _keep_folder(self) -> None:
        """Keep new projects in the folder that was named, if it can hold them."""
        folder = expanded(self.projects.line.text())
        why_not = unusable(folder) if folder else ""
        self.refusal.setText(why_not)
        self._form.setRowVisible(self.refusal, bool(why_not))
        if why_not:
            self._make_room()
            announce(self.refusal, why_not)
        else:
            choose_project_folder(folder)

    def done(self, result: int) -> None:
        """What is being typed when the window is closed counts as well."""
        self._keep_folder()
        super().done(result)

    def _mark_theme(self) -> None:
        self.theme.choose(theme.choice)

"""Words can be read in both themes: their contrast is what WCAG 2 asks of small text, wherever they stand."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from pruner_studio.theme import tokens_of

LEAST = 4.5  # of small text, success criterion 1.4.3
WORDS = ("text", "muted", "faint", "accent", "good", "warn", "bad", "info")
STATES = ("good", "warn", "bad", "info")


def brightness(color: str) -> float:
    """Relative luminance."""
    made = QColor(color)
    parts = (made.redF(), made.greenF(), made.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(color: str, ground: str) -> float:
    low, high = sorted((brightness(color), brightness(ground)))
    return (high + 0.05) / (low + 0.05)


def pairs(tokens: dict[str, str]) -> list[tuple[str, str]]:
    code = [name for name in tokens if name.startswith("code_") and name != "code_line"]
    return [
        *((word, ground) for word in WORDS for ground in ("surface", "window", "sidebar")),
        *((state, f"{state}_soft") for state in STATES),
        *((word, "selection") for word in ("text", "muted", "good")),  # cells of a chosen row
        *((word, ground) for word in code for ground in ("surface", "code_line")),
        ("accent_text", "accent"),
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(theme: str) -> None:
    tokens = tokens_of(theme)
    found = {(word, ground): contrast(tokens[word], tokens[ground]) for word, ground in pairs(tokens)}
    assert {pair: round(value, 2) for pair, value in found.items() if value < LEAST} == {}

"""The settings as the table of docs/terminal.md; `make docs-settings` puts there what this module prints."""

from __future__ import annotations

import sys

from pruner_engine.search.settings import described_settings
from pruner_engine.units import DASH


def markdown() -> str:
    """A Markdown table with a row for each setting: name, default, meaning."""
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    for name, setting in described_settings().items():
        default = f"`{setting.default_text}`" if setting.default_text else DASH
        lines.append(f"| `{name}` | {default} | {setting.meaning} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(markdown())

"""The glossary: what symbols, penalties, times, scores, figures and settings mean, and what to do about failures.

`python -m pruner_studio.help` prints docs/terms.md; with `--literals`, what `make translations` collects.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import lru_cache

from pruner_engine.measure.advice import ADVICE, OTHERWISE
from pruner_engine.resources import resource_dir
from pruner_studio.translation import tr

GROUPS = {
    "figure": tr("Figures"),
    "score": tr("Scores"),
    "time": tr("Parts of the predicted time"),
    "penalty": tr("Penalties"),
    "symbol": tr("Symbols"),
    "setting": tr("Settings of a run"),
}


@dataclass(frozen=True)
class Term:
    """One explained term.

    Attributes:
        name: `group.key`, such as `penalty.wave`; what `help_of` is asked for.
        formula: how it is computed; empty where the text says it all.
        source: where it comes from.
    """

    name: str
    title: str
    text: str
    formula: str
    source: str

    @property
    def tip(self) -> str:
        """For a tool tip: text, formula and source, a line each."""
        lines = [
            self.text,
            f"= {self.formula}" if self.formula else "",
            tr("Source: {source}").format(source=self.source),
        ]
        return "\n".join(line for line in lines if line)


def _stored() -> dict[str, dict[str, str]]:
    """The fields of each term, in English."""
    stored: dict[str, dict[str, str]] = json.loads((resource_dir() / "help" / "terms.json").read_text(encoding="utf-8"))
    return stored


@lru_cache(maxsize=1)
def terms() -> dict[str, Term]:
    """All terms by name, in the user's language."""
    return {name: Term(name, **{field: tr(text) for field, text in entry.items()}) for name, entry in _stored().items()}


def help_of(name: str) -> Term | None:
    """The term `group.key`; None for one that nobody has explained, such as a symbol of a rule of the user's."""
    return terms().get(name)


def tip_of(name: str) -> str:
    """Tool tip of a term; empty where there is none."""
    term = help_of(name)
    return term.tip if term else ""


def markdown() -> str:
    """The glossary as the page docs/terms.md."""
    lines = ["# " + tr("Symbols, penalties, scores and figures"), ""]
    lines += [tr("What the window and the terminal show, how it is computed, and where it comes from."), ""]
    for group, title in GROUPS.items():
        lines += [f"## {title}", "", "| name | meaning | formula | source |", "|---|---|---|---|"]
        own = [term for term in terms().values() if term.name.startswith(f"{group}.")]
        lines += [f"| {_called(term)} | {term.text} | {term.formula} | {term.source} |" for term in own]
        lines.append("")
    return "\n".join(lines)


def _called(term: Term) -> str:
    """A term's title; for a setting also the name that a terminal takes."""
    group, _, name = term.name.partition(".")
    return f"**{term.title}** `{name}`" if group == "setting" else f"**{term.title}**"


def literals() -> str:
    """Python code that gives each text to `tr`: Qt collects texts from code only."""
    texts = dict.fromkeys(text for entry in _stored().values() for text in entry.values() if text)
    texts |= dict.fromkeys((*ADVICE.values(), OTHERWISE))
    return "".join(f"tr({text!r})\n" for text in texts)


if __name__ == "__main__":
    sys.stdout.write(literals() if "--literals" in sys.argv else markdown())

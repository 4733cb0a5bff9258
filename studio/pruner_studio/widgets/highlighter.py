"""Colours of code, found by Pygments."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QSyntaxHighlighter, QTextBlock, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from pruner_studio.theme import theme

_LEXERS = {"trace": "python", "tvmscript": "python", "llvm": "llvm", "asm": "gas", "cuda": "cuda", "ptx": "ptx"}
_COLORS = (
    ("Token.Comment", "code_comment"),
    ("Token.Literal.String", "code_string"),
    ("Token.Literal.Number", "code_number"),
    ("Token.Keyword.Type", "code_type"),
    ("Token.Keyword", "code_keyword"),
    ("Token.Name.Function", "code_name"),
    ("Token.Name.Class", "code_name"),
    ("Token.Name.Decorator", "code_type"),
    ("Token.Name.Builtin", "code_type"),
    ("Token.Name.Variable", "code_name"),
    ("Token.Name.Label", "code_name"),
    ("Token.Operator.Word", "code_keyword"),
)


class Highlighter(QSyntaxHighlighter):
    """Colours lines as they come into sight, so that long assembly opens at once."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor.document())
        self._lexer = None
        self._cache: dict[str, str | None] = {}
        self._seen: set[int] = set()  # numbers of the blocks that have their colours

    def set_form(self, form: str) -> None:
        """What the text is, as `CodeView` names its forms; all others have no colours."""
        from pygments.lexers import get_lexer_by_name

        self._lexer = get_lexer_by_name(_LEXERS.get(form, "text"), stripnl=False, ensurenl=False)
        self.forget()

    def forget(self) -> None:
        """Another text or theme: what comes into sight from now on is coloured anew."""
        self._seen = set()

    def show(self, blocks: Iterable[QTextBlock]) -> None:
        """Colour those that have not been in sight yet."""
        new = [block for block in blocks if block.blockNumber() not in self._seen]
        self._seen.update(block.blockNumber() for block in new)  # all at once: colouring one asks for the others
        for block in new:
            self.rehighlightBlock(block)

    def highlightBlock(self, text: str) -> None:
        if not self._seen or not text or self._lexer is None or self.currentBlock().blockNumber() not in self._seen:
            return  # a new text asks for all its lines, none of which is in sight yet
        at = 0
        for kind, part in self._lexer.get_tokens(text):
            color = self._color_of(str(kind))
            if color:
                looks = QTextCharFormat()
                looks.setForeground(theme.color(color))
                self.setFormat(at, len(part), looks)
            at += len(part)

    def _color_of(self, kind: str) -> str | None:
        if kind not in self._cache:
            self._cache[kind] = next((color for start, color in _COLORS if kind.startswith(start)), None)
        return self._cache[kind]

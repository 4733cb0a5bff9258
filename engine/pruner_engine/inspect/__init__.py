"""Look into a schedule: its texts, its loop nest after every instruction, what makes two schedules differ."""

from pruner_engine.inspect.texts import FORMS, texts_of

__all__ = ["FORMS", "texts_of"]

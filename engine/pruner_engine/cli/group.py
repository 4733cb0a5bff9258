"""Groups of commands: their help tells in full what each command does, and ^C ends each with a sentence."""

from __future__ import annotations

from typing import Any

import click

from pruner_engine.errors import STOPPED, StoppedError

_ENDLESS = 1000  # characters; click cuts a sentence that is longer than the rest of its line


class Commands(click.Group):
    """A group that lists its commands each with its whole first sentence, on as many lines as that takes."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_ENDLESS)) for name, one in found if one is not None])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would say "Aborted!", as of a failure
            raise StoppedError(STOPPED) from None

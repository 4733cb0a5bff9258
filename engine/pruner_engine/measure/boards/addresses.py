"""Addresses as users write them: host:port."""

from __future__ import annotations

from pruner_engine.errors import UserError

EXAMPLE = "127.0.0.1:9190"


def host_and_port(text: str) -> tuple[str, int] | None:
    """Of an address; None of what is none."""
    host, _, port = text.rpartition(":")
    return (host, int(port)) if host and port.isdecimal() and int(port) < 1 << 16 else None


def tracker_at(text: str) -> tuple[str, int]:
    """Host and port of a tracker.

    Raises:
        UserError: the text is no address.
    """
    found = host_and_port(text)
    if found is None:
        raise UserError(f'"{text}" is not the address of a tracker.', f"Write host:port, such as {EXAMPLE}.")
    return found

"""The commands of a fleet: a tracker, and the boards that register there."""

from __future__ import annotations

import socket
import threading
from typing import Any

import click

from pruner_engine.errors import UserError
from pruner_engine.measure.boards.addresses import EXAMPLE, host_and_port


class AddressType(click.ParamType):
    """Host and port."""

    name = "host:port"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        return host_and_port(value) or self.fail(
            f'"{value}" is no address; write host:port, such as {EXAMPLE}.', param, ctx
        )


_PORT = click.IntRange(1, (1 << 16) - 1)
_HOST = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")


@click.command()
@_HOST
@click.option("--port", type=_PORT, default=9190, show_default=True, help="Of the tracker.")
def tracker(host: str, port: int) -> None:
    """Run a TVM tracker, which lends boards to `pruner tune --rpc`. Who reaches it may run code on its boards."""
    if not _may_listen(host, port):
        raise UserError(
            f"A tracker cannot listen at {host}:{port}: the address is in use or not of this machine.",
            "Give another one with --host and --port.",
        )
    from pruner_engine.tvm_import import import_tvm

    import_tvm()
    from tvm.rpc.tracker import PopenTrackerServerState

    def track() -> None:
        # in this process: one of its own, as TVM's `Tracker` has, would outlive this one and keep the port
        PopenTrackerServerState(host, port, port + 1, silent=True).thread.join()

    # a daemon, as is what it starts: the end of this process would wait for other threads
    tracking = threading.Thread(target=track, daemon=True)
    tracking.start()
    click.echo(f"tracker at {host}:{port}; boards join with: pruner serve --tracker {host}:{port} --key K")
    tracking.join()


@click.command()
@click.option("--tracker", "address", type=AddressType(), required=True, help="Where to register.")
@click.option("--key", required=True, help="What to register as, such as the board's kind.")
@_HOST
@click.option("--port", type=_PORT, default=9090, show_default=True, help="The first port to try.")
def serve(address: tuple[str, int], key: str, host: str, port: int) -> None:
    """Lend this machine to a tracker for measurements; a server that dies is started again."""
    from pruner_engine.measure.boards.serving import serve_board

    if not _may_listen(host, 0):
        raise UserError(f"{host} is no address of this machine to listen on.", "Give another one with --host.")
    click.echo(f'this machine is "{key}" at the tracker {address[0]}:{address[1]}')
    serve_board(address, key, host, port, tell=lambda text: click.echo(text, err=True))


def _may_listen(host: str, port: int) -> bool:
    """Whether the address is free and this machine's: TVM complains with tracebacks of what it made half-way."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except (OSError, UnicodeError):  # UnicodeError: a host with a label that is empty or too long
        return False
    return True

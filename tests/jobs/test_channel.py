"""Listeners that do not read, and machines without a place for the control socket."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

import pytest

from limits import no_free_files
from pruner_engine.jobs import channel
from pruner_engine.jobs.channel import Hub, Listener
from pruner_engine.processes.child import environment, module_command
from pruner_engine.protocol import Failed, Heartbeat, Hello, Notice, RunFinished, decode_event

HELLO = Hello(protocol=1, version="1", pid=1)
BEAT = Heartbeat()
NOTICE = Notice(level="info", text="x" * 64)
DONE = RunFinished(run_id=1, state="finished", trials=8, valid=8, latency_s=None, untuned_s=None)


@pytest.fixture
def pipe(monkeypatch):
    """A full pipe, and queues that soon are."""
    monkeypatch.setattr(channel, "_LONGEST_QUEUE", 8)
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "wb", 0) as writer:
        writer.write(b"x" * 4095 + b"\n")
        yield reader, writer


@pytest.mark.parametrize("waits", [[BEAT], [NOTICE], [NOTICE, BEAT]])
def test_the_end_of_a_run_reaches_a_terminal_that_was_stopped(pipe, waits):
    reader, writer = pipe
    listener = Listener(writer.write, lambda _: None)
    listener.send(BEAT)
    time.sleep(0.2)  # its thread is stuck in the pipe
    for _ in range(200):  # one that waits a few seconds each time does not come to the end within the test's limit
        for event in waits:
            listener.send(event)
    listener.send(DONE)
    listener.send(BEAT)
    assert reader.readline().startswith(b"x")
    told = []
    thread = threading.Thread(target=lambda: told.extend(decode_event(line) for line in reader))
    thread.start()  # the terminal goes on
    listener.close()
    writer.close()
    thread.join()
    assert DONE in told
    if NOTICE in waits and BEAT in waits:
        assert told[told.index(DONE) - 7 : told.index(DONE)] == [NOTICE] * 7, "what is stale makes room first"


def test_a_long_line_is_whole_although_its_engine_was_stopped_in_the_middle_of_it():
    """As by `kill -STOP`, or with its container, while its terminal does not read."""
    with subprocess.Popen(
        module_command("pruner_engine.jobs"), env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as engine:
        engine.stdin.write(b'{"type":"%s"}\n' % (b"x" * 300_000))  # which is no command, and told to be none
        engine.stdin.flush()
        waiting, limit = b"\0" * 4, time.monotonic() + 60
        while int.from_bytes(waiting, sys.byteorder) < 1 << 15 and time.monotonic() < limit:
            time.sleep(0.02)
            waiting = fcntl.ioctl(engine.stdout, termios.FIONREAD, bytes(4))
        engine.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, engine.pid, os.WSTOPPED)
        engine.send_signal(signal.SIGCONT)
        told = next(event for event in map(decode_event, engine.stdout) if isinstance(event, Failed))
        engine.stdin.close()
    assert "x" * 300_000 in told.message


def test_what_waits_is_written_before_the_end():
    told: list[bytes] = []
    listener = Listener(lambda line: (time.sleep(0.01), told.append(line)), lambda _: None)
    for _ in range(20):
        listener.send(NOTICE)
    listener.close()
    assert [decode_event(line) for line in told] == [NOTICE] * 20


def test_what_is_no_command_is_told_to_its_sender_alone(monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        hub, others = Hub(lambda _: None), list[bytes]()
        hub.add(others.append)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(hub.listen(HELLO))
            client.sendall(b"nonsense\n")
            stream = client.makefile("rb")
            told = [decode_event(stream.readline()) for _ in range(2)]
        hub.close()
    assert told[0] == HELLO and isinstance(told[1], Failed) and "did not understand" in told[1].message
    assert others == []


def listening(hub: Hub) -> str:
    path = hub.listen(HELLO)
    if path:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            assert decode_event(client.makefile("rb").readline()) == HELLO
    hub.close()
    assert not path or not os.path.exists(path)  # noqa: PTH110
    return path


def test_a_socket_whose_folder_a_logout_removed_is_opened_elsewhere(tmp_path, monkeypatch):
    hub = Hub(lambda _: None)
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        runtime = Path(short, "runtime")
        runtime.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        monkeypatch.setattr(tempfile, "tempdir", short)
        first = hub.listen(HELLO)
        assert hub.listen(HELLO) == first and first.startswith(str(runtime))
        shutil.rmtree(runtime)
        second = listening(hub)
    assert second != first and second.startswith(short)


def test_a_socket_in_a_folder_that_was_closed_is_opened_elsewhere(tmp_path, monkeypatch):
    hub = Hub(lambda _: None)
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        runtime = Path(short, "runtime")
        runtime.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        monkeypatch.setattr(tempfile, "tempdir", short)
        first = hub.listen(HELLO)
        runtime.chmod(0)
        with contextlib.ExitStack() as undo:
            if os.geteuid() == 0:  # who may look into any folder
                undo.callback(os.seteuid, 0)
                os.seteuid(1234)
            hub.listen(HELLO)
        monkeypatch.delenv("XDG_RUNTIME_DIR")
        second = listening(hub)
        runtime.chmod(0o700)
    assert second != first and second.startswith(short)


def test_what_waits_is_told_although_the_sockets_folder_is_none_any_more(monkeypatch):
    told: list[bytes] = []
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        hub = Hub(lambda _: None)
        hub.add(lambda line: (time.sleep(0.01), told.append(line)))
        folder = Path(hub.listen(HELLO)).parent
        shutil.rmtree(folder)
        folder.touch()
        for _ in range(8):
            hub.emit(NOTICE)
        hub.close()
    assert [decode_event(line) for line in told] == [NOTICE] * 8


def unusable(kind: str, tmp_path) -> str:
    if kind == "a file":
        (tmp_path / "file").touch()
        return str(tmp_path / "file")
    if kind == "too long":
        folder = tmp_path / ("x" * 120)
        folder.mkdir()
        return str(folder)
    if kind == "somebody else's":
        (tmp_path / f"pruner-studio-{os.getuid()}").mkdir(mode=0o755)
        return str(tmp_path)
    return str(tmp_path / "gone")


@pytest.mark.parametrize("kind", ["gone", "a file", "too long", "somebody else's"])
def test_without_a_place_for_its_socket_the_engine_takes_another_or_none(kind, tmp_path, monkeypatch):
    folder = unusable(kind, tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        assert listening(Hub(lambda _: None)).startswith(short)
    monkeypatch.setattr(tempfile, "tempdir", folder)
    assert listening(Hub(lambda _: None)) == ""
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert listening(Hub(lambda _: None)) == ""


def test_the_socket_is_in_the_users_own_folder(tmp_path, monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        assert listening(Hub(lambda _: None)).startswith(short)


def test_an_engine_of_the_same_number_in_another_container_keeps_its_socket(monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        hubs = [Hub(lambda _: None) for _ in range(2)]
        paths = [hub.listen(Hello(protocol=1, version="1", pid=pid)) for pid, hub in enumerate(hubs)]
        for pid, path in enumerate(paths):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                assert decode_event(client.makefile("rb").readline()).pid == pid
        hubs[1].close()
        assert Path(paths[0]).exists()
        hubs[0].close()


def test_who_comes_while_no_file_is_free_is_heard_later(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    hub = Hub(lambda _: None)
    path = hub.listen(HELLO)
    with socket.socket(socket.AF_UNIX) as early, socket.socket(socket.AF_UNIX) as later:
        with no_free_files():
            early.connect(path)
            time.sleep(0.5)  # the engine tries to take it
        for link in (early, later):
            if link is later:
                link.connect(path)
            link.settimeout(30)
            assert decode_event(link.makefile("rb").readline()) == HELLO
    hub.close()

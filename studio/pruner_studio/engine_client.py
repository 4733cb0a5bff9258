"""An engine process as a Qt object: commands go in, typed events come out as signals."""

from __future__ import annotations

import signal
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from pruner_engine import protocol as msg
from pruner_engine.jobs.heartbeat import GRACE_S, signal_engine
from pruner_engine.processes.child import module_command
from pruner_studio.pulse import Pulse
from pruner_studio.questions import OnFailed, OnReply, Questions
from pruner_studio.socket_link import SocketLink
from pruner_studio.surroundings import of_engines
from pruner_studio.translation import tr

_STDERR_KEPT = 8_000  # characters of what the engine wrote on stderr, for a report
_KILL_AFTER_MS = 8_000
NOT_STARTED = tr("Is Python still where Pruner Studio was installed? Otherwise install it again.")
_KILLED = tr("The engine was killed (signal {number}): by another program, or by the system when memory runs short.")


class EngineClient(QObject):
    """Starts an engine process at the first command and keeps it until it ends, or attaches to one that is there.

    Signals:
        received: every event that answers no question, decoded.
        ended: the process is gone; empty text when in good order, else plain words why.

    Attributes:
        pulse: tells when the engine falls silent; it is ended when it stays so.
        questions: those that it has not answered yet.
        unstarted: the last process could not even be started.
    """

    received = Signal(object)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._over = False
        self._socket: SocketLink | None = None
        self._tail = b""
        self._stderr = ""
        self._farewell = False
        self._killed: str | None = None  # why we ended it ourselves; empty where nobody is to be told
        self.unstarted = False
        self.questions = Questions()
        self.pulse = Pulse(self)
        self.pulse.stopped.connect(self.end)
        self._grace = QTimer(self, singleShot=True)
        self._grace.timeout.connect(self._kill)

    @property
    def running(self) -> bool:
        return self._process is not None or self._socket is not None

    @property
    def owned(self) -> bool:
        """The engine is a child of this process and ends with it."""
        return self._process is not None

    @property
    def ending(self) -> bool:
        """It was told to end, or has said that it does."""
        return self._farewell

    @property
    def stderr_tail(self) -> str:
        """The last lines that the engine wrote on stderr."""
        return self._stderr

    def send(self, command: Any) -> None:
        """Send a command, starting the process where there is none; nothing is sent after `wait_ended`."""
        if self._over:
            return
        if not self.running:
            self._start()
        link = self._socket or self._process
        if link is not None:  # it could be started
            link.write(msg.encode(command))

    def attach(self, path: str) -> bool:
        """Listen to and steer an engine that runs already; False where none answers."""
        try:
            self._socket = SocketLink(path, self)
        except OSError:
            return False
        self._begin()
        self._socket.received.connect(self._receive)
        self._socket.gone.connect(self._left)
        return True

    def ask(self, command: Any, on_reply: OnReply, on_failed: OnFailed) -> None:
        """Send a question and call back with its reply, or with the failure."""
        self.send(self.questions.add(command, on_reply, on_failed))

    def quit(self) -> None:
        """Ask the process to end; it is killed when it does not. An engine of somebody else is only left."""
        if self._socket is not None:
            self._socket.close()
            self._gone("")
        if self._process is None:
            return
        self._farewell = True
        self._process.write(msg.encode(msg.Quit()))
        self._grace.start(_KILL_AFTER_MS)

    def end(self) -> None:
        """End an engine that does not answer, with all that it started; what it measured is in the project file."""
        link = self._process or self._socket
        pid = link.processId() if isinstance(link, QProcess) else link.peer if link is not None else 0
        if link is None or not pid:
            return
        self._killed = tr("The engine gave no sign of life for {seconds:.0f} s and was ended.").format(
            seconds=self.pulse.silent_s
        )
        signal_engine(pid, signal.SIGTERM)
        # The link goes with the engine, and the timer with the link
        QTimer.singleShot(round(GRACE_S * 1e3), link, lambda: signal_engine(pid, signal.SIGKILL))

    def wait_ended(self, milliseconds: int) -> None:
        """Block until the process is gone, killing it after the given time: for the end of the application.

        A question that fails by this may be asked again: no other process is started for it.
        """
        self._over = True
        process = self._process
        if process is not None and not process.waitForFinished(milliseconds):
            self._kill()
            process.waitForFinished(10_000)  # a killed process of this size takes a while on a busy machine

    def _kill(self) -> None:
        """End a process that does not end when it is asked to: how its work ended was heard before, or nobody waits."""
        if self._process is not None:
            self._killed = self._killed or ""
            self._process.kill()

    def _begin(self) -> None:
        self._tail, self._stderr, self._farewell, self._killed = b"", "", False, None
        self.unstarted = False
        self.pulse.start()

    def _start(self) -> None:
        self._process = process = QProcess(self)  # what fails at once is told within `start`
        variables = QProcessEnvironment()
        for name, value in of_engines().items():
            variables.insert(name, value)
        process.setProcessEnvironment(variables)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_stderr)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        # A group of its own: it can be ended with all that it started, and without this window
        process.setUnixProcessParameters(QProcess.UnixProcessFlag.CreateNewSession)
        self._begin()
        program, *arguments = module_command("pruner_engine.jobs")
        process.start(program, arguments)

    def _read(self) -> None:
        if self._process is not None:
            self._receive(bytes(self._process.readAllStandardOutput().data()))

    def _receive(self, data: bytes) -> None:
        self.pulse.felt()
        *lines, self._tail = (self._tail + data).split(b"\n")
        for line in lines:
            if line:
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = msg.decode_event(line)
        except msgspec.MsgspecError as error:
            report = f"{error}\n{line[:2000].decode(errors='replace')}"
            event = msg.Failed(
                kind="bug",
                message=tr("The engine sent a message that the Studio does not know."),
                hint=tr("Install Studio and engine from the same release; if they are, send the report to the makers."),
                report=report,
            )
        if isinstance(event, msg.Hello) and event.protocol != msg.PROTOCOL:
            event = msg.Failed(
                kind="user",
                message=tr("The engine speaks protocol {theirs}, the Studio {ours}.").format(
                    theirs=event.protocol, ours=msg.PROTOCOL
                ),
                hint=tr("Install the two from the same release."),
            )
        if isinstance(event, msg.Bye) or (isinstance(event, msg.RunFinished) and not self.owned):
            self._farewell = True
        if not self.questions.take(event):
            self.received.emit(event)

    def _read_stderr(self) -> None:
        if self._process is not None:
            text = bytes(self._process.readAllStandardError().data()).decode(errors="replace")
            self._stderr = (self._stderr + text)[-_STDERR_KEPT:]

    def _error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self.unstarted = True
            self._gone(tr("The engine could not be started: {why}.").format(why=self._process.errorString()))

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        if self._killed is not None:
            why = self._killed
        elif status == QProcess.ExitStatus.CrashExit:
            why = _KILLED if code == signal.SIGKILL else tr("The engine was ended by signal {number} ({name}).")
            why = why.format(number=code, name=signal.strsignal(code) or "?")
        elif self._farewell or code == 0:
            why = ""
        else:
            why = tr("The engine ended with exit status {code}.").format(code=code)
        self._gone(why)

    def _left(self) -> None:
        """Handle that an engine started by another process has closed the connection."""
        self._gone(self._killed or ("" if self._farewell else tr("The engine ended suddenly.")))

    def _gone(self, why: str) -> None:
        for link in (self._process, self._socket):
            if link is not None:
                link.deleteLater()
        self.pulse.stop()
        self._grace.stop()
        self._process = self._socket = None
        told = why or tr("The engine ended before it answered.")
        again = tr("Ask again: another engine is started. If it ends again, send the report to the makers.")
        hint = NOT_STARTED if self.unstarted else again
        kind: Literal["user", "bug"] = "bug" if self._killed is None else "user"
        self.questions.fail(msg.Failed(kind=kind, message=told, hint=hint, report=self._stderr))
        self.ended.emit(why)

"""Messages between the engine and its measurement processes: length-prefixed JSON over pipes.

The engine talks to one zygote (see zygote.py), which forks builders and the runner and passes their messages on.
"""

from __future__ import annotations

import math
import os
import struct
from typing import Literal

import msgspec

_LENGTH = struct.Struct("<I")
NO_BOARD = "board"  # error of a run that no board has taken: the candidate has not been tried
NO_ROOM = "room"  # error of a build or run that found the disk full: it tells nothing of the candidate
LEFT_OUT = "left out"  # error of a build that was forgotten before it was started
_GREETING_S = 10.0  # what the first words with a board may take


class _Message(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True, frozen=True):
    pass


class Tensor(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An argument of a kernel."""

    shape: list[int]
    dtype: str

    @property
    def bytes(self) -> int:
        import tvm_ffi  # not before TVM: it would bring torch along, after which no fork can use a GPU

        return math.prod(self.shape) * int(tvm_ffi.dtype(self.dtype).itemsize)


class Kernel(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A built kernel.

    Attributes:
        library: path of the shared library; its function is "main".
        args: its arguments in order, as the kernel wants them (weights in their rewritten layout).
        layouts: argument index to the index map (TVM JSON) that takes the original layout to the rewritten one.
    """

    library: str
    args: list[Tensor]
    layouts: dict[int, str] = {}


class KernelFacts(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What has to be known of an unscheduled kernel to run it and to judge its outputs; `kernel.facts_of` reads it.

    Attributes:
        outputs: indices of the arguments that it writes.
        reduction: most terms that are folded into one element.
        inputs: the kinds of inputs (see correctness.py) on which every correct schedule gives the same outputs up to
            rounding, the more telling first. NaN is left out where a maximum or minimum is folded: which operand
            survives a comparison with NaN depends on the order. Large values are left out where a function such as exp
            follows: it turns the rounding error of a large sum into any error. Both are where numbers are rounded to
            bytes: what NaN becomes then is not said anywhere, and large values all become the largest byte.
        bounds: argument index to the number that its elements, which are indices, have to be below.
        words: index of each argument whose elements are words to the type of the numbers in them.
        epsilon: distance from 1 to the next number in the coarsest float type that it writes, on the way too.
        rounds: it rounds numbers to bytes.
        finite: arguments that hold numbers in NaN inputs, too. Of a kernel with padding what the padding is multiplied
            by: whether zero times NaN is computed at all differs from schedule to schedule.
    """

    outputs: list[int]
    reduction: int
    inputs: list[str]
    bounds: dict[int, int]
    words: dict[int, str]
    epsilon: float
    rounds: bool
    finite: list[int] = []


class Yardstick(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A kernel of the task to take turns with, and the seconds that a call of it is said to take."""

    kernel: Kernel
    seconds: float


class Fleet(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Boards of one kind behind a tracker at `host` and `port`.

    `key` is what they registered as, `wait_s` how long a run may wait until one is free.
    """

    host: str
    port: int
    key: str
    wait_s: float = 60.0


# ---------------------------------------------------------------- engine → zygote


class Setup(_Message, tag="setup", frozen=True):
    """First message: limits and sizes; seconds and bytes. `folder` is the zygote's to remove when the engine ends.

    `cuda`: kernels are compiled for a GPU.
    """

    folder: str
    workers: int
    builder_cores: list[int]
    threads: int
    runner_cores: list[int]
    build_timeout_s: float
    memory_bytes: int
    cuda: bool


class Release(_Message, tag="release", frozen=True):
    """End all work and remove the folder; answered by `Ready`. Another setup may follow, which is answered as well."""


class Build(_Message, tag="build", frozen=True):
    """Compile a module (JSON of `tvm.ir.save_json`) for a target (JSON) into `library`."""

    id: int
    mod: str
    target: str
    library: str
    untuned: bool = False


class Forget(_Message, tag="forget", frozen=True):
    """Leave out those of these builds that wait for a builder: they are answered at once."""

    ids: list[int]


class Run(_Message, tag="run", frozen=True):
    """Time a kernel, alone.

    Attributes:
        task: identity of the task: kernels of one task share inputs and reference outputs.
        device: TVM device kind, such as cpu or cuda.
        threads: of the kernel.
        args: the arguments of the task's own kernel, in their original layouts.
        facts: about the task's own kernel.
        best_s: best time a call so far; None if there is none.
        yardstick: a kernel to take turns with.
        repeats: how many are wanted.
        check: compare the outputs with the reference: never, always, if the kernel is the best so far; or keep them
            as the reference.
        cold: flush all arguments but the first from the caches before every timed call.
        reuse: by argument, bytes that pass through the caches between two uses of it, by copies of arguments that calls
            take turns among; empty: there is one of each.
        timeout_s: limit of the work.
        settle: take more repeats where those do not agree.
        fleet: where to run it, if not here.
    """

    id: int
    task: str
    device: str
    threads: int
    kernel: Kernel
    args: list[Tensor]
    facts: KernelFacts
    best_s: float | None
    repeats: int
    check: Literal["none", "all", "best", "keep"]
    cold: bool
    timeout_s: float
    reuse: list[int] = []
    settle: bool = True
    yardstick: Yardstick | None = None
    fleet: Fleet | None = None

    @property
    def limit_s(self) -> float:
        """Limit with the wait for a board."""
        return self.timeout_s + (self.fleet.wait_s + _GREETING_S if self.fleet else 0.0)


# ---------------------------------------------------------------- zygote → engine


class Ready(_Message, tag="ready", frozen=True):
    """The zygote has loaded TVM, has ended its work, or works by another setup."""


class Built(_Message, tag="built", frozen=True):
    """A kernel, or why there is none. `spent`: the builder takes no further message."""

    id: int
    seconds: float = 0.0
    kernel: Kernel | None = None
    error: str = ""
    message: str = ""
    log: str = ""
    spent: bool = False


class Ran(_Message, tag="ran", frozen=True):
    """Seconds a call, one value a repeat, or at which stage (load, run, check) and why it failed.

    `spent`: the runner takes no further message. `pace`: as of a `MeasureResult`.
    """

    id: int
    seconds: float = 0.0
    stage: str = "ok"
    repeats: list[float] = []
    censored: bool = False
    checked: bool = False
    pace: float = 0.0
    error: str = ""
    message: str = ""
    log: str = ""
    spent: bool = False


Message = Setup | Release | Build | Forget | Run | Ready | Built | Ran

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Message)


def frame(message: _Message) -> bytes:
    """The message as it goes over the pipe."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


def send(fd: int, message: _Message) -> None:
    """Write the whole message; raises BrokenPipeError if nobody reads any more."""
    rest = memoryview(frame(message))
    while rest:
        rest = rest[os.write(fd, rest) :]


def receive(fd: int) -> Message | None:
    """Wait for the next message; None at the end of the stream."""
    header = _read(fd, _LENGTH.size)
    if header is None:
        return None
    body = _read(fd, _LENGTH.unpack(header)[0])
    return None if body is None else _decoder.decode(body)


def _read(fd: int, count: int) -> bytes | None:
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


class Inbox:
    """Cuts the bytes of a pipe, read as they come, into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Messages completed by `data`."""
        self._bytes += data
        found: list[Message] = []
        while len(self._bytes) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._bytes)[0]
            if len(self._bytes) < end:
                break
            found.append(_decoder.decode(bytes(self._bytes[_LENGTH.size : end])))
            del self._bytes[:end]
        return found


def with_log(message: Built | Ran, log: str) -> Built | Ran:
    """The message with the tail of its worker's stderr."""
    return msgspec.structs.replace(message, log=log)

"""Tune for long and watch the memory: does a process of the engine grow?

    python bench/soak.py --trials 5000
    python bench/soak.py --minutes 120 --model resnet50.onnx --json > soak.json
    python bench/soak.py --trials 5000 --window

Every few seconds the resident memory of the engine, of the zygote and of its children (builders, the runner) is read;
with `--window` also that of a window which has the project open and turns to another page every few seconds.
A line is fitted to the second half of the run: memory grows if ten more such halves would double it, and this one has
added more than 32 MB.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from pruner_engine.jobs.client import EngineProcess
from pruner_engine.protocol import Failed, Progress, RunFinished, Tune

ROLES = ("engine", "zygote", "workers", "window")
_MB = 1 << 20
_PAGE_S = 5


class Watch(threading.Thread):
    """Samples of (seconds, trials, resident bytes of each role) until it is stopped."""

    def __init__(self, engine: int, every_s: float) -> None:
        super().__init__(daemon=True)
        self.trials = 0
        self.window: subprocess.Popen[bytes] | None = None
        self.samples: list[tuple[float, int, tuple[int, ...]]] = []
        self._engine, self._every_s = psutil.Process(engine), every_s
        self._enough, self._begun = threading.Event(), time.monotonic()

    def run(self) -> None:
        while not self._enough.wait(self._every_s):
            memory = self._memory()
            if memory[1]:
                self.samples.append((time.monotonic() - self._begun, self.trials, memory))

    def stop(self) -> None:
        self._enough.set()
        self.join()

    def _memory(self) -> tuple[int, ...]:
        """Of the workers the largest: they come and go."""
        try:
            zygotes = [child for child in self._engine.children() if "zygote" in " ".join(child.cmdline())]
            workers = [rss(worker) for zygote in zygotes for worker in zygote.children()]
            window = rss(psutil.Process(self.window.pid)) if self.window else 0
            return rss(self._engine), max(map(rss, zygotes), default=0), max(workers, default=0), window
        except psutil.NoSuchProcess:
            return (0, 0, 0, 0)


def rss(process: psutil.Process) -> int:
    """Resident bytes; 0 of a process that has just ended."""
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def verdict(samples: list[tuple[float, int, tuple[int, ...]]], role: int) -> dict[str, Any]:
    """First, middle, last and largest memory while there is any, and its growth over the second half of that."""
    samples = [sample for sample in samples if sample[2][role]]
    half = samples[len(samples) // 2 :]
    memory = np.array([sample[2][role] for sample in half], float)
    trials = np.array([sample[1] for sample in half], float)
    slope = float(np.polyfit(trials, memory, 1)[0]) if np.ptp(trials) else 0.0
    gain = slope * float(np.ptp(trials))
    grows = gain * 10 > memory[0] and gain > 32 * _MB
    return {
        "first_mb": samples[0][2][role] / _MB,
        "middle_mb": float(memory[0]) / _MB,
        "last_mb": samples[-1][2][role] / _MB,
        "most_mb": max(sample[2][role] for sample in samples) / _MB,
        "mb_per_1000_trials": slope * 1000 / _MB,
        "verdict": "growing" if grows else "flat",
    }


def open_window(project: str, settings: str) -> subprocess.Popen[bytes]:
    """A window in a process of its own, with settings of its own; it draws into memory."""
    homes = {name: settings for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    command = [sys.executable, __file__, "--turn-pages", project]
    return subprocess.Popen(command, env=os.environ | homes | {"QT_QPA_PLATFORM": "offscreen"})


def turn_pages(project: str) -> None:
    """A window that shows the project's pages one after the other, until it is ended."""
    from PySide6.QtCore import QTimer

    from pruner_studio.app import make_application
    from pruner_studio.main_window import MainWindow

    application = make_application(["pruner-studio"])
    window = MainWindow(opening=True)
    window.show()
    window.settle(project)
    pages = itertools.cycle(("overview", "tasks", "draft", "schedule", "adaptation", "compare"))
    timer = QTimer()
    timer.timeout.connect(lambda: window.show_page(next(pages)))
    timer.start(_PAGE_S * 1000)
    application.exec()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", default="matmul:256,256,256", help="a model file or a built-in workload")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--strategy", default="pruner")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two looks")
    parser.add_argument("--window", action="store_true", help="have a window open on the project")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all samples")
    parser.add_argument("--turn-pages", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turn_pages:
        turn_pages(options.turn_pages)
        return
    with tempfile.TemporaryDirectory() as folder, EngineProcess() as engine:
        watch = Watch(engine.pid, options.every)
        watch.start()
        command = Tune(
            project=str(Path(folder, "soak.pruner")),
            model=options.model,
            trials=options.trials or (None if options.minutes else 1000),
            minutes=options.minutes,
            strategy=options.strategy,
        )
        engine.send(command)
        for event in engine.events():
            if isinstance(event, Progress):
                watch.trials = event.trials
                if options.window and watch.window is None:
                    watch.window = open_window(command.project, folder)
            elif isinstance(event, Failed):
                sys.exit(f"{event.message} {event.hint}")
            elif isinstance(event, RunFinished):
                break
        watch.stop()
        if watch.window:
            if watch.window.poll() is not None:
                sys.exit(f"the window has ended with {watch.window.returncode}")
            watch.window.kill()
            watch.window.wait()
    if len(watch.samples) < 4:
        sys.exit("too short to tell: give more --trials, or look more often with --every")
    roles = ROLES if options.window else ROLES[:-1]
    found = {role: verdict(watch.samples, i) for i, role in enumerate(roles)}
    if options.json:
        rows = [{"seconds": s, "trials": n, **dict(zip(roles, m, strict=False))} for s, n, m in watch.samples]
        print(json.dumps({"model": options.model, "trials": watch.trials, "roles": found, "samples": rows}))
        return
    print(f"{options.model}: {watch.trials} trials in {watch.samples[-1][0]:.0f} s")
    for role, told in found.items():
        figures = ", ".join(f"{key.removesuffix('_mb')} {told[key]:.0f}" for key in told if key.endswith("_mb"))
        print(f"{role}: {figures} MB; {told['mb_per_1000_trials']:+.1f} MB per 1000 trials: {told['verdict']}")


if __name__ == "__main__":
    main()

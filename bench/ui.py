"""What the window costs: 100 000 candidates of 200 tasks, and a run that adds 2 000 rows a second while it is watched.

    python bench/ui.py [--json] [--platform offscreen|xcb] [--candidates N] [--tasks N] [--rows N] [--seconds S]

The first picture is the splash screen; the full window shows a project's Overview. A frame is what the window does
from Qt's request to paint until everything is painted. A stall is the time by which a timer of 5 ms is late. The rows
are written by a process of their own; its share of the CPU is not the window's.

Beside what the clock says stands what the window's process computed in that time, and how late a process was that does
nothing but sleep: where the machine is taken away from all of them, these two tell it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "studio"))

GOALS = {
    "frame_p99_s": 0.016,
    "longest_stall_s": 0.050,
    "first_paint_s": 0.3,
    "full_window_s": 1.0,
    "live_core_share": 0.25,
}
_TICK_S = 0.005


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--platform", default="xcb" if os.environ.get("DISPLAY") else "offscreen")
    parser.add_argument("--candidates", type=int, default=100_000)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--rows", type=int, default=2_000, help="rows a second")
    parser.add_argument("--seconds", type=float, default=8.0, help="of watching each page live")
    parser.add_argument("--starts", type=int, default=5, help="how often the start is measured")
    parser.add_argument("--settle", type=float, default=8.0, help="seconds until the pages are watched")
    parser.add_argument("--part", nargs=3, metavar=("NAME", "PROJECT", "START"), help=argparse.SUPPRESS)
    options = parser.parse_args()  # what a part alone needs is imported there: the start is to be the window's own
    os.environ["QT_QPA_PLATFORM"] = options.platform
    if options.part:
        name, project, start = options.part
        {"write": write_live, "sleep": sleep, "start": measure_start, "watch": measure_watching}[name](
            project, float(start), options
        )
        return
    import tempfile

    # An engine that checks the machine may write what it compiles while its window has ended already
    with tempfile.TemporaryDirectory(prefix="pruner-bench-ui-", ignore_cleanup_errors=True) as folder:
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = folder
        os.environ["PYTHONPYCACHEPREFIX"] = folder  # compiled once, as where the product is installed
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        found = measure(Path(folder) / "big.pruner", options)
    print(json.dumps(found, indent=1) if options.json else told(found))


def measure(project: Path, options: argparse.Namespace) -> dict[str, Any]:
    """All figures; each part in a process of its own."""
    from project_factory import make_project

    make_project(project, runs=1, rounds=options.candidates // 32, tasks=options.tasks, state="tuning")
    _, *starts = (_part("start", project, options) for _ in range(1 + options.starts))  # the first compiles
    watched = _part("watch", project, options)
    pages = watched["pages"]
    frames = [frame for page in pages.values() for frame in page["frames_s"]]
    own_frames = [frame for page in pages.values() for frame in page["own_frames_s"]]
    return {
        "candidates": options.candidates,
        "tasks": options.tasks,
        "rows_per_second": options.rows,
        "written_rows_per_second": watched["written_rows_per_second"],
        "platform": options.platform,
        "first_paint_s": _median(start["first_paint_s"] for start in starts),
        "window_s": _median(start["window_s"] for start in starts),
        "full_window_s": _median(start["full_window_s"] for start in starts),
        "frame_median_s": _median(frames),
        "frame_p99_s": _quantile(frames, 0.99),
        "own_frame_p99_s": _quantile(own_frames, 0.99),
        "longest_stall_s": max(page["longest_stall_s"] for page in pages.values()),
        "own_longest_stall_s": max(page["own_longest_stall_s"] for page in pages.values()),
        "own_first_paint_s": _median(start["own_first_paint_s"] for start in starts),
        "own_full_window_s": _median(start["own_full_window_s"] for start in starts),
        "sleeper": watched["sleeper"],
        "live_core_share": pages["overview"]["core_share"],
        "memory_bytes": watched["memory_bytes"],
        "pages": {
            name: {
                "open_s": page["open_s"],
                "frames": len(page["frames_s"]),
                "frame_median_s": _median(page["frames_s"]),
                "frame_p99_s": _quantile(page["frames_s"], 0.99),
                "longest_stall_s": page["longest_stall_s"],
                "own_longest_stall_s": page["own_longest_stall_s"],
                "core_share": page["core_share"],
            }
            for name, page in pages.items()
        },
        "goals": GOALS,
    }


def told(found: dict[str, Any]) -> str:
    lines = [f"{'':18} measured      goal    computing"]
    lines += [
        f"{name:18} {found[name]:8.3f}  {'≤' if found[name] <= goal else '>'} {goal:<8g}{_own(found, name)}"
        for name, goal in GOALS.items()
    ]
    late = found["sleeper"]
    lines.append(
        f"meanwhile a process that only sleeps was late by up to {late['longest_s'] * 1e3:.0f} ms,"
        f" by more than 10 ms {late['over_10_ms']} times"
    )
    lines.append(f"the empty window after {found['window_s']:.3f} s")
    lines.append(f"memory {found['memory_bytes'] / 2**20:.0f} MB, median frame {found['frame_median_s'] * 1e3:.1f} ms")
    for name, page in found["pages"].items():
        lines.append(
            f"{name:12} open {page['open_s']:.3f} s, {page['frames']} frames,"
            f" median {page['frame_median_s'] * 1e3:.1f} ms, p99 {page['frame_p99_s'] * 1e3:.1f} ms,"
            f" stall {page['longest_stall_s'] * 1e3:.0f} ms,"
            f" core {page['core_share'] * 100:.0f} %"
        )
    return "\n".join(lines)


def _own(found: dict[str, Any], name: str) -> str:
    return f"{found[f'own_{name}']:8.3f}" if f"own_{name}" in found else ""


def _part(name: str, project: Path, options: argparse.Namespace) -> dict[str, Any]:
    import subprocess

    words = [f"--{key}={getattr(options, key)}" for key in ("platform", "rows", "seconds", "settle")]
    command = [sys.executable, __file__, *words, "--part", name, str(project), str(time.monotonic())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# ---------------------------------------------------------------- in a process of its own


def measure_start(project: str, start: float, options: argparse.Namespace) -> None:
    """From the start of the process to the first picture, to the window, and to a project's Overview with its curve."""
    from pruner_studio import app

    application = app.make_application(["pruner-studio"])
    first = app.splash()
    first.show()
    application.processEvents()
    first_paint, own_first_paint = time.monotonic() - start, time.process_time()
    window, frames = _window(opening=True)
    window.show()
    first.close()
    _until(application, lambda: bool(frames))
    shown = time.monotonic() - start
    window.settle(project)
    page = window.show_page("overview")
    _until(application, lambda: bool(page.curve.series))
    painted = len(frames)
    _until(application, lambda: len(frames) > painted)
    _leave(
        {
            "first_paint_s": first_paint,
            "own_first_paint_s": own_first_paint,
            "window_s": shown,
            "full_window_s": time.monotonic() - start,
            "own_full_window_s": time.process_time(),
        }
    )


def measure_watching(project: str, _start: float, options: argparse.Namespace) -> None:
    """Each page shown for some seconds while rows come in."""
    import psutil
    from PySide6.QtCore import Qt

    from pruner_studio import app

    application = app.make_application(["pruner-studio"])
    window, frames = _window()
    window.show()
    window.settle(project)
    _run(application, options.settle)  # the checks of the machine and the imports that can wait are over by then
    writer, sleeper = _beside("write", project, options), _beside("sleep", project, options)
    process, pages = psutil.Process(), {}
    for name in ("overview", "tasks", "draft", "schedule", "compare"):
        begin = time.perf_counter()
        page = window.show_page(name)
        _run(application, 0.0)
        opened = time.perf_counter() - begin
        if name == "schedule":
            window.workspace.select(window.workspace.reader.tasks(window.workspace.run_id)[0]["id"])
        _run(application, 1.0)
        frames.clear()
        used, begin = time.process_time(), time.monotonic()
        stalls = [_run(application, options.seconds)]
        share = (time.process_time() - used) / (time.monotonic() - begin)
        table = getattr(page, "table", None)
        if table is not None:
            bar = table.verticalScrollBar()
            stalls += _scroll(application, bar)
            table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
            stalls.append(_run(application, 0.3))
        pages[name] = {
            "open_s": opened,
            "frames_s": [frame for frame, _ in frames],
            "own_frames_s": [own for _, own in frames],
            "longest_stall_s": max(stall for stall, _ in stalls),
            "own_longest_stall_s": max(own for _, own in stalls),
            "core_share": share,
        }
    told, slept = (json.loads(one.communicate(b"\n")[0]) for one in (writer, sleeper))
    _leave(
        {
            "pages": pages,
            "memory_bytes": process.memory_info().rss,
            "written_rows_per_second": told["written_rows_per_second"],
            "sleeper": slept,
        }
    )


def _beside(name: str, project: str, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    """A process that does its part until a line comes on its standard input."""
    import subprocess

    words = [f"--{key}={getattr(options, key)}" for key in ("rows", "seconds")]
    command = [sys.executable, __file__, *words, "--part", name, project, "0"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _window(*, opening: bool = False) -> tuple[Any, list[tuple[float, float]]]:
    """A main window that notes how long each of its frames takes, by the clock and in computing."""
    from PySide6.QtCore import QEvent

    from pruner_studio.main_window import MainWindow

    frames: list[tuple[float, float]] = []

    class Watched(MainWindow):
        def event(self, event: QEvent) -> bool:
            if event.type() != QEvent.Type.UpdateRequest:
                return super().event(event)
            begin, used = time.perf_counter(), time.process_time()
            done = super().event(event)
            frames.append((time.perf_counter() - begin, time.process_time() - used))
            return done

    return Watched(opening=opening), frames


def _run(application: Any, seconds: float) -> tuple[float, float]:
    """Run the event loop; returns how late the latest tick was, and the most computing between two, in seconds."""
    from PySide6.QtCore import QEventLoop, Qt, QTimer

    loop, last, latest = QEventLoop(), time.perf_counter(), 0.0
    used, most = time.process_time(), 0.0

    def tick() -> None:
        nonlocal last, latest, used, most
        now, own = time.perf_counter(), time.process_time()
        latest, last = max(latest, now - last - _TICK_S), now
        most, used = max(most, own - used), own

    timer = QTimer(interval=round(_TICK_S * 1e3))
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start()
    QTimer.singleShot(round(seconds * 1e3), loop.quit)
    loop.exec()
    tick()
    return latest, most


def _scroll(application: Any, bar: Any) -> Iterator[tuple[float, float]]:
    """Wheel through a table, a step a frame."""
    for step in range(40):
        bar.setValue(bar.maximum() * step // 40)
        yield _run(application, 0.016)


def _until(application: Any, happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened() and time.monotonic() < end:
        application.processEvents()


def _leave(found: dict[str, Any]) -> None:
    print(json.dumps(found), flush=True)
    os._exit(0)  # Qt's clearing up is not what is measured


# ---------------------------------------------------------------- beside the window


def sleep(_project: str, _start: float, options: argparse.Namespace) -> None:
    """Sleep for 5 ms again and again, and note how late it comes back."""
    stop, late = _told_to_stop(), []
    while not stop.is_set():
        begin = time.perf_counter()
        time.sleep(_TICK_S)
        late.append(time.perf_counter() - begin - _TICK_S)
    print(json.dumps({"longest_s": max(late), "over_10_ms": sum(one > 0.01 for one in late)}), flush=True)


def _told_to_stop() -> threading.Event:
    """Set once a line comes on standard input."""
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
    return stop


def write_live(project: str, _start: float, options: argparse.Namespace) -> None:
    """Add rows as an engine does, in a transaction every 20 ms, until a line comes on standard input."""
    import random
    import sqlite3

    from pruner_engine.store.file.lock import WriterLock

    stop = _told_to_stop()
    _lock = WriterLock(Path(project))
    db = sqlite3.connect(project, isolation_level=None)
    db.execute("PRAGMA synchronous=NORMAL")
    batch, rng = max(4, round(options.rows * 0.02)), random.Random(1)
    (run,) = db.execute("SELECT max(id) FROM runs").fetchone()
    tasks = [row[0] for row in db.execute("SELECT task_id FROM run_tasks WHERE run_id = ?", (run,))]
    (elapsed, trials, best, rounds) = db.execute(
        "SELECT max(elapsed_s), max(trials), min(latency_s), (SELECT max(idx) FROM rounds) FROM progress"
    ).fetchone()
    begin, written = time.monotonic(), 0
    while not stop.is_set():
        task, now = rng.choice(tasks), time.time()
        rounds, elapsed, best = rounds + 1, elapsed + 0.02, best * 0.99999
        db.execute("BEGIN IMMEDIATE")
        round_id = db.execute(
            "INSERT INTO rounds (run_id, task_id, idx, started, explored, drafted, verified, measured, valid, draft_s)"
            " VALUES (?, ?, ?, ?, 100000, 96, 96, 10, 10, 0.1)",
            (run, task, rounds, now),
        ).lastrowid
        for _ in range(batch // 2 - 1):
            candidate = db.execute(
                "INSERT INTO candidates (run_id, task_id, round_id, hash, decisions, origin, draft_score,"
                " verified_score) VALUES (?, ?, ?, ?, '[[2,4,8,8],[4,4,4,8]]', 'draft', ?, ?)",
                (run, task, round_id, f"{rng.getrandbits(64):016x}", rng.gauss(10, 1), rng.gauss(6, 1)),
            ).lastrowid
            db.execute(
                "INSERT INTO measurements (candidate_id, run_id, task_id, stage, seconds, repeats, at, elapsed_s)"
                " VALUES (?, ?, ?, 'ok', ?, '[0.001,0.001,0.001]', ?, ?)",
                (candidate, run, task, rng.uniform(1e-3, 9e-3), now, elapsed),
            )
            trials += 1
        db.execute(
            "INSERT INTO progress (run_id, elapsed_s, trials, valid, failed, latency_s, left_s)"
            " VALUES (?, ?, ?, ?, 0, ?, 60)",
            (run, elapsed, trials, trials, best),
        )
        db.execute("COMMIT")
        written += batch
        time.sleep(max(0.0, begin + written / options.rows - time.monotonic()))
    print(json.dumps({"written_rows_per_second": written / (time.monotonic() - begin)}), flush=True)


def _median(values: Iterator[float] | list[float]) -> float:
    return _quantile(list(values), 0.5)


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


if __name__ == "__main__":
    main()

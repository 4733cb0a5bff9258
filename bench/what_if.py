"""How soon a prediction follows a slider: of the engine alone, and in the window.

    python bench/what_if.py [--json] [--platform offscreen|xcb] [--project FILE] [--questions N]

Asked of the fastest candidate of every task of the project, each time with one decision changed and held against the
candidate as it is, which is what the window asks. The round trip of the engine is from the command to its answer,
through the pipes. In the window the sliders are moved as a mouse moves them, every 16 ms; told is the time from the
move to the figures that answer it. Moves that come before an answer are left out but for the newest, so that `answered`
is less than `moves` where an answer takes longer than the next move.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

GOAL_S = 0.005
_MOUSE_S = 0.016


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--platform", default="xcb" if os.environ.get("DISPLAY") else "offscreen")
    parser.add_argument("--project", type=Path, help="default: the sample that ships")
    parser.add_argument("--questions", type=int, default=200, help="a task")
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = options.platform
    from pruner_engine.resources import resource_dir

    # an engine may write a cache while its window has ended already
    with tempfile.TemporaryDirectory(prefix="pruner-bench-what-if-", ignore_cleanup_errors=True) as folder:
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[name] = folder
        source = options.project or resource_dir() / "samples" / "small-cnn.pruner"
        project = str(shutil.copy(source, Path(folder) / "asked.pruner"))
        found = {"goal_s": GOAL_S, "engine": ask_engine(project, options.questions), "window": drag(project)}
    print(json.dumps(found, indent=1) if options.json else told(found), flush=True)
    os._exit(0)  # Qt's clearing up is not what is measured


def told(found: dict[str, Any]) -> str:
    """One line a task, and one of the window."""
    lines = [f"{'':28} first   median      p99   the engine computes (goal {found['goal_s'] * 1e3:g} ms)"]
    lines += [
        f"{name[:28]:28} {_ms(task['first_s'])} {_ms(task['median_s'])} {_ms(task['p99_s'])} {_ms(task['computing_s'])}"
        for name, task in found["engine"].items()
    ]
    window = found["window"]
    lines.append(
        f"{'in the window':28} {'':8} {_ms(window['median_s'])} {_ms(window['p99_s'])}   {window['answered']} of"
        f" {window['moves']} moves"
    )
    return "\n".join(lines)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:5.2f} ms"


# ---------------------------------------------------------------- the engine


def ask_engine(project: str, questions: int) -> dict[str, dict[str, float]]:
    """Round trips by task: the first, median and 99 % of the others, and what the engine computes for one of them."""
    import psutil

    from pruner_engine import protocol as msg
    from pruner_engine.jobs.client import EngineProcess
    from pruner_engine.store.reader import ProjectReader

    found = {}
    with ProjectReader(project) as reader, EngineProcess() as engine:
        events, process = engine.events(), psutil.Process(engine.pid)
        for task in reader.tasks(reader.run()["id"]):
            row = reader.candidate(task["best_candidate_id"]) if task["best_candidate_id"] else None
            sketches = {sketch["id"]: sketch for sketch in reader.sketches(task["id"])}
            if row is None or row["sketch_id"] not in sketches:
                continue
            rng, took, used = random.Random(0), [], 0.0
            for _ in range(questions):
                command = msg.WhatIf(
                    project=project,
                    task_id=task["id"],
                    sketch_id=row["sketch_id"],
                    decisions=edited(rng, sketches[row["sketch_id"]]["decisions"], row["decisions"]),
                    measured_s=None,
                    against=row["decisions"],
                )
                begin = time.perf_counter()
                engine.send(command)
                answer = next(event for event in events if isinstance(event, msg.WhatIfScore | msg.Failed))
                took.append(time.perf_counter() - begin)
                used = used or _computed(process)  # behind the first
                if isinstance(answer, msg.Failed):
                    sys.exit(answer.message)
            computing = (_computed(process) - used) / (questions - 1)
            found[task["name"]] = {"first_s": took[0], **_figures(took[1:]), "computing_s": computing}
    return found


def _computed(process: Any) -> float:
    return float(sum(process.cpu_times()[:2]))


def edited(rng: random.Random, specs: list[dict[str, Any]], decisions: list[Any]) -> list[Any]:
    """The decisions with another value of one of them."""
    at = rng.randrange(len(specs))
    domain, value = specs[at]["domain"], decisions[at]
    if specs[at]["kind"] == "categorical":
        value = rng.randrange(len(domain["candidates"]))
    elif specs[at]["kind"] == "location":
        value = rng.choice(domain["indices"])
    else:
        moved = list(value)
        give, take = rng.sample(range(len(value)), 2)
        if value[give] % 2 == 0:
            moved[give], moved[take] = value[give] // 2, value[take] * 2
        most, (at_least, whole) = domain["max_innermost"], domain["partition"]
        if (most < 0 or moved[-1] <= most) and math.prod(moved[at_least:]) % whole == 0:
            value = moved
    return [*decisions[:at], value, *decisions[at + 1 :]]


def _figures(took: list[float]) -> dict[str, float]:
    ordered = sorted(took)
    return {"median_s": ordered[len(ordered) // 2], "p99_s": ordered[int(len(ordered) * 0.99)]}


# ---------------------------------------------------------------- the window


def drag(project: str) -> dict[str, Any]:
    """From the move of a slider to the figures that answer it."""
    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QSlider

    from pruner_studio import app
    from pruner_studio.main_window import MainWindow

    application = app.make_application(["pruner-studio"])
    window = MainWindow()
    window.show()
    window.workspace.open(project)
    page = window.show_page("schedule")
    page.tabs.setCurrentWidget(page.what_if)
    pane = page.what_if
    end = time.monotonic() + 120
    while "Predicted" not in pane.parts.verdict.text():
        application.processEvents()
        if time.monotonic() > end:
            sys.exit("The window has not shown a prediction within two minutes.")

    def wait(seconds: float) -> None:
        loop = QEventLoop()
        QTimer.singleShot(round(seconds * 1e3), loop.quit)
        loop.exec()

    moved: list[float] = []
    took: list[float] = []
    asked: list[int] = []
    show, ask = pane.parts.show_score, pane.ask_anyway

    def shown(*args: Any) -> None:
        show(*args)
        took.append(time.perf_counter() - moved[asked.pop()])

    def asking(*args: Any) -> None:
        asked.append(len(moved) - 1)
        ask(*args)

    pane.parts.show_score, pane.ask_anyway = shown, asking
    wait(1.0)
    for slider in pane.editor.findChildren(QSlider):
        for value in [*range(slider.minimum(), slider.maximum() + 1), slider.value()]:
            before = list(pane.editor.decisions)
            moved.append(time.perf_counter())
            slider.setValue(value)
            if pane.editor.decisions == before:
                moved.pop()
            wait(_MOUSE_S)
        moved.append(time.perf_counter())
        pane.editor.reset()
        wait(0.2)
    return {"moves": len(moved), "answered": len(took), **_figures(took)}


if __name__ == "__main__":
    main()

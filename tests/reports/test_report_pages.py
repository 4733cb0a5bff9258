"""Report pages: complete by themselves, true to the project file, and safe whatever names come in."""

import re
from html.parser import HTMLParser

import pytest

from chosen_runs import add_adaptation, add_run, make_project
from pruner_engine.benchmarks.summary import summarise
from pruner_engine.errors import UserError
from pruner_engine.reports.chart import Axis, Chart
from pruner_engine.reports.comparison import write_comparison
from pruner_engine.reports.libraries import write_libraries
from pruner_engine.reports.run import write_run
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

HOSTILE = "<script>alert(1)</script>\"'&{{ 7 * 7 }}"
EVENTS = [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("trial", 1, None, 3.0), ("trial", 1, 0.25, 4.0), ("end", 5.0)]
VOID = {"meta", "br", "hr", "img", "link"}


class Page(HTMLParser):
    """Refuses a page whose elements do not nest; keeps its elements and its text."""

    def __init__(self, path):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def assert_complete_by_itself(page):
    assert not any(tag in ("script", "link", "iframe", "img", "object") for tag, _ in page.elements)
    assert not re.search(r"(src|href)\s*=", page.source)
    assert "url(" not in page.source
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {HOSTILE: (3, 1.0)}, model=HOSTILE, device=HOSTILE)
    add_run(path, "pruner", EVENTS)
    add_run(path, "metaschedule", EVENTS)
    return path


def test_the_page_of_a_run_shows_what_the_project_file_says(project, tmp_path):
    with ProjectReader(project) as reader:
        write_run(reader, 1, tmp_path / "run.html")
    page = Page(tmp_path / "run.html")
    assert_complete_by_itself(page)
    assert HOSTILE in page.text  # as text: shown, not obeyed
    assert "Trials 3 of 3" in page.text
    assert "Failed 1" in page.text
    assert "it crashed" in page.text
    assert "500 ms" in page.text  # the last point of the curve
    assert "--trials 3" in page.text  # the command that does the same again
    assert sum(tag == "svg" for tag, _ in page.elements) == 5  # none of the trials has a verified score


def test_the_page_of_a_run_tells_how_noisy_the_machine_was(project, tmp_path):
    with Project(project) as opened, opened.transaction() as db:
        db.execute("UPDATE rounds SET stats = json_object('probe_s', 0.002 + 0.001 * idx)")
    with ProjectReader(project) as reader:
        write_run(reader, 1, tmp_path / "run.html")
    assert "took 2.00 ms at best" in Page(tmp_path / "run.html").text


def first_legend(page):
    """Colours of the first chart's lines, by what they are called."""
    chart = page.source.partition("<figure>")[2].partition("</figure>")[0]
    return {name: colour for colour, name in re.findall(r"<li style=\"--c: var\((--series\d)\)\">([^<]*)</li>", chart)}


def test_libraries_are_called_as_their_makers_do_and_told_apart(project, tmp_path):
    with Project(project) as opened:
        for name in ("onnxruntime", "torch", "torch.compile"):
            opened.work.add_baseline(1, 1, "float32", name, 0.3, threads=2)
    with ProjectReader(project) as reader:
        write_run(reader, 1, tmp_path / "run.html")
    page = Page(tmp_path / "run.html")
    legend = first_legend(page)
    assert list(legend) == ["tuned", "untuned", "ONNX Runtime", "PyTorch", "torch.compile"]
    assert len(set(legend.values())) == len(legend)
    assert "ONNX Runtime, 2 threads" in page.text and "onnxruntime" not in page.text


def test_the_page_of_a_comparison_shows_its_figures(project, tmp_path):
    summary = summarise(tmp_path)
    write_comparison(tmp_path, summary, tmp_path / "cmp.html")
    page = Page(tmp_path / "cmp.html")
    assert_complete_by_itself(page)
    assert HOSTILE in page.text
    assert page.text.count("1 of 1") == 4  # both strategies, for the workload and over all


def test_the_page_of_a_comparison_shows_how_well_adapted_models_rank(project, tmp_path):
    run = add_run(project, "moa-pruner", EVENTS)
    for accuracy in (0.6, 0.7, 0.8):
        add_adaptation(project, run, adapted=accuracy, scratch=accuracy - 0.1, siamese=0.5)
    write_comparison(tmp_path, summarise(tmp_path), tmp_path / "cmp.html")
    page = Page(tmp_path / "cmp.html")
    assert_complete_by_itself(page)
    assert "Pairs in order: moa-pruner" in page.text and "siamese alone" in page.text
    assert sum(tag == "svg" for tag, _ in page.elements) == 3  # over time, over trials, and the adaptations


def test_the_page_of_a_run_that_adapts_shows_how_well_its_models_rank(project, tmp_path):
    run = add_run(project, "moa-pruner", EVENTS)
    for accuracy in (0.6, 0.7):
        add_adaptation(project, run, adapted=accuracy, scratch=accuracy - 0.1, siamese=0.5)
    with ProjectReader(project) as reader:
        write_run(reader, run, tmp_path / "run.html")
        write_run(reader, 1, tmp_path / "other.html")
    page = Page(tmp_path / "run.html")
    assert_complete_by_itself(page)
    assert "Adaptation" in page.text and "from scratch" in page.text and "Loss: nothing to show" in page.text
    assert "Adaptation" not in Page(tmp_path / "other.html").text


def test_a_run_before_its_first_trial_has_a_page_too(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, None)})
    add_run(path, "pruner", [("begin", 1.0)], state="tuning")
    with ProjectReader(path) as reader:
        write_run(reader, None, tmp_path / "run.html")
    assert "interrupted" in Page(tmp_path / "run.html").text


def test_a_page_that_cannot_be_written_is_told(project, tmp_path):
    with ProjectReader(project) as reader, pytest.raises(UserError, match="cannot be written"):
        write_run(reader, 1, tmp_path / "no" / "run.html")


def test_a_project_whose_name_is_no_utf8_has_a_page_too(project, tmp_path):
    odd = project.rename(tmp_path / "p\udcff.pruner")
    with ProjectReader(odd) as reader:
        write_run(reader, 1, tmp_path / "run.html")
    assert "Run 1 of p\\udcff.pruner" in Page(tmp_path / "run.html").text


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("low", "high"), [(1e-6, 3e-6), (3.0, 3.1), (1e-5, 1e2), (0.5, 700.0), (1e9, 1e9 + 1)])
def test_an_axis_has_some_round_ticks_whatever_the_bounds(low, high, log):
    ticks = Axis("x", log=log).ticks(low, high)
    assert 2 <= len(ticks) <= 10
    assert all(low <= tick <= high for tick in ticks)


def test_values_that_cannot_be_drawn_are_left_out():
    chart = Chart("c", Axis("x"), Axis("y", log=True))
    chart.dots("d", [(1.0, 0.0), (float("nan"), 1.0), (2.0, 3.0), (4.0, float("inf"))], 0, ["a", "b", HOSTILE, "c"])
    svg = str(chart.svg())
    assert svg.count("<circle") == 1
    assert "<script" not in svg
    chart.level("instant", 0.0, 3)
    assert "instant" not in str(chart.svg())
    assert "nothing to show" in str(Chart("e", Axis("x"), Axis("y")).svg())


def test_page_of_libraries(tmp_path):
    tuned = {"median_s": 0.002, "best_s": 0.0019, "quartiles_s": [0.0019, 0.0021], "measured": 4, "note": HOSTILE}
    contenders = {
        "tuned": {**tuned, "peak_share": 0.5, "agreement": {"ok": True, "message": ""}},
        "torch": {"median_s": None, "measured": 0, "note": "not installed"},
    }
    model = {"model": HOSTILE, "device": "CPU", "threads": 2, "target": "{}", "contenders": contenders, "ratio": None}
    write_libraries({"models": [model], "compared": 0, "ratio": None}, tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert not any(tag == "script" for tag, _ in page.elements)
    text = " ".join(page.words)
    assert HOSTILE in text and "2.00 ms" in text and "agree" in text and "not installed" in text

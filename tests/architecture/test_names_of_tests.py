"""Files of tests are imported by their bare names."""

from collections import Counter
from pathlib import Path


def test_no_two_files_of_tests_have_one_name():
    names = Counter(path.name for path in Path(__file__).parents[1].rglob("*.py") if path.name != "conftest.py")
    assert [name for name, times in names.items() if times > 1] == []

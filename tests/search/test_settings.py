"""Settings out of range are refused before anything is done."""

import pytest

from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings, settings_from


@pytest.mark.parametrize(
    "wrong",
    [
        {"round_trials": -5}, {"draft_set": 0}, {"fresh_samples": -1}, {"refresh": 0}, {"eps_greedy": 1.5},
        {"momentum": 1.5}, {"adapt_every": 0}, {"build_timeout_s": 0}, {"repeats": 0}, {"patience": -1}, {"nothing": 1},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_meant_is_a_sentence(wrong):
    with pytest.raises(UserError, match=f"A setting is not understood.*{next(iter(wrong))}"):
        settings_from(wrong)


def test_what_is_by_default_is_in_range():
    assert settings_from(SearchSettings().as_json()) == SearchSettings()

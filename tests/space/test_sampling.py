"""Random candidates are found where few rows are valid, too."""

import numpy as np

from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sampling import random_candidates
from schedules import GPU, task_of


def test_as_many_are_drawn_as_are_wanted_although_one_row_in_thirty_is_valid():
    space = DesignSpace.generate(task_of("conv2d:1,64,56,56,64,3", GPU), GPU)
    found = random_candidates(space, 10, np.random.default_rng(0), 2)
    assert len({candidate.hash for candidate in found}) == 10
    others = random_candidates(space, 2, np.random.default_rng(0), 2, {candidate.hash for candidate in found})
    assert len({candidate.hash for candidate in [*found, *others]}) == 12

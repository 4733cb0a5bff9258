"""Means of windows that divide an axis unevenly."""

import pytest
from torch.nn import functional as F
from tvm.relax import op

from draft.spaces import ARM, CPU, GPU, analyzer_of
from frontends.torch_functions import agree_in_each, numbers
from graphs import graph
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare


def test_means_are_those_of_pytorch(tmp_path):
    """Windows of one, two and three axes, longer and shorter ones, and more of them than elements."""
    agree_in_each(
        tmp_path,
        {
            "sequence": (lambda x: F.adaptive_avg_pool1d(x, 3), [numbers(2, 4, 13)]),
            "image": (lambda x: F.adaptive_avg_pool2d(x, (4, 2)) * 2, [numbers(1, 4, 11, 14)]),
            "channels last": (
                lambda x: F.adaptive_avg_pool2d(F.conv2d(x, x[:, :, :3, :3]), (5, 3)),
                [numbers(1, 4, 11, 14)],
            ),
            "repeated": (lambda x: F.adaptive_avg_pool2d(x, (9, 20)), [numbers(1, 4, 7, 13)]),
            "volume": (lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)), [numbers(1, 4, 5, 9, 7)]),
        },
    )


@pytest.mark.parametrize("target", [CPU, ARM, GPU], ids=["cpu", "arm", "gpu"])
def test_they_have_tiles_that_the_draft_knows(target):
    mod = graph(lambda x: op.nn.relu(op.nn.adaptive_avg_pool2d(x, (4, 2))), (1, 6, 11, 14))
    (task,) = extract_tasks(prepare(mod, target), target)
    space = DesignSpace.generate(task, target)
    assert len(space.sketches) > 1
    assert all(analyzer_of(space).compiled(sketch.index) for sketch in space.sketches)

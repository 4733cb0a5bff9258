"""Windows that are put back to an image: sums of parts, which can be tuned, where PyTorch adds one by one."""

import torch
from torch.nn.functional import fold, unfold
from torch_functions import Function, agree_in_each, numbers, saved

from pruner_engine.frontends import load_model

IMAGE = numbers(2, 3, 8, 12)
CASES = {
    "windows beside each other": (
        lambda x: fold(unfold(x, (2, 3), stride=(2, 3)), (8, 12), (2, 3), stride=(2, 3)),
        [IMAGE],
    ),
    "windows of every pixel": (lambda x: fold(unfold(x, 3, padding=1), (8, 12), 3, padding=1), [IMAGE]),
    "windows of every second pixel": (
        lambda x: fold(unfold(x, 3, padding=1, stride=2), (8, 12), 3, padding=1, stride=2),
        [IMAGE],
    ),
    "gaps between windows, and pixels behind the last": (
        lambda x: fold(unfold(x, 2, stride=(3, 5)), (8, 12), 2, stride=(3, 5)),
        [IMAGE],
    ),
    "gaps within windows": (lambda x: fold(unfold(x, 2, dilation=(2, 3)), (8, 12), 2, dilation=(2, 3)), [IMAGE]),
    "no batch": (lambda x: fold(unfold(x, (4, 2), stride=2), (8, 12), (4, 2), stride=2), [IMAGE[0]]),
}


def test_folds_are_those_of_pytorch(tmp_path):
    agree_in_each(tmp_path, CASES)


def test_a_fold_scatters_nothing(tmp_path):
    """Scattering is a loop over all numbers, one at a time, which cannot be tuned."""
    module = Function(lambda x: fold(x, (8, 12), 3, padding=1, stride=2))
    mod = load_model(saved(tmp_path, module, (torch.ones(1, 27, 24),))).mod
    assert "scatter" not in mod.script()

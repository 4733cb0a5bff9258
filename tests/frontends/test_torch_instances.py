"""Norms of instances of PyTorch programs: what PyTorch computes, in any layout."""

import torch
from torch import nn
from torch_functions import agree_in_each, numbers, saved

from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

norm = nn.functional.instance_norm
IMAGES, MEAN, SPREAD = numbers(2, 4, 6, 5), numbers(4), numbers(4).abs() + 0.5


def trained(x):
    """By what comes in, and the means and variances so far."""
    mean, variance = torch.zeros(4), torch.ones(4)
    return norm(x, mean, variance, use_input_stats=True, momentum=0.3), mean, variance


CASES = {
    "a batch of images": (norm, [IMAGES]),
    "with weights": (lambda x, w, b: norm(x, weight=w, bias=b), [IMAGES, MEAN, SPREAD]),
    "signals": (lambda x: norm(x, eps=0.1), [IMAGES[..., 0]]),
    "volumes": (norm, [numbers(2, 3, 4, 3, 5)]),
    "by statistics of before": (lambda x, m, s: norm(x, m, s, m, s, use_input_stats=False), [IMAGES, MEAN, SPREAD]),
    "and statistics": (trained, [IMAGES]),
}


def test_norms_of_instances_are_those_of_pytorch(tmp_path):
    agree_in_each(tmp_path, CASES)


def test_a_batch_is_normed_between_convolutions_without_a_reshape(tmp_path):
    convolution = nn.Conv2d(8, 8, 3, padding=1)
    module = nn.Sequential(convolution, nn.InstanceNorm2d(8, affine=True), nn.ReLU(), convolution)
    path = saved(tmp_path, module, (numbers(2, 8, 12, 12),))
    kernels = [str(name) for name in prepare(load_model(path).mod, resolve_target("auto")).get_global_vars()]
    assert not any("reshape" in kernel for kernel in kernels)

"""Numbers that a program reads out of tensors are imported as PyTorch computes with them."""

import torch
from torch import nn
from torch_functions import agree, agree_in_each, numbers, saved

from pruner_engine.frontends import load_model


class Strides(nn.Module):
    """As detectors have them: numbers of a buffer that scale parts of the image."""

    def __init__(self):
        super().__init__()
        self.register_buffer("stride", torch.tensor([8.0, 16.0]))
        self.register_buffer("offset", torch.tensor(0.5))

    def forward(self, x):
        scales = [x.new_full((3, 1), stride.item()) for stride in self.stride]
        return torch.cat(scales) * x + self.offset.item()


class Counted(nn.Module):
    """A number of a buffer that each call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(2.0))

    def forward(self, x):
        scaled = x + x.new_full((3, 1), self.step.item())
        self.step += 1
        return scaled


def test_numbers_of_a_buffer(tmp_path):
    agree(tmp_path, Strides(), (numbers(6, 4),))


def test_numbers_that_come_in(tmp_path):
    cases = {
        "floats": (lambda x, s: torch.full((3, 4), s.item()) * x, [numbers(3, 4), torch.tensor(2.5)]),
        "of one element": (lambda x, s: x.new_full((3, 4), s.item()) * x, [numbers(3, 4), torch.tensor([2.5])]),
        "whole numbers": (lambda x, s: torch.full((3, 4), s.item()) * x, [numbers(3, 4), torch.tensor(7)]),
        "factors": (lambda x, s: x * s.item() + s.item(), [numbers(3, 4), torch.tensor(2.5)]),
    }
    agree_in_each(tmp_path, cases)


def test_a_number_that_calls_change_is_an_input(tmp_path):
    model = load_model(saved(tmp_path, Counted(), (numbers(3, 4),)))
    assert [spec.shape for spec in model.inputs] == [(3, 4), ()]

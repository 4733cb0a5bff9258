"""Windows put back to images (`fold`), in operators that PyTorch has for all tensors.

PyTorch adds each number to its pixel, one after another; here each pixel is a sum of what is there.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from torch import Tensor
from torch.nn.functional import pad

_MOST = 25  # windows over a pixel: each is a part of one expression


def folded(
    x: Tensor,
    size: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Tensor:
    """An image of `size` from [batch, channel * member of the window, window]."""
    # a window is parts of as many rows and columns as there are between two windows: they lie where others' parts lie
    parts = [-(-width // step) for width, step in zip(kernel, stride, strict=True)]
    if list(dilation) != [1, 1] or parts[0] * parts[1] > _MOST:
        return NotImplemented
    counts = [
        (extent + 2 * before - width) // step + 1
        for extent, before, width, step in zip(size, padding, kernel, stride, strict=True)
    ]
    windows = x.reshape(-1, *kernel, *counts)
    beyond = [part * step - width for part, step, width in zip(parts, stride, kernel, strict=True)]
    if any(beyond):
        windows = pad(windows, (0, 0, 0, 0, 0, beyond[1], 0, beyond[0]))
    windows = windows.reshape(-1, parts[0], stride[0], parts[1], stride[1], *counts)
    total: Tensor | None = None
    for row, column in itertools.product(*map(range, parts)):
        part = windows[:, row, :, column]
        if parts != [1, 1]:
            part = pad(part, (column, parts[1] - 1 - column, row, parts[0] - 1 - row))
        total = part if total is None else total + part
    assert total is not None  # a window has a part
    lengths = [(count + part - 1) * step for count, part, step in zip(counts, parts, stride, strict=True)]
    image = total.permute(0, 3, 1, 4, 2).reshape(-1, *lengths)
    image = image[:, padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]]
    rest = [extent - there for extent, there in zip(size, image.shape[1:], strict=True)]
    if any(rest):  # pixels behind the last window
        image = pad(image, (0, rest[1], 0, rest[0]))
    return image.reshape(*x.shape[:-2], -1, *size)

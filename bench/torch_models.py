"""Write the PyTorch models that the end-to-end benchmark uses, with random weights, as .pt2 archives.

    python bench/torch_models.py FOLDER [NAME…] [--batch N]

Each is the architecture of the publication that its class names, in plain PyTorch, small enough for one CPU.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class InvertedResidual(nn.Module):
    """MobileNetV2's block: widen, filter each channel, narrow."""

    def __init__(self, channels: int, filters: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = channels * expansion
        self.residual = stride == 1 and channels == filters
        widen = [] if expansion == 1 else [*_normed(channels, hidden, 1), nn.ReLU6()]
        self.layers = nn.Sequential(
            *widen,
            *_normed(hidden, hidden, 3, stride, groups=hidden),
            nn.ReLU6(),
            *_normed(hidden, filters, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNetV2(nn.Module):
    """Sandler et al., 2018, width 1, for 224 x 224 pixels."""

    def __init__(self) -> None:
        super().__init__()
        plan = [
            (1, 16, 1, 1),
            (6, 24, 2, 2),
            (6, 32, 3, 2),
            (6, 64, 4, 2),
            (6, 96, 3, 1),
            (6, 160, 3, 2),
            (6, 320, 1, 1),
        ]
        layers: list[nn.Module] = [*_normed(3, 32, 3, 2), nn.ReLU6()]
        channels = 32
        for expansion, filters, count, stride in plan:
            for i in range(count):
                layers.append(InvertedResidual(channels, filters, stride if i == 0 else 1, expansion))
                channels = filters
        self.features = nn.Sequential(*layers, *_normed(channels, 1280, 1), nn.ReLU6())
        self.classifier = nn.Linear(1280, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean((2, 3)))


class Bottleneck(nn.Module):
    """ResNet's block: narrow, filter, widen, and add what came in."""

    def __init__(self, channels: int, filters: int, stride: int) -> None:
        super().__init__()
        widened = 4 * filters
        self.layers = nn.Sequential(
            *_normed(channels, filters, 1),
            nn.ReLU(),
            *_normed(filters, filters, 3, stride),
            nn.ReLU(),
            *_normed(filters, widened, 1),
        )
        same = channels == widened and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(*_normed(channels, widened, 1, stride))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.layers(x) + self.shortcut(x))


class ResNet50(nn.Module):
    """He et al., 2016, for 224 x 224 pixels."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [*_normed(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        channels = 64
        for filters, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(count):
                layers.append(Bottleneck(channels, filters, stride if i == 0 else 1))
                channels = 4 * filters
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean((2, 3)))


def _normed(channels: int, filters: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(channels, filters, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(filters)]


class EncoderLayer(nn.Module):
    """A transformer's encoder layer; the norm before (ViT) or behind (BERT) what it belongs to."""

    def __init__(self, width: int, heads: int, hidden: int, norm_first: bool) -> None:
        super().__init__()
        self.heads, self.norm_first = heads, norm_first
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        if self.norm_first:
            x = x + self._attend(self.norms[0](x))
            return x + self._feed(self.norms[1](x))
        x = self.norms[0](x + self._attend(x))
        return self.norms[1](x + self._feed(x))

    def _attend(self, x: Tensor) -> Tensor:
        q, k, v = (_heads(part, self.heads) for part in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        return self.out(_joined(scores.softmax(-1) @ v))

    def _feed(self, x: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(x)))


class ViTTiny(nn.Module):
    """Dosovitskiy et al., 2021, in the tiny size of DeiT: 12 layers of 192, patches of 16 x 16."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, 192))
        self.position = nn.Parameter(torch.randn(1, 197, 192))
        self.layers = nn.Sequential(*(EncoderLayer(192, 3, 768, norm_first=True) for _ in range(12)))
        self.norm, self.head = nn.LayerNorm(192), nn.Linear(192, 1000)

    def forward(self, x: Tensor) -> Tensor:
        patches = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(x), -1, -1), patches], 1) + self.position
        return self.head(self.norm(self.layers(tokens))[:, 0])


class BERTSmall(nn.Module):
    """Devlin et al., 2019, in the small size of Turc et al.: 4 layers of 512."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.position = nn.Embedding(30522, 512), nn.Parameter(torch.randn(128, 512))
        self.norm = nn.LayerNorm(512)
        self.layers = nn.Sequential(*(EncoderLayer(512, 8, 2048, norm_first=False) for _ in range(4)))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.layers(self.norm(self.words(tokens) + self.position))


class RMSNorm(nn.Module):
    """Root mean square norm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class LlamaLayer(nn.Module):
    """A decoder layer: rotary positions, causal attention, gated feed-forward."""

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)
        self.before, self.behind = RMSNorm(width), RMSNorm(width)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        h = self.before(x)
        q, k, v = (_heads(part(h), self.heads) for part in (self.query, self.key, self.value))
        q, k = (_rotated(part, cos, sin) for part in (q, k))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        x = x + self.out(_joined(scores.softmax(-1) @ v))
        h = self.behind(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class LlamaBlocks(nn.Module):
    """Two decoder layers of Touvron et al., 2023, for 64 tokens of width 512."""

    def __init__(self, tokens: int = 64, width: int = 512, heads: int = 8, hidden: int = 1376) -> None:
        super().__init__()
        self.layers = nn.ModuleList(LlamaLayer(width, heads, hidden) for _ in range(2))
        self.norm = RMSNorm(width)
        half = width // heads // 2
        angles = torch.outer(torch.arange(tokens), 10000.0 ** (-torch.arange(half) / half)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("mask", torch.full((tokens, tokens), -1e9).triu(1))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, self.cos, self.sin, self.mask)
        return self.norm(x)


def _heads(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def _pixels(batch: int) -> Tensor:
    return torch.randn(batch, 3, 224, 224)


Models = dict[str, tuple[Callable[[], nn.Module], Callable[[int], Tensor]]]  # how to make it, and a batch for it

MODELS: Models = {
    "mobilenet-v2": (MobileNetV2, _pixels),
    "resnet-50": (ResNet50, _pixels),
    "vit-tiny": (ViTTiny, _pixels),
    "bert-small": (BERTSmall, lambda batch: torch.randint(0, 30522, (batch, 128))),
    "llama-2-layers": (LlamaBlocks, lambda batch: torch.randn(batch, 64, 512)),
}


def write(models: Models, name: str, folder: Path, batch: int = 1) -> Path:
    """Export one model.

    Args:
        name: of one of `models`.
        batch: inputs at a time; part of the file's name where it is not 1.

    Returns:
        The file.
    """
    torch.manual_seed(0)
    make, example = models[name]
    file = folder / (f"{name}.pt2" if batch == 1 else f"{name}-batch{batch}.pt2")
    torch.export.save(torch.export.export(make().eval(), (example(batch),)), file)
    return file


def main(models: Models, description: str) -> None:
    """Write those of the models that the command line names."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*", metavar="NAME", help="all of them without any")
    parser.add_argument("--batch", type=int, default=1)
    options = parser.parse_args()
    if unknown := [name for name in options.models if name not in models]:
        parser.error(f"no model is called {unknown[0]}; there are {', '.join(models)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.models or models:
        print(write(models, name, options.folder, options.batch))


if __name__ == "__main__":
    main(MODELS, __doc__ or "")

"""Write the networks that the shipped cost models are trained on, with random weights, as .pt2 archives.

    python bench/training_models.py FOLDER [NAME…] [--batch N]

Small ones, of the blocks that networks are made of, in widths and sizes that none of those has that are compared or
tested: a cost model that is judged by a network must not have learned from it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_models import Bottleneck, EncoderLayer, InvertedResidual, LlamaBlocks, Models, main


class Inverted(nn.Module):
    """Inverted residuals, of which every second one weighs its channels."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 20, 3, 2, 1), nn.SiLU()]
        channels = 20
        for expansion, filters, stride in ((3, 28, 2), (5, 28, 1), (4, 44, 2), (6, 72, 2), (5, 72, 1), (6, 136, 2)):
            layers.append(InvertedResidual(channels, filters, stride, expansion))
            if stride == 1:
                layers.append(Excitation(filters, filters // 4))
            channels = filters
        self.features = nn.Sequential(*layers, nn.Conv2d(channels, 720, 1), nn.Hardswish())
        self.classifier = nn.Linear(720, 300)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean((2, 3)))


class Excitation(nn.Module):
    """Channels weighed by what all of the image says (squeeze and excitation)."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze, self.excite = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.excite(F.relu(self.squeeze(x.mean((2, 3), keepdim=True)))).sigmoid()


class Residual(nn.Module):
    """Bottlenecks, then layers that each see what all before them found."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 40, 5, 2, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.bottlenecks = nn.Sequential(Bottleneck(40, 36, 1), Bottleneck(144, 72, 2), Bottleneck(288, 72, 1))
        self.grown = nn.ModuleList(self._grow(288 + 40 * i) for i in range(3))
        self.last = nn.Sequential(nn.Conv2d(408, 176, 1), nn.LeakyReLU(), nn.AvgPool2d(2), nn.Conv2d(176, 176, 3, 1, 1))

    @staticmethod
    def _grow(channels: int) -> nn.Module:
        normed = nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, 104, 1, bias=False)
        return nn.Sequential(*normed, nn.BatchNorm2d(104), nn.ReLU(), nn.Conv2d(104, 40, 3, 1, 1, bias=False))

    def forward(self, x: Tensor) -> Tensor:
        x = self.bottlenecks(self.stem(x))
        for grow in self.grown:
            x = torch.cat([x, grow(x)], 1)
        return self.last(x)


class Wide(nn.Module):
    """Wide windows of single channels and norms over channels, then back to the size of the image."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 56, 4, 4)
        self.wide = nn.ModuleList(WideBlock(56) for _ in range(2))
        self.down, self.deep = nn.Conv2d(56, 120, 2, 2), WideBlock(120)
        self.up = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(120, 56, 3, 1, 1), nn.ReLU())
        self.out = nn.Sequential(
            nn.ConvTranspose2d(112, 24, 4, 2, 1), nn.ReLU(), nn.Conv2d(24, 10, 3, 1, 1), nn.Sigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x)
        for block in self.wide:
            x = block(x)
        return self.out(torch.cat([x, self.up(self.deep(self.down(x)))], 1))


class WideBlock(nn.Module):
    """ConvNeXt's block: filter each channel, norm, widen, narrow."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.filter = nn.Conv2d(channels, channels, 7, 1, 3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.widen, self.narrow = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm(self.filter(x).permute(0, 2, 3, 1))
        return x + self.narrow(F.gelu(self.widen(h))).permute(0, 3, 1, 2)


class Encoder(nn.Module):
    """Layers of attention, with the norm before and behind."""

    def __init__(self) -> None:
        super().__init__()
        layers = (EncoderLayer(208, 4, 720, norm_first=True), EncoderLayer(208, 4, 720, norm_first=False))
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(208, 144)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layers(x))


MODELS: Models = {
    "train-inverted": (Inverted, lambda batch: torch.randn(batch, 3, 208, 208)),
    "train-residual": (Residual, lambda batch: torch.randn(batch, 3, 152, 152)),
    "train-wide": (Wide, lambda batch: torch.randn(batch, 3, 160, 160)),
    "train-encoder": (Encoder, lambda batch: torch.randn(batch, 90, 208)),
    "train-decoder": (lambda: LlamaBlocks(44, 336, 6, 904), lambda batch: torch.randn(batch, 44, 336)),
}

if __name__ == "__main__":
    main(MODELS, __doc__ or "")

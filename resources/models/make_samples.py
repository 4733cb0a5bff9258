"""Make the sample models beside this file: `python resources/models/make_samples.py`.

They are small networks of usual building blocks with seeded random weights: enough to tune, of no use to classify.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

FOLDER = Path(__file__).resolve().parent


class CnnGraph:
    """Collects nodes and weights of an ONNX graph."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._rng = np.random.default_rng(seed)

    def weight(self, *shape: int, scale: float) -> str:
        name = f"weight{len(self.weights)}"
        values = self._rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, op: str, *inputs: str, **attributes: object) -> str:
        name = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x: str, channels: int, filters: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        fan_in = channels // groups * kernel * kernel
        weight = self.weight(filters, channels // groups, kernel, kernel, scale=math.sqrt(2 / fan_in))
        bias = self.weight(filters, scale=0.1)
        pad = [kernel // 2] * 4
        return self.node(
            "Conv", x, weight, bias, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pad, group=groups
        )

    def relu(self, x: str) -> str:
        return self.node("Relu", x)


def make_cnn(path: Path) -> None:
    """A residual network for 64x64 images: plain, depthwise and pointwise convolutions, pooling, dense."""
    graph = CnnGraph(seed=7)
    x = graph.relu(graph.conv("image", 3, 32, 3, stride=2))
    x = graph.node("Add", x, graph.conv(graph.relu(graph.conv(x, 32, 32, 3)), 32, 32, 3))
    x = graph.relu(graph.conv(graph.relu(x), 32, 64, 3, stride=2))
    x = graph.relu(graph.conv(graph.conv(x, 64, 64, 3, groups=64), 64, 128, 1))
    x = graph.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = graph.node("Flatten", graph.node("GlobalAveragePool", x))
    x = graph.node("Gemm", x, graph.weight(128, 10, scale=0.1), graph.weight(10, scale=0.1))
    graph.nodes.append(helper.make_node("Softmax", [x], ["scores"], axis=-1))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "small-cnn",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 64, 64])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 10])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="make_samples.py",
    )
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


class Block(nn.Module):
    """A pre-norm transformer block."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(width // self.heads), dim=-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """An encoder of token ids with a classifier on the mean."""

    def __init__(self, vocabulary: int = 256, tokens: int = 64, width: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.randn(tokens, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads=4) for _ in range(layers))
        self.head = nn.Linear(width, 10)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=1))


def make_transformer(path: Path) -> None:
    """Two encoder layers of width 64 over 64 tokens."""
    torch.manual_seed(7)
    program = torch.export.export(Transformer().eval(), (torch.randint(0, 256, (1, 64)),))
    for node in program.graph.nodes:  # source paths of the machine that made it are nobody's business
        node.meta.pop("stack_trace", None)
    torch.export.save(program, path)


if __name__ == "__main__":
    make_cnn(FOLDER / "small-cnn.onnx")
    make_transformer(FOLDER / "small-transformer.pt2")
    for file in sorted(FOLDER.glob("small-*")):
        print(f"{file.name}: {file.stat().st_size / 1024:.0f} KB")

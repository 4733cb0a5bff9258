"""Write one step of a language model that decodes, of random weights, as ONNX: in float32 and with weights of 4 bits.

A token, or several of a prompt at once, meets 4 layers of 1024 channels (16 heads, 4 of keys and values, 2816 in
between), a cache of 128 tokens and a vocabulary of 32 000. ONNX Runtime's quantiser makes the 4 bits, in blocks of 32.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.transformers.float16 import convert_float_to_float16
from torch import Tensor, nn

LAYERS, CHANNELS, HEADS, SHARED, BETWEEN, WORDS, CACHED = 4, 1024, 16, 4, 2816, 32_000, 128
_HEAD = CHANNELS // HEADS


class Norm(nn.Module):
    """By the root of the mean square."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(CHANNELS))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.weight


class Layer(nn.Module):
    """Attention with rotary positions, of which several heads share keys and values, and a gated layer."""

    def __init__(self) -> None:
        super().__init__()
        kept = HEADS // SHARED * _HEAD
        self.norms = nn.ModuleList([Norm(), Norm()])
        self.query, self.out = (nn.Linear(CHANNELS, CHANNELS, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(CHANNELS, kept, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(CHANNELS, BETWEEN, bias=False) for _ in range(2))
        self.down = nn.Linear(BETWEEN, CHANNELS, bias=False)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, turn: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.norms[0](x)
        query = _turned(_heads(self.query(h)), turn)
        keys = torch.cat([keys, _turned(_heads(self.key(h)), turn)], 2)
        values = torch.cat([values, _heads(self.value(h))], 2)
        scores = query @ keys.repeat_interleave(SHARED, 1).transpose(-1, -2) / _HEAD**0.5
        if (tokens := x.shape[1]) > 1:  # none sees those behind it
            scores = scores + torch.full((tokens, CACHED + tokens), -torch.inf).triu(CACHED + 1)
        read = torch.softmax(scores, -1) @ values.repeat_interleave(SHARED, 1)
        x = x + self.out(read.transpose(1, 2).flatten(2))
        h = self.norms[1](x)
        return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h)), keys, values


class Decoder(nn.Module):
    """Tokens, cosines and sines of their places, and keys and values of each layer; gives scores and the latter."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm = nn.Embedding(WORDS, CHANNELS), Norm()
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(CHANNELS, WORDS, bias=False)

    def forward(self, token: Tensor, turn: Tensor, *cache: Tensor) -> tuple[Tensor, ...]:
        x, kept = self.words(token), []
        for layer, keys, values in zip(self.layers, cache[::2], cache[1::2], strict=True):
            x, *grown = layer(x, keys, values, turn)
            kept += grown
        return (self.head(self.norm(x)), *kept)


def _heads(x: Tensor) -> Tensor:
    return x.view(*x.shape[:2], -1, _HEAD).transpose(1, 2)


def _turned(x: Tensor, turn: Tensor) -> Tensor:
    (a, b), (cosine, sine) = x.chunk(2, -1), turn
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


def main() -> None:
    """Write decoder.onnx, decoder-4-bits.onnx, the same with a zero for each block, and the same in float16."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokens", type=int, default=1, help="of a prompt, at once")
    folder, tokens = (given := parser.parse_args()).folder, given.tokens
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    cache = [torch.randn(1, HEADS // SHARED, CACHED, _HEAD) for _ in range(2 * LAYERS)]
    inputs = (torch.zeros(1, tokens, dtype=torch.int64), torch.randn(2, tokens, _HEAD // 2), *cache)
    file = folder / "decoder.onnx"
    torch.onnx.export(Decoder().eval(), inputs, str(file), opset_version=17, dynamo=False)
    print(file)
    for name, symmetric in (("decoder-4-bits.onnx", True), ("decoder-4-bits-zeros.onnx", False)):
        quantiser = MatMulNBitsQuantizer(onnx.load(file), bits=4, block_size=32, is_symmetric=symmetric)
        quantiser.process()
        quantiser.model.save_model_to_file(str(folder / name))
        print(folder / name)
    halves = convert_float_to_float16(onnx.load(folder / "decoder-4-bits.onnx"))
    onnx.save(halves, folder / "decoder-4-bits-halves.onnx")
    print(folder / "decoder-4-bits-halves.onnx")


if __name__ == "__main__":
    main()

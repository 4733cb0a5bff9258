"""The distinct kernels of well-known networks at batch 1, as built-in workloads, for benchmarks."""

from __future__ import annotations


def _convolutions(*shapes: tuple[int, int, int, int, int], kind: str = "conv2d") -> list[str]:
    """(channels, size, filters, kernel, stride) of convolutions in NHWC."""
    return [
        f"{kind}:1,{c},{s},{s}{f',{f}' if kind == 'conv2d' else ''},{k},stride={stride},layout=NHWC"
        for c, s, f, k, stride in shapes
    ]


_RESNET50 = [
    *_convolutions((3, 224, 64, 7, 2), (64, 56, 64, 1, 1), (64, 56, 64, 3, 1), (64, 56, 256, 1, 1)),
    *_convolutions((256, 56, 64, 1, 1), (256, 56, 128, 1, 1), (128, 56, 128, 3, 2), (128, 28, 512, 1, 1)),
    *_convolutions((256, 56, 512, 1, 2), (512, 28, 128, 1, 1), (128, 28, 128, 3, 1), (512, 28, 256, 1, 1)),
    *_convolutions((256, 28, 256, 3, 2), (256, 14, 1024, 1, 1), (512, 28, 1024, 1, 2), (1024, 14, 256, 1, 1)),
    *_convolutions((256, 14, 256, 3, 1), (1024, 14, 512, 1, 1), (512, 14, 512, 3, 2), (512, 7, 2048, 1, 1)),
    *_convolutions((1024, 14, 2048, 1, 2), (2048, 7, 512, 1, 1), (512, 7, 512, 3, 1)),
    "maxpool:1,64,112,112,3,stride=2,pad=1",
    "avgpool:1,2048,7,7,7",
    "dense:1,1000,2048",
    "softmax:1,1000",
]
_MOBILENET_V2 = [
    *_convolutions((3, 224, 32, 3, 2), (32, 112, 16, 1, 1), (16, 112, 96, 1, 1), (96, 56, 24, 1, 1)),
    *_convolutions((24, 56, 144, 1, 1), (144, 56, 24, 1, 1), (144, 28, 32, 1, 1), (32, 28, 192, 1, 1)),
    *_convolutions((192, 28, 32, 1, 1), (192, 14, 64, 1, 1), (64, 14, 384, 1, 1), (384, 14, 64, 1, 1)),
    *_convolutions((384, 14, 96, 1, 1), (96, 14, 576, 1, 1), (576, 14, 96, 1, 1), (576, 7, 160, 1, 1)),
    *_convolutions((160, 7, 960, 1, 1), (960, 7, 160, 1, 1), (960, 7, 320, 1, 1), (320, 7, 1280, 1, 1)),
    *_convolutions((32, 112, 0, 3, 1), (96, 112, 0, 3, 2), (144, 56, 0, 3, 1), kind="depthwise"),
    *_convolutions((144, 56, 0, 3, 2), (192, 28, 0, 3, 1), (192, 28, 0, 3, 2), kind="depthwise"),
    *_convolutions((384, 14, 0, 3, 1), (576, 14, 0, 3, 1), (576, 14, 0, 3, 2), kind="depthwise"),
    *_convolutions((960, 7, 0, 3, 1), kind="depthwise"),
    "avgpool:1,1280,7,7,7",
    "dense:1,1000,1280",
]
_BERT_BASE = [
    "dense:128,768,768",
    "dense:128,3072,768",
    "dense:128,768,3072",
    "bmm:12,128,128,64",
    "bmm:12,128,64,128",
    "softmax:1536,128",
    "layernorm:128,768",
    "gelu:128,3072",
    "add:128,768",
]
_LLAMA_SMALL = [
    "matmul:64,512,512",
    "matmul:64,1376,512",
    "matmul:64,512,1376",
    "matmul:64,8192,512",
    "bmm:8,64,64,64",
    "softmax:512,64",
    "sum:64,512",
    "gelu:64,1376",
    "add:64,512",
]

NETWORKS: dict[str, list[str]] = {
    "resnet50": _RESNET50,
    "mobilenet_v2": _MOBILENET_V2,
    "bert_base": _BERT_BASE,
    "llama_small": _LLAMA_SMALL,
}

#: one of each kind of operator
OPERATORS = [
    "matmul:512,512,512",
    "bmm:12,128,128,64",
    "conv2d:1,64,56,56,64,3,layout=NHWC",
    "conv2d:1,128,28,28,256,3,stride=2,layout=NHWC",
    "conv2d:1,256,14,14,64,1,layout=NHWC",
    "depthwise:1,96,56,56,3,layout=NHWC",
    "softmax:256,1024",
    "layernorm:128,768",
    "maxpool:1,64,112,112,3,stride=2,pad=1",
]

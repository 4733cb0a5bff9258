"""Write the TensorFlow Lite files of the tests, with random weights; needs TensorFlow, which the tests do not.

    python make.py

A file is called what it holds: a network and how its numbers are kept, or an operator and how it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

FOLDER = Path(__file__).parent
L, nn = tf.keras.layers, tf.nn
_random = np.random.default_rng(0)


def _numbers(*shape: int) -> tf.Tensor:
    return tf.constant(_random.standard_normal(shape).astype("float32"))


def _image_network() -> tf.keras.Model:
    x = given = L.Input((16, 16, 3), batch_size=1)
    x = L.ReLU(6.0)(L.BatchNormalization()(L.Conv2D(8, 3, 2, "same", use_bias=False)(x)))
    x = L.ReLU()(L.DepthwiseConv2D(3, 1, "same")(x))
    x = L.Add()([x, L.Conv2D(8, 1)(x)])
    up = L.Conv2DTranspose(4, 2, 2)(L.MaxPool2D(2)(x))
    x = L.Concatenate()([x, up, L.UpSampling2D(2, interpolation="bilinear")(L.AveragePooling2D(2)(x))])
    x = L.Activation("hard_swish")(L.Conv2D(12, 3, activation="tanh")(x))
    return tf.keras.Model(given, L.Dense(6)(L.GlobalAveragePooling2D()(x)))


def _text_network(batch: int | None) -> tf.keras.Model:
    given = L.Input((8, 16), batch_size=batch)
    x = L.LayerNormalization()(given + L.MultiHeadAttention(2, 8)(given, given))
    x = x + L.Dense(16)(L.Dense(32, activation="gelu")(x))
    return tf.keras.Model(given, L.Dense(5)(L.Flatten()(x)))


def _recurrent_network() -> tf.keras.Model:
    given = L.Input((5, 6), batch_size=1)
    return tf.keras.Model(given, L.Dense(3)(L.GRU(4)(L.LSTM(8, return_sequences=True)(given))))


def _moving_network() -> tf.keras.Model:
    """What only moves or joins numbers, in forms that have to be known of bytes, too."""
    x = given = L.Input((6, 8, 4), batch_size=1)
    for move in (
        lambda x: tf.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]], constant_values=0.5),
        lambda x: tf.concat(tf.split(x, 2, -1)[::-1], 1),
        lambda x: tf.transpose(x, [0, 2, 1, 3]),
        lambda x: tf.image.resize(x, [12, 9], "nearest"),
        lambda x: tf.stack([x[:, 1:], tf.reverse(x[:, :-1], [2])], 1),
        lambda x: tf.gather(tf.squeeze(x, 0), [1, 0], axis=0),
        lambda x: tf.matmul(x, x, transpose_b=True),
        lambda x: tf.maximum(tf.reduce_max(x, -1), tf.reduce_min(x, -2)[..., :9]),
    ):
        x = L.Lambda(move)(x)
    return tf.keras.Model(given, x)


def _shaken(model: tf.keras.Model) -> tf.keras.Model:
    """With other biases and factors than 0 and 1."""
    model.set_weights(
        [w + 0.3 * _random.random(w.shape).astype("float32") if w.ndim == 1 else w for w in model.get_weights()]
    )
    return model


def _converted(model: tf.keras.Model, numbers: str) -> bytes:
    """The file of a network.

    Args:
        numbers: float, halves, weights (which alone are bytes) or bytes, with bytes as inputs and outputs.
    """
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if numbers != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if numbers == "halves":
        converter.target_spec.supported_types = [tf.float16]
    if numbers == "bytes":
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.uint8

        def examples() -> Iterator[list[np.ndarray]]:
            for _ in range(16):
                yield [_random.standard_normal(i.shape).astype("float32") for i in model.inputs]

        converter.representative_dataset = examples
    data: bytes = converter.convert()
    return data


def _x(*shape: int, dtype: Any = tf.float32) -> tf.TensorSpec:
    return tf.TensorSpec(shape, dtype)


def _transposed(pad: str, stride: int, sizes: list[int], image: tf.TensorSpec) -> tuple[Callable[..., Any], ...]:
    rank, filters = len(sizes), _numbers(*[3] * len(sizes), 5, image.shape[-1])
    function = nn.conv2d_transpose if rank == 2 else nn.conv3d_transpose
    return (lambda x: function(x, filters, [1, *sizes, 5], [1, *[stride] * rank, 1], pad), image)


_IMAGE, _CUBE, _NUMBERS = _x(1, 5, 6, 4), _x(1, 3, 4, 5, 2), _x(2, 3, 4)
_WHOLE = _x(2, 3, dtype=tf.int32)
OPERATORS: dict[str, tuple[Any, ...]] = {
    "transpose_conv-same": _transposed("SAME", 2, [10, 12], _IMAGE),
    "transpose_conv-valid": _transposed("VALID", 2, [11, 13], _IMAGE),
    "transpose_conv-more": _transposed("VALID", 2, [12, 14], _IMAGE),
    "conv_3d_transpose": _transposed("SAME", 2, [6, 8, 10], _CUBE),
    "depthwise-two": (lambda x: nn.depthwise_conv2d(x, _numbers(3, 3, 4, 2), [1, 1, 1, 1], "SAME"), _IMAGE),
    "conv_2d-groups": (lambda x: nn.conv2d(x, _numbers(3, 3, 2, 6), 1, "SAME", dilations=2), _IMAGE),
    "batch_matmul-broadcast": (tf.matmul, _x(2, 3, 4), _x(1, 4, 5)),
    "batch_matmul-turned": (lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True), _x(2, 4, 3), _x(2, 5, 4)),
    "space_to_batch": (lambda x: tf.space_to_batch(x, [2, 2], [[0, 1], [1, 1]]), _IMAGE),
    "batch_to_space": (lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), _x(8, 3, 4, 2)),
    "gather-batch": (lambda x, i: tf.gather(x, i % 3, axis=2, batch_dims=1), _x(2, 5, 3, 4), _WHOLE),
    "gather_nd": (lambda x, i: tf.gather_nd(x, i % 2), _NUMBERS, _x(4, 2, dtype=tf.int32)),
    "scatter_nd": (lambda x: tf.scatter_nd([[0], [2], [0]], x, [4, 4]), _x(3, 4)),
    "matrix_diag": (tf.linalg.diag, _NUMBERS),
    "matrix_set_diag": (lambda x: tf.linalg.set_diag(x, _numbers(2, 3)), _x(2, 4, 3)),
    "mirror_pad-symmetric": (lambda x: tf.pad(x, [[0, 0], [2, 1], [1, 3]], "SYMMETRIC"), _NUMBERS),
    "mirror_pad-reflect": (lambda x: tf.pad(x, [[0, 0], [2, 1], [1, 3]], "REFLECT"), _NUMBERS),
    "cumsum-from-the-end": (lambda x: tf.cumsum(x, 1, exclusive=True, reverse=True), _NUMBERS),
    "resize_nearest-corners": (
        lambda x: tf.raw_ops.ResizeNearestNeighbor(images=x, size=[9, 4], align_corners=True),
        _IMAGE,
    ),
    "resize_nearest-centred": (
        lambda x: tf.raw_ops.ResizeNearestNeighbor(images=x, size=[9, 4], half_pixel_centers=True),
        _IMAGE,
    ),
    "resize_bilinear-corners": (
        lambda x: tf.raw_ops.ResizeBilinear(images=x, size=[9, 4], align_corners=True),
        _IMAGE,
    ),
    "mean-whole-numbers": (lambda x: tf.reduce_mean(x, 1), _WHOLE),
    "gelu-tanh": (lambda x: nn.gelu(x, True), _NUMBERS),
    "arg_min": (lambda x: tf.argmin(x, 2, output_type=tf.int32), _NUMBERS),
    "shape": (lambda x: tf.reshape(x, tf.shape(x)[1:] * tf.constant([2, 1])), _NUMBERS),
    "while": (lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 1.5 + x), (0, x))[1], _NUMBERS),
    "while-computed": (
        lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 99.0, lambda y: (y * y + 1.0,), (x,)),
        _NUMBERS,
    ),
    "two-results": (lambda x: (tf.math.top_k(x, 2), x), _NUMBERS),
    "prelu": (lambda x: nn.relu(x) - tf.abs(_numbers(4)) * nn.relu(-x), _NUMBERS),
    "strided_slice": (lambda x: x[1:, tf.newaxis, ::-1, ::2], _NUMBERS),
}


def main() -> None:
    for numbers in ("float", "halves", "weights", "bytes"):
        (FOLDER / f"image-{numbers}.tflite").write_bytes(_converted(_shaken(_image_network()), numbers))
    for numbers in ("float", "bytes"):
        (FOLDER / f"text-{numbers}.tflite").write_bytes(_converted(_shaken(_text_network(1)), numbers))
    (FOLDER / "moves-bytes.tflite").write_bytes(_converted(_moving_network(), "bytes"))
    (FOLDER / "text-open.tflite").write_bytes(_converted(_shaken(_text_network(None)), "float"))
    (FOLDER / "recurrent-float.tflite").write_bytes(_converted(_shaken(_recurrent_network()), "float"))
    for name, (function, *specs) in OPERATORS.items():
        concrete = tf.function(function).get_concrete_function(*specs)
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
        (FOLDER / f"op-{name}.tflite").write_bytes(converter.convert())
    flex = tf.lite.TFLiteConverter.from_concrete_functions([tf.function(tf.linalg.inv).get_concrete_function(_x(3, 3))])
    flex.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    (FOLDER / "op-of-tensorflow.tflite").write_bytes(flex.convert())


if __name__ == "__main__":
    main()

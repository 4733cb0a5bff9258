"""Candidates that want a weight in layouts of their own do not each take memory of their own."""

import tvm

from pruner_engine.measure import runner, wire


def kernel(*shapes) -> wire.Kernel:
    return wire.Kernel("", [wire.Tensor(list(shape), "float32") for shape in shapes])


def test_all_layouts_of_a_weight_share_one_buffer(tmp_path):
    args = [wire.Tensor([8, 6], "float32"), wire.Tensor([6, 4], "float32")]
    facts = wire.KernelFacts([1], 1, ["random"], {}, [], 0.0, False)
    job = wire.Run(
        id=1,
        task="t",
        device="cpu",
        threads=1,
        kernel=kernel(),
        args=args,
        facts=facts,
        best_s=None,
        repeats=1,
        check="none",
        cold=False,
        timeout_s=1.0,
    )
    task = runner._Task(job, tvm.cpu(), tmp_path)
    plain = task.timing_arguments(kernel((8, 6), (6, 4)))
    packed = task.timing_arguments(kernel((8, 6), (2, 3, 4)))
    assert plain[0] is packed[0] and packed[1].shape == (2, 3, 4)
    packed[1].copyfrom(packed[1].numpy() * 0 + 5)
    assert (plain[1].numpy() == 5).all()
    padded = task.timing_arguments(kernel((8, 6), (2, 3, 8)))  # a layout may want more
    assert padded[1].shape == (2, 3, 8) and len(task._buffers) == 2
    again = task.timing_arguments(kernel((8, 6), (6, 4)))
    again[1].copyfrom(again[1].numpy() * 0 + 7)
    assert (padded[1].numpy().ravel()[:24] == 7).all()

"""Networks that nobody has thought of compute what PyTorch does."""

from compositions import Composition
from frontends.torch_functions import agree
from seeds import seeded


@seeded(3)
def test_random_networks(seed, tmp_path):
    network = Composition(seed)
    agree(tmp_path, network, network.inputs, rtol=1e-3, atol=1e-4, scaled=True)

"""Programs that hold complex numbers, such as spectra and rotary embeddings, compute what PyTorch computes."""

import pytest
import torch
from torch import nn
from torch_functions import Function, agree, agree_in_each, numbers, saved

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
X, WAVE, WINDOW = numbers(2, 6, 8), numbers(2, 200), torch.hann_window(32)
TABLE = torch.polar(torch.ones(6, 4), torch.arange(24.0).reshape(6, 4) / 5)
WEIGHTS = torch.complex(numbers(6, 3, 3), numbers(6, 3, 3) + 0.5)


def paired(x):
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def told(z):
    return torch.view_as_real(z)


def of_fourier_layer(weights, x):
    """Few frequencies, mixed over the channels, as Fourier neural operators do it."""
    spectrum = torch.fft.rfft(x)
    mixed = torch.zeros(x.shape[0], 3, spectrum.shape[-1], dtype=torch.cfloat)
    mixed[..., :3] = torch.einsum("bif,iof->bof", spectrum[..., :3], weights)
    return torch.fft.irfft(mixed, n=x.shape[-1])


CASES = {
    "a spectrum": (lambda x: told(torch.fft.rfft(x)), [X]),
    "a whole spectrum of an odd number": (lambda x: told(torch.fft.fft(x[..., :7], dim=-1)), [X]),
    "a spectrum of an image": (lambda x: told(torch.fft.rfft2(x, norm="ortho")), [X]),
    "a part of a spectrum": (lambda x: torch.fft.fft2(x, dim=(-1, -2)).real, [X]),
    "along the first axis": (lambda x: torch.fft.fft(x, dim=0, norm="forward").imag, [X]),
    "back from a spectrum": (lambda x: torch.fft.irfft(paired(x), n=6), [X]),
    "back to an odd number": (lambda x: torch.fft.irfft(paired(x), n=7, norm="ortho"), [X]),
    "back from that of an image": (lambda x: torch.fft.irfft2(torch.fft.rfft2(x) * 0.5), [X]),
    "complex, and back": (lambda x: told(torch.fft.ifft(torch.fft.fft(paired(x), dim=1) * 1j, dim=1)), [X]),
    "autocorrelation": (lambda x: torch.fft.irfft(torch.fft.rfft(x, 16).abs().square() + 0j)[..., :8], [X]),
    "a spectrogram": (lambda w: torch.stft(w, 32, 8, window=WINDOW, return_complex=True).abs(), [WAVE]),
    "its phase": (lambda w: torch.stft(w, 32, 8, window=WINDOW, return_complex=True)[:, 1:9].angle().cos(), [WAVE]),
    "power of one": (lambda w: torch.stft(w, 32, 16, None, WINDOW, False, return_complex=True).abs() ** 2, [WAVE]),
    "sizes and angles": (lambda x: told(torch.polar(x.abs(), x)), [X]),
    "two parts": (lambda x: told(torch.complex(x, x + 1).conj().resolve_conj()), [X]),
    "sums": (lambda x: told(paired(x) + x[..., :4] - (2 - 1j) + torch.add(paired(x), paired(x), alpha=3)), [X]),
    "products": (lambda x: told(paired(x) * paired(x) * x[..., :4] * 2 * (1 + 2j)), [X]),
    "quotients": (lambda x: told(paired(x) / 2 / (paired(x) + 3) + 1 / (paired(x) + 2j)), [X]),
    "squares and exponentials": (lambda x: told(paired(x) ** 2 + torch.exp(paired(x))), [X]),
    "matrices": (lambda x: told(paired(x) @ paired(x).mT), [X]),
    "moved": (lambda x: told(torch.cat([paired(x).flip(1), paired(x)[:, :2]], 1).permute(2, 0, 1).roll(1, 0)), [X]),
    "chosen": (lambda x: told(torch.where(x[..., :4] > 0, paired(x), 0.0)), [X]),
    "added up": (lambda x: told(-paired(x).sum(1) + paired(x).mean(1)), [X]),
}  # fmt: skip
OF_TABLES = {
    "a rotary embedding": (lambda table, x: told(paired(x) * table.to(x.device)).flatten(2), TABLE, [X]),
    "a Fourier layer": (of_fourier_layer, WEIGHTS, [X]),
}  # fmt: skip


def test_complex_numbers_are_those_of_pytorch(tmp_path):
    agree_in_each(tmp_path, CASES, rtol=2e-5, atol=2e-5, scaled=True)


@pytest.mark.parametrize("case", OF_TABLES)
def test_complex_tables_of_a_model(case, tmp_path):
    function, table, inputs = OF_TABLES[case]
    agree(tmp_path, Function(function, table), tuple(inputs), rtol=2e-5, atol=2e-5, scaled=True)


class Waves(nn.Module):
    """From a spectrogram back to the wave, as vocoders end; complex numbers of a buffer that is not saved."""

    def __init__(self):
        super().__init__()
        self.register_buffer("turn", torch.exp(1j * torch.arange(17.0)), persistent=False)

    def forward(self, wave):
        spectrum = torch.stft(wave, 32, 8, window=WINDOW, return_complex=True)
        return torch.istft(spectrum * self.turn[:, None], 32, 8, window=WINDOW)


def test_waves_of_a_spectrogram(tmp_path):
    agree(tmp_path, Waves(), (WAVE,), rtol=2e-5, atol=2e-5, scaled=True)


@pytest.mark.parametrize(
    ("function", "inputs", "words"),
    [
        (lambda z: z.abs(), [torch.complex(X, X)], "input .* is of complex numbers"),
        (torch.fft.fft, [X], "it gives complex numbers"),
        (lambda x: torch.fft.rfft(x).abs(), [torch.zeros(5000)], "Fourier transform of 5000 numbers"),
        (lambda x: paired(x).tanh().abs(), [X], "tanh.default of complex numbers"),
    ],
)
def test_what_is_refused_of_complex_numbers(function, inputs, words, tmp_path):
    with pytest.raises(UserError, match=words):
        load_model(saved(tmp_path, Function(function), tuple(inputs)))

"""How far .pt2 archives unpack is known from their directory, which must be the one that PyTorch reads."""

import contextlib
import io
import random
import struct
import zipfile

import pytest
import torch
from torch.export.pt2_archive._package import PT2ArchiveReader

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.frontends.torch.directory import unpacked_sizes
from seeds import seeded

_TELLS_SIZES = hasattr(torch._C.PyTorchFileReader, "get_record_size")
_END64_AND_LOCATOR = 56 + 20


def read_sizes(content):
    """As PyTorch's reader finds them."""
    reader = torch._C.PyTorchFileReader(io.BytesIO(content))
    return [reader.get_record_size(name) for name in reader.get_all_records()]


def rewritten(content, method=zipfile.ZIP_STORED, grown=0):
    """The archive as Python writes it, one weight made larger."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(packed, "w", method) as out:
        for item in source.infolist():
            out.writestr(item, source.read(item) + bytes(grown if item.filename.endswith("weight_0") else 0), method)
    return packed.getvalue()


@pytest.mark.skipif(not _TELLS_SIZES, reason="this PyTorch does not tell sizes")
def test_sizes_are_those_that_pytorch_reads(transformer):
    content = transformer.read_bytes()
    for written in (content, rewritten(content), rewritten(content, zipfile.ZIP_DEFLATED, 1 << 22)):
        assert list(unpacked_sizes(written)) == read_sizes(written)


@pytest.mark.skipif(not _TELLS_SIZES, reason="this PyTorch does not tell sizes")
@seeded(20)
def test_no_directory_unpacks_to_more_than_it_seems(transformer, seed):
    """Whatever stands in the directory: what PyTorch reads is no larger than what is checked, or is refused."""
    rng, original = random.Random(seed), transformer.read_bytes()
    if rng.random() < 0.5:
        original = rewritten(original)
    start = original.index(b"PK\1\2")
    words = (0, 1, 255, 56, 76, 0xFFFF, 0xFFFFFFFF, start, len(original) - 22, len(original) - 98)
    for _ in range(200):
        content = bytearray(original)
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.choice([rng.randrange(start, len(content) - 4), len(content) - rng.randrange(4, 99)])
            if rng.random() < 0.8:
                struct.pack_into("<I", content, at, rng.choice(words))
            elif rng.random() < 0.5:
                content[at:at] = rng.choice([original[start:], original[-98:], original[-22:], b"\0"])
            else:
                content += rng.choice([b"\0", original[-22:], original[start:], original[-98:-22]])
        try:
            checked = sum(unpacked_sizes(bytes(content)))
        except ValueError:
            continue
        with contextlib.suppress(RuntimeError, UnicodeDecodeError):
            assert sum(read_sizes(bytes(content))) <= checked


def second_directory(content):
    """A large directory that the end records point to, and a small one where they stand."""
    small, large = content, rewritten(content, zipfile.ZIP_DEFLATED, 1 << 24)
    directory = small[small.index(b"PK\1\2") : -_END64_AND_LOCATOR - 22]
    return large[: large.index(b"PK\5\6")] + directory + large[-22:]


def elsewhere(content):
    """End records of 64 bits found by their place tell of one directory, those found by their address of another."""
    end = content[-_END64_AND_LOCATOR - 22 :]
    locator = bytearray(end[56:76])
    struct.pack_into("<Q", locator, 8, len(content))
    return content + end[:56] + bytes(locator) + end[-22:]


@pytest.mark.parametrize(
    "change",
    [second_directory, elsewhere, lambda content: content + b"\0", lambda content: b"\0" + content],
    ids=["second", "elsewhere", "behind", "before"],
)
def test_directories_that_readers_may_find_in_two_places_are_refused(transformer, change):
    with pytest.raises(UserError, match="damaged"):
        load_model("model.pt2", content=change(transformer.read_bytes()))


def test_archives_of_other_writers_are_read(transformer):
    assert load_model("model.pt2", content=rewritten(transformer.read_bytes())).inputs


def test_a_reader_that_we_do_not_know_is_no_damaged_file(transformer, monkeypatch):
    """As in an older PyTorch, whose reader cannot do all that ours asks of it."""
    monkeypatch.delattr(PT2ArchiveReader, "get_file_names")
    with pytest.raises(AttributeError):
        load_model("model.pt2", content=transformer.read_bytes())


def test_an_older_pytorch_than_needed_is_told(transformer, monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.8.0+cpu")
    with pytest.raises(UserError, match=r"2\.11 or newer.*2\.8\.0"):
        load_model("model.pt2", content=transformer.read_bytes())

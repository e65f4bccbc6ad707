"""The layout of the file is the one in the guide."""

import json
import struct
from hashlib import sha256

import numpy as np
import pytest

from coterie.export.container import chunks, read_contents, read_header
from coterie.export.errors import ModelFileError

BLOCKS = [np.arange(n, dtype=np.uint8) for n in (100, 0, 64, 3)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"".join(bytes(chunk) for chunk in chunks({"root": None}, BLOCKS)))
    return path


def test_bytes_are_where_the_guide_says(path):
    data = path.read_bytes()
    assert data[:8] == bytes.fromhex("93434F5445524945")
    version, zero, length, total = struct.unpack("<IIQQ", data[8:32])
    assert (version, zero, total) == (1, 0, len(data))
    assert length % 64 == 0
    header = data[64 : 64 + length]
    assert data[32:64] == sha256(data[:32] + header).digest()
    assert header.isascii()
    told = json.loads(header)
    assert told["root"] is None
    for block, where in zip(BLOCKS, told["blocks"], strict=True):
        begin = 64 + length + where["offset"]
        assert begin % 64 == 0
        assert data[begin : begin + where["size"]] == block.tobytes()
        assert where["sha256"] == sha256(block.tobytes()).hexdigest()


@pytest.mark.parametrize("mmap", [False, True])
def test_blocks_come_back(path, mmap):
    contents = read_contents(path, mmap=mmap)
    assert contents.header["root"] is None
    for block, again in zip(BLOCKS, contents.blocks, strict=True):
        np.testing.assert_array_equal(again, block)
        assert again.flags.writeable != mmap


def test_every_byte_is_under_a_checksum(path):
    data = path.read_bytes()
    for at in range(0, len(data), 5):
        path.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :])
        with pytest.raises(ModelFileError):
            read_contents(path)


def test_lengths_are_checked(path):
    data = path.read_bytes()
    for changed in (data[:-1], data + b"\0", data[:70], data[:20], b""):
        path.write_bytes(changed)
        for read in (read_header, read_contents):
            with pytest.raises(ModelFileError):
                read(path)


def test_newer_formats_are_named(path):
    data = path.read_bytes()
    path.write_bytes(data[:8] + struct.pack("<I", 2) + data[12:])
    with pytest.raises(ModelFileError, match="format 2.*Update coterie"):
        read_header(path)


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"a": NaN}', b"\xff", b"[" * 100_000], ids=len)
def test_headers_must_be_json(text, tmp_path):
    padded = text.ljust(-(-len(text) // 64) * 64)
    start = b"\x93COTERIE" + struct.pack("<IIQQ", 1, 0, len(padded), 64 + len(padded))
    (tmp_path / "file").write_bytes(start + sha256(start + padded).digest() + padded)
    with pytest.raises(ModelFileError, match="header is damaged"):
        read_header(tmp_path / "file")

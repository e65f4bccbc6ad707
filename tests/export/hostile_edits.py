"""What is changed in a good model file to make a hostile one of it."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coterie.export.arrays import dtype_name, read_dtype
from tests.export.mutations import _ODD, _places, pack, unpack

Rng = np.random.Generator
Edit = Callable[[dict[str, Any], list[np.ndarray], Rng], None]

_NUMBERS = [0, 1, -1, 2, 3, 255, 256, 65_536, 2**31 - 1, -(2**31), 2**63 - 1, 2**62, 10**6]
_REALS = [0.0, -0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e18]
_TYPES = ["<f8", "<f4", "<i4", "<i8", "|i1", "|u1", "<u8", "|b1", "<U3", "|S5", "<c16", "<M8[ns]"]


def _pick(items: Any, rng: Rng) -> Any:
    return items[int(rng.integers(len(items)))]


def _owner(tree: Any, path: tuple[Any, ...]) -> tuple[Any, Any]:
    """Who holds the value at a path, and under which key."""
    for step in path[:-1]:
        tree = tree[step]
    return tree, path[-1]


def _spots(header: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The paths of all values, plain or not."""
    found = []
    for path in _places(header["objects"]):
        found += [path[:n] for n in range(2, len(path) + 1)]
    return list(dict.fromkeys(found))


def _value(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Another value in place of one."""
    owner, key = _owner(header["objects"], _pick(_spots(header), rng))
    odd = [*_ODD, *_NUMBERS, -7.5, 1e308, "a", {"float": "inf"}, {"range": [0, 2**40, 1]}]
    odd += [{"set": []}, {"dict": [[0, 0]]}, {"type": "float"}, {"dtype": "<f4"}, {"ref": 1}]
    owner[key] = json.loads(json.dumps(_pick(odd, rng)))


def _nearby(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """A number a little or a lot larger or smaller."""
    paths = list(_places(header["objects"]))
    for _ in range(50):
        owner, key = _owner(header["objects"], _pick(paths, rng))
        if isinstance(owner[key], int | float) and not isinstance(owner[key], bool):
            by = _pick([1, -1, 2, -2, 100], rng)
            owner[key] = _pick([owner[key] + by, owner[key] * by, -owner[key], owner[key] / 2], rng)
            return


def _transplant(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """One value of the file in place of another."""
    spots = _spots(header)
    owner, key = _owner(header["objects"], _pick(spots, rng))
    giver, other = _owner(header["objects"], _pick(spots, rng))
    owner[key] = json.loads(json.dumps(giver[other]))


def _rewire(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """A reference to another object, earlier in the file more often than not."""
    refs = [path for path in _places(header["objects"]) if path[-1] == "ref"]
    if refs:
        path = _pick(refs, rng)
        owner, key = _owner(header["objects"], path)
        limit = path[0] if rng.random() < 0.9 else len(header["objects"])
        owner[key] = int(rng.integers(max(limit, 1)))


def _drop(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """A key or an item less."""
    owner, key = _owner(header["objects"], _pick(_spots(header), rng))
    del owner[key]


def _repeat(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Items of a list once more, or many times."""
    owners = [_owner(header["objects"], path)[0] for path in _spots(header)]
    lists = [owner for owner in owners if isinstance(owner, list) and owner]
    if lists:
        items = _pick(lists, rng)
        items.extend(json.loads(json.dumps(items * _pick([1, 1, 2, 50], rng))))


def _retag(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Another class for the same attributes."""
    from coterie.export.registry import _FORMER, COTERIE
    from coterie.tags import CLASSES

    entries = [entry for entry in header["objects"] if "class" in entry]
    own = [entry["class"] for entry in entries]
    pools = [
        own,
        sorted([*CLASSES, *_FORMER]),
        [name for name in COTERIE.__all__ if name[0].isupper()],
    ]
    _pick(entries, rng)["class"] = _pick(_pick(pools, rng), rng)


def _nest(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """A value deep inside of tuples or lists, or one that doubles at every level."""
    owner, key = _owner(header["objects"], _pick(_spots(header), rng))
    kind, depth = _pick(["tuple", "list", "frozenset", "dict"], rng), _pick([2, 30, 150, 300], rng)
    value = owner[key]
    for _ in range(depth):
        if kind == "dict":
            value = {"dict": [[0, value]]}
        else:
            value = [value] if kind == "list" else {kind: [value]}
    owner[key] = value


def _double(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Objects each of which holds the last one twice, in front of all others."""
    levels, tag = (
        _pick([3, 25, 60], rng),
        _pick(["Term", "Finding", "Pool", "Guest", "Turned"], rng),
    )
    chain: list[dict[str, Any]] = [{"class": "Trace", "state": {}}]
    for level in range(levels):
        twice = [{"ref": level}, {"ref": level}]
        if tag == "Term":
            chain.append({"class": tag, "items": twice * 2})
        else:
            chain.append({"class": tag, "state": {"a": twice[0], "b": {"tuple": twice}}})
    for path in list(_places(header)):
        if path[-1] == "ref":
            owner, key = _owner(header, path)
            if isinstance(owner[key], int):
                owner[key] += len(chain)
    header["objects"][:0] = chain
    spots = [spot for spot in _spots(header) if spot[0] >= len(chain)]
    owner, key = _owner(header["objects"], _pick(spots, rng))
    last = {"ref": len(chain) - 1}
    owner[key] = _pick([last, {"dict": [[last, 0]]}, {"set": [last]}, {"tuple": [last] * 3}], rng)


def _arrays(header: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in header["objects"] if "array" in entry and "shape" in entry]


def _array_of(entry: dict[str, Any], blocks: list[np.ndarray]) -> np.ndarray:
    dtype = read_dtype(entry["dtype"])
    return np.array(blocks[entry["array"]]).view(dtype).reshape(entry["shape"], order="C")


def _write_array(entry: dict[str, Any], blocks: list[np.ndarray], array: np.ndarray) -> None:
    """The array in a block of its own, so that others that share the block stay as they are."""
    array = np.ascontiguousarray(array)
    name = dtype_name(array.dtype)
    if name is not None:
        blocks.append(array.reshape(-1).view(np.uint8))
        entry.update(array=len(blocks) - 1, dtype=name, shape=list(array.shape))


def _odd_cell(array: np.ndarray, rng: Rng) -> None:
    """Set one cell, or a few, to what it should not be."""
    if not array.size:
        return
    if array.dtype.names:
        array = array[_pick(array.dtype.names, rng)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near = [len(array), len(array) - 1, -len(array), int(rng.integers(len(array) + 1))]
        for _ in range(_pick([1, 1, 1, 3, 20], rng)):
            at = int(rng.integers(array.size))
            if array.dtype.kind in "iu":
                word = int(_pick([*_NUMBERS, *near, *near, *near], rng))
                array.flat[at] = np.array(word % 2**64, dtype=np.uint64).astype(array.dtype)
            elif array.dtype.kind in "fc":
                array.flat[at] = _pick([*_REALS, *near], rng)
            elif array.dtype.kind == "b":
                array.flat[at] = not array.flat[at]
            elif array.dtype.kind in "US":
                array.flat[at] = _pick(["", "x", "zzzzz", "\U0010ffff"], rng)


def _reshaped(array: np.ndarray, rng: Rng) -> np.ndarray:
    ways: list[Callable[[], np.ndarray]] = [
        lambda: array[: len(array) // 2],
        lambda: array[:0],
        lambda: array[:-1],
        lambda: np.concatenate([array, array]),
        lambda: np.concatenate([array, array[:1]]),
        lambda: array.ravel(),
        lambda: array[None],
        lambda: array[..., None],
        lambda: array.T,
        lambda: array[..., :1],
        lambda: array[::-1],
        lambda: np.repeat(array, 3, axis=-1),
        lambda: array.reshape(-1)[0],
        lambda: np.empty((0, *array.shape), array.dtype),
    ]
    return _pick(ways, rng)()


def _cells(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Odd numbers in an array."""
    entry = _pick(_arrays(header), rng)
    array = _array_of(entry, blocks)
    _odd_cell(array, rng)
    _write_array(entry, blocks, array)


def _shape(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """An array of another shape."""
    entry = _pick(_arrays(header), rng)
    try:
        _write_array(entry, blocks, _reshaped(_array_of(entry, blocks), rng))
    except (ValueError, IndexError):
        entry["shape"] = _pick([[], [0], [0, 2**40], [1, 1], entry["shape"][::-1]], rng)


def _dtype(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """An array of another type."""
    entry = _pick(_arrays(header), rng)
    if rng.random() < 0.3:
        entry["dtype"] = _pick([*_TYPES, "node", "<U900000000"], rng)
        return
    array = _array_of(entry, blocks)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _write_array(entry, blocks, array.astype(_pick(_TYPES, rng)))
        except (ValueError, TypeError):
            entry["order"] = "F"


def _links(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Nodes of a forest that hang together in another way, all within range."""
    entries = [entry for entry in _arrays(header) if entry["dtype"] == "node"]
    if not entries:
        return
    entry = _pick(entries, rng)
    nodes = _array_of(entry, blocks)
    for _ in range(_pick([1, 2, 10], rng)):
        if not nodes.size:
            return
        at, other = (int(rng.integers(len(nodes))) for _ in range(2))
        field = _pick(["left", "left", "left", "column", "threshold"], rng)
        kinds: list[Callable[[], Any]] = [
            lambda f=field, o=other: nodes[f][o],
            lambda f=field, a=at: nodes[f][a] + (1 if f != "column" else np.uint32(1)),
            lambda f=field, a=at, o=other: o if f == "left" else nodes[f][a],
            lambda f=field, o=other: ~o if f == "left" else nodes[f][o],
        ]
        nodes[field][at] = _pick(kinds, rng)()
    _write_array(entry, blocks, nodes)


def _chain(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """Children that all nodes share: as many ways down as two to the power of the depth."""
    for entry in _arrays(header):
        if entry["dtype"] == "node":
            nodes = _array_of(entry, blocks)
            inner = np.flatnonzero(nodes["left"] >= 0)
            nodes["left"][inner] = np.minimum(inner + 1, nodes["left"][inner].max(initial=0))
            _write_array(entry, blocks, nodes)


def _foreign(header: dict[str, Any], blocks: list[np.ndarray], rng: Rng) -> None:
    """A change inside of what skops wrote."""
    entries = [entry for entry in header["objects"] if "foreign" in entry]
    if not entries:
        return _value(header, blocks, rng)
    entry = _pick(entries, rng)
    with zipfile.ZipFile(io.BytesIO(blocks[entry["foreign"]].tobytes())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    arrays = [name for name in files if name.endswith(".npy")]
    if arrays and rng.random() < 0.7:
        name = _pick(arrays, rng)
        array = np.load(io.BytesIO(files[name]))
        if rng.random() < 0.6:
            _odd_cell(array, rng)
        else:
            try:
                array = _reshaped(array, rng)
                array = array if rng.random() < 0.7 else array.astype(_pick(_TYPES, rng))
            except (ValueError, TypeError, IndexError):
                array = array[:0]
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        files[name] = stream.getvalue()
    else:
        files["schema.json"] = _other_schema(files["schema.json"], files, rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    blocks.append(np.frombuffer(stream.getvalue(), dtype=np.uint8))
    entry["foreign"] = len(blocks) - 1
    return None


def _other_schema(text: bytes, files: dict[str, bytes], rng: Rng) -> bytes:
    """What skops says of an object, with something changed."""
    schema = json.loads(text)
    paths = list(_places(schema))
    kind = rng.random()
    if kind < 0.6:
        contents = [path for path in paths if path[-1] == "content"]
        owner, key = _owner(schema, _pick(contents or paths, rng))
        odd = ["null", "true", "-1", "0", "1", "7", "1e308", "NaN", '"a"', str(2**62), "[]"]
        owner[key] = _pick(odd, rng)
    elif kind < 0.8:
        named = [path for path in paths if path[-1] == "file"]
        owner, key = _owner(schema, _pick(named or paths, rng))
        owner[key] = _pick(list(files), rng)
    else:
        owner, key = _owner(schema, _pick(paths, rng))
        giver, other = _owner(schema, _pick(paths, rng)[: int(rng.integers(1, 9))])
        owner[key] = json.loads(json.dumps(giver[other]))
    return json.dumps(schema).encode()


EDITS: list[Edit] = [
    *(_value, _nearby, _transplant, _rewire, _drop, _repeat, _retag, _nest, _double),
    *(_cells, _cells, _cells, _shape, _shape, _dtype, _links, _links, _chain, _foreign, _foreign),
]


def hostile(path: Path, seed: int) -> bytes:
    """A file made from a good one, always the same for a number."""
    rng = np.random.default_rng(seed)
    header, blocks = unpack(path)
    for _ in range(_pick([1, 1, 1, 2, 3], rng)):
        for _attempt in range(5):
            try:
                _pick(EDITS, rng)(header, blocks, rng)
                break
            except (LookupError, TypeError, ValueError, RuntimeError, OverflowError):
                continue  # the file was changed before, and is no longer as the edit expects
    try:
        text = json.dumps(header, allow_nan=True)
    except RecursionError:
        return path.read_bytes()  # too deep even to be written
    return pack(json.loads(text.replace("NaN", "0.5").replace("Infinity", "1e300")), blocks)

"""Pieces of an index: read, held against each other, joined."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from toolgen.data.manifest import GeneratedFile, Manifest
from toolgen.data.piece import Piece
from toolgen.project import UnableError
from toolgen.project.declared_files import read_file
from toolgen.project.manifest import parse_manifest
from toolgen.project.piece import parse_piece


def read_pieces(words: Sequence[str]) -> dict[str, Piece]:
    """File → piece, sorted: the order of the command line is nothing to go by. `@FILE` names one a line."""
    paths = sorted(set(_named(words)))
    if not paths:
        raise UnableError("usage", f"there is no piece in {' '.join(words)}", "name at least one")
    return {path: _read(path) for path in paths}


def _named(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("@"):
            yield from (line for line in _text(word[1:]).splitlines() if line)
        else:
            yield word


def _read(path: str) -> Piece:
    piece = parse_piece(_text(path))
    if piece is None:
        hint = "make it again, with this version of toolgen: `toolgen generate --spec FILE --piece FILE ...`"
        raise UnableError("bad-piece", f"{path} is no piece of an index", hint)
    return piece


def _text(path: str) -> str:
    return read_file(path).decode("utf-8", "replace")


def earlier_piece(path: str) -> frozenset[str]:
    """The files that the piece at `path` says were written, where there is one already."""
    piece = parse_piece(_text(path)) if os.path.isfile(path) else None
    return frozenset(piece.manifest.outputs) if piece else frozenset()


def earlier_manifest(path: str) -> frozenset[str]:
    """The files that the manifest at `path` says were written, where there is one already."""
    manifest = parse_manifest(_text(path)) if os.path.isfile(path) else None
    return frozenset(manifest.outputs) if manifest else frozenset()


def refuse_differing(pieces: Mapping[str, Piece], now: Manifest) -> None:
    """`UnableError` for a piece that was made otherwise than the first, or than `now`, what the index is."""
    (first, one), *_ = pieces.items()
    for path, piece in pieces.items():
        then = piece.manifest
        if (piece.settings, piece.targets) != (one.settings, one.targets):
            _refuse(f"{path} and {first} were made with different options")
        for name in sorted(then.toolchain.keys() | now.toolchain.keys()):
            had, has = then.toolchain.get(name), now.toolchain.get(name)
            if had != has:
                _refuse(f"{path} was made with {name} {had}, and this is {has}")
        if then.templates != now.templates:
            _refuse(f"{path} was made with other templates")
        if then.options != now.options:
            _refuse(f"{path} was made with other options")


def _refuse(message: str) -> None:
    raise UnableError(
        "differing-pieces", message, "make all pieces with the same options and the same toolgen"
    )


def joined(pieces: Iterable[Piece], index: Manifest) -> Manifest:
    """The manifest of the whole package: that of the index, and of every piece."""
    inputs: dict[str, str] = {}
    outputs: dict[str, GeneratedFile] = dict(index.outputs)
    for piece in pieces:
        for path, digest in piece.manifest.inputs.items():
            if inputs.setdefault(path, digest) != digest:
                raise UnableError(
                    "differing-pieces",
                    f"{path} changed between the making of two pieces",
                    "make all pieces from the same files",
                )
        outputs.update(piece.manifest.outputs)
    return replace(index, inputs=inputs, outputs=outputs)

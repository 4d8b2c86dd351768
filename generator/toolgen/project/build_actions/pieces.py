"""Build pieces: what the build action of one spec leaves for the action that makes the index.

A piece is a JSON file, the same on every machine: a compiled spec, and what it was compiled with. It is
trusted like the generated files beside it: its hash detects damage, not forgery.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from toolgen.compile.compiled_specs import FORMAT as ENCODING
from toolgen.compile.compiled_specs import decode, encode
from toolgen.data.compiled_spec import CompiledSpec
from toolgen.data.manifest import GeneratedFile, Manifest
from toolgen.data.package import PackageSettings
from toolgen.project.build_actions.declared_files import read_file
from toolgen.project.errors import UnableError
from toolgen.project.output.manifest import manifest_text, parse_manifest

_FORMAT = f"2.{ENCODING}"
_REMAKE = "make it again, with this version of toolgen: `toolgen generate --spec FILE --piece FILE ...`"


@dataclass(frozen=True, slots=True)
class Piece:
    """One compiled spec. Pieces that agree on everything else make an index."""

    settings: PackageSettings
    targets: tuple[str, ...]  # names, the base target's first
    manifest: Manifest  # of this spec alone
    spec_path: str  # below the specs folder
    compiled: CompiledSpec


def piece_text(piece: Piece) -> str:
    """Return the text of the piece's file, with a hash of itself."""
    content = {
        "format": _FORMAT,
        "settings": asdict(piece.settings),
        "targets": list(piece.targets),
        "manifest": manifest_text(piece.manifest),
        "spec_path": piece.spec_path,
        "compiled": encode(piece.compiled).decode(),
    }
    body = json.dumps(content, separators=(",", ":"))  # keys in this order, and nothing but ASCII
    return f"{_hash_of(body)}{body}}}\n"


def read_pieces(words: Sequence[str]) -> dict[str, Piece]:
    """Return the pieces by their files, sorted. `@FILE` in `words` names a list, with one piece a line."""
    paths = sorted(set(_listed(words)))
    if not paths:
        raise UnableError("usage", f"there is no piece in {' '.join(words)}", "name at least one")
    return {path: _read(path) for path in paths}


def files_of_piece(path: str) -> frozenset[str]:
    """Return the files that the piece at `path` says were written; none where there is no piece."""
    try:
        piece = _read(path) if os.path.isfile(path) else None
    # a damaged piece claims no files: what it wrote counts as foreign
    except UnableError:
        piece = None
    return frozenset(piece.manifest.outputs) if piece else frozenset()


def files_of_manifest(path: str) -> frozenset[str]:
    """Return the files that the manifest at `path` says were written; none where there is no manifest."""
    manifest = parse_manifest(_text(path)) if os.path.isfile(path) else None
    return frozenset(manifest.outputs) if manifest else frozenset()


def refuse_differing(pieces: Mapping[str, Piece], index: Manifest) -> None:
    """Raise `UnableError` for a piece with other options or tools than the first piece or than `index`."""
    (first_path, first), *_ = pieces.items()
    for path, piece in pieces.items():
        manifest = piece.manifest
        if (piece.settings, piece.targets) != (first.settings, first.targets):
            _refuse(f"{path} and {first_path} were made with different options")
        # the toolchain decides the bytes: a mixed package would never be up to date
        for name in sorted(manifest.toolchain.keys() | index.toolchain.keys()):
            theirs, ours = manifest.toolchain.get(name), index.toolchain.get(name)
            if theirs != ours:
                _refuse(f"{path} was made with {name} {theirs}, and this is {ours}")
        if manifest.templates != index.templates:
            _refuse(f"{path} was made with other templates")
        if manifest.options != index.options:
            _refuse(f"{path} was made with other options")


def refuse_missing(pieces: Mapping[str, Piece]) -> None:
    """Raise `UnableError` if a spec uses shared schemas whose piece is missing."""
    known = {piece.spec_path for piece in pieces.values()}
    for path, piece in pieces.items():
        for used in sorted(piece.compiled.shared_files.keys() - known):
            raise UnableError(
                "missing-piece",
                f"{path} uses {used}, whose piece is missing",
                "generate shared schemas like tools, with --spec and --piece, and name their pieces",
            )


def merged_manifest(pieces: Iterable[Piece], index: Manifest) -> Manifest:
    """Return the manifest of the whole package. Raises `UnableError` where pieces saw different inputs."""
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


def _hash_of(body: str) -> str:
    return f'{{"sha256":"{sha256(body.encode()).hexdigest()}","piece":'


def _listed(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("@"):
            yield from (line for line in _text(word[1:]).splitlines() if line)
        else:
            yield word


def _text(path: str) -> str:
    return read_file(path).decode("utf-8", "replace")


def _read(path: str) -> Piece:
    text = _text(path)
    try:
        content = json.loads(text)["piece"]
        found = content["format"]
        if found != _FORMAT:
            message = f"{path} has format {found}; this version of toolgen reads format {_FORMAT}"
            raise UnableError("bad-piece", message, _REMAKE)
        manifest, compiled = parse_manifest(content["manifest"]), decode(content["compiled"].encode())
        settings = PackageSettings(**content["settings"])
        targets, spec_path = tuple(content["targets"]), content["spec_path"]
    # whatever is wrong in it, the answer is to make the piece again
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        manifest = compiled = None
    if manifest is None or compiled is None or not _is_intact(text):
        raise UnableError("bad-piece", f"{path} is not a piece, or was edited or cut short", _REMAKE)
    return Piece(settings, targets, manifest, spec_path, compiled)


def _is_intact(text: str) -> bool:
    start = len(_hash_of(""))
    return text.endswith("}\n") and text.startswith(_hash_of(text[start:-2]))


def _refuse(message: str) -> None:
    raise UnableError(
        "differing-pieces", message, "make all pieces with the same options and the same toolgen"
    )

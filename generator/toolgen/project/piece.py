"""Pieces as files: JSON that is the same on every machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from toolgen.compile.read import read
from toolgen.data.package import PackageSettings
from toolgen.data.piece import Piece
from toolgen.data.program import ProgramTool
from toolgen.data.source import Marks, Source
from toolgen.data.spec import Spec
from toolgen.project.manifest import manifest_text, parse_manifest

_FORMAT = 1


def piece_text(piece: Piece) -> str:
    """The file's text. It carries a hash of itself: what was edited or cut short is no piece."""
    content = {
        "format": _FORMAT,
        "settings": asdict(piece.settings),
        "targets": list(piece.targets),
        "manifest": manifest_text(piece.manifest),
        "tool": None if piece.tool is None else _tool_data(piece.tool),
    }
    body = json.dumps(content, separators=(",", ":"))  # keys in the author's order, and nothing but ASCII
    return f'{{"sha256":"{sha256(body.encode()).hexdigest()}","piece":{body}}}\n'


def parse_piece(text: str) -> Piece | None:
    """The piece that `piece_text` of this very format wrote; None for anything else."""
    try:
        content = json.loads(text)["piece"]
        if content["format"] != _FORMAT:
            return None
        manifest = parse_manifest(content["manifest"])
        if manifest is None:
            return None
        tool = content["tool"]
        piece = Piece(
            PackageSettings(**content["settings"]),
            tuple(content["targets"]),
            manifest,
            None if tool is None else _tool_of(tool),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # pydantic's are ValueErrors
        return None
    return piece if piece_text(piece) == text else None


def _tool_data(tool: ProgramTool) -> dict[str, Any]:
    return {
        "spec": tool.spec.model_dump(exclude_unset=True),
        "extensions": tool.spec.extensions,
        "file": tool.source.file,
        "path": tool.source.path,
        "text": tool.source.text,
        "data": tool.source.data,  # keys in the author's order, which the spec's do not keep
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "chunk_schema": tool.chunk_schema,
        "uses": list(tool.uses),
    }


def _tool_of(data: dict[str, Any]) -> ProgramTool:
    return ProgramTool(
        Spec.model_validate({**data["spec"], "extensions": data["extensions"]}),
        _source(data),
        data["input_schema"],
        data["output_schema"],
        data["chunk_schema"],
        tuple(data["uses"]),
    )


def _source(said: dict[str, Any]) -> Source:
    """The spec's text and data; places are looked for only where a fault has to be shown."""
    file, path, text = said["file"], said["path"], said["text"]

    def mark() -> Marks:
        (source,) = read({path: text}, file.removesuffix(path))
        return source.marks

    return Source(file, text, said["data"], mark, path)

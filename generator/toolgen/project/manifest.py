"""`toolgen.manifest.json`: read and write the manifest, byte-identical on every machine."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from toolgen.compile.compare import with_lf
from toolgen.data.manifest import GeneratedFile, Manifest

NAME = "toolgen.manifest.json"
_FORMAT = 1
_SIMPLE = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[a-z]+)?")
_HASH = re.compile(r"^[0-9a-f]{64}$")


def manifest_text(manifest: Manifest) -> str:
    """Return the file's text. It holds a hash of itself, to detect edits."""
    content: dict[str, Any] = {
        "format": _FORMAT,
        "toolchain": dict(manifest.toolchain),
        "templates": manifest.templates,
        "options": manifest.options,
        "inputs": dict(manifest.inputs),
        "outputs": {
            path: {"sha256": output.sha256, "spec": output.spec} for path, output in manifest.outputs.items()
        },
    }
    content["sha256"] = _seal(content)
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def parse_manifest(text: str) -> Manifest | None:
    """Return the manifest that `manifest_text` wrote, whatever its line ends; None for any other text.

    Files are removed by its paths, so a text with a path out of the output folder is refused, too.
    """
    try:
        content = json.loads(text)
        manifest = Manifest(
            toolchain={str(name): str(version) for name, version in content["toolchain"].items()},
            templates=str(content["templates"]),
            options=str(content["options"]),
            inputs={str(path): str(digest) for path, digest in content["inputs"].items()},
            outputs={
                path: GeneratedFile(output["sha256"], output["spec"])
                for path, output in content["outputs"].items()
            },
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    safe = all(is_inside(path) and _is_output(output) for path, output in manifest.outputs.items())
    return manifest if safe and manifest_text(manifest) == with_lf(text) else None


def is_inside(path: str) -> bool:
    """True if `path` is a relative posix path that stays below its folder."""
    if _SIMPLE.fullmatch(path):  # nearly all of them, and there are thousands
        return True
    pure = PurePosixPath(path)
    plain = path == pure.as_posix() and path.isprintable() and not pure.is_absolute()
    return plain and not {"\\", ":"} & set(path) and path != "." and ".." not in pure.parts


def _is_output(output: GeneratedFile) -> bool:
    return bool(_HASH.match(str(output.sha256))) and isinstance(output.spec, str | None)


def _seal(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

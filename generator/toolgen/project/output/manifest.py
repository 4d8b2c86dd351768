"""`toolgen.manifest.json`: read and write the manifest, byte-identical on every machine."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any, Final

from toolgen.base import MIB
from toolgen.compile.output_changes import with_lf
from toolgen.language.changes import GeneratedFile, Manifest
from toolgen.project.files.reading import is_inside

NAME = "toolgen.manifest.json"
MAX_MANIFEST: Final = 16 * MIB
"""Maximum size of the file in bytes: an empty object of JSON, of 3 bytes, takes 72 in memory."""
_FORMAT = 2
_OUTPUT = re.compile(
    r'^    (?P<path>"(?:[^"\\]|\\.)+"): (?P<output>\{"sha256": "[0-9a-f]{64}", "spec": [^\n]+?\}),?$',
    re.MULTILINE,
)
_SEAL = re.compile(r'^  "sha256": ', re.MULTILINE)
_HASH = re.compile(r"^[0-9a-f]{64}$")


def manifest_text(manifest: Manifest) -> str:
    """Return the file's text: an entry is one line, so that changes of different entries merge.

    It holds a hash of itself, to detect edits.
    """
    content = _content(manifest)
    content["sha256"] = _seal(content)
    fields = (f"  {_json(key)}: {_lines(content[key])}" for key in sorted(content))
    return "{\n" + ",\n".join(fields) + "\n}\n"


def parse_manifest(text: str) -> Manifest | None:
    """Return the manifest that `manifest_text` wrote, whatever its line ends; None for any other text.

    Files are removed by its paths, so a text with a path out of the output folder is refused, too.
    """
    if _is_merge(text):  # of its two values for one key, JSON takes the last
        return None
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
        seal = content.pop("sha256")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    safe = all(is_inside(path) and _is_output(output) for path, output in manifest.outputs.items())
    return manifest if safe and seal == _seal(content) else None


def merged_manifest(text: str) -> Manifest:
    """Return the generated files in a text that git made of several manifests; an empty one for any other.

    Such a text need not be JSON: a union of lines may lack commas, a conflict has markers. A file that
    changed on both sides has two lines.
    """
    if not _is_merge(text):
        return Manifest()
    outputs: dict[str, GeneratedFile] = {}
    for found in _OUTPUT.finditer(with_lf(text)):
        try:
            path, output = json.loads(found["path"]), GeneratedFile(**json.loads(found["output"]))
        except ValueError:
            continue
        if is_inside(path) and _is_output(output):
            differs = outputs.get(path, output).sha256 != output.sha256
            outputs[path] = GeneratedFile("", output.spec) if differs else output
    return Manifest(outputs=outputs)


def _is_merge(text: str) -> bool:
    """True if `text` has the hashes of several manifests."""
    return len(_SEAL.findall(text)) > 1


def _is_output(output: GeneratedFile) -> bool:
    return bool(_HASH.match(str(output.sha256))) and isinstance(output.spec, str | None)


def _content(manifest: Manifest) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "toolchain": dict(manifest.toolchain),
        "templates": manifest.templates,
        "options": manifest.options,
        "inputs": dict(manifest.inputs),
        "outputs": {
            path: {"sha256": output.sha256, "spec": output.spec} for path, output in manifest.outputs.items()
        },
    }


def _lines(value: Any) -> str:
    """Return a field as JSON, with one entry of a mapping on each line."""
    if not isinstance(value, dict) or not value:
        return _json(value)
    entries = (f"    {_json(key)}: {_json(value[key])}" for key in sorted(value))
    return "{\n" + ",\n".join(entries) + "\n  }"


_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _seal(content: dict[str, Any]) -> str:
    return sha256(_json(content).encode()).hexdigest()

"""What is fresh already: told by hashes alone, without reading a spec's words.

A run that has found out what some inputs come to leaves a fact in the cache: these inputs, these options and
this generator make a manifest with this hash. Where a later run finds the same inputs and that manifest, and
every file as the manifest has it, there is nothing to do. Facts stand in the cache and not in the manifest,
which would otherwise differ from one generator to the next although the code that it describes does not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from toolgen.data.diagnostic import Diagnostic
from toolgen.project.fast import read_bytes
from toolgen.project.journal import STAGE
from toolgen.project.manifest import NAME
from toolgen.project.project import Project

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Fact:
    """What the inputs come to."""

    manifest: str  # hash of the manifest's text
    tools: int
    warnings: tuple[Diagnostic, ...] = ()


def fact_key(project: Project, specs: Mapping[str, bytes]) -> str:
    """The key of the fact about these inputs; the generator is not in it, but has a cache of its own."""
    said = asdict(project)
    for name in ("root", "file", "text"):
        del said[name]
    texts = {path: sha256(text).hexdigest() for path, text in specs.items()}
    content = ["fact", _FORMAT, said, project.package, texts, _templates(project)]
    return sha256(json.dumps(content).encode()).hexdigest()


def learn(key: str, fact: Fact, cache: MutableMapping[str, bytes]) -> None:
    """Remember `fact`."""
    data = [fact.manifest, fact.tools, [warning.as_data() for warning in fact.warnings]]
    cache[key] = json.dumps(data).encode()


def fresh(project: Project, key: str, cache: Mapping[str, bytes]) -> tuple[Fact, int] | None:
    """The fact and the number of files, where what is on disk is exactly that; None where it may not be."""
    fact = _known(cache.get(key))
    folder = str(project.root / project.output)
    try:
        manifest = read_bytes(os.path.join(folder, NAME), links=False)
        if fact is None or sha256(manifest).hexdigest() != fact.manifest:
            return None
        outputs = json.loads(manifest)["outputs"]
        whole = _is_plain(folder, outputs) and all(
            sha256(read_bytes(f"{folder}/{path}", links=False)).hexdigest() == output["sha256"]
            for path, output in outputs.items()
        )
    except OSError:
        return None
    return (fact, len(outputs)) if whole else None


def _known(data: bytes | None) -> Fact | None:
    try:
        manifest, tools, warnings = json.loads(data or b"")
        return Fact(manifest, int(tools), tuple(map(Diagnostic.of_data, warnings)))
    except (ValueError, TypeError, RecursionError):
        return None


def _is_plain(folder: str, paths: Iterable[str]) -> bool:
    """Whether no killed run left anything to mend, and no folder of ours leads elsewhere."""
    if os.path.lexists(os.path.join(folder, STAGE)):
        return False
    parents = {os.path.dirname(path) for path in paths} - {""}
    real = os.path.realpath(folder)
    return all(os.path.realpath(os.path.join(folder, each)) == os.path.join(real, each) for each in parents)


def _templates(project: Project) -> dict[str, str]:
    """The project's own templates, and whatever lies among them."""
    if project.templates is None:
        return {}
    top = str(project.root / project.templates)
    return {
        os.path.relpath(os.path.join(parent, name), top): _digest(os.path.join(parent, name))
        for parent, _, names in sorted(os.walk(top))
        for name in sorted(names)
    }


def _digest(path: str) -> str:
    """The hash of a file; empty where it cannot be read, which is said where templates are loaded."""
    try:
        return sha256(read_bytes(path)).hexdigest()
    except OSError:
        return ""

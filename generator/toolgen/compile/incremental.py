"""Incremental compilation: unchanged specs come from the cache, a worker pool compiles the rest.

What a spec compiles to depends on its own text, on the shared files that it uses, and on the options of all.
The first and the last are in the key of a cache entry; the digests of the shared files are in the entry.
Where a spec is refused, all specs are compiled together: every fault is reported as if there were no cache.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from toolgen.compile.compiled_specs import StoredSpec, decode, decode_code, encode, unread_source
from toolgen.language.changes import Tree
from toolgen.language.compiled_spec import CompiledSpec
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import Tool
from toolgen.language.reading.read import decode_text, read
from toolgen.language.spec import is_shared_file

Texts = Mapping[str, bytes | str]
"""Posix path below the specs folder → content of the file."""

Encoded = Mapping[str, StoredSpec] | None
"""Path → encoded `CompiledSpec`, ready to be sent between processes; None where specs were refused."""

CompileBatch = Callable[[Sequence[str]], Encoded]
"""Compiles the files at some paths, beside all shared schemas."""

WorkerPool = Callable[[CompileBatch, Sequence[str]], Iterable[Encoded]]
"""Calls the function with some of the paths at a time, until all are compiled."""


_KEY_OF_A_TOOL = re.compile(rb"^(?:toolgen|name|description|input_schema):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CompileJob:
    """All specs of a project, and how to compile some of them together."""

    texts: Texts
    prefix: str  # before their paths in messages
    digests: Mapping[str, str]  # of the texts
    options: str  # digest of the options that all specs have in common
    compile: Callable[
        [Texts, Collection[str]], Mapping[str, CompiledSpec]
    ]  # those at some paths of the texts
    cache: MutableMapping[str, bytes]


def in_this_process(compile_batch: CompileBatch, paths: Sequence[str]) -> Iterator[Encoded]:
    """Compile all paths at once: the worker pool without workers."""
    yield compile_batch(paths)


def compile_incrementally(job: CompileJob, pool: WorkerPool) -> Mapping[str, CompiledSpec]:
    """Return what each spec of the job compiles to, by path. Raises `SpecErrors` with the faults of all."""
    compiled = _load(job)
    for batch in _compile_missing(job, compiled, pool):
        if batch is None:
            break
        compiled |= _store(job, batch)
    is_complete = compiled.keys() == job.texts.keys()
    if is_complete and any(spec.summary for spec in compiled.values()):
        return compiled
    return _store(job, {path: encode(spec) for path, spec in job.compile(job.texts, job.texts).items()})


def _load(job: CompileJob) -> dict[str, CompiledSpec]:
    """Return the specs in the cache that are as they were, by path."""
    compiled: dict[str, CompiledSpec] = {}
    for path in job.texts:
        facts = job.cache.get(_key("facts", job, path))
        with suppress(ValueError):
            spec = None if facts is None else _decoded(job, path, facts)
            if spec and _is_current(spec, job.digests):
                compiled[path] = spec
    return compiled


def _store(job: CompileJob, batch: Mapping[str, StoredSpec]) -> dict[str, CompiledSpec]:
    """Add specs to the cache, and return them. A spec whose facts are there has its code there, too."""
    for path, stored in batch.items():
        job.cache[_key("code", job, path)] = stored.code
        job.cache[_key("facts", job, path)] = stored.facts
    return {path: _decoded(job, path, stored.facts, stored.code) for path, stored in batch.items()}


def _decoded(job: CompileJob, path: str, facts: bytes, code: bytes | None = None) -> CompiledSpec:
    source = unread_source(f"{job.prefix}{path}", path, decode_text(path, job.texts[path]))

    def read_code() -> tuple[Tool | None, Tree]:
        found = job.cache.get(_key("code", job, path)) if code is None else code
        with suppress(ValueError, TypeError, KeyError):
            if found is not None:
                return decode_code(found)
        # the cache lost it meanwhile
        texts = {each: job.texts[each] for each in (path, *spec.shared_files)}
        compiled = job.compile(texts, [path])[path]
        job.cache[_key("code", job, path)] = encode(compiled).code
        return compiled.code.parts

    spec = decode(facts, source, read_code)
    return spec


def _compile_missing(
    job: CompileJob, known: Mapping[str, CompiledSpec], pool: WorkerPool
) -> Iterable[Encoded]:
    """Compile the files that are not `known`, each batch beside all the shared schemas that it may use."""
    missing = [path for path in job.texts if path not in known]
    changed = [path for path in missing if is_shared_text(path, job.texts[path])]
    shared = [*changed, *(path for path, spec in known.items() if spec.is_shared)]

    def compile_batch(paths: Sequence[str]) -> Encoded:
        try:
            compiled = job.compile(
                {path: job.texts[path] for path in dict.fromkeys((*paths, *shared))}, paths
            )
        except SpecErrors:
            return None
        return {path: encode(spec) for path, spec in compiled.items()}

    return pool(compile_batch, missing) if missing else ()


def is_shared_text(path: str, text: bytes | str) -> bool:
    """True if the file is shared schemas. A key at the start of a line tells most tools without parsing."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if b"$defs" not in raw or _KEY_OF_A_TOOL.search(raw):
        return False
    try:
        (source,) = read({path: text})
    except SpecErrors:
        return False
    return is_shared_file(source.data)


def _key(part: str, job: CompileJob, path: str) -> str:
    """Return the cache key of a part of a compiled spec, which has no blanks or line ends of its path."""
    return f"{part} {sha256(f'{job.options} {job.digests[path]} {path}'.encode()).hexdigest()}"


def _is_current(spec: CompiledSpec, digests: Mapping[str, str]) -> bool:
    return all(digests.get(path) == found for path, found in spec.shared_files.items())

"""Incremental compilation: unchanged specs come from the cache, a worker pool compiles the rest.

What a spec compiles to depends on its own text, on the shared files that it uses, and on the options of all.
The first and the last are in the key of a cache entry; the digests of the shared files are in the entry.
Where a spec is refused, all specs are compiled together: every fault is reported as if there were no cache.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from toolgen.compile.compiled_specs import decode, decode_code, decode_head, encode, shared_files_of
from toolgen.compile.stored_specs import StoredSpec, StoredSpecs
from toolgen.language.compiled_spec import CompiledSpec
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import decode_text, read
from toolgen.language.spec import is_shared_file

_IS_JSON = re.compile(rb"\s*\{")
_HAS_DEFINITIONS = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?\$defs[\"']?[ \t]*:", re.MULTILINE)

Texts = Mapping[str, bytes | str]
"""Posix path below the specs folder → content of the file."""

Encoded = Mapping[str, bytes] | None
"""Path → encoded `CompiledSpec`, ready to be sent between processes; None where specs were refused."""

CompileBatch = Callable[[Sequence[str]], Encoded]
"""Compiles the files at some paths, beside all shared schemas."""

WorkerPool = Callable[[CompileBatch, Sequence[str]], Iterable[Encoded]]
"""Calls the function with some of the paths at a time, until all are compiled."""


@dataclass(frozen=True, slots=True)
class CompileJob:
    """All specs of a project, and how to compile some of them together."""

    texts: Texts
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
    keys = {path: _cache_key(job.options, path, found) for path, found in job.digests.items()}
    stored = StoredSpecs(job.cache, job.options)

    def store(batch: Mapping[str, bytes]) -> dict[str, CompiledSpec]:
        stored.add({keys[path]: _head_and_code(data) for path, data in batch.items()})
        return {path: spec for path, data in batch.items() if (spec := decode(data))}

    try:
        compiled = _load(job, keys, stored)
        for batch in _compile_missing(job, compiled, pool):
            if batch is None:
                break
            compiled |= store(batch)
        is_complete = compiled.keys() == job.texts.keys()
        if is_complete and any(spec.summary for spec in compiled.values()):
            return compiled
        return store({path: encode(spec) for path, spec in job.compile(job.texts, job.texts).items()})
    finally:  # also if it is interrupted: what has been compiled need not be compiled again
        stored.save(keys.values())


def _load(job: CompileJob, keys: Mapping[str, str], stored: StoredSpecs) -> dict[str, CompiledSpec]:
    """Return the specs in the cache that are as they were, by path."""
    compiled: dict[str, CompiledSpec] = {}
    for path, key in keys.items():
        found = stored.get(key)
        if found is None:
            continue
        code = decode_code(partial(_read_code, job, stored, found, path))
        spec = decode_head(found.head, decode_text(path, job.texts[path]), code)
        if spec and _is_current(spec, job.digests):
            compiled[path] = spec
    return compiled


def _read_code(job: CompileJob, stored: StoredSpecs, found: StoredSpec, path: str) -> bytes:
    """Return the code of a spec in the cache. It is compiled again if the cache lost it meanwhile."""
    code = stored.code(found)
    if code is not None:
        return code
    used = shared_files_of(found.head)
    (compiled,) = job.compile({each: job.texts[each] for each in (path, *used)}, [path]).values()
    return _head_and_code(encode(compiled))[1]


def _head_and_code(data: bytes) -> tuple[bytes, bytes]:
    _, head, code = data.split(b"\n", 2)
    return head, code


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
    """True if the file is shared schemas. Only files that look like it are parsed, which is expensive."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    # looking for the word first is twenty times as fast as the pattern, and most specs do not have it
    if not (_IS_JSON.match(raw) or (b"$defs" in raw and _HAS_DEFINITIONS.search(raw))):
        return False
    try:
        (source,) = read({path: text})
    except SpecErrors:
        return False
    return is_shared_file(source.data)


def _cache_key(options: str, path: str, text_digest: str) -> str:
    return sha256(f"{options} {text_digest} {path}".encode()).hexdigest()


def _is_current(spec: CompiledSpec, digests: Mapping[str, str]) -> bool:
    return all(digests.get(path) == found for path, found in spec.shared_files.items())

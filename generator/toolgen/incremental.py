"""One spec not looking at another: what did not change is recalled, the rest is made in parts, by whomever.

That is only a short cut. A spec that is refused, or two that may want one name, end it: then all specs are
looked at together, which says everything that is wrong with them, as if nothing had been kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from toolgen.compile.compare import digest
from toolgen.compile.keep import is_true, key_of, of_bytes, quarrel, to_bytes
from toolgen.compile.parse import is_shared
from toolgen.data.diagnostic import SpecErrors
from toolgen.data.kept import Kept

Texts = Mapping[str, bytes | str]
"""Posix path below the specs folder → what the file holds."""

Made = Mapping[str, bytes] | None
"""Path → what to keep of it; None where specs were refused."""

Crew = Callable[[Callable[[Sequence[str]], Made], Sequence[str]], Iterable[Made]]
"""Who does the work: calls the function until every path was asked for, some paths at a time."""


@dataclass(frozen=True, slots=True)
class Job:
    """All specs, and how to find out what some of them come to."""

    texts: Texts
    options: str  # a hash of what all specs have in common
    make: Callable[[Texts], Mapping[str, Kept]]  # looks at some specs together; raises `SpecErrors`
    cache: MutableMapping[str, bytes]


def alone(make: Callable[[Sequence[str]], Made], paths: Sequence[str]) -> Iterator[Made]:
    """A crew of one, which does everything at once."""
    yield make(paths)


def done(job: Job, crew: Crew) -> Mapping[str, Kept]:
    """Path → what it comes to, for every spec. Raises `SpecErrors` with every fault that is found."""
    digests = {path: digest(text) for path, text in job.texts.items()}
    keys = {path: key_of(job.options, path, found) for path, found in digests.items()}

    def remembered(pieces: Mapping[str, bytes]) -> dict[str, Kept]:
        for path, data in pieces.items():
            job.cache[keys[path]] = data
        return {path: kept for path, data in pieces.items() if (kept := of_bytes(data))}

    known = {path: of_bytes(job.cache.get(key, b"")) for path, key in keys.items()}
    made = {path: kept for path, kept in known.items() if kept and is_true(kept, digests)}
    for part in _parts(job, made, crew):
        if part is None:
            break
        made |= remembered(part)
    whole = made.keys() == job.texts.keys() and any(each.tool for each in made.values())
    if not whole or quarrel(made.values()):
        made = remembered({path: to_bytes(each) for path, each in job.make(job.texts).items()})
    return made


def _parts(job: Job, known: Mapping[str, Kept], crew: Crew) -> Iterable[Made]:
    """What `crew` makes of the specs that are not `known`; each part sees all shared schemas beside it."""
    missing = [path for path in job.texts if path not in known]
    changed = [path for path in missing if is_shared(job.texts[path])]
    shared = [*changed, *(path for path, each in known.items() if each.is_shared)]
    tools = [path for path in missing if path not in set(changed)]
    if changed and not tools:  # shared schemas are looked at beside a tool
        tools = [path for path, each in known.items() if each.tool][:1]

    def make(paths: Sequence[str]) -> Made:
        try:
            found = job.make({path: job.texts[path] for path in (*paths, *shared)})
        except SpecErrors:
            return None
        return {path: to_bytes(each) for path, each in found.items()}

    return crew(make, tools) if tools else ()

"""Hostile texts in every place of a spec, and as names of files: none may run or be changed.

Many specs are generated at once; a child process reads, imports and calls the output.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.fuzz.batches import Outcome, run_batch
from tools.fuzz.cases import Case, pack, texts_of
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.places import Place, places_of
from tools.fuzz.project import Project, project
from tools.fuzz.strings import FIXED, fresh
from tools.fuzz.workers import Workers

_BATCH = 150  # specs that are generated together
_CHUNK = 20  # texts
_NAMES = 60  # texts tried as names of files in one run
_ENOUGH = 20  # maximum number of findings
_LONGEST = 200  # bytes of a file name, without its ending
_TRIES = 40  # attempts to make a reproduction smaller
_PROBE = 'Say "hello", it\'s {fine}.'
_API = Path(__file__).with_name("api.yaml")


@lru_cache
def places() -> tuple[Place, ...]:
    """Return every place of the spec language, and of the tools that `import openapi` writes."""
    with project() as here:
        language = here.toolgen("export", "schema").data()
        return (*places_of(language), *_http_places(here))


def _http_places(here: Project) -> Iterator[Place]:
    """Return the places of `x-openapi`, as the import writes it for an API that uses many of its keys."""
    ran = [here.toolgen("import", "openapi", str(_API), "--into", "specs"), here.toolgen("generate")]
    if any(each.code for each in ran):
        raise RuntimeError(f"the fuzzer's own API is refused: {[each.err for each in ran]}")
    code = "import json, generated.catalog as c; print(json.dumps(list(c.TOOLS.values())))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here.root, capture_output=True, text=True, check=True
    )
    for definition in json.loads(done.stdout):
        how = definition["x-openapi"]
        for path in _leaves(how):
            label = ".".join(str(step) for step in ("x-openapi", *path))
            yield Place(label, "x-openapi", path, how)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, (*path, step))


@dataclass(slots=True)
class _Run:
    """The state of one run."""

    deadline: Deadline
    workers: Workers
    tally: Tally = field(default_factory=Tally)

    def try_all(self, cases: Sequence[Case]) -> list[Outcome]:
        """Run the cases, and their parts if they are refused, until each is decided or the deadline."""
        outcomes: list[Outcome] = []
        left = list(cases)
        while left and not self.deadline.is_over and len(self.tally.findings) < _ENOUGH:
            # What has failed is narrowed down before the rest is tried: a fault everywhere is found at once.
            batches = list(_batched(left))
            some = 2 * self.workers.count
            left = [case for batch in batches[some:] for case in batch]
            for outcome in self.workers.map(run_batch, batches[:some], self.deadline):
                left += outcome.again
                outcomes.append(outcome)
                self.count(outcome)
        self.tally.counts["not tried"] += texts_of(left)
        return outcomes

    def sweep(self, texts: Sequence[str], places_: _Places) -> None:
        """Try each text in each place."""
        outcomes = self.try_all([case for text in texts for case in places_.cases(text)])
        places_.learn([case for outcome in outcomes for case in outcome.refused])
        self.tally.counts["texts"] += len(texts)

    def names(self, texts: Sequence[str]) -> None:
        """Try each text as the name of a file and of a folder."""
        names = [text for text in texts if _is_file_name(text)]
        self.try_all([Case("x", (), file=name) for name in names])
        self.try_all([Case("x", (), file=f"{name}/spec") for name in names])

    def count(self, outcome: Outcome) -> None:
        self.tally.add(outcome.tally)
        self.tally.counts["generated and called"] += texts_of(outcome.accepted)
        self.tally.counts["refused with a diagnostic"] += texts_of(outcome.refused)


def _is_file_name(text: str) -> bool:
    """True if the file or the folder of a spec can have this name."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return False
    # hidden files are no specs
    return 0 < len(data) < _LONGEST and not {"/", "\x00"} & set(text) and not text.startswith(".")


def _batched(cases: Sequence[Case]) -> Iterator[tuple[Case, ...]]:
    batch: list[Case] = []
    for case in sorted(cases, key=lambda each: each.company):
        if batch and len(batch) >= min(_BATCH, batch[0].company):
            yield tuple(batch)
            batch = []
        batch.append(case)
    if batch:
        yield tuple(batch)


def run(source: random.Random, deadline: Deadline, workers: Workers, texts: Sequence[str] = FIXED) -> Tally:
    """Try every text in every place, then texts of `source` until the deadline."""
    state = _Run(deadline, workers)
    places_ = _classified(state)
    state.tally.counts["places"] = len(places_.free) + len(places_.strict)
    # In any order, but for few that find what no other does: references that read files, and templates.
    left = sorted(
        source.sample(texts, len(texts)), key=lambda text: "secret.yaml" not in text and "{{" not in text
    )
    if not state.tally.findings:
        state.names(left[:_NAMES])
    while left and not deadline.is_over and len(state.tally.findings) < _ENOUGH:
        some, left = left[:_CHUNK], left[_CHUNK:]
        state.sweep(some, places_)
    state.tally.counts["not tried"] += len(left) * state.tally.counts["places"]
    while not deadline.is_over and not state.tally.findings:
        state.sweep([fresh(source) for _ in range(_CHUNK)], places_)
    state.tally.findings = smallest(state.tally.findings)
    return state.tally


@dataclass(slots=True)
class _Places:
    """Places that accept any text, tried together, and places that restrict it, tried one by one."""

    free: list[Place]
    strict: list[Place]

    def learn(self, refused: Sequence[Case]) -> None:
        """Try a place by itself from now on if it refused a text that other places accept."""
        by_text: dict[str, set[str]] = {}
        for case in refused:
            by_text.setdefault(case.text, set()).update(place.label for place in case.places)
        picky = {
            label for labels in by_text.values() if len(labels) < len(self.free) // 2 for label in labels
        }
        self.strict += [place for place in self.free if place.label in picky]
        self.free = [place for place in self.free if place.label not in picky]

    def cases(self, text: str) -> list[Case]:
        return [*pack(text, self.free), *(Case(text, (place,)) for place in self.strict)]


def _classified(state: _Run) -> _Places:
    outcomes = state.try_all([Case(_PROBE, (place,)) for place in places()])
    free = {case.places[0].label for outcome in outcomes for case in outcome.accepted}
    return _Places(
        [each for each in places() if each.label in free],
        [each for each in places() if each.label not in free],
    )


def try_data(data: Any) -> Tally:
    """Generate the case of a reproduction."""
    known = {place.label: place for place in places()}
    chosen = tuple(known[label] for label in data["places"] if label in known)
    return Tally(findings=_tried(Case(data["text"], chosen, data["file"])))


def _tried(case: Case) -> list[Finding]:
    findings: list[Finding] = []
    left = [case]
    while left:
        outcome = run_batch([left.pop()])
        findings += outcome.tally.findings
        left += outcome.again
    return findings


def smallest(findings: Sequence[Finding]) -> list[Finding]:
    """Return one finding of each kind, with the fewest places and the shortest text."""
    first: dict[str, Finding] = {}
    for each in findings:
        first.setdefault(each.kind, each)
    return [_reduced(each) for each in first.values()]


def _reduced(found: Finding) -> Finding:
    tries = 0

    def still(data: dict[str, Any]) -> Finding | None:
        nonlocal tries
        tries += 1
        same = (
            [each for each in try_data(data).findings if each.kind == found.kind] if tries <= _TRIES else []
        )
        return same[0] if same else None

    best, data = found, dict(found.reproduction)
    for key in ("places", "text"):
        size = max(1, len(data[key]) // 2)
        while size and tries < _TRIES:
            for start in range(0, len(data[key]), size):
                shorter = {**data, key: data[key][:start] + data[key][start + size :]}
                if (key == "text" or shorter[key]) and (seen := still(shorter)):
                    best, data = replace(seen, reproduction=shorter), shorter
                    break
            else:
                size //= 2
    return best

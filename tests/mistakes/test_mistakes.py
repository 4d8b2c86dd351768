"""Realistic mistakes in specs, and what the diagnostics say about each: the entries of `tests/mistakes/*.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from toolgen.compile.pipeline import bind
from toolgen.language.diagnostic import Diagnostic, SpecErrors

from tests.samples import load_beside

FOLDER = Path(__file__).parent
PATH = "specs/book_table.yaml"
HEAD = "name: book_table\ndescription: Book a table in a restaurant.\n"
SCHEMA = """\
input_schema:
  type: object
  additionalProperties: false
  required: [guests]
  properties:
    guests: {type: integer, description: Number of guests, minimum: 1}
"""
INDENTS = {"top": "", "schema": "  ", "properties": "    "}
MAX_POOR = 0.05  # of the entries
LEAST_BY_LINT = 44
_IN_EVERY_SPEC = {"annotations-missing", "parameter-undescribed", "title-missing"}  # of these files
KNOWN = {"spec", *INDENTS, "property", "line", "cure", "not", "valid", "by"}


@cache
def mistakes() -> Mapping[str, Mapping[str, Any]]:
    found = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, mistake in load_beside(__file__, path.name).items():
            found[f"{path.stem}/{name}"] = mistake
    return found


def text_of(mistake: Mapping[str, Any]) -> str:
    """Return the spec with the mistake."""
    if "spec" in mistake:
        return str(mistake["spec"])
    text = HEAD + SCHEMA
    # Texts for the inner places come first: each is appended to what is still open.
    if "property" in mistake:
        schema = mistake["property"].rstrip("\n")
        is_flow = "\n" not in schema and schema.startswith("{")
        text += "    when: " + schema + "\n" if is_flow else "    when:\n" + _indented(schema, "      ")
    for place in ("properties", "schema", "top"):
        if place in mistake:
            text += _indented(mistake[place], INDENTS[place])
    return text


def _indented(text: str, indent: str) -> str:
    # Conflict markers and tabs begin their line wherever they are.
    lines = text.rstrip("\n").split("\n")
    return "".join(line + "\n" if line.startswith("\t") else indent + line + "\n" for line in lines)


def findings(text: str, *, by_lint: bool = False) -> tuple[Diagnostic, ...]:
    """Return the errors of the spec, or its warnings if there are none: of all lint rules with `by_lint`."""
    try:
        found = bind({PATH: text.encode()}, is_whole=True, all_rules=by_lint).warnings
        return tuple(each for each in found if each.code not in _IN_EVERY_SPEC)
    except SpecErrors as errors:
        return tuple(errors.diagnostics)


def is_error(text: str) -> bool:
    try:
        bind({PATH: text.encode()}, is_whole=True)
    except SpecErrors:
        return True
    return False


def judge(mistake: Mapping[str, Any], found: tuple[Diagnostic, ...], text: str) -> str:
    """Return `good`, or why the diagnostics are poor or wrong."""
    if mistake.get("valid"):
        return "good"
    if not found:
        return "wrong: nothing is found"
    lines = [*text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), ""]
    wrong = mistake.get("not", ())
    for each in found:
        said = f"{each.message}; {each.hint}"
        for pattern in map(str, wrong):
            if re.search(pattern, said, re.IGNORECASE):
                return f"wrong: says {pattern!r}: {said}"
    first = found[0]
    # The word that is refused is no cure.
    message = re.sub(r"^(unknown field )?'[^']*'", "", first.message)
    said = "; ".join([message, first.hint, *(note.message for note in first.notes)])
    places = mistake["line"] if isinstance(mistake["line"], list) else [mistake["line"]]
    if not any(str(place) in lines[first.span.line - 1] for place in places):
        return f"poor: names line {first.span.line}, {lines[first.span.line - 1]!r}: {said}"
    missing = [
        pattern for pattern in map(str, mistake["cure"]) if not re.search(pattern, said, re.IGNORECASE)
    ]
    return f"poor: lacks {missing}: {first.code}: {said}" if missing else "good"


def verdicts(*, by_lint: bool) -> Iterator[tuple[str, str]]:
    for name, mistake in mistakes().items():
        if (mistake.get("by") == "lint") == by_lint:
            text = text_of(mistake)
            if mistake.get("valid"):
                yield name, "wrong: it is valid" + str(findings(text)) if is_error(text) else "good"
            else:
                yield name, judge(mistake, findings(text, by_lint=by_lint), text)


def test_every_entry_is_one_mistake_with_an_expectation() -> None:
    for name, mistake in mistakes().items():
        assert not mistake.keys() - KNOWN, name
        assert mistake.get("valid") or {"line", "cure"} <= mistake.keys(), name
        assert len({"spec", *INDENTS, "property"} & mistake.keys()) >= 1, name


def test_no_diagnostic_of_a_mistake_is_wrong() -> None:
    assert [f"{name}: {said}" for name, said in verdicts(by_lint=False) if said.startswith("wrong")] == []


def test_most_diagnostics_name_the_place_and_the_cure() -> None:
    judged = dict(verdicts(by_lint=False))
    poor = {name: said for name, said in judged.items() if said != "good"}
    assert len(poor) <= MAX_POOR * len(judged), poor


def test_lint_rules_find_what_is_theirs() -> None:
    judged = dict(verdicts(by_lint=True))
    assert sum(said == "good" for said in judged.values()) >= LEAST_BY_LINT, judged


if __name__ == "__main__":
    import sys

    for by_lint in (False, True):
        judged = list(verdicts(by_lint=by_lint))
        for name, verdict in judged:
            if verdict != "good":
                print(f"{name}: {verdict}", file=sys.stdout)
        kinds = [verdict.partition(":")[0] for _, verdict in judged]
        print({kind: kinds.count(kind) for kind in ("good", "poor", "wrong")}, f"{by_lint=}")

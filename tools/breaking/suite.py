"""The public containment suite: pairs of schemas with the truth, scored by draft and folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
from toolgen.proof.containment import Contained, NotContained, check_containment
from toolgen.schema.document import Draft
from toolgen.schema.validator import compiled

DRAFTS: Final[Mapping[str, Draft]] = {"draft2020-12": Draft.DRAFT_2020_12, "draft7": Draft.DRAFT_7}


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the suite: does `wide` accept every value that `narrow` accepts?"""

    folder: str  # draft and folder: `draft7/valid`
    where: str  # file, and number of the case in it
    narrow: Any
    wide: Any
    truth: bool


@dataclass(slots=True)
class SuiteScore:
    """The answers to the questions of one folder."""

    questions: int = 0
    right: int = 0
    unanalysed: int = 0
    contradicted: list[str] = field(default_factory=list)
    """Questions that the suite answers otherwise than the validator, which verdicts are about."""
    refused: list[str] = field(default_factory=list)
    """Schemas that cannot be in a spec: with references to other documents, or to none."""
    wrong: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def questions(suite: Path) -> Iterator[Question]:
    """Yield the questions of the suite in the order of its files."""
    for name, draft in DRAFTS.items():
        for file in sorted((suite / name).rglob("*.json")):
            inside = file.relative_to(suite / name)
            for case in json.loads(file.read_text(encoding="utf-8")):
                one, other = (_with_draft(case[key], draft) for key in ("schema1", "schema2"))
                place = f"{name}/{inside.parts[0]}", f"{name}/{inside.as_posix()} {case['id']}"
                tests = case["tests"]
                if "s1SubsetEqOfs2" in tests:
                    yield Question(*place, one, other, tests["s1SubsetEqOfs2"])
                if "s2SubsetEqOfs1" in tests:
                    yield Question(*place, other, one, tests["s2SubsetEqOfs1"])


def score_suite(suite: Path) -> dict[str, SuiteScore]:
    """Answer every question, and count the answers by folder."""
    scores: dict[str, SuiteScore] = {}
    for question in questions(suite):
        _answer(question, scores.setdefault(question.folder, SuiteScore()))
    return scores


def _answer(question: Question, score: SuiteScore) -> None:
    score.questions += 1
    try:
        accepts, demands = compiled(_object(question.narrow)), compiled(_object(question.wide))
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        score.refused.append(f"{question.where}: {str(error).splitlines()[0]}")
        return
    verdict = check_containment(question.narrow, question.wide)
    if isinstance(verdict, Contained):
        shown = _constant(question)
        if question.truth:
            score.right += 1
        elif shown is not None and (not accepts.is_valid(shown[0]) or demands.is_valid(shown[0])):
            score.contradicted.append(question.where)
        else:
            score.wrong.append(f"{question.where}: said to be contained")
    elif isinstance(verdict, NotContained):
        holds = accepts.is_valid(verdict.witness) and not demands.is_valid(verdict.witness)
        if holds and not question.truth:
            score.right += 1
        elif holds:
            score.contradicted.append(question.where)
        else:
            score.wrong.append(f"{question.where}: {verdict.witness!r} is no witness")
    else:
        score.unanalysed += 1
        score.reasons[verdict.reason] += 1


def _with_draft(schema: Any, draft: Draft) -> Any:
    return {"$schema": draft.value, **schema} if isinstance(schema, dict) else schema


def _object(schema: Any) -> Any:
    return schema if isinstance(schema, dict) else {"allOf": [schema]}


def _constant(question: Question) -> list[Any] | None:
    """Return the one value that the narrow schema accepts, in a list, if it is written so."""
    narrow = question.narrow
    return [narrow["const"]] if isinstance(narrow, dict) and "const" in narrow else None

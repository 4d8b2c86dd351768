"""Lint the specs of a project: a function from texts to a report.

The commands and the language server call `lint_specs`. Build warnings are part of it, and so is what the
dialects of targets cannot say.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal

from pydantic import BaseModel, Field, ValidationError

from toolgen.base.suggestions import count
from toolgen.cli.report.entry import Entry, Report, entry_of
from toolgen.compile.incremental import Texts
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.definition import choose_references, inline_option
from toolgen.compile.publishing.request_limits import exceeded_request_limits, tool_summary
from toolgen.language.diagnostic import Diagnostic, in_order
from toolgen.language.lint.fixes import FIXES, fixed_text
from toolgen.language.lint.rules.tools import long_client_name
from toolgen.language.lint.settings import LintSettings
from toolgen.language.lint.suppressions import SuppressedFindings
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program
from toolgen.language.source import Source
from toolgen.language.targets.definition import Target
from toolgen.project import Project, UnableError, read_text
from toolgen.schema.document import JsonPath, format_pointer

_MEMBER: Final = "toolgen-lint-baseline"
_VERSION: Final = 1


class _Fingerprint(BaseModel):
    fingerprint: str


class _Baseline(BaseModel):
    """A baseline of the version that this toolgen reads."""

    version: Literal[1] = Field(alias=_MEMBER)
    findings: list[_Fingerprint]


def fingerprint(code: str, subject: str, path: JsonPath) -> str:
    """Return what a finding is recognised by: its rule, its tool or file, and its place in it."""
    return sha256(json.dumps([code, subject, format_pointer(path)]).encode()).hexdigest()[:16]


def _baseline_text(entries: Iterable[Entry]) -> str:
    found = sorted((each.code, each.span.file, each.fingerprint) for each in entries)
    rows = [{"rule": rule, "file": file, "fingerprint": each} for rule, file, each in found]
    return json.dumps({_MEMBER: _VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Found:
    """A finding as it is reported, and what it was made of."""

    entry: Entry
    diagnostic: Diagnostic
    path: JsonPath = ()  # of the value or key in its file


@dataclass(frozen=True, slots=True)
class LintResult:
    """The findings of a project, and what can be made of them."""

    report: Report
    found: tuple[Found, ...]  # of the entries of the report, in their order
    baseline: str  # the text of a baseline with all findings
    fixes: Mapping[str, str]  # path of a spec below the specs folder → its text with all safe fixes


def lint_specs(
    texts: Texts,
    targets: Sequence[Target],
    settings: PackageSettings,
    lint: LintSettings | None = None,
    *,
    baseline: Counter[str] | None = None,
    fails: Collection[str] = ("error",),
    only: Collection[str] = (),
) -> LintResult:
    """Lint all specs of a project. Raises `SpecErrors` if one of them is not valid.

    Args:
        texts: Path below the specs folder → content of each file.
        targets: What the specs are published to: their limits and losses are reported.
        settings: The settings of the package.
        lint: Levels of the rules.
        baseline: Fingerprints of the findings that do not fail; any other error or warning does.
        fails: Levels of the findings that fail without a baseline.
        only: Files, as places show them, whose findings are reported; all, if there are none.
    """
    prefix = f"{settings.specs}/" if settings.specs else ""
    program = analyze(texts, targets, prefix, needs_tools=False, is_whole=True, all_rules=True)
    program = choose_references(program, settings)
    sources = {tool.source.file: tool.source for tool in (*program.tools, *program.disabled)}
    sources |= {shared.source.file: shared.source for shared in program.shared.values()}
    suppressed = SuppressedFindings(sources.values())
    found = in_order([*program.warnings, *_joint_findings(program, targets, settings)])
    inlined = {tool.source.file for tool in program.tools if tool.inline or inline_option(tool)}
    inlined |= {each.span.file for each in found if each.code == "references-kept"}  # which says more
    found = tuple(each for each in found if each.code != "lost-reference" or each.span.file not in inlined)
    reasons = {each: suppressed.reason(each) for each in found}
    found = in_order([*found, *suppressed.faults, *suppressed.unused()])
    every = list(_findings(found, reasons, program, sources, lint or LintSettings(), only))
    shown, old = _new(every, baseline)
    if baseline is not None:
        fails = {*fails, "error", "warning"}
    entries = tuple(each.entry for each in shown)
    failed = any(entry.severity in fails and not entry.accepted for entry in entries)
    texts_of_sources = {file: source.text for file, source in sources.items()}
    summary = _summary(entries, old, len(program.tools))
    return LintResult(
        Report("lint", entries, failed, summary, texts=texts_of_sources, fails=fails),
        tuple(shown),
        _baseline_text(each.entry for each in every if not each.entry.accepted),
        _fixes(every, sources),
    )


def read_baseline(project: Project) -> Counter[str] | None:
    """Return the project's baseline; None if it has none. Raises `UnableError` if it is not valid."""
    file = project.lint.baseline
    text = read_text(project.root, file)
    try:
        found = None if text is None else _Baseline.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        why = ": ".join([".".join(map(str, first["loc"])), first["msg"]]).removeprefix(": ")
        message = f"{file} is no baseline that can be read: {why}"
        hint = "write it again: toolgen lint --write-baseline"
        raise UnableError("invalid-baseline", message, hint) from error
    return None if found is None else Counter(each.fingerprint for each in found.findings)


def _joint_findings(
    program: Program, targets: Sequence[Target], settings: PackageSettings
) -> Iterator[Diagnostic]:
    """Yield the findings about names with the server's prefix, and about requests with all tools."""
    for tool in program.tools:
        yield from long_client_name(tool, settings.server_name)
    strict = any(each.strict for tool in program.tools for each in tool.published.values())
    limits = [target.definition.max_tools for target in targets if target.asked]
    cached = any("cache" in tool.source.text for tool in program.tools)
    if strict or cached or any(most is not None and len(program.tools) > most for most in limits):
        package = lower(program, settings)
        yield from exceeded_request_limits([tool_summary(tool, targets) for tool in package.tools], targets)


def _findings(
    found: Iterable[Diagnostic],
    reasons: Mapping[Diagnostic, str],
    program: Program,
    sources: Mapping[str, Source],
    lint: LintSettings,
    only: Collection[str],
) -> Iterator[Found]:
    names = {tool.source.file: tool.spec.name for tool in (*program.tools, *program.disabled)}
    for each in found:
        file = each.span.file
        level = lint.level(each.code, file)
        if level == "off" or (only and file not in only):
            continue
        path = sources[file].path_at(each.span) if file in sources else ()
        # a spec that moves to another folder keeps its findings
        mark = fingerprint(each.code, names.get(file, file), path)
        entry = replace(entry_of(each), severity=level, fingerprint=mark, accepted=reasons.get(each, ""))
        yield Found(entry, each, path)


def _new(found: Iterable[Found], baseline: Counter[str] | None) -> tuple[list[Found], int]:
    """Return the findings that a baseline does not have, and how many it has."""
    left = Counter(baseline or {})
    new: list[Found] = []
    old = 0
    for each in found:
        if not each.entry.accepted and left[each.entry.fingerprint] > 0:
            left[each.entry.fingerprint] -= 1
            old += 1
        else:
            new.append(each)
    return new, old


def _summary(shown: Sequence[Entry], old: int, tools: int) -> tuple[str, ...]:
    levels = Counter(entry.severity for entry in shown if not entry.accepted)
    parts = [count(levels[level], level) for level in ("error", "warning") if levels[level]]
    parts += [f"{levels['info']} info"] if levels["info"] else []
    ignored = sum(bool(entry.accepted) for entry in shown)
    parts += [f"{ignored} ignored with a reason"] if ignored else []
    parts += [f"{old} in the baseline"] if old else []
    return (f"{count(tools, 'tool')}: {', '.join(parts) or 'no findings'}",)


def _fixes(found: Iterable[Found], sources: Mapping[str, Source]) -> dict[str, str]:
    """Return the changed texts of specs by their paths below the specs folder."""
    wanted: dict[str, list[tuple[str, JsonPath]]] = {}
    for each in found:
        if each.entry.code in FIXES and not each.entry.accepted:
            wanted.setdefault(each.entry.span.file, []).append((each.entry.code, each.path))
    changed = {file: fixed_text(sources[file].text, found) for file, found in wanted.items()}
    return {sources[file].path: text for file, text in changed.items() if text != sources[file].text}

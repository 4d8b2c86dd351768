"""Judge what changed by what a consumer has locked: its source today, or the specs of its server.

A client checks whole responses by the contract that it was generated from. So a response that the lock does
not allow breaks it, whichever fields its code reads. Of requests, only the arguments that it gives count.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from toolgen.changes.comparing.definitions import compare_definitions, read_export
from toolgen.changes.comparing.guard import judge_server
from toolgen.changes.comparing.lock import NAME
from toolgen.changes.comparing.server_drift import FOR_CALLERS, concerns_call, drift_levels, with_drift_level
from toolgen.changes.comparing.sides import Judgement, SpecFiles, compare_files, files_of
from toolgen.changes.comparing.source_definitions import own_definitions
from toolgen.changes.comparison import compare
from toolgen.changes.contract import Side
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import Policy, failing
from toolgen.project import UnableError
from toolgen.project.building.project_build import read_inputs
from toolgen.project.inputs.target_templates import load_client_templates
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.mcp_client.listing import Listing
from toolgen.upstream.consumers.definitions import ClientDefinitions
from toolgen.upstream.consumers.lock import MAX_LOCK, ClientLock, read_client_lock
from toolgen.upstream.consumers.usage import read_files

_LEVELS: Final = drift_levels(allow_texts=True)
"""As a client judges what a server lists when it connects."""


@dataclass(frozen=True, slots=True)
class ConsumerJudgement:
    """What changed for one consumer."""

    file: str  # its lock, as it is shown
    package: str
    judgement: Judgement  # the findings that concern it
    unconcerned: int  # changes of what it does not use


def judge_upstream(
    lock: ClientLock, current: ClientDefinitions, *, file: str, text: str, today: date
) -> ConsumerJudgement:
    """Return what changed since a lock was written; `file` and `text` are its name and content.

    Texts that models read fail, too: they were reviewed when the client was generated.
    """
    names: Mapping[str, str] = {}
    if not lock.specs:
        old, new = _tools_only(lock.listing), _tools_only(current.server)
        if current.is_folder:
            raise UnableError("cannot-compare", f"{file} is of a server, and the source is a folder of specs")
        judgement = judge_server(old, new, file=file, text=text, today=today)
    else:
        if not current.is_folder:
            raise UnableError("cannot-compare", f"{file} is of a folder of specs, and the source is another")
        sides = compare_files(_files(lock.specs, f"{file}: "), _files(current.specs, ""))
        policy = Policy(levels={**_LEVELS, "description-changed": Level.ERROR})
        judgement, names = _judged(sides.old, sides.new, policy, today), _listed_names(sides.old)
    return _for_consumer(judgement, lock, file, FOR_CALLERS | {Category.AGENT}, names)


def judge_consumers(start: str, paths: Sequence[str], *, today: date) -> list[ConsumerJudgement]:
    """Return what the specs of the project at `start` do to each consumer, in the order of their locks.

    `paths` are locks, and folders that are searched for them. Raises UnableError.
    """
    inputs = read_inputs(start)
    judged = []
    locks = dict(
        read_files(start, paths, lambda path: path.rpartition("/")[2] == NAME, "--consumers", MAX_LOCK)
    )
    named = {file: content for file, content in locks.items() if file in paths or b'"client"' in content}
    if not named:
        raise UnableError("no-lock", f"there is no {NAME} of a client there", "give the folders of consumers")
    for file, content in named.items():
        with source_errors():
            lock = read_client_lock(content, file)
        if lock.specs:
            sides = compare_files(_files(lock.specs, f"{file}: "), files_of(inputs))
            old, new = sides.old, replace(sides.new, settings=None)
        else:
            exported = read_export(content, file)
            old, new = compare_definitions(exported, own_definitions(inputs, exported))
        judgement = _judged(old, new, Policy(levels=_LEVELS), today)
        judged.append(_for_consumer(judgement, lock, file, FOR_CALLERS, _listed_names(old)))
    return judged


def _concerns(finding: Finding, uses: Mapping[str, Collection[str]], listed: Mapping[str, str]) -> bool:
    """True if a finding is about something that a consumer uses; `listed` has the names that it knows."""
    names = {listed.get(tool, tool) for tool in finding.all_tools}
    return not names or any(name in uses and concerns_call(finding, uses[name]) for name in names)


def _for_consumer(
    judgement: Judgement,
    lock: ClientLock,
    file: str,
    categories: frozenset[Category],
    listed: Mapping[str, str],
) -> ConsumerJudgement:
    """Return the judgement with only the findings that concern the consumer that has the lock.

    `listed` has the names by which tools were listed, if findings call them otherwise.
    """
    found = [each for each in judgement.findings if each.category in categories]
    own = tuple(found)
    if lock.uses is not None:
        # a finding has the new name of a tool, and the uses have the one that the lock was written with
        former = {each.tool: str(each.detail) for each in found if _is_rename(each)}
        known = {**listed, **{new: listed.get(old, old) for new, old in former.items()}}
        uses = lock.uses
        own = tuple(each for each in found if _concerns(each, uses, known))
    failed = tuple(each for each in judgement.failed if each in own)
    return ConsumerJudgement(
        file, lock.package, replace(judgement, findings=own, failed=failed), len(found) - len(own)
    )


def _is_rename(finding: Finding) -> bool:
    return finding.code == "tool-renamed" and finding.pointer == "/name"


def _as_listed(finding: Finding, old: Mapping[str, str], new: Mapping[str, str]) -> Finding:
    """Return the finding with its level for a client that looks for names in the server's list."""
    if finding.code != "tool-renamed":
        return finding
    is_other = finding.pointer == "/targets/mcp/name" or (
        _is_rename(finding) and old.get(str(finding.detail)) != new.get(finding.tool)
    )
    # aliases are answered, but a list does not have them; names for other targets are none of it
    return replace(finding, level=Level.ERROR if is_other else Level.INFO)


def _listed_names(side: Side) -> dict[str, str]:
    """Return the name by which MCP lists each tool, by its own name."""
    names = {name: each.published_names() for name, each in side.contracts.items()}
    return {name: found.get("mcp", name) for name, found in names.items()}


def _judged(old: Side, new: Side, policy: Policy, today: date) -> Judgement:
    names = _listed_names(old), _listed_names(new)
    compared = compare(old, new, policy=policy, today=today)
    found = tuple(_as_listed(with_drift_level(each, old), *names) for each in compared)
    failed = tuple(failing(found, Level.ERROR, frozenset(Category), allow_unanalysed=False))
    return Judgement(found, failed, Level.ERROR, (), {**old.texts, **new.texts})


def _files(specs: Mapping[str, str], prefix: str) -> SpecFiles:
    texts = {path: text.encode("utf-8", "surrogateescape") for path, text in specs.items()}
    return SpecFiles("", prefix, texts, [load_client_templates().target])


def _tools_only(listing: Listing) -> Listing:
    return replace(listing, resources=(), resource_templates=(), prompts=(), capabilities=None)

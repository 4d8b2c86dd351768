"""Clients of the servers of a corpus, all in one folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgen.sources.mcp_client.listing import Listing
from toolgen.upstream.consumers.definitions import ClientDefinitions, definitions_of, read_definitions
from toolgen.upstream.consumers.lock import TYPESCRIPT, ClientLock
from toolgen.upstream.consumers.package import ClientPlan, plan_client, write_client

from tools.corpus.openai import batches, function
from tools.corpus.project import project


@dataclass(frozen=True, slots=True)
class CorpusClient:
    """The client of one server of a corpus."""

    server: str
    package: str
    plan: ClientPlan
    specs: Path  # the folder with the specs that it was generated from
    calls: Mapping[str, Sequence[Mapping[str, Any]]]  # by tool: known valid arguments


def write_mcp_clients(corpus: Path, root: Path) -> Iterator[CorpusClient]:
    """Write a client for each server in a file with one tool a line, its server under `source`."""
    servers: dict[str, list[dict[str, Any]]] = {}
    for line in corpus.read_text(encoding="utf-8").splitlines():
        tool = json.loads(line)
        servers.setdefault(tool.pop("source", corpus.stem), []).append(tool)
    for number, (server, tools) in enumerate(servers.items()):
        definitions = definitions_of(Listing(server, "", "", tools), server)
        yield _written(server, f"mcp_{number}", definitions, root, {})


def write_openai_clients(corpus: Path, root: Path) -> Iterator[CorpusClient]:
    """Write clients for functions with one a line; namesakes are in different clients."""
    lines = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    for number, batch in enumerate(batches(lines)):
        with project("corpus_client") as made:
            made.import_tools("openai", [function(line) for line in batch])
            definitions = read_definitions(str(made.root), ".")
        calls = {
            function(line)["name"]: [call["arguments"] for call in line.get("calls", ()) if call["valid"]]
            for line in batch
            if line.get("language") not in ("java", "javascript")  # their arguments are not JSON
        }
        yield _written(f"openai {number}", f"openai_{number}", definitions, root, calls)


def _written(
    server: str,
    package: str,
    definitions: ClientDefinitions,
    root: Path,
    calls: Mapping[str, Sequence[Mapping[str, Any]]],
) -> CorpusClient:
    specs = root / "specs" / package
    specs.mkdir(parents=True)
    for path, text in definitions.specs.items():
        (specs / path).parent.mkdir(parents=True, exist_ok=True)
        (specs / path).write_text(text, encoding="utf-8")
    lock = ClientLock(listing=definitions.server, package=package, source=server)
    plan = plan_client(definitions, lock, root / package)
    write_client(plan)
    in_typescript = lock.model_copy(update={"language": TYPESCRIPT})
    write_client(plan_client(definitions, in_typescript, root / "typescript" / package))
    return CorpusClient(server, package, plan, specs, calls)

"""The story, seed after seed."""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import (
    seed_000_base_tool,
    seed_001_shared_tools,
    seed_002_base_tool_architecture,
    seed_003_spec_driven_tools,
    seed_004_tool_interface,
)
from .shop import Shop, opened
from .telling import BOLD, PLAIN, ROOT, NotTrueError, must, step, tell

LONGEST_SECONDS = 60
SEEDS = (
    seed_000_base_tool,
    seed_001_shared_tools,
    seed_002_base_tool_architecture,
    seed_003_spec_driven_tools,
    seed_004_tool_interface,
)


async def story() -> None:
    """All of it, on data that is made for it and thrown away."""
    with tempfile.TemporaryDirectory() as data:
        async with asyncio.timeout(LONGEST_SECONDS), opened(Path(data)) as shop:
            await introduce(shop)
            for seed in SEEDS:
                await seed.walk(shop)
    print()
    step("All of this was checked as it was told.")
    tell("written", "specs/ and examples/tools/    by a person")
    tell("generated", "generated/    never edited, checked by CI")


async def introduce(shop: Shop) -> None:
    specs = sorted((ROOT / "specs").glob("[!.]*.yaml"))
    tools = (await shop.client.list_tools()).tools
    must(sorted(tool.name for tool in tools) == [spec.stem for spec in specs], "each spec is one tool")
    tell("ran", "toolgen generate    (specs/ to generated/: types, server, adapters)")
    tell("running", "python -m generated.mcp_server    (over stdio)")
    tell(f"{len(tools)} tools", ", ".join(tool.name for tool in tools))


def main() -> int:
    """Tell the story; 1 where it is not true."""
    print(f"{BOLD}toolgen: one reviewed YAML file per tool; types, servers and checks are generated{PLAIN}")
    logging.getLogger("toolgen.runtime").addHandler(logging.NullHandler())  # what is logged is told
    faults: list[str] = []
    try:
        asyncio.run(story())
    except* NotTrueError as group:  # a group, as the client runs tasks of its own
        faults += [str(error) for error in leaves(group)]
    except* TimeoutError:
        faults.append(f"demo: not finished after {LONGEST_SECONDS} seconds")
    sys.stdout.flush()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


if __name__ == "__main__":
    sys.exit(main())

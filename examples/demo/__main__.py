"""Run the demo: generate, start the server, show the five designs."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from examples import contract

from .narration import BOLD, PLAIN, ROOT, NotTrueError, must, step, tell

if TYPE_CHECKING:
    from .shop import Shop

LONGEST_SECONDS = 60
SEEDS = (  # imported once the code that they use is generated
    "seed_000_base_tool",
    "seed_001_shared_tools",
    "seed_002_base_tool_architecture",
    "seed_003_spec_driven_tools",
    "seed_004_tool_interface",
)


async def story() -> None:
    """Run the whole demo on temporary data."""
    async with asyncio.timeout(LONGEST_SECONDS):
        await generate()
        shop = import_module("examples.demo.shop")
        with tempfile.TemporaryDirectory() as data:
            async with shop.opened(Path(data)) as opened:
                await introduce(opened)
                for seed in SEEDS:
                    await import_module(f"examples.demo.{seed}").walk(opened)
    print()
    step("Everything shown above was checked.")
    tell("written", "specs/ and examples/tools/    by a person")
    tell("generated", "generated/    never edited, checked by CI")


async def generate() -> None:
    """Run `toolgen generate`, and show that."""
    tell("running", "toolgen generate    (specs/ to generated/: types, server, adapters)")
    command = [sys.executable, "-m", "toolgen", "generate"]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    must(done.returncode == 0, f"toolgen generate succeeds, but it says: {done.stderr}")
    tell("answer", done.stdout)


async def introduce(shop: Shop) -> None:
    """Show the tools of the server."""
    tools = (await shop.client.list_tools()).tools
    must(sorted(tool.name for tool in tools) == contract.spec_names(), "each spec is one tool")
    tell("running", "python -m generated.mcp_server    (over stdio)")
    tell(f"{len(tools)} tools", ", ".join(tool.name for tool in tools))


def main() -> int:
    """Run the demo; return 1 if something that it shows is not true."""
    print(f"{BOLD}toolgen: one reviewed YAML file per tool; types, servers and checks are generated{PLAIN}")
    # no log output between the lines of the demo
    logging.getLogger("toolgen.runtime").addHandler(logging.NullHandler())
    faults: list[str] = []
    try:
        asyncio.run(story())
    except* NotTrueError as group:  # a group, because the client runs tasks
        faults += [str(error) for error in leaves(group)]
    except* TimeoutError:
        faults.append(f"demo: not finished after {LONGEST_SECONDS} seconds")
    sys.stdout.flush()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors of nested groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


if __name__ == "__main__":
    sys.exit(main())

"""Run the demo: generate, start the server, show the five designs; compare the transcript with the golden."""

from __future__ import annotations

import argparse
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

from .narration import BOLD, ROOT, NotTrueError, difference, must, record, restart, show, tell, transcript

if TYPE_CHECKING:
    from .shop import Shop

FILE = "examples/demo/transcript.txt"
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


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; return 1 if anything is not true, or differs from the reviewed transcript."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write {FILE}, to be reviewed")
    recording = parser.parse_args(arguments).record
    restart()
    show("toolgen: one reviewed YAML file per tool; types, servers and checks are generated", BOLD)
    # no log output between the lines of the demo
    logging.getLogger("toolgen").addHandler(logging.NullHandler())
    faults: list[str] = []
    try:
        asyncio.run(story())
    except* NotTrueError as group:  # a group, because the client runs tasks
        faults += [str(error) for error in leaves(group)]
    except* TimeoutError:
        faults.append(f"demo: not finished after {LONGEST_SECONDS} seconds")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else conclude(recording)


def conclude(recording: bool) -> int:
    """Compare the transcript with the golden, or write it; return the exit code."""
    if recording:
        record()
        print(f"\nWrote {FILE}. Review it.")
        return 0
    if diff := difference():
        print(f"demo: this run differs from {FILE}:\n{diff}", file=sys.stderr)
        print("If the change is right: python -m examples.demo --record, and review it.", file=sys.stderr)
        return 1
    count = len(transcript().splitlines())
    print(f"\n\nAll {count} lines are equal to {FILE}, except for call ids and times.")
    return 0


def leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors of nested groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


if __name__ == "__main__":
    sys.exit(main())

"""Measure one call of a typed client many times in one process, and a raw call of the SDK's client.

`python client.py ROUNDS CALLS [cpu]`, with a project that has the client `shop` on PYTHONPATH. Prints JSON:
seconds per call, one figure a round.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import servers
from jsonschema_rs import Draft202012Validator


async def main(rounds: int, calls: int) -> None:
    """Measure, and print the figures."""
    from mcp import Client
    from shop import ShopClient

    asked = servers.request()
    name, arguments = asked["name"], asked["arguments"]
    tool = next(tool for tool in servers.tools() if tool["name"] == name)
    answered = Draft202012Validator(tool["output_schema"], validate_formats=True)
    method = next(method for method, (listed, _, _) in ShopClient._tools.items() if listed == name)
    server = servers.lowlevel(servers.tools())
    async with Client(server) as raw, ShopClient.connect(server, on_drift="ignore") as shop:

        async def validated() -> Any:
            result = (await raw.call_tool(name, arguments)).structured_content
            if not answered.is_valid(result):
                raise ValueError("the answer breaks its schema")
            return result

        async def typed() -> Any:
            return await shop._call(method, arguments)

        found = (await typed()).model_dump(mode="json", by_alias=True, exclude_unset=True)
        if not found == await validated() == asked["answer"]:
            raise SystemExit("the answers differ")
        cases = {"typed client": typed, "raw call and one validation": validated}
        print(json.dumps(await _measure(cases, rounds, calls)))


async def _measure(
    cases: dict[str, Callable[[], Awaitable[Any]]], rounds: int, calls: int
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in cases}
    clock = time.process_time if "cpu" in sys.argv else time.perf_counter
    for number in range(rounds + 1):
        for name in sorted(cases, reverse=bool(number % 2)):
            gc.collect()
            began = clock()
            for _ in range(calls):
                await cases[name]()
            if number:  # the first round warms up
                found[name].append((clock() - began) / calls)
    return found


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))

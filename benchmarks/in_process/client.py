"""Measure one call of a typed client many times in one process, and a raw call of the SDK's client.

`python client.py ROUNDS [cpu]`, with a project that has the client `shop` on PYTHONPATH. Prints JSON:
seconds per call, one figure a round.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import calls
import servers
from jsonschema_rs import Draft202012Validator
from mcp import Client


async def main(rounds: int) -> None:
    """Measure, and print the figures."""
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
        print(json.dumps(await calls.measure(cases, rounds)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))

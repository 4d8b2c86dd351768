"""Bytes of the `tools/list` result of a generated package: with output schemas, and without them."""

from __future__ import annotations

import json

from toolgen.serving.listed_tool import served_tools

from generated import catalog


def main() -> None:
    tools = served_tools(catalog.TOOLS)
    plain = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]
    for listed in (tools, plain):
        text = json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":"))
        print(len(text.encode()))


if __name__ == "__main__":
    main()

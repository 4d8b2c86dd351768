"""Seed 000, the BaseTool abstraction: what one base class gives to every tool."""

from __future__ import annotations

from collections import Counter

from generated import catalog
from generated.tools.catalog_search import CatalogSearchTool

from .narration import chapter, must, quote, step, tell
from .shop import Shop, as_json, data_of, refusal_of

NONSENSE = {"no_such_parameter": 1}


async def walk(shop: Shop) -> None:
    """Show this design with real calls."""
    chapter(
        "000",
        "BaseTool abstraction",
        "One abstract class, generic over the request; validation and one error format are shared.",
    )
    await subclass(shop)
    await shared(shop)
    await error_format(shop)


async def subclass(shop: Shop) -> None:
    step("A tool is a subclass: the generated class has the contract, a developer writes execute")
    quote("generated/tools/catalog_search.py", "class CatalogSearchTool")
    quote("examples/tools/catalog_search.py", "class CatalogSearch(")
    must(CatalogSearchTool.__abstractmethods__ == {"execute"}, "only execute has to be written")
    query = {"query": "bleeding hydraulic brakes", "limit": 1}
    found = data_of(await shop.call("catalog_search", query))
    best = found["documents"][0]
    tell("answer", f"{best['title']} by {best['author']}, {best['year']}\n{best['excerpt']}")


async def shared(shop: Shop) -> None:
    step("Validation is shared: each tool refuses what its schema does not allow, in the same words")
    result = await shop.call("catalog_search", {"query": "brakes", "limit": 0, "colour": "red"})
    tell("answer", refusal_of(result, "invalid_request"))
    tell("call", f"each of the {len(catalog.TOOLS)} tools {as_json(NONSENSE)}")
    lines: Counter[str] = Counter()
    for name in catalog.TOOLS:
        refusal = refusal_of(await shop.client.call_tool(name, NONSENSE), "invalid_request")
        first, *faults = refusal.replace(f" {name}:", " <its name>:").splitlines()
        lines += Counter([first, *(fault.partition(";")[0] for fault in faults if "no_such" in fault)])
    for line, count in lines.items():
        tell(f"{count} times", line)


async def error_format(shop: Shop) -> None:
    step("All errors have one format: content, isError, _meta")
    quote("specs/catalog_search.yaml", "- code: no_search_terms", 3)
    result = await shop.call("catalog_search", {"query": "?!"})
    refusal_of(result, "no_search_terms")
    wire = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    error = wire["_meta"]["toolgen/error"]
    shown = {**wire, "_meta": {"toolgen/error": error}}
    tell("answer", "\n".join(f'"{key}": {as_json(shown[key])}' for key in ("isError", "content", "_meta")))

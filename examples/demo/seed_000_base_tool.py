"""Seed 000, the BaseTool abstraction: what one base class gives to every tool."""

from __future__ import annotations

from generated import catalog
from generated.tools.catalog_search import CatalogSearchTool

from .narration import chapter, must, quote, step, tell
from .shop import Shop, as_json, data_of, refusal_of, text_of

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
    must(best["title"] == "Hydraulic Disc Brakes", "the library has a book about brakes")
    tell("answer", f"{best['title']} by {best['author']}, {best['year']}\n{best['excerpt']}")


async def shared(shop: Shop) -> None:
    step("Validation is shared: each tool refuses what its schema does not allow, before its code runs")
    result = await shop.call("catalog_search", {"query": "brakes", "limit": 0, "colour": "red"})
    tell("answer", refusal_of(result, "invalid_request"))
    for name in catalog.TOOLS:
        refusal_of(await shop.client.call_tool(name, NONSENSE), "no_such_parameter")
    tell(
        "tried",
        f"the same invalid arguments with all {len(catalog.TOOLS)} tools: refused with the same message",
    )


async def error_format(shop: Shop) -> None:
    step("All errors have one format: content, isError, _meta")
    quote("specs/catalog_search.yaml", "- code: no_search_terms", 3)
    result = await shop.call("catalog_search", {"query": "?!"})
    refusal_of(result, "no_search_terms")
    wire = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    error = wire["_meta"]["toolgen/error"]
    must(
        error["code"] == "no_search_terms" and error["hint"] in text_of(result),
        "the error is the declared one",
    )
    shown = {**wire, "_meta": {"toolgen/error": error}}
    tell("answer", "\n".join(f'"{key}": {as_json(shown[key])}' for key in ("isError", "content", "_meta")))

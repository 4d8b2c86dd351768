"""`[server] lenient_arguments`: what hosts add to arguments is left out, and told; what runs was confirmed."""

from __future__ import annotations

from typing import Any

from mcp_types import ElicitResult

from tests.end_to_end.project import ERAS, Project, error_code

ORDER = "async def execute(self, request, context): return request.model_dump(exclude_unset=True)"
MORE = 'output_schema: {type: object}\nconfirm: {message: "Order {what}?"}'
# as n8n sends arguments of its MCP client tool
ADDED = {"sessionId": "s1", "action": "sendMessage", "chatInput": "Order!", "toolCallId": "c1", "note": None}


@ERAS
async def test_what_hosts_add_is_left_out(project: Project, era: str) -> None:
    async def confirm(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    asked: list[str] = []
    properties = "what: {type: string}, note: {type: string}"
    project.add_plain_tool("order", ORDER, properties=properties, more=MORE)
    for setting, code in (("", "invalid_request"), ("server.lenient_arguments = true\n", None)):
        project.write("toolgen.toml", (project.root / "toolgen.toml").read_text() + setting)
        project.generate()
        async with project.stdio_client(era, elicitation_callback=confirm) as client:
            result = await client.call_tool("order", {"what": "tea", **ADDED})
            assert error_code(result) == code, result
    assert (result.structured_content, asked) == ({"what": "tea"}, ["Order tea?"])
    assert set((result.meta or {})["toolgen/left_out"]) == {f"$.{name}" for name in ADDED}

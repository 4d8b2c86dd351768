"""One result with text, PNG, PDF and link through every bridge, in the framework's own messages."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64decode
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from pydantic_ai.messages import BinaryContent, ModelMessagesTypeAdapter
from toolgen.runtime import File, Image, Link, Text, Toolkit, ToolResult
from toolgen.serving.bridges import langchain_tools

from tests.runtime.content_samples import PDF, PNG, returning

from . import test_bridge_to_fastmcp as fastmcp
from . import test_bridge_to_openai_agents as openai_agents
from . import test_bridge_to_pydantic_ai as pydantic_ai

pytestmark = pytest.mark.bridges

VALUE = {"total": 7}
JSON = '{"total":7}'
REPORT = Link("https://example.com/reports/7", title="Report")
LINE = "[link: Report] https://example.com/reports/7"
HASHES = [hashlib.sha256(data).hexdigest() for data in (PNG, PDF)]


def mixed(*blocks: Any, value: Any = VALUE) -> Toolkit:
    content = blocks or (Text("As ordered."), Image(PNG), File(PDF, name="order-7.pdf"), REPORT)
    return Toolkit([returning(ToolResult(value, *content), content="any")])


def hashes(*data: bytes) -> list[str]:
    return [hashlib.sha256(each).hexdigest() for each in data]


def by_langchain(toolkit: Toolkit) -> ToolMessage:
    (tool,) = langchain_tools(toolkit)
    call = {"type": "tool_call", "id": "1", "name": "x", "args": {}}
    return ToolMessage.model_validate(asyncio.run(tool.ainvoke(call)).model_dump())


def test_langchain_has_content_blocks_and_the_data_in_the_artifact() -> None:
    message = by_langchain(mixed())
    first, text, image, file, link = message.content_blocks
    assert (first["text"], text["text"], link["text"]) == (JSON, "As ordered.", LINE)
    assert (image["type"], image["mime_type"]) == ("image", "image/png")
    assert (file["type"], file["mime_type"], file["extras"]) == (
        "file",
        "application/pdf",
        {"filename": "order-7.pdf"},
    )
    assert hashes(b64decode(image["base64"]), b64decode(file["base64"])) == HASHES
    assert message.artifact["content"] == VALUE
    assert hashes(*(block["data"] for block in message.artifact["blocks"][1:3])) == HASHES


def test_an_agents_sdk_run_sends_images_and_files_to_responses() -> None:
    tools = openai_agents.openai_agents_tools(mixed())
    model = openai_agents.says([("x", {})])
    result = openai_agents.run(openai_agents.Agent(name="a", model=model, tools=[*tools]))
    (item,) = openai_agents.outputs(result)
    raw: Any = item.raw_item
    first, text, image, file, link = raw["output"]
    assert (first["text"], text["text"], link["text"]) == (JSON, "As ordered.", LINE)
    assert (image["type"], file["type"], file["filename"]) == ("input_image", "input_file", "order-7.pdf")
    urls = (image["image_url"], file["file_data"])
    assert hashes(*(b64decode(url.partition(";base64,")[2]) for url in urls)) == HASHES
    assert item.custom_data is not None
    assert item.custom_data["toolgen"]["content"] == VALUE
    assert [block.get("sha256") for block in item.custom_data["toolgen"]["blocks"][1:3]] == HASHES


def test_pydantic_ai_has_the_value_and_its_own_binary_content() -> None:
    made = pydantic_ai.agent(mixed(), (("x", {}),))
    result = pydantic_ai.go(made)
    (part,) = pydantic_ai.answers(result)
    value, text, image, file, link = part.content
    assert (value, text, link) == (VALUE, "As ordered.", LINE)
    assert isinstance(image, BinaryContent)
    assert isinstance(file, BinaryContent)
    assert (image.media_type, file.media_type) == ("image/png", "application/pdf")
    assert hashes(image.data, file.data) == HASHES
    assert [block.get("sha256") for block in part.metadata["blocks"][1:3]] == HASHES
    history = ModelMessagesTypeAdapter.dump_json(result.all_messages())
    assert len(ModelMessagesTypeAdapter.validate_json(history)) == len(result.all_messages())


@fastmcp.ERAS
def test_fastmcp_has_the_content_of_mcp(era: str) -> None:
    result = fastmcp.call(mixed(), "x", {}, era=era)
    first, text, image, file, link = result.content
    assert (first.text, text.text, str(link.uri)) == (JSON, "As ordered.", REPORT.uri)
    assert hashes(b64decode(image.data), b64decode(file.resource.blob)) == HASHES

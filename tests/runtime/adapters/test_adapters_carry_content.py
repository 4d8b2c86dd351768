"""One result with text, PNG, PDF and link through every provider's API, valid for the SDK's own types."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64decode
from collections.abc import Iterable
from typing import Any

import pytest
from adapter_samples import bedrock_faults, sdk
from pydantic import TypeAdapter
from toolgen.runtime import Audio, BaseTool, File, Image, Link, Text, Toolkit, ToolResult
from toolgen.runtime.adapters.provider import ProviderAdapter

from tests.runtime.content_samples import PDF, PNG, SVG, WAV, returning
from tests.runtime.provider_calls import provider_calls

VALUE = {"total": 7}
JSON = '{"total":7}'
REPORT = Link("https://example.com/reports/7", title="Report", description="In full.")
LINE = "[link: Report In full.] https://example.com/reports/7"


def mixed(*blocks: Any, value: Any = VALUE) -> BaseTool[Any, Any]:
    content = blocks or (Text("As ordered."), Image(PNG), File(PDF, name="order-7.pdf"), REPORT)
    return returning(ToolResult(value, *content), content="any")


def hashes(*data: bytes) -> list[str]:
    return [hashlib.sha256(each).hexdigest() for each in data]


def assert_is(kind: str, value: Any) -> None:
    """Assert that the type of an SDK accepts `value`, and knows all of its keys."""
    assert consumed(TypeAdapter(sdk(kind)).validate_python(value, strict=True)) == value


def consumed(value: Any) -> Any:
    """Return a validated value in full: pydantic validates an `Iterable` of a type when it is read."""
    if isinstance(value, dict):
        return {key: consumed(each) for key, each in value.items()}
    return (
        [consumed(each) for each in value]
        if isinstance(value, Iterable) and not isinstance(value, str)
        else value
    )


def answered(api: str, tool: BaseTool[Any, Any]) -> Any:
    """Return the answer to a call of the tool for an API."""
    execute = ProviderAdapter(api.split()[0]).execute
    return asyncio.run(execute(provider_calls("x")[api], Toolkit([tool])))


def by_anthropic(tool: BaseTool[Any, Any]) -> Any:
    block = answered("anthropic", tool)
    assert_is("anthropic.types:ToolResultBlockParam", block)
    return block["content"]


def by_responses(tool: BaseTool[Any, Any]) -> Any:
    item = answered("openai responses", tool)
    assert_is("openai.types.responses.response_input_item_param:FunctionCallOutput", item)
    return item["output"]


def by_chat(tool: BaseTool[Any, Any]) -> Any:
    message = answered("openai chat", tool)
    assert_is("openai.types.chat:ChatCompletionToolMessageParam", message)
    return message["content"]


def by_gemini(tool: BaseTool[Any, Any]) -> Any:
    response = sdk("google.genai.types:Part").model_validate(answered("gemini", tool)).function_response
    assert response is not None
    return response


def by_bedrock(tool: BaseTool[Any, Any], call_id: str = "tooluse_1") -> Any:
    call = {"toolUse": {"toolUseId": call_id, "name": "x", "input": {}}}
    block = asyncio.run(ProviderAdapter("bedrock").execute(call, Toolkit([tool])))
    assert bedrock_faults("ContentBlock", block) == ""
    return block["toolResult"]["content"]


def test_anthropic_carries_images_and_documents() -> None:
    first, text, image, document, link = by_anthropic(mixed())
    assert (first["text"], text["text"], link["text"]) == (JSON, "As ordered.", LINE)
    assert (image["type"], image["source"]["media_type"]) == ("image", "image/png")
    assert (document["type"], document["title"]) == ("document", "order-7.pdf")
    assert hashes(*(b64decode(each["source"]["data"]) for each in (image, document))) == hashes(PNG, PDF)


def test_responses_carries_images_and_files() -> None:
    first, text, image, file, link = by_responses(mixed())
    assert (first["text"], text["text"], link["text"]) == (JSON, "As ordered.", LINE)
    assert (image["type"], file["type"], file["filename"]) == ("input_image", "input_file", "order-7.pdf")
    urls = (image["image_url"], file["file_data"])
    assert [url.partition(",")[0] for url in urls] == [
        "data:image/png;base64",
        "data:application/pdf;base64",
    ]
    assert hashes(*(b64decode(url.partition(",")[2]) for url in urls)) == hashes(PNG, PDF)


def test_chat_completions_gets_text_and_never_base64() -> None:
    assert by_chat(
        mixed(Text("As ordered."), Image(PNG), File(PDF), File(b"a,b", name="a.csv"), REPORT)
    ) == "\n".join(
        [
            JSON,
            "As ordered.",
            "[image: image/png, 36 bytes]",
            "[file: application/pdf, 17 bytes]",
            "a,b",
            LINE,
        ]
    )


def test_gemini_carries_images_and_documents_as_parts() -> None:
    response = by_gemini(mixed())
    assert response.response == {"result": VALUE, "content": ["As ordered.", LINE]}
    blobs = [part.inline_data for part in response.parts]
    assert [blob.mime_type for blob in blobs] == ["image/png", "application/pdf"]
    assert hashes(*(blob.data for blob in blobs)) == hashes(PNG, PDF)


def test_bedrock_carries_images_documents_and_videos() -> None:
    first, text, image, document, link = by_bedrock(mixed())
    assert (first["text"], text["text"], link["text"]) == (JSON, "As ordered.", LINE)
    assert (image["image"]["format"], document["document"]["format"]) == ("png", "pdf")
    sources = (image["image"]["source"], document["document"]["source"])
    assert hashes(*(source["bytes"] for source in sources)) == hashes(PNG, PDF)
    video = Link("s3://shop/tour.mp4", media_type="video/mp4", private=True)
    (linked,) = by_bedrock(mixed(video))[1:]
    assert linked == {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://shop/tour.mp4"}}}}


def test_names_of_bedrock_documents_are_allowed_and_differ() -> None:
    files = (File(PDF, name="a/../Größe_7.pdf"), File(PDF, name="a/../Größe_7.pdf"), File(PDF))
    blocks = [*by_bedrock(mixed(*files))[1:], *by_bedrock(mixed(*files), "tooluse_2")[1:]]
    names = [block["document"]["name"] for block in blocks]
    assert len(set(names)) == 6
    assert names[0].startswith("a Gr e 7 pdf (")
    assert names[2].startswith("document (")


@pytest.mark.parametrize("carry", [by_anthropic, by_responses, by_bedrock])
def test_what_an_api_does_not_take_becomes_a_line(carry: Any) -> None:
    *_, svg, audio, archive = carry(mixed(Image(SVG), Audio(WAV), File(b"PK\x05\x06" + bytes(18))))
    assert svg["text"] == f"[image: image/svg+xml, {len(SVG)} bytes]"
    assert audio["text"] == "[audio: audio/wav, 40 bytes]"
    assert archive["text"] == "[file: application/zip, 22 bytes]"

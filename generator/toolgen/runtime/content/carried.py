"""The blocks that messages of each provider's API can hold; others become a line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from .block import Block
from .media_type import is_text

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_IMAGES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}
_VIDEOS: Final = {
    "video/3gpp": "three_gp",
    "video/mp4": "mp4",
    "video/mpeg": "mpeg",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/x-matroska": "mkv",
    "video/x-ms-wmv": "wmv",
}


@dataclass(frozen=True, slots=True)
class CarriedContent:
    """The data that a message of one API can hold: media types, each with the API's word for it."""

    api: str
    image: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def formats(self, kind: str) -> Mapping[str, str]:
        """Return the media types of a type of block whose data the API takes."""
        if kind == "file":
            return {**self.file, **self.image}
        return self.image if kind == "image" else {}

    def takes_data(self, block: Block) -> bool:
        """True if the data of a block is sent as it is."""
        return block.media_type in self.formats(block.type)

    def carries(self, kind: str, media_type: str) -> bool:
        """True if blocks of a media type arrive whole: as data, or as text if they are text."""
        if kind in ("text", "link"):
            return True
        return media_type in self.formats(kind) or (kind == "file" and is_text(media_type))


CHAT_COMPLETIONS: Final = CarriedContent("Chat Completions")
"""`ChatCompletionToolMessageParam` of openai holds text only."""

RESPONSES: Final = CarriedContent(
    "Responses",
    image=_IMAGES,
    # https://developers.openai.com/api/docs/guides/file-inputs, "Accepted file types"; 2026-11.
    file={
        **_DOCUMENTS,
        "application/rtf": "rtf",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.ms-powerpoint": "ppt",
        f"{_OFFICE}.presentationml.presentation": "pptx",
        "application/json": "json",
        "application/xml": "xml",
        "text/xml": "xml",
    },
)
"""`ResponseFunctionCallOutputItemListParam` of openai; the words are ends of file names."""

MESSAGES: Final = CarriedContent("Messages", image=_IMAGES, file={"application/pdf": "pdf"})
"""`ToolResultBlockParam` of anthropic."""

GEMINI: Final = CarriedContent(
    "Gemini",
    # https://ai.google.dev/gemini-api/docs/function-calling, "Multimodal function responses"; 2026-11.
    image={each: each for each in ("image/png", "image/jpeg", "image/webp")},
    file={each: each for each in ("application/pdf", "text/plain")},
)
"""`FunctionResponsePart` of google-genai."""

CONVERSE: Final = CarriedContent("Converse", image=_IMAGES, file=_DOCUMENTS | _VIDEOS)
"""`ToolResultContentBlock` of bedrock-runtime; the words are those of its enums."""

APIS: Final[Mapping[str, tuple[CarriedContent, ...]]] = {
    "openai": (CHAT_COMPLETIONS, RESPONSES),
    "anthropic": (MESSAGES,),
    "gemini": (GEMINI,),
    "bedrock": (CONVERSE,),
}
"""The APIs of each dialect."""


def text_of_file(block: Block) -> str | None:
    """Return the text of a file that holds text; None for any other block."""
    if block.type != "file" or block.media_type is None or not is_text(block.media_type):
        return None
    try:
        return block.text
    except UnicodeDecodeError:  # of another encoding
        return None


def block_as_text(block: Block) -> str:
    """Return the text of a block where there is only text: its own, or a line that says what it is."""
    text = text_of_file(block)
    return block.as_text() if text is None else text

"""How blocks travel in a provider's messages: as data where its API takes them, else as a line of text."""

from __future__ import annotations

from toolgen.schema.providers import CarriedContent

from .block import Block
from .media_type import is_text


def takes_data(api: CarriedContent, block: Block) -> bool:
    """True if the data of a block is sent as it is."""
    return block.media_type in api.formats(block.type)


def carries(api: CarriedContent, kind: str, media_type: str) -> bool:
    """True if blocks of a media type arrive whole: as data, or as text if they are text."""
    if kind in ("text", "link"):
        return True
    return media_type in api.formats(kind) or (kind == "file" and is_text(media_type))


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

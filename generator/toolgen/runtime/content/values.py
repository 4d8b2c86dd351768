"""Values that implementations return beside a response: `Image`, `Audio`, `File`, `Link` and `Text`."""

from __future__ import annotations

from collections.abc import AsyncIterable
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

BlockType: TypeAlias = Literal["image", "audio", "file", "link", "text"]
Audience: TypeAlias = Literal["user", "assistant"]


class Readable(Protocol):
    """A file that was opened in binary mode, or anything else that is read like one."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        ...


Source: TypeAlias = bytes | bytearray | memoryview | PathLike[str] | Readable | AsyncIterable[bytes]
"""Bytes, or where they come from: read once, after `execute` has returned, outside of the event loop."""


@dataclass(frozen=True, slots=True)
class Media:
    """Bytes of a media type. Use one of the subclasses.

    Args:
        source: the bytes, a `Path`, a file opened in binary mode, or an async iterable of bytes.
        media_type: "image/png", for example. The default is found from the bytes, the name and the spec.
        name: of the file, for those who save it. The default for a path is its last part.
        root: for a path, a folder that it must not leave, whatever links it contains.
        uri: address of the data, if it has one.
        audience: who it is for. The default is that of the spec, as for `priority`.
        priority: from 0 to 1.

    Raises:
        TypeError: for a source that is a str, which could be meant as a path or as the data.
    """

    type: ClassVar[BlockType]

    source: Source = field(repr=False)
    _: KW_ONLY
    media_type: str | None = None
    name: str | None = None
    root: str | PathLike[str] | None = None
    uri: str | None = None
    audience: tuple[Audience, ...] | None = None
    priority: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, _SOURCES) and not hasattr(self.source, "read"):
            remedy = ": give bytes, or a pathlib.Path" if isinstance(self.source, str) else ""
            kind = type(self.source).__name__
            raise TypeError(f"{type(self).__name__} cannot be read from a {kind}{remedy}")


_SOURCES = (bytes, bytearray, memoryview, PathLike, AsyncIterable)


class Image(Media):
    """An image: `Image(png)`, `Image(Path("chart.png"))`, `Image(response.aiter_bytes())`."""

    __slots__ = ()
    type = "image"


class Audio(Media):
    """A recording: `Audio(Path("call.wav"))`."""

    __slots__ = ()
    type = "audio"


class File(Media):
    """Any other data, a PDF or a video for example: `File(pdf, name="order.pdf")`."""

    __slots__ = ()
    type = "file"


@dataclass(frozen=True, slots=True)
class Link:
    """A link to something that the caller can fetch itself: `Link("https://example.com/orders/7")`."""

    type: ClassVar[BlockType] = "link"

    uri: str
    _: KW_ONLY
    name: str | None = None  # the default is the last part of the address
    title: str | None = None
    description: str | None = None
    media_type: str | None = None
    size: int | None = None  # bytes
    private: bool = False  # it may lead to a private address, or to a file of this machine
    audience: tuple[Audience, ...] | None = None
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text beside the response, for people or the model: `Text(table, media_type="text/markdown")`."""

    type: ClassVar[BlockType] = "text"

    text: str
    _: KW_ONLY
    media_type: str = "text/plain"
    audience: tuple[Audience, ...] | None = None
    priority: float | None = None


Content: TypeAlias = Image | Audio | File | Link | Text

Response_co = TypeVar("Response_co", covariant=True)
Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True, init=False)
class ToolResult(Generic[Response_co, Content_co]):
    """A response with content: `return ToolResult(ChartResponse(total=7), Image(png))`."""

    response: Response_co
    content: tuple[Content_co, ...]

    def __init__(self, response: Response_co, *content: Content_co) -> None:
        object.__setattr__(self, "response", response)
        object.__setattr__(self, "content", content)


def is_content(value: Any) -> bool:
    """True if `value` is an image, audio, a file, a link or a text."""
    return isinstance(value, Media | Link | Text)

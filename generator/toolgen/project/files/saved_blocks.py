"""Save the blocks of a response as files: `toolgen call --save FOLDER`."""

from __future__ import annotations

import re
from contextlib import suppress
from mimetypes import MimeTypes
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.base.files import WritableFolder
from toolgen.language.identifiers import is_device
from toolgen.project.files.reading import RootedPath, file_errors, locate, make_place

if TYPE_CHECKING:
    from toolgen.runtime import Block, ToolResponse

_UNSAFE: Final = re.compile(r"[^\w .()+,=@-]")  # characters that a file's name cannot have on every system
_LONGEST: Final = 100  # characters of a name
_ENDS: Final = {"image/jpeg": ".jpg", "audio/wav": ".wav", "text/plain": ".txt", "text/markdown": ".md"}


def save_blocks(response: ToolResponse, folder: Path, *, project: Path | None = None) -> list[Path | None]:
    """Write every block with data to a new file in `folder`, which is created. Return their paths.

    Links have no file. Existing files are never replaced: a number is added to the name. Raises UnableError
    if a file cannot be written, or if `folder` is in the folder of the `project` and a link there leaves it.
    """
    place = RootedPath(folder, "") if project is None else locate(project, Path(), str(folder))
    with file_errors(
        place.root, "write to", str(folder), code="cannot-write", hint="give another folder to --save"
    ):
        opened = make_place(place)
        return [
            None
            if block.type == "link"
            else folder / _write(opened, _file_name(response.tool_name, number, block), block.data)
            for number, block in enumerate(response.blocks, 1)
        ]


def _write(folder: WritableFolder, name: str, data: bytes) -> str:
    stem, dot, end = name.rpartition(".") if "." in name else (name, "", "")
    for number in range(1, 10_000):
        path = name if number == 1 else f"{stem}-{number}{dot}{end}"
        # `create` opens exclusively: between a look and the writing, another could make the file
        with suppress(FileExistsError):
            folder.create(path, data)
            return path
    raise FileExistsError(0, f"there are too many files called {name}")


def _file_name(tool_name: str, number: int, block: Block) -> str:
    """Return a name for a block: its own without folders and odd characters, or one made of its tool's."""
    # the name comes with the result of a tool, and may try to leave the folder
    last = re.split(r"[/\\]", block.name or "")[-1]
    name = _UNSAFE.sub("_", last)[-_LONGEST:].strip(" .")
    if name and not is_device(name):
        return name
    media_type = block.media_type or ""
    end = _ENDS.get(media_type) or MimeTypes().guess_extension(media_type) or ".bin"
    return f"{tool_name}-{number}{end}"

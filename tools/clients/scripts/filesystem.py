"""Ten typed calls of server-filesystem."""

import asyncio
import sys

from filesystem import FilesystemClient
from filesystem.models.edit_file import Edit
from toolgen.client import ToolError


async def main(folder: str, *server: str) -> None:
    async with FilesystemClient.connect(server) as client:
        allowed = await client.list_allowed_directories()
        assert folder in allowed.content
        await client.create_directory(path=f"{folder}/notes")
        written = await client.write_file(path=f"{folder}/notes/tea.txt", content="green\nblack\n")
        assert "tea.txt" in written.content
        text = await client.read_text_file(path=f"{folder}/notes/tea.txt", head=1)
        assert text.content == "green"
        changed = await client.edit_file(
            path=f"{folder}/notes/tea.txt", edits=[Edit(old_text="black", new_text="white")]
        )
        assert "+white" in changed.content
        moved = await client.move_file(source=f"{folder}/notes/tea.txt", destination=f"{folder}/tea.txt")
        assert "Successfully moved" in moved.content
        listed = await client.list_directory_with_sizes(path=folder, sort_by="size")
        assert "[FILE] tea.txt" in listed.content
        found = await client.search_files(path=folder, pattern="*.txt", exclude_patterns=["notes"])
        assert found.content.endswith("tea.txt")
        several = await client.read_multiple_files(paths=[f"{folder}/tea.txt"])
        assert "green\nwhite" in several.content
        try:
            await client.read_text_file(path="/etc/passwd")
        except ToolError as error:
            if "outside allowed directories" in str(error):
                print("10 calls, the last one refused")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

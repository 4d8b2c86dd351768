"""Ten typed calls of server-everything."""

import asyncio
import sys

from everything import EverythingClient
from toolgen.client import Block, ToolError


async def main(folder: str, *server: str) -> None:
    progress: list[float] = []
    async with EverythingClient.connect(server) as client:
        echo = await client.echo(message="tea")
        assert echo.response == "Echo: tea"
        total = await client.get_sum(a=1.5, b=2)
        assert total.response == "The sum of 1.5 and 2 is 3.5."
        weather = await client.get_structured_content(location="Chicago")
        degrees: float = weather.temperature
        assert degrees == 36
        assert weather.conditions == "Light rain / drizzle"
        pictures: list[Block] = [
            each for each in (await client.get_tiny_image()).content if each.type == "image"
        ]
        assert pictures[0].data.startswith(b"\x89PNG")
        assert pictures[0].media_type == "image/png"
        links = await client.get_resource_links(count=2)
        assert [each.type for each in links.content].count("link") == 2
        reference = await client.get_resource_reference(resource_type="Text", resource_id=1)
        assert any(each.uri == "demo://resource/dynamic/text/1" for each in reference.content)
        message = await client.get_annotated_message(message_type="error", include_image=True)
        assert {each.priority for each in message.content} >= {0.5}
        reporting = client.with_options(on_progress=lambda done, total, text: progress.append(done))
        await reporting.trigger_long_running_operation(duration=0.2, steps=2)
        assert progress[-1] == 2
        packed = await client.gzip_file_as_resource(
            name="tea.gz", data="data:text/plain,tea", output_type="resource"
        )
        assert packed.content[0].data.startswith(b"\x1f\x8b")
        try:
            await client.get_resource_links(count=-1)
        except ToolError:
            print("10 calls, the last one refused")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

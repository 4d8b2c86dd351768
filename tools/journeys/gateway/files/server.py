"""A server that somebody else writes; its description is the first line of `about.txt`."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("shop", version="1.2")
ABOUT = Path(__file__).with_name("about.txt").read_text("utf-8").strip()


@server.tool(description=ABOUT)
def find_item(text: str) -> list[str]:
    return [f"{text} no. 1"]


if __name__ == "__main__":
    server.run()

"""A tool that buys at a price that can change while the user is asked. Price and purchases are in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp_types import ElicitResult

from .project import Project

SPEC = Path(__file__).with_name("purchase_tool.yaml").read_text("utf-8")
TOOL = """
from pathlib import Path
from generated.tools.buy import BuyResponse, BuyTool

class Buy(BuyTool):
    def preview(self, request, context):
        return f"{request.what} costs {Path('price.txt').read_text()}"

    def execute(self, request, context):
        price = Path("price.txt").read_text()
        with Path("bought.txt").open("a") as bought:
            bought.write(price + "\\n")
        return BuyResponse(paid=price)
"""
# One that checks and acts in one step, and finds at first that the price has just changed.
CHECKS = """        if Path("rises.txt").exists():  # between the check of the runtime and ours
            Path("rises.txt").unlink()
            Path("price.txt").write_text("49800.00")
        if context.approval is not None and context.approval.preview != self.preview(request, context):
            raise ChangedSinceConfirmedError
"""
CHECKING_TOOL = "from toolgen.runtime import ChangedSinceConfirmedError" + TOOL.replace(
    "        price =", f"{CHECKS}        price ="
)


class Shop:
    """The project's files and its user, during whose decision the price may change."""

    def __init__(self, project: Project, *prices: str) -> None:
        self._folder = project.root
        self._later = list(prices)  # the price changes to the next of them while the user thinks
        self.seen: list[str] = []
        self.price = "498.00"

    @property
    def price(self) -> str:
        return (self._folder / "price.txt").read_text()

    @price.setter
    def price(self, price: str) -> None:
        (self._folder / "price.txt").write_text(price)

    @property
    def bought(self) -> list[str]:
        file = self._folder / "bought.txt"
        return file.read_text().split() if file.exists() else []

    async def ask(self, context: Any, params: Any) -> ElicitResult:
        """Answer a question as a user: the price changes, then the user agrees."""
        self.seen.append(params.message)
        if self._later:
            self.price = self._later.pop(0)
        return ElicitResult(action="accept", content={"confirm": True})


def shop_of(project: Project, *prices: str, on_unsupported: str = "deny", tool: str = TOOL) -> Shop:
    """Return the project with the tool `buy`, generated."""
    project.add_tool("buy", SPEC.replace("UNSUPPORTED", on_unsupported), tool)
    project.generate()
    return Shop(project, *prices)


def log_of(folder: Path) -> str:
    """Return what servers of the project wrote to stderr."""
    return "".join(file.read_text() for file in folder.glob("*.log"))

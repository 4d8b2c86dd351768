"""Seed 004, the tool interface pattern: typed requests and responses, flat, confirmed, observed."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mcp import Client
from mcp_types import CallToolResult, ElicitResult
from pydantic import ValidationError
from toolgen.cli import main
from toolgen.runtime import (
    Confirmation,
    ConfirmationPending,
    ToolConfig,
    ToolContext,
    ToolDefinition,
    ToolEvent,
    Toolkit,
)
from toolgen.runtime.settings import Settings

from examples.store import database
from generated import catalog, openai_tools
from generated.models.create_purchase_order import (
    CreatePurchaseOrderRequest,
    CreatePurchaseOrderResponse,
)
from generated.models.search_items import SearchItemsResponse
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.search_items import SearchItemsTool
from tests.end_to_end.project import Project
from tests.models.helpers import classes_of
from tests.runtime.tool_factory import code_of
from tests.scopes import SCOPES

from . import helpers

CONFIRMED = (
    "create_purchase_order",
    "receive_purchase_order",
    "create_manufacturing_order",
    "fulfill_order",
)
READING = ("verify_order_document", "search_items")
ORDER: dict[str, Any] = {
    "supplier_id": 3,
    "location_id": 2,
    "order_number": "PO-2026-0005",
    "items": [{"sku": "CHN-11S", "quantity": 20}],
}
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
COUNT = {"query": "SELECT count(*) FROM purchase_orders"}


def orders(toolkit: Toolkit) -> int:
    """Return the number of purchase orders; four at first."""
    return int(helpers.call(toolkit, "sql_query", COUNT).content["rows"][0][0])


def ok(toolkit: Toolkit, name: str, **arguments: Any) -> dict[str, Any]:
    """Return the content of a call that must succeed."""
    response = helpers.call(toolkit, name, arguments)
    assert response.success, response.as_text()
    return dict(response.content)


class User:
    """The user of an MCP client, who always answers the same."""

    def __init__(self, action: Any, confirm: bool = True) -> None:
        self.action, self.confirm = action, confirm
        self.asked: list[str] = []

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        assert params.requested_schema["properties"]["confirm"]["type"] == "boolean"
        if self.action != "accept":
            return ElicitResult(action=self.action)
        return ElicitResult(
            action="accept", content=dict.fromkeys(params.requested_schema["properties"], self.confirm)
        )


def place(toolkit: Toolkit, era: Any, user: User | None, order: dict[str, Any] = ORDER) -> CallToolResult:
    """Call create_purchase_order as an MCP client does; without a user, as one that cannot ask."""

    async def act(client: Client) -> CallToolResult:
        return await client.call_tool("create_purchase_order", order)

    return helpers.over_mcp(toolkit, act, era, elicitation_callback=user and user.answer)


class Acting(EchoTool):
    """echo that is confirmed, and counts how often it acts."""

    definition: ClassVar[ToolDefinition] = {**EchoTool.definition, "confirm": {"message": "Echo {text}?"}}

    def __init__(self) -> None:
        self.acted = 0

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        self.acted += 1
        return EchoResponse(text=request.text)


def pending(toolkit: Toolkit) -> str:
    """Return the token of a question about `{"text": "a"}`, which the application asks later."""

    async def later(confirmation: Confirmation) -> bool:
        raise ConfirmationPending(confirmation)

    with pytest.raises(ConfirmationPending) as caught:
        helpers.call(toolkit, "echo", {"text": "a"}, confirm=later)
    return str(caught.value.token)


def approved(toolkit: Toolkit, token: str, text: str = "a") -> bool:
    """Make the call with the token; True if it acted."""
    response = helpers.call(toolkit, "echo", {"text": text}, confirm=None, confirmation_token=token)
    assert response.success or (response.error and response.error.code == "confirmation_required")
    return response.success


@pytest.mark.parametrize(
    "change",
    [
        {"supplier_id": 0},
        {"supplier_id": "three"},
        {"items": []},
        {"items": [{"sku": "CHN-11S", "quantity": 0}]},
        {"items": [{"sku": "chain", "quantity": 1}]},
        {"items": [{"sku": "CHN-11S", "quantity": 1, "colour": "red"}]},
        {"order_number": "5"},
        {"colour": "red"},
    ],
    ids=str,
)
def test_constraints_hold_in_the_model_and_on_the_wire(change: dict[str, Any], tmp_path: Path) -> None:
    """Pydantic models define tool parameters with full type safety and validation"""
    with pytest.raises(ValidationError):
        CreatePurchaseOrderRequest.model_validate(ORDER | change)
    result = place(helpers.gallery(tmp_path), "auto", User("accept"), ORDER | change)
    assert result.is_error
    assert helpers.text_of(result).startswith("Error [invalid_request]: ")


def test_fields_have_descriptions() -> None:
    """supplier_id: int = Field(..., description="Supplier ID")"""
    for name in (*CONFIRMED, *READING):
        tool = catalog.tool_class(name)
        assert tool.input_schema["properties"].keys() == tool.request_model.model_fields.keys()
        for field, schema in tool.input_schema["properties"].items():
            shared = schema.get("$ref", "").rpartition("/")[2]
            described = schema if "description" in schema else tool.input_schema["$defs"][shared]
            assert described["description"], field


def test_generated_models_have_the_descriptions_of_the_spec() -> None:
    """location_id: int = Field(..., description="Location ID where items will be received")"""
    long = 'Where the items\nwill be "received": ' + "the location, and all that is in it. " * 9
    line = {"type": "object", "properties": {"sku": {"type": "string", "description": "Which article."}}}
    properties = {
        "location_id": {"type": "integer", "minimum": 1, "description": long},
        "a-b": {"type": "string", "description": "With another name."},
        "line": {**line, "description": "The only line."},
        "either": {"oneOf": [line, {**line, "required": ["sku"]}], "description": "By the engine."},
    }
    for names in (["location_id", "a-b", "line"], list(properties)):
        schema = {"type": "object", "properties": {name: properties[name] for name in names}}
        model = classes_of(schema).ProbeRequest
        described = {field.alias or name: field.description for name, field in model.model_fields.items()}
        assert described == {name: properties[name]["description"] for name in names}
        published = model.model_json_schema()
        assert {name: each["description"] for name, each in published["properties"].items()} == described
        assert "Which article." in json.dumps(published["$defs"])
    number = CreatePurchaseOrderResponse.model_json_schema()["properties"]["order_number"]
    assert number["description"].startswith("Purchase order number")  # of a shared schema


def test_the_model_cannot_confirm_for_the_user(tmp_path: Path) -> None:
    """confirm: bool = Field(False

    The original design had a parameter `confirm: bool`, which the model could set.
    """
    toolkit = helpers.gallery(tmp_path)
    for name in CONFIRMED:
        assert "confirm" not in catalog.TOOLS[name]["input_schema"]["properties"]
    result = place(toolkit, "auto", User("accept"), ORDER | {"confirm": True})
    assert helpers.text_of(result).startswith("Error [invalid_request]: ")


TWO_MODES = Path(__file__).with_name("seed_004_tool_interface_two_modes.yaml").read_text("utf-8")


class TwoModes:
    """Seed 004's own program, on code that is generated from `TWO_MODES`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package = f"two_modes_{folder.name.replace('-', '_')}"
        (folder / "specs").mkdir()
        (folder / "specs/create_purchase_order.yaml").write_text(TWO_MODES, encoding="utf-8")
        (folder / "toolgen.toml").write_text(f'specs = "specs"\noutput = "{package}"\n', encoding="utf-8")
        assert main(["-C", str(folder), "generate"]) == 0
        monkeypatch.syspath_prepend(str(folder))
        generated: Any = import_module(f"{package}.tools.create_purchase_order")
        self.server: Any = import_module(f"{package}.mcp_server")
        self.created: list[str] = []
        response, created = generated.CreatePurchaseOrderResponse, self.created

        class CreatePurchaseOrder(generated.CreatePurchaseOrderTool):  # type: ignore[misc]
            async def preview(self, request: Any, context: ToolContext) -> Any:
                return response(
                    order_number=request.order_number,
                    supplier_id=request.supplier_id,
                    status="preview",
                    is_preview=True,
                    message=f"Would order {len(request.items)} items.",
                )

            async def execute(self, request: Any, context: ToolContext) -> Any:
                assert request.confirm is True
                created.append(request.order_number)
                return response(
                    id=len(created),
                    order_number=request.order_number,
                    supplier_id=request.supplier_id,
                    status="created",
                    is_preview=False,
                    message=f"Ordered {len(request.items)} items.",
                )

        self.toolkit = Toolkit([CreatePurchaseOrder()])

    def call(self, era: Any, user: User | None, **more: Any) -> CallToolResult:
        """Make a call as an MCP client does; without a user, as one that cannot ask."""

        async def talk() -> CallToolResult:
            server = self.server.build_server(self.toolkit)
            async with Client(server, mode=era, elicitation_callback=user and user.answer) as client:
                return await client.call_tool("create_purchase_order", {**ORDER, **more})

        return asyncio.run(talk())


@pytest.fixture
def two_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwoModes:
    """Seed 004's own program."""
    return TwoModes(tmp_path, monkeypatch)


@pytest.mark.parametrize("era", helpers.ERAS)
def test_confirm_false_returns_the_preview_and_asks_nobody(two_modes: TwoModes, era: Any) -> None:
    """if not request.confirm: return preview_response()"""
    for user in (User("accept"), None):
        result = two_modes.call(era, user, confirm=False)
        assert not result.is_error
        assert result.structured_content is not None
        assert result.structured_content["is_preview"] is True
        assert result.structured_content["message"] == "Would order 1 items."
        assert user is None or user.asked == []
    assert two_modes.created == []


@pytest.mark.parametrize("era", helpers.ERAS)
def test_confirm_is_false_where_it_is_left_out(two_modes: TwoModes, era: Any) -> None:
    """confirm: bool = Field(False, description="If false, returns preview. If true, creates order.")"""
    user = User("accept")
    result = two_modes.call(era, user)
    assert (result.structured_content or {}).get("is_preview") is True
    assert user.asked == two_modes.created == []


@pytest.mark.parametrize("era", helpers.ERAS)
def test_confirm_true_asks_the_user_before_it_creates_the_order(two_modes: TwoModes, era: Any) -> None:
    """create_purchase_order - Preview/confirm with elicitation"""
    refusing, agreeing = User("accept", confirm=False), User("accept")
    assert helpers.text_of(two_modes.call(era, refusing, confirm=True)).startswith("Error [declined]: ")
    assert two_modes.created == []
    result = two_modes.call(era, agreeing, confirm=True)
    assert (result.structured_content or {}).get("status") == "created"
    assert two_modes.created == [ORDER["order_number"]]
    (asked,) = agreeing.asked
    assert asked == "Would order 1 items.\n\nCreate purchase order PO-2026-0005 with 1 items?"


@pytest.mark.parametrize("name", [*CONFIRMED, *READING])
def test_parameters_are_flat_on_the_wire(name: str, tmp_path: Path) -> None:
    """Flattens nested models for FastMCP compatibility"""
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    (wire,) = [tool.input_schema for tool in listed if tool.name == name]
    fields = set(catalog.tool_class(name).request_model.model_fields)
    assert set(wire["properties"]) == fields == set(helpers.spec(name)["input_schema"]["properties"])
    assert "request" not in wire["properties"]
    (function,) = [each for each in openai_tools.RESPONSES_TOOLS if each["name"] == name]
    assert set((function["parameters"] or {})["properties"]) == fields  # type: ignore[call-overload]


@pytest.mark.parametrize("name", sorted(catalog.TOOLS))
def test_every_tool_is_observed(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """@observe_tool

    Each call has events and a log record with the same call id, without code in the tool.
    """
    events: list[ToolEvent] = []
    toolkit = helpers.gallery(tmp_path, ToolConfig(callback=events.append))
    with caplog.at_level(logging.DEBUG, "toolgen.runtime"):
        response = helpers.call(toolkit, name, helpers.spec(name)["examples"][0]["input"])
    assert response.success, response.as_text()
    assert [event.kind for event in events if event.kind != "chunk"] == ["started", "validated", "finished"]
    assert events[-1].data["content"] == response.content
    assert events[-1].data["seconds"] >= 0
    records = [record for record in caplog.records if record.name == "toolgen.runtime"]
    assert records
    ids = {event.call_id for event in events} | {str(vars(record)["call_id"]) for record in records}
    assert ids == {response.metadata["call_id"]}


async def test_concurrent_calls_have_distinct_call_ids(tmp_path: Path) -> None:
    """context: Context"""
    events: list[ToolEvent] = []
    toolkit = helpers.gallery(tmp_path, ToolConfig(callback=events.append))

    calls = (toolkit.call("search_items", {"query": query}) for query in ("chain", "?!"))
    await asyncio.gather(*calls)
    kinds: dict[str, list[str]] = {event.call_id: [] for event in events}
    for event in events:
        kinds[event.call_id].append(event.kind)
    assert sorted(kind[-1] for kind in kinds.values()) == ["failed", "finished"]


def test_the_response_is_a_pydantic_model(tmp_path: Path) -> None:
    """Structured responses with success/failure states"""
    content = ok(helpers.gallery(tmp_path), "create_purchase_order", **ORDER)
    response = CreatePurchaseOrderResponse.model_validate(content)
    assert response.lines[0].line_total == "498.00"
    assert response.model_dump(mode="json", exclude_unset=True) == content


@pytest.mark.parametrize("name", CONFIRMED)
def test_responses_have_is_preview_message_warnings_and_next_actions(name: str, tmp_path: Path) -> None:
    """is_preview: bool; message: str; warnings: list[str]; next_actions: list[str]"""
    content = ok(helpers.gallery(tmp_path), name, **helpers.spec(name)["examples"][0]["input"])
    assert content["is_preview"] is False
    assert content["message"].endswith(".")
    assert isinstance(content["warnings"], list)
    assert isinstance(content["next_actions"], list)


def test_a_preview_shows_what_would_happen_and_does_nothing(tmp_path: Path) -> None:
    """Preview mode (confirm=false) - show what would happen"""
    toolkit = helpers.gallery(tmp_path)
    shown = asyncio.run(toolkit.preview("create_purchase_order", ORDER, scopes=helpers.SCOPES))
    assert shown.success
    assert "CHN-11S  Chain, 11-speed, 118 links: 20 x 24.90 = 498.00 EUR" in shown.content["message"]
    assert shown.content["is_preview"] is True
    assert orders(toolkit) == 4


def test_the_command_line_shows_a_preview_and_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If false, returns preview. If true, creates order."""
    monkeypatch.setenv("TOOLGEN_EXAMPLES_DATA", str(tmp_path))
    words = ["call", "create_purchase_order", "--input", json.dumps(ORDER), "--scopes", ",".join(SCOPES)]
    assert main(["-C", str(helpers.ROOT), *words, "--preview"]) == 0
    assert "CHN-11S  Chain, 11-speed, 118 links: 20 x 24.90 = 498.00 EUR" in capsys.readouterr().out
    assert orders(helpers.gallery(tmp_path)) == 4


@pytest.mark.parametrize("era", helpers.ERAS)
def test_the_user_is_asked_by_elicitation_with_a_preview(tmp_path: Path, era: Any) -> None:
    """Request user confirmation via elicitation"""
    toolkit, user = helpers.gallery(tmp_path), User("accept")
    result = place(toolkit, era, user)
    assert not result.is_error
    (asked,) = user.asked
    assert "Place order PO-2026-0005 with supplier 3, 1 lines?" in asked
    assert "CHN-11S  Chain, 11-speed, 118 links: 20 x 24.90 = 498.00 EUR" in asked
    assert orders(toolkit) == 5


@pytest.mark.parametrize(
    ("user", "code", "says"),
    [
        (User("decline"), "declined", "The user declined this call."),
        (User("cancel"), "cancelled", "closed the question without an answer"),
        (User("accept", confirm=False), "declined", "without ticking the box"),
    ],
    ids=["declined", "closed", "unticked"],
)
@pytest.mark.parametrize("era", helpers.ERAS)
def test_nothing_is_done_unless_the_user_agrees(
    tmp_path: Path, era: Any, user: User, code: str, says: str
) -> None:
    """if elicit_result.action != "accept": return cancelled_response()"""
    toolkit = helpers.gallery(tmp_path)
    result = place(toolkit, era, user)
    assert result.is_error
    assert helpers.text_of(result).startswith(f"Error [{code}]: ")
    assert says in helpers.text_of(result)
    assert orders(toolkit) == 4


@pytest.mark.parametrize(("answer", "code"), [(None, "cancelled"), (False, "declined")], ids=["closed", "no"])
def test_a_question_that_is_closed_is_not_an_answer(tmp_path: Path, answer: Any, code: str) -> None:
    """return cancelled_response()"""

    async def confirm(confirmation: Confirmation) -> Any:
        return answer

    response = helpers.call(helpers.gallery(tmp_path), "create_purchase_order", ORDER, confirm=confirm)
    assert code_of(response) == code


@pytest.mark.parametrize("name", CONFIRMED)
def test_every_destructive_tool_previews_then_asks_then_acts(name: str, tmp_path: Path) -> None:
    """User confirmed - proceed with operation"""
    asked: list[Confirmation] = []

    async def confirm(confirmation: Confirmation) -> bool:
        asked.append(confirmation)
        return len(asked) > 1

    arguments = helpers.spec(name)["examples"][0]["input"]
    toolkit = helpers.gallery(tmp_path)
    first = helpers.call(toolkit, name, arguments, confirm=confirm)
    second = helpers.call(toolkit, name, arguments, confirm=confirm)
    assert code_of(first) == "declined"
    assert second.content == helpers.spec(name)["examples"][0]["output"], "the first call changed nothing"
    assert [each.preview for each in asked] == [asked[0].preview] * 2
    assert asked[0].preview
    assert asked[0].message
    assert asked[0].arguments == arguments


def test_an_approval_is_bound_to_what_was_shown(tmp_path: Path) -> None:
    """Handle user response

    Prices change while the user reads: the old answer approves nothing, and the next call asks again.
    """
    toolkit = helpers.gallery(tmp_path)
    seen: list[str | None] = []

    async def confirm(confirmation: Confirmation) -> bool:
        seen.append(confirmation.preview)
        if len(seen) == 1:
            with sqlite3.connect(database.database(tmp_path)) as db:
                db.execute("UPDATE items SET list_price_cents = 9990 WHERE sku = 'CHN-11S'")
        return len(seen) == 1

    responses = [helpers.call(toolkit, "create_purchase_order", ORDER, confirm=confirm) for _ in range(2)]
    assert list(map(code_of, responses)) == ["changed_since_confirmed", "declined"]
    assert len(seen) == 2
    assert seen[0] != seen[1]
    assert orders(toolkit) == 4


def test_an_approval_is_for_one_call_once() -> None:
    """if not elicit_result.data.confirm: return declined_response()"""
    tool = Acting()
    toolkit = helpers.kit_of(tool)
    assert not approved(toolkit, pending(toolkit), "b")
    token = pending(toolkit)
    assert [approved(toolkit, token) for _ in range(3)] == [True, False, False]
    assert tool.acted == 1


def test_an_approval_counts_on_every_replica_and_once(tmp_path: Path) -> None:
    """Safety: Destructive operations require explicit user confirmation

    Toolkits with the same key and store, as in several processes.
    """
    store = f"sqlite:///{tmp_path}/confirmations.sqlite3"
    settings = Settings(confirmation_key=KEY, confirmation_store=store)
    tools = [Acting(), Acting()]
    first, second = (helpers.kit_of(tool, config=ToolConfig(settings=settings)) for tool in tools)
    token = pending(first)
    assert [approved(toolkit, token) for toolkit in (second, first, second)] == [True, False, False]
    assert [tool.acted for tool in tools] == [0, 1]
    stranger = helpers.kit_of(Acting(), config=ToolConfig(settings=Settings()))
    assert not approved(stranger, pending(first)), "another key"


@pytest.mark.parametrize("era", helpers.ERAS)
def test_a_client_that_cannot_ask_is_refused(tmp_path: Path, era: Any) -> None:
    """Safety-Critical Operations"""
    toolkit = helpers.gallery(tmp_path)
    result = place(toolkit, era, None)
    assert helpers.text_of(result).startswith("Error [confirmation_required]: ")
    assert orders(toolkit) == 4


@pytest.mark.parametrize("era", helpers.ERAS)
def test_a_refusal_shows_the_preview_to_the_model(tmp_path: Path, era: Any) -> None:
    """Two API calls required, harder to use, no built-in UI support"""
    text = helpers.text_of(place(helpers.gallery(tmp_path), era, None))
    assert "Nothing was done. Preview:\n" in text
    assert "CHN-11S  Chain, 11-speed, 118 links: 20 x 24.90 = 498.00 EUR" in text


def test_a_request_that_cannot_succeed_is_refused_before_the_user_is_asked(tmp_path: Path) -> None:
    """return preview_response()"""
    user = User("accept")
    result = place(helpers.gallery(tmp_path), "auto", user, ORDER | {"supplier_id": 99})
    assert helpers.text_of(result).startswith("Error [supplier_not_found]: ")
    assert user.asked == []


def test_a_tool_is_replaced_by_a_fake_in_tests(tmp_path: Path) -> None:
    """Testability: Easy to mock and test with Pydantic models"""

    class Fake(SearchItemsTool):
        async def execute(self, request: Any, context: Any, *, db: Any) -> SearchItemsResponse:
            return SearchItemsResponse(
                items=[], total=0, message=f"Found {request.query}.", warnings=[], next_actions=[]
            )

    toolkit = Toolkit([Fake()], context={"db": lambda: sqlite3.connect(":memory:")})
    assert helpers.call(toolkit, "search_items", {"query": "chain"}).content["message"] == "Found chain."
    assert helpers.call(toolkit, "search_items", {"qery": "chain"}).error is not None


def test_validation_errors_say_where_and_what_to_do(tmp_path: Path) -> None:
    """Validation errors are clear and actionable"""
    wrong = {"supplier_id": 0, "order_number": "5", "items": [{"sku": "CHN-11S"}], "suplier": 3}
    text = helpers.text_of(place(helpers.gallery(tmp_path), "auto", None, wrong))
    assert text.splitlines()[1:] == [
        "- $.location_id: required property is missing, expected integer",
        "- $.supplier_id: expected at least 1, got 0",
        '- $.order_number: expected text that matches the pattern "^PO-20[0-9]{2}-[0-9]{4}$", got "5"',
        "- $.items[0].quantity: required property is missing, expected integer",
        '- $.suplier: unknown property; did you mean "supplier_id"?',
    ]


@pytest.mark.parametrize("name", READING)
def test_a_read_only_tool_needs_no_confirmation(name: str, tmp_path: Path) -> None:
    """Elicitation pattern only used for destructive operations"""
    for example in helpers.spec(name)["examples"]:
        response = helpers.call(helpers.gallery(tmp_path), name, example["input"], confirm=None)
        assert response.content == example.get("output")


def test_the_tools_of_the_design_work_together(tmp_path: Path) -> None:
    """Tools using this pattern

    Find, order, verify, receive, build, ship: the final stock is right.
    """
    toolkit = helpers.gallery(tmp_path)
    (oil,) = ok(toolkit, "search_items", query="mineral oil")["items"]
    assert oil["in_stock"] == 3
    job = {"order_number": "MO-2026-0003", "product_sku": "KIT-BRAKE", "quantity": 4}
    short = helpers.call(toolkit, "create_manufacturing_order", job)
    assert short.error is not None
    assert short.error.details == {"short": [{"sku": "OIL-MIN", "needed": 4, "in_stock": 3}]}
    number = "PO-2026-0005"
    lines = [{"sku": "OIL-MIN", "quantity": 10}]
    ok(toolkit, "create_purchase_order", supplier_id=1, location_id=2, order_number=number, items=lines)
    note = ok(
        toolkit, "verify_order_document", order_number=number, lines=[{"sku": "OIL-MIN", "quantity": 9}]
    )
    assert [each["kind"] for each in note["mismatches"]] == ["quantity"]
    part = ok(
        toolkit, "receive_purchase_order", order_number=number, items=[{"sku": "OIL-MIN", "quantity": 9}]
    )
    assert part["status"] == "partly_received"
    ok(toolkit, "create_manufacturing_order", **job)
    ok(toolkit, "fulfill_order", order_number="MO-2026-0003")
    (kits,) = ok(toolkit, "search_items", query="KIT-BRAKE")["items"]
    (oil,) = ok(toolkit, "search_items", query="OIL-MIN")["items"]
    assert (kits["in_stock"], oil["in_stock"]) == (1 + 4, 3 + 9 - 4)


# The program of the record: the model asks for the preview, and the tool asks the user in the middle of its work.

ASKING_SPEC = Path(__file__).with_name("seed_004_tool_interface_asking_spec.yaml").read_text("utf-8")
ASKING_SCHEMAS = Path(__file__).with_name("seed_004_tool_interface_asking_schemas.yaml").read_text("utf-8")
ASKING_TOOL = '''
from pydantic import BaseModel, Field

from seed_004_generated.tools.create_purchase_order import (
    CreatePurchaseOrderResponse,
    CreatePurchaseOrderTool,
)

ORDERS = []

class ConfirmationSchema(BaseModel):
    """Schema for user confirmation elicitation."""
    confirm: bool = Field(..., description="True to proceed, False to cancel")

class CreatePurchaseOrder(CreatePurchaseOrderTool):
    async def execute(self, request, context):
        order_number, item_count = request.order_number, len(request.items)
        total = sum(item.quantity * item.price_per_unit for item in request.items)

        def response(status, message, is_preview=False):
            return CreatePurchaseOrderResponse(
                order_number=order_number, status=status, is_preview=is_preview, message=message
            )

        async def create_order():
            ORDERS.append(order_number)
            return order_number

        # Preview mode (confirm=false) - show what would happen
        if not request.confirm:
            return response("preview", f"Would order for ${total}.", is_preview=True)

        # Request user confirmation via elicitation
        elicit_result = await context.elicit(
            f"Create purchase order {order_number} with {item_count} items totaling ${total}?",
            ConfirmationSchema,
        )

        # Handle user response
        if elicit_result.action != "accept":
            return response("cancelled", "The user gave no answer.")

        if not elicit_result.data.confirm:
            return response("declined", "The user said no.")

        # User confirmed - proceed with operation
        result = await create_order()
        return response("created", f"Created {result}.")
'''
ASKED = {
    "supplier_id": 1,
    "order_number": "PO-1",
    "items": [{"variant_id": 1, "quantity": 2, "price_per_unit": 10.5}],
    "confirm": True,
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The module of the record's program, on a package that is generated for it."""
    folder = tmp_path_factory.mktemp("program")
    made = Project.create(folder, output="seed_004_generated", implementations="seed_004_tools")
    made.write("specs/schemas.yaml", ASKING_SCHEMAS)
    made.write("specs/create_purchase_order.yaml", ASKING_SPEC)
    made.write("seed_004_tools/create_purchase_order.py", ASKING_TOOL)
    made.generate()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("seed_004_tools.create_purchase_order")


def order_by_program(program: Any, era: Any, user: User, **changes: Any) -> dict[str, Any]:
    """Call the program as an MCP client does; return its answer, with the number of orders that it has created."""
    program.ORDERS.clear()
    toolkit = importlib.import_module("seed_004_generated.catalog").toolkit()

    async def act(client: Client) -> CallToolResult:
        return await client.call_tool("create_purchase_order", ASKED | changes)

    result = helpers.over_mcp(toolkit, act, era, elicitation_callback=user.answer)
    assert not result.is_error, helpers.text_of(result)
    return {**(result.structured_content or {}), "created": len(program.ORDERS)}


@pytest.mark.parametrize("era", helpers.ERAS)
def test_the_program_of_the_record_asks_by_elicitation_in_the_middle_of_its_work(
    program: Any, era: Any
) -> None:
    """elicit_result = await context.elicit("""
    user = User("accept")
    answer = order_by_program(program, era, user)
    assert (answer["status"], answer["created"]) == ("created", 1)
    assert user.asked == ["Create purchase order PO-1 with 1 items totaling $21.0?"]


@pytest.mark.parametrize("era", helpers.ERAS)
@pytest.mark.parametrize(
    ("user", "status"),
    [
        (User("decline"), "cancelled"),
        (User("cancel"), "cancelled"),
        (User("accept", confirm=False), "declined"),
    ],
    ids=["declined", "closed", "unticked"],
)
def test_the_program_of_the_record_creates_nothing_unless_the_user_confirms(
    program: Any, era: Any, user: User, status: str
) -> None:
    """if not elicit_result.data.confirm:"""
    answer = order_by_program(program, era, user)
    assert (answer["status"], answer["created"]) == (status, 0)


@pytest.mark.parametrize("era", helpers.ERAS)
def test_the_program_of_the_record_asks_nobody_for_a_preview(program: Any, era: Any) -> None:
    """if not request.confirm:"""
    user = User("accept")
    answer = order_by_program(program, era, user, confirm=False)
    assert (answer["is_preview"], answer["message"], answer["created"]) == (True, "Would order for $21.0.", 0)
    assert user.asked == []

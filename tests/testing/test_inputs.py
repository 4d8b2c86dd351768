"""Values for requests: known from answers by name and kind, and beside the values of examples."""

from __future__ import annotations

import pytest
from toolgen.testing.requests import KnownValues, requests
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

from tests.processes import outputs_of_processes
from tests.testing.shop import PLACE

ORDERS = [
    {"id": 41, "supplier": {"id": 7, "name": "Nordic Components"}, "day": "2026-02-27", "total": "19.95"},
    {"id": 42, "supplier": {"id": 8, "name": "Velo Union"}, "day": "2026-03-01", "total": "0.10"},
]


def test_requests_hit_the_data_that_other_tools_show() -> None:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "supplier_id": {"type": "integer", "minimum": 1},
            "offset": {"type": "integer", "minimum": 0},
        },
    }
    tool = ToolUnderTest(
        "list", PLACE, schema, examples=(ExpectedCall("all", {"supplier_id": 9}, PLACE),), read_only=True
    )
    known = KnownValues.of_tools([tool])
    known.add({"orders": ORDERS})

    made = list(requests(tool, seed="0", count=60, known=known))

    assert {7, 8} <= {each.get("supplier_id") for each in made}
    assert {0, 1} <= {each.get("offset") for each in made}
    assert made == list(requests(tool, seed="0", count=60, known=known)), "the same seed makes the same"


@pytest.mark.slow
def test_known_values_have_the_same_order_in_every_process() -> None:
    code = (
        "from toolgen.testing.requests import KnownValues, Slot\n"
        "known = KnownValues()\n"
        "known.add({'orders': [{'number': 41, 'day_of_order': '2026-02-27'}], 'parts': [{'number': 9}]})\n"
        "print(known.of_slot(Slot(('order_number',), {}, None)), list(known._by_name))\n"
    )
    assert len(outputs_of_processes(code, *range(4))) == 1

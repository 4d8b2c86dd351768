"""A project of two tools and a shared file, for an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

FIND = """\
name: find_orders
title: Find orders
description: Return the orders of a customer.
use_when: The user asks what was ordered.
annotations: {readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false}
input_schema:
  type: object
  additionalProperties: false
  required: [customer]
  properties:
    customer: {$ref: "schemas/shop.yaml#/$defs/Customer"}
errors:
  - {code: unknown_customer, description: There is no such customer.}
examples:
  - {name: one, ask: What did Ada order?, not: [place_order], input: {customer: ada}}
  - {name: nobody, input: {customer: nobody}, error: unknown_customer}
"""

PLACE = """\
name: place_order
title: Place an order
description: Place an order for a customer.
annotations: {readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false}
input_schema:
  type: object
  additionalProperties: false
  required: [customer, item]
  properties:
    customer:
      $ref: schemas/shop.yaml#/$defs/Customer
    item: {type: string, description: What to order., maxLength: 20}
"""

SHOP = """\
$defs:
  Customer:
    type: string
    description: The name of a customer.
    maxLength: 40
  Customers:
    type: array
    description: Some customers.
    maxItems: 9
    items: {$ref: "#/$defs/Customer"}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project without findings."""
    root = tmp_path / "shop"
    (root / "specs/schemas").mkdir(parents=True)
    (root / "toolgen.toml").write_text('specs = "specs"\n[mcp]\nreferences = "inline"\n')
    (root / "specs/find_orders.yaml").write_text(FIND)
    (root / "specs/place_order.yaml").write_text(PLACE)
    (root / "specs/schemas/shop.yaml").write_text(SHOP)
    return root

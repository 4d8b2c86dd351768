from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Priority(StrEnum):
    low = "low"
    normal = "normal"
    urgent = "urgent"


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sku: str
    quantity: int = Field(..., ge=1)


class CreateOrderRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")
    supplier_id: int = Field(..., ge=1)
    items: list[Item] = Field(..., min_length=1)
    priority: Priority | None = None
    from_: str | None = Field(None, alias="from")


class CreateOrderResponse(BaseModel):
    model_config = ConfigDict(extra="forbid")
    order_id: int
    total: float = Field(..., ge=0)
    warnings: list[str] | None = None

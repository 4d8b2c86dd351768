"""Manufacturing orders: the workshop builds a product, and its components leave the stock when it begins."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from toolgen.runtime import printable

from . import stock
from .database import insert, transaction
from .orders import DuplicateOrderNumberError
from .stock import Move


class NotBuildableError(Exception):
    """The article has no bill of materials: it is bought, not built."""


@dataclass(frozen=True, slots=True)
class Job:
    """A requested manufacturing order."""

    order_number: str
    product_sku: str
    quantity: int
    due_on: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job that can begin with the current stock, with the components that it takes."""

    job: Job
    product: str
    components: tuple[Move, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        return stock.reorder_warnings(self.components)


def plan(db: sqlite3.Connection, job: Job) -> PlannedJob:
    """Look up the product and its components; write nothing.

    Raises UnknownItemError, NotBuildableError, ShortStockError or DuplicateOrderNumberError.
    """
    product = db.execute("SELECT name FROM items WHERE sku = ?", (job.product_sku,)).fetchone()
    if product is None:
        raise stock.UnknownItemError(f"No such item: {job.product_sku}.")
    same = "SELECT id FROM manufacturing_orders WHERE order_number = ?"
    if taken := db.execute(same, (job.order_number,)).fetchone():
        raise DuplicateOrderNumberError(f"Order {job.order_number} exists already, with id {taken['id']}.")
    bill = "SELECT component_sku, quantity FROM bill_of_materials WHERE product_sku = ? ORDER BY 1"
    needed = [(sku, -per_unit * job.quantity) for sku, per_unit in db.execute(bill, (job.product_sku,))]
    if not needed:
        raise NotBuildableError(f"{job.product_sku} has no bill of materials; it is bought, not built.")
    return PlannedJob(job, product["name"], stock.plan_moves(db, needed))


def begin(
    db: sqlite3.Connection, job: Job, check: Callable[[PlannedJob], None] = lambda _: None
) -> tuple[int, PlannedJob]:
    """Write the order and take its components in one transaction; return its id and the planned job.

    `check` sees the job in the transaction, before anything is written, and may raise to prevent it.
    Raises what `plan` and `check` raise.
    """
    with transaction(db):
        planned = plan(db, job)
        check(planned)
        stock.book(db, planned.components)
        row = {
            "order_number": job.order_number,
            "product_sku": job.product_sku,
            "quantity": job.quantity,
            "status": "in_progress",
            "due_on": job.due_on,
            "note": job.note,
        }
        number = insert(db, "manufacturing_orders", row)
    return number, planned


def describe(planned: PlannedJob) -> str:
    """Describe the job for the user who is asked whether to begin it."""
    job = planned.job
    lines = [f"{job.order_number}: build {job.quantity} x {job.product_sku} {planned.product}, from stock:"]
    lines += stock.describe_moves(planned.components)
    if job.due_on is not None:
        lines.append(f"Due on: {job.due_on}")
    if job.note:
        lines.append(f"Note: {printable(job.note)}")
    return "\n".join([*lines, *(f"Warning: {warning}" for warning in planned.warnings)])

"""The library's books, members, loans and fees in an SQLite file. Money is in cents, dates are ISO 8601."""

from __future__ import annotations

import calendar
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from . import data

MAX_EXTENSIONS = 2


class NotFoundError(Exception):
    """No member or loan has this number."""


class RefusedError(Exception):
    """The library's rules do not allow it; `code` is the error code of the spec."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Book:
    id: int
    title: str
    author: str
    language: str
    copies: int
    available: int


@dataclass(frozen=True)
class Loan:
    loan_id: int
    member_id: int
    title: str
    due_on: date
    days_left: int


@dataclass(frozen=True)
class Extension:
    loan_id: int
    title: str
    old_due_on: date
    new_due_on: date
    extensions_left: int


@dataclass(frozen=True)
class PaidFee:
    fee_id: int
    reason: str
    cents: int


@dataclass(frozen=True)
class Payment:
    paid: list[PaidFee]
    open_cents: int
    change_cents: int


@dataclass(frozen=True)
class Removal:
    member_id: int
    name: str
    past_loans: int
    waived_cents: int

    def describe(self) -> str:
        """Describe the removal for the user who is asked."""
        return f"Remove {self.name}, {self.past_loans} past loans, waive {money(self.waived_cents)} EUR"


def money(cents: int) -> str:
    """1250 is `12.50`."""
    return f"{cents // 100}.{cents % 100:02}"


def cents(amount: str) -> int:
    """`12.50` is 1250."""
    whole, fraction = amount.split(".")
    return int(whole) * 100 + int(fraction)


def folded(text: str) -> str:
    """Return a text without case and accents, to compare and to sort."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def add_months(day: date, months: int) -> date:
    """Return the same day of a later month, or the last day of that month if it is shorter."""
    years, month = divmod(day.month - 1 + months, 12)
    year, month = day.year + years, month + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


@dataclass(frozen=True)
class Library:
    """The library on one day.

    Args:
        folder: has the database, which is created with demo data on first use.
        today: the current day, from which overdue loans are computed.
    """

    folder: Path
    today: date

    def find_books(
        self, words: str, language: str | None, available_only: bool, limit: int
    ) -> tuple[list[Book], int]:
        """Return matching books by title, and the number of all of them. Raises RefusedError `no_words`."""
        wanted = re.findall(r"[^\W_]+", folded(words))
        if not wanted:
            raise RefusedError("no_words", "The query contains no words.")
        query = """SELECT *, copies - (SELECT count(*) FROM loans
            WHERE book_id = books.id AND returned_on IS NULL) AS available FROM books"""
        with self.connect() as db:
            every = [Book(**row) for row in db.execute(query)]
        found = [
            book
            for book in every
            if all(word in folded(f"{book.title} {book.author}") for word in wanted)
            and (language is None or book.language == language)
            and (not available_only or book.available > 0)
        ]
        found.sort(key=lambda book: (folded(book.title), book.id))
        return found[:limit], len(found)

    def list_loans(
        self, member_id: int | None, overdue_only: bool, page: int, page_size: int
    ) -> tuple[list[Loan], int]:
        """Return one page of the open loans, and the number of all of them. Raises NotFoundError."""
        source = """FROM loans JOIN books ON books.id = loans.book_id WHERE returned_on IS NULL
            AND (:member IS NULL OR member_id = :member) AND (NOT :overdue OR due_on < :today)"""
        values = {"member": member_id, "overdue": overdue_only, "today": self.today.isoformat()}
        values |= {"count": page_size, "skip": (page - 1) * page_size}
        with self.connect() as db:
            if member_id is not None:
                _member(db, member_id)
            (total,) = db.execute(f"SELECT count(*) {source}", values).fetchone()
            rows = db.execute(
                f"SELECT loans.id, member_id, title, due_on {source} ORDER BY due_on, loans.id LIMIT :count OFFSET :skip",
                values,
            ).fetchall()
        return [self._loan(row) for row in rows], total

    def _loan(self, row: sqlite3.Row) -> Loan:
        due_on = date.fromisoformat(row["due_on"])
        return Loan(row["id"], row["member_id"], row["title"], due_on, (due_on - self.today).days)

    def extend(self, loan_id: int, months: int) -> Extension:
        """Extend a loan. Raises NotFoundError or RefusedError."""
        with self._writing() as db:
            loan = db.execute(
                "SELECT loans.*, title FROM loans JOIN books ON books.id = book_id WHERE loans.id = ?",
                (loan_id,),
            ).fetchone()
            if loan is None:
                raise NotFoundError(f"No loan {loan_id}.")
            if loan["returned_on"] is not None:
                raise RefusedError("already_returned", f"Loan {loan_id} was returned.")
            old = date.fromisoformat(loan["due_on"])
            if old < self.today:
                raise RefusedError("overdue", f"Loan {loan_id} was due on {old}.")
            if loan["extensions"] >= MAX_EXTENSIONS:
                raise RefusedError("extended_twice", f"Loan {loan_id} was extended twice.")
            new = add_months(old, months)
            db.execute(
                "UPDATE loans SET due_on = ?, extensions = extensions + 1 WHERE id = ?",
                (new.isoformat(), loan_id),
            )
        return Extension(loan_id, loan["title"], old, new, MAX_EXTENSIONS - loan["extensions"] - 1)

    def pay(self, member_id: int, amount: int, receipt: str) -> Payment:
        """Record a payment of `amount` cents. Raises NotFoundError or RefusedError."""
        if amount == 0:
            raise RefusedError("no_amount", "The amount is zero.")
        with self._writing() as db:
            member = _member(db, member_id)
            if db.execute("SELECT 1 FROM payments WHERE receipt = ?", (receipt,)).fetchone():
                raise RefusedError("receipt_used", f"{receipt} was recorded before.")
            fees = _unpaid(db, member)
            if not fees:
                raise RefusedError("nothing_due", f"Member {member_id} has no unpaid fees.")
            left = amount
            paid = []
            for fee, due in fees:
                part = min(due, left)
                if part == 0:
                    break
                left -= part
                db.execute("UPDATE fees SET paid_cents = paid_cents + ? WHERE id = ?", (part, fee["id"]))
                paid.append(PaidFee(fee["id"], fee["reason"], part))
            db.execute("INSERT INTO payments VALUES (?, ?, ?)", (receipt, member_id, amount - left))
            return Payment(paid, sum(due for _, due in _unpaid(db, member)), left)

    def plan_removal(self, member_id: int, waive_fees: bool) -> Removal:
        """Return what removing the member would delete. Raises NotFoundError or RefusedError."""
        with self.connect() as db:
            return _plan_removal(db, member_id, waive_fees)

    def remove(self, member_id: int, waive_fees: bool, check: Callable[[Removal], None]) -> Removal:
        """Remove a member in one transaction; `check` sees the plan and may raise to prevent it."""
        with self._writing() as db:
            planned = _plan_removal(db, member_id, waive_fees)
            check(planned)
            db.execute("UPDATE loans SET member_id = NULL WHERE member_id = ?", (member_id,))
            db.execute("UPDATE payments SET member_id = NULL WHERE member_id = ?", (member_id,))
            db.execute("DELETE FROM fees WHERE member_id = ?", (member_id,))
            db.execute("DELETE FROM members WHERE id = ?", (member_id,))
        return planned

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """Open the database; create it if it is missing."""
        path = self.folder / "lending.sqlite3"
        is_new = not path.exists()
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA foreign_keys = ON")
            if is_new:
                data.fill(db)
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self.connect() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _member(db: sqlite3.Connection, member_id: int) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute("SELECT * FROM members WHERE id = ?", (member_id,)).fetchone()
    if row is None:
        raise NotFoundError(f"No member {member_id}.")
    return row


def _unpaid(db: sqlite3.Connection, member: sqlite3.Row) -> list[tuple[sqlite3.Row, int]]:
    """Return the member's unpaid fees with the cents that are due, oldest first."""
    rows = db.execute("SELECT * FROM fees WHERE member_id = ? ORDER BY charged_on, id", (member["id"],))
    dues = [(row, _share(row["cents"], bool(member["is_child"])) - row["paid_cents"]) for row in rows]
    return [(row, due) for row, due in dues if due > 0]


def _share(fee_cents: int, is_child: bool) -> int:
    """Return what a member has to pay of a fee: children half of it, rounded up."""
    return (fee_cents + 1) // 2 if is_child else fee_cents


def _plan_removal(db: sqlite3.Connection, member_id: int, waive_fees: bool) -> Removal:
    member = _member(db, member_id)
    loans = db.execute("SELECT returned_on FROM loans WHERE member_id = ?", (member_id,)).fetchall()
    if at_home := sum(row["returned_on"] is None for row in loans):
        raise RefusedError("books_at_home", f"Member {member_id} has {at_home} books at home.")
    unpaid = sum(due for _, due in _unpaid(db, member))
    if unpaid and not waive_fees:
        raise RefusedError("fees_unpaid", f"Member {member_id} owes {money(unpaid)} EUR.")
    return Removal(member_id, member["name"], len(loans), unpaid)

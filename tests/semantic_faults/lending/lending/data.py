"""Tables and demo data of the library."""

from __future__ import annotations

import sqlite3

TABLES = """
CREATE TABLE books (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, language TEXT NOT NULL,
    copies INTEGER NOT NULL);
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_child INTEGER NOT NULL);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES books (id),
    member_id INTEGER REFERENCES members (id), due_on TEXT NOT NULL, returned_on TEXT,
    extensions INTEGER NOT NULL DEFAULT 0);
CREATE TABLE fees (
    id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members (id), charged_on TEXT NOT NULL,
    reason TEXT NOT NULL, cents INTEGER NOT NULL, paid_cents INTEGER NOT NULL DEFAULT 0);
CREATE TABLE payments (receipt TEXT PRIMARY KEY, member_id INTEGER, cents INTEGER NOT NULL);
"""
NAMES = ("books", "members", "loans", "fees", "payments")

BOOKS = [
    (1, "The Trial", "Franz Kafka", "en", 1),
    (2, "Germinal", "Émile Zola", "fr", 2),
    (3, "Au Bonheur des Dames", "Émile Zola", "fr", 1),
    (4, "Emma", "Jane Austen", "en", 3),
    (5, "Große Erwartungen", "Charles Dickens", "de", 1),
    (6, "Éloge de l'ombre", "Junichiro Tanizaki", "fr", 1),
    (7, "Der Prozeß", "Franz Kafka", "de", 1),
    (8, "Zorn", "Emma Straub", "de", 1),
]
MEMBERS = [
    (1, "Ada Kern", 0),
    (2, "Ben Ott", 0),
    (3, "Cleo Ott", 1),
    (4, "Ida Brandt", 0),
    (5, "Jon Sand", 0),
]
LOANS = [
    (1, 1, 1, "2024-01-15", None, 0),
    (2, 4, 1, "2024-01-31", None, 0),
    (3, 5, 3, "2024-01-31", None, 2),
    (4, 2, 2, "2024-01-10", None, 0),
    (5, 4, 2, "2024-12-31", None, 0),
    (6, 6, 3, "2024-03-30", None, 1),
    (7, 7, 4, "2023-11-02", "2023-10-30", 0),
    (8, 2, 4, "2023-12-01", "2023-12-04", 1),
]
FEES = [
    (1, 1, "2023-11-20", "returned late", 230, 0),
    (2, 1, "2023-12-05", "stained cover", 400, 0),
    (3, 3, "2023-12-20", "returned late", 125, 0),
    (4, 3, "2023-10-01", "lost card", 305, 0),
    (5, 4, "2023-12-04", "returned late", 60, 60),
    (6, 5, "2024-01-02", "lost card", 1999, 0),
]


def fill(db: sqlite3.Connection) -> None:
    """Create the tables and the demo data."""
    db.executescript(TABLES)
    db.executemany("INSERT INTO books VALUES (?, ?, ?, ?, ?)", BOOKS)
    db.executemany("INSERT INTO members VALUES (?, ?, ?)", MEMBERS)
    db.executemany("INSERT INTO loans VALUES (?, ?, ?, ?, ?, ?)", LOANS)
    db.executemany("INSERT INTO fees VALUES (?, ?, ?, ?, ?, ?)", FEES)
    db.execute("INSERT INTO payments VALUES ('R-0001', 4, 60)")

"""The tables of Harbour Cycles, a bicycle shop: its library, its website, its stock, what it
buys, builds and sells.

Money is kept in whole cents. Dates are ISO 8601 texts.
"""

from typing import Final

VERSION: Final = 3
"""Kept in `PRAGMA user_version`; 0 means that the database is still empty."""

REPORTING_TABLES: Final = (
    "documents",
    "suppliers",
    "locations",
    "items",
    "purchase_orders",
    "purchase_order_lines",
    "bill_of_materials",
    "manufacturing_orders",
    "sales_orders",
    "sales_order_lines",
)
"""The tables that are open to questions. Drafts of the website and the full-text indexes are not."""

SEEDED_TABLES: Final = (*REPORTING_TABLES, "content")

STATEMENTS: Final = (
    """CREATE TABLE documents (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, year INTEGER NOT NULL,
        pages INTEGER NOT NULL, subjects TEXT NOT NULL CHECK (json_valid(subjects)),
        summary TEXT NOT NULL)""",
    """CREATE VIRTUAL TABLE documents_index USING fts5(
        title, author, summary, tokenize = 'porter unicode61 remove_diacritics 2')""",
    """CREATE TABLE content (
        id INTEGER PRIMARY KEY, type TEXT NOT NULL CHECK (type IN ('article', 'page', 'project')),
        slug TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('draft', 'published')), published_on TEXT,
        UNIQUE (type, slug), CHECK ((status = 'published') = (published_on IS NOT NULL)))""",
    """CREATE VIRTUAL TABLE content_index USING fts5(
        title, body, tokenize = 'porter unicode61 remove_diacritics 2')""",
    """CREATE TABLE suppliers (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, country TEXT NOT NULL, email TEXT NOT NULL,
        minimum_order_cents INTEGER NOT NULL, lead_time_days INTEGER NOT NULL)""",
    "CREATE TABLE locations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT NOT NULL)",
    """CREATE TABLE items (
        sku TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL,
        supplier_id INTEGER REFERENCES suppliers (id),  -- NULL: built in the workshop
        list_price_cents INTEGER NOT NULL CHECK (list_price_cents >= 0),
        in_stock INTEGER NOT NULL CHECK (in_stock >= 0), reorder_point INTEGER NOT NULL)""",
    """CREATE VIRTUAL TABLE items_index USING fts5(
        sku, name, category, tokenize = 'porter unicode61 remove_diacritics 2')""",
    """CREATE TABLE purchase_orders (
        id INTEGER PRIMARY KEY, order_number TEXT NOT NULL UNIQUE,
        supplier_id INTEGER NOT NULL REFERENCES suppliers (id),
        location_id INTEGER NOT NULL REFERENCES locations (id),
        status TEXT NOT NULL CHECK (status IN (
            'ordered', 'partly_received', 'received', 'cancelled')),
        expected_on TEXT, note TEXT NOT NULL, total_cents INTEGER NOT NULL CHECK (total_cents >= 0))""",
    """CREATE TABLE purchase_order_lines (
        order_id INTEGER NOT NULL REFERENCES purchase_orders (id), position INTEGER NOT NULL,
        sku TEXT NOT NULL REFERENCES items (sku), quantity INTEGER NOT NULL CHECK (quantity > 0),
        unit_price_cents INTEGER NOT NULL CHECK (unit_price_cents >= 0),
        received INTEGER NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND quantity),
        PRIMARY KEY (order_id, position))""",
    """CREATE TABLE bill_of_materials (
        product_sku TEXT NOT NULL REFERENCES items (sku), component_sku TEXT NOT NULL REFERENCES items (sku),
        quantity INTEGER NOT NULL CHECK (quantity > 0), PRIMARY KEY (product_sku, component_sku))""",
    """CREATE TABLE manufacturing_orders (
        id INTEGER PRIMARY KEY, order_number TEXT NOT NULL UNIQUE,
        product_sku TEXT NOT NULL REFERENCES items (sku), quantity INTEGER NOT NULL CHECK (quantity > 0),
        status TEXT NOT NULL CHECK (status IN ('in_progress', 'fulfilled', 'cancelled')),
        due_on TEXT, note TEXT NOT NULL)""",
    """CREATE TABLE sales_orders (
        id INTEGER PRIMARY KEY, order_number TEXT NOT NULL UNIQUE, customer TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'fulfilled', 'cancelled', 'refunded')),
        total_cents INTEGER NOT NULL CHECK (total_cents >= 0))""",
    """CREATE TABLE sales_order_lines (
        order_id INTEGER NOT NULL REFERENCES sales_orders (id), position INTEGER NOT NULL,
        sku TEXT NOT NULL REFERENCES items (sku), quantity INTEGER NOT NULL CHECK (quantity > 0),
        unit_price_cents INTEGER NOT NULL CHECK (unit_price_cents >= 0), PRIMARY KEY (order_id, position))""",
)

INDEXING: Final = (
    """INSERT INTO documents_index (rowid, title, author, summary)
        SELECT id, title, author, summary FROM documents""",
    "INSERT INTO content_index (rowid, title, body) SELECT id, title, body FROM content",
    "INSERT INTO items_index (rowid, sku, name, category) SELECT rowid, sku, name, category FROM items",
)
"""Run once, after the seed is in."""

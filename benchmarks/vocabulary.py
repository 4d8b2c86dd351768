"""Vocabulary of the benchmark's specs: a shop with a warehouse."""

from __future__ import annotations

VERBS = ("create", "update", "list", "cancel", "verify", "export", "assign", "search")
THINGS = ("invoice", "shipment", "customer", "supplier", "contract", "refund", "stock_count", "price_list")
STATES = ("draft", "open", "approved", "partly_delivered", "delivered", "closed", "cancelled")
UNITS = ("piece", "box", "pallet", "kilogram", "metre", "litre")
REGIONS = ("north", "south", "east", "west", "overseas")
FIELDS = (
    ("reference", "The reference that the other side knows it by, as it is printed on their papers; unique."),
    (
        "owner",
        "Who is responsible for it: the login name of a person, never the name of a team or a mailbox.",
    ),
    ("warehouse", "The warehouse it concerns, by its short name as it is shown in the list of warehouses."),
    (
        "cost_centre",
        "The cost centre that it is booked on; the one of the owner is taken when it is left out.",
    ),
    ("channel", "How it reached us, such as the shop, a telephone call, an electronic order or a visit."),
    ("note", "A remark for colleagues; it is shown beside the entry and never printed on papers for others."),
)
COUNTS = (
    ("limit", "How many entries to give back at most; the newest come first when there are more of them."),
    ("quantity", "How many units are meant, counted in the unit that the article is kept in stock in."),
    (
        "priority",
        "How urgent it is, from one for whenever there is time to the highest, which stops other work.",
    ),
    ("days", "How many working days from now are looked at; public holidays of the region do not count."),
)

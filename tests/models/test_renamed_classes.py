"""Former names of classes: which class of today each of them is."""

from __future__ import annotations

from textwrap import dedent
from typing import ClassVar

from toolgen.data.changes import FileSummary, PackageTree, Tree
from toolgen.models.renamed_classes import existing_names, renamed_classes

ORDER = "models/order.py"


def renamed(before: str, after: str, **shared: str) -> dict[str, str]:
    """Return the former names in the module of one tool; `shared` has modules of shared schemas."""
    modules = {f"models/shared/{name}.py": dedent(text) for name, text in shared.items()}
    found = renamed_classes({ORDER: dedent(before)}, {ORDER: dedent(after), **modules})
    return dict(found.get(ORDER, {}))


BEFORE = """
    class OrderRequestCustomer(BaseModel):
        name: str

    class OrderRequest(BaseModel):
        customer: Annotated[OrderRequestCustomer | None, Field(description="x")] = None
"""


def test_a_nested_class_is_found_by_the_field_that_refers_to_it() -> None:
    after = """
        class Customer(BaseModel):
            name: str

        class OrderRequest(BaseModel):
            customer: Customer | None = None
    """
    assert renamed(BEFORE, after) == {"OrderRequestCustomer": "Customer"}


def test_a_class_that_moved_to_a_shared_module_is_found() -> None:
    after = """
        from .shared.people import Customer

        class OrderRequest(BaseModel):
            customer: Customer | None = None
    """
    people = """
        class Customer(BaseModel):
            name: str
    """
    assert renamed(BEFORE, after, people=people) == {"OrderRequestCustomer": "shared.people.Customer"}


def test_a_shared_class_is_found_by_its_name_in_the_module_that_imports_it() -> None:
    after = """
        from .shared.people import Customer as PeopleCustomer

        class OrderRequest(BaseModel):
            customer: PeopleCustomer | None = None
    """
    people = """
        class Customer(BaseModel):
            name: str
    """
    assert renamed(BEFORE, after, people=people) == {"OrderRequestCustomer": "shared.people.Customer"}


def test_the_fields_of_a_request_that_extends_a_shared_class_are_followed() -> None:
    after = """
        from .shared.orders import Order

        class OrderRequest(Order):
            ...
    """
    orders = """
        class Buyer(BaseModel):
            name: str

        class Order(BaseModel):
            customer: Buyer | None = None
    """
    assert renamed(BEFORE, after, orders=orders) == {"OrderRequestCustomer": "shared.orders.Buyer"}


def test_classes_below_a_shared_class_are_found_and_aliases_followed() -> None:
    before = """
        class Position(BaseModel):
            x: int

        class Address(BaseModel):
            positions: list[Position]

        class OrderRequest(BaseModel):
            to: Address
    """
    after = """
        from .shared.places import Address

        class OrderRequest(BaseModel):
            to: Address
    """
    places = """
        from .geometry import Points

        class Address(BaseModel):
            positions: Points
    """
    geometry = """
        class Point(BaseModel):
            x: int

        Points: TypeAlias = list[Point]
    """
    found = renamed(before, after, places=places, geometry=geometry)
    assert found == {"Position": "shared.geometry.Point"}


def test_branches_of_a_union_are_told_apart_by_their_fields() -> None:
    before = """
        class OrderResponseOption1(BaseModel):
            a: int

        class OrderResponseOption2(BaseModel):
            b: int

        class OrderResponse(RootModel[OrderResponseOption1 | OrderResponseOption2]):
            pass
    """
    after = """
        class A(BaseModel):
            a: int

        class B(BaseModel):
            b: int

        class OrderResponse(RootModel[B | A]):
            pass
    """
    assert renamed(before, after) == {"OrderResponseOption1": "A", "OrderResponseOption2": "B"}


def test_classes_that_became_one_class_are_all_found() -> None:
    before = """
        class OrderRequestHome(BaseModel):
            street: str

        class OrderRequestWork(BaseModel):
            street: str

        class OrderRequest(BaseModel):
            home: OrderRequestHome
            work: OrderRequestWork
    """
    after = """
        class Address(BaseModel):
            street: str

        class OrderRequest(BaseModel):
            home: Address
            work: Address
    """
    assert renamed(before, after) == {"OrderRequestHome": "Address", "OrderRequestWork": "Address"}


def test_recursive_classes_and_modules_that_import_each_other_end() -> None:
    before = """
        class Node(BaseModel):
            next: Node

        class OrderRequest(BaseModel):
            root: Node
    """
    after = """
        from .shared.a import Knot

        class OrderRequest(BaseModel):
            root: Knot
    """
    a = """
        from .b import Other

        class Knot(BaseModel):
            next: Knot
    """
    b = "from .a import Other"
    assert renamed(before, after, a=a, b=b) == {"Node": "shared.a.Knot"}


def test_a_class_with_other_fields_is_another_class() -> None:
    after = """
        class Buyer(BaseModel):
            title: str

        class OrderRequest(BaseModel):
            customer: Buyer | None = None
    """
    assert renamed(BEFORE, after) == {}


def test_text_that_is_not_python_has_no_classes() -> None:
    assert renamed(BEFORE, "<<<<<<< ours\n") == {}
    assert renamed("\0", BEFORE) == {}


def test_a_name_is_dropped_once_its_class_is_gone_or_another_class_has_it() -> None:
    tree = {
        ORDER: "class Customer(BaseModel):\n    name: str\n",
        "models/shared/people.py": "class Person: ...",
    }
    known = {
        ORDER: {"Client": "Customer", "Buyer": "Gone", "Customer": "Client", "P": "shared.people.Person"}
    }
    assert existing_names(known, tree) == {ORDER: {"Client": "Customer", "P": "shared.people.Person"}}
    assert existing_names({"models/gone.py": {"A": "B"}}, tree) == {}


class Summarized:
    """A spec whose files must not be read."""

    file_summaries: ClassVar = {"a.py": FileSummary("0", ""), "b.py": FileSummary("1", "")}

    @property
    def files(self) -> Tree:
        raise AssertionError("files are read")


def test_other_modules_are_not_read_when_some_get_former_names() -> None:
    tree = PackageTree([Summarized()], {"catalog.py": "c"}).with_texts({"a.py": "new"})
    assert (sorted(tree), len(tree), tree["a.py"], tree["catalog.py"]) == (
        ["a.py", "b.py", "catalog.py"],
        3,
        "new",
        "c",
    )
    assert (tree.summary("a.py"), tree.summary("b.py")) == (None, FileSummary("1", ""))

"""Codes of references between schemas."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

REFERENCES: dict[str, Code] = {
    "absolute-ref": error(
        "a `$ref` to a place on one machine",
        "Other machines do not have that file, and specs must not read what lies outside of their folder.",
        "Write a path relative to the file that the `$ref` stands in.",
    ),
    "dangling-ref": error(
        "a `$ref` that leads nowhere",
        "What it stands for could not be enforced.",
        "Correct the path or the name, or write the definition.",
    ),
    "escaping-ref": error(
        "a `$ref` that leads out of the specs folder",
        "A spec from elsewhere could otherwise read any file of the machine.",
        "Move the shared file below the specs folder.",
    ),
    "looping-ref": error(
        "a `$ref` that leads back to itself",
        "It never arrives at a schema: a validator would go round for ever.",
        "Let recursion go through `properties` or `items`.",
    ),
    "mixed-drafts": error(
        "a `$ref` into a file of another draft",
        "Keywords mean other things in other drafts; inside one schema only one meaning can hold.",
        "Write the same `$schema` in both, or in neither.",
    ),
    "remote-ref": error(
        "a `$ref` that would need the network",
        "The same specs must give the same code anywhere, and nothing is fetched from elsewhere.",
        "Copy the schema into a file below the specs folder.",
    ),
    "unbundled-ref": error(
        "a reference to a shared file that cannot be bundled",
        "Below an `$id`, `#` means that schema and not the root, so the copy would not be found.",
        "Remove the `$id`, or use a plain `$ref`.",
    ),
}

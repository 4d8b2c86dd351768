"""`discriminator` as what JSON Schema can enforce: each branch of a choice names its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.openapi.document import Place
from toolgen.suggestions import quoted

if TYPE_CHECKING:
    from toolgen.importers.openapi.schemas import Schemas


def told_apart(node: dict[str, Any], made: dict[str, Any], at: Place, schemas: Schemas) -> None:
    """Give each branch of `oneOf` or `anyOf` in `made` the values of the property that tells them apart.

    A branch that says them itself is left as it is. Without a choice beside it, a discriminator names
    subtypes that a schema does not know of: there is nothing to enforce.
    """
    key = next((key for key in ("oneOf", "anyOf") if isinstance(node.get(key), list)), None)
    name = node["discriminator"].get("propertyName")
    if key is None or not isinstance(name, str):
        schemas.repairs.note("a discriminator without a choice beside it: left out", at / "discriminator")
        return
    mapping = node["discriminator"].get("mapping")
    values = _values(mapping if isinstance(mapping, dict) else {}, at, schemas)
    for index, branch in enumerate(node[key]):
        if not isinstance(branch, dict) or not isinstance(branch.get("$ref"), str):
            continue
        target = schemas.library.followed(at / key / index)
        if _says(schemas, target, name):
            continue
        meant = values.get(target) or ([] if values else [str(target.path[-1])])
        if not meant:
            schemas.repairs.note(f"the mapping of {quoted(name)} does not name this", at / key / index)
            continue
        made[key][index] = {
            **made[key][index],
            "properties": {name: {"const": meant[0]} if len(meant) == 1 else {"enum": meant}},
            "required": [name],
        }


def _values(mapping: dict[str, Any], at: Place, schemas: Schemas) -> dict[Place, list[str]]:
    """The values of a mapping by what they stand for: a reference, or a name among the components."""
    found: dict[Place, list[str]] = {}
    place = at / "discriminator" / "mapping"
    for value, ref in mapping.items():
        if not isinstance(ref, str):
            continue
        written = ref if "#" in ref or "/" in ref or "." in ref else f"#/components/schemas/{ref}"
        try:
            target = schemas.library.target(written, place / value)
        except SourceError:
            schemas.repairs.note(f"the mapping leads nowhere: {quoted(ref)}: left out", place / value)
            continue
        found.setdefault(target, []).append(value)
    return found


def _says(schemas: Schemas, target: Place, name: str) -> bool:
    """Whether the schema at `target`, or one that it extends, says which values its property has."""
    node = schemas.library.value(target)
    if not isinstance(node, dict):
        return False
    properties = node.get("properties")
    own = properties.get(name) if isinstance(properties, dict) else None
    if isinstance(own, dict) and ("const" in own or "enum" in own):
        return True
    inner = node.get("allOf")
    return isinstance(inner, list) and any(
        _says(schemas, schemas.library.followed(target / "allOf" / index), name)
        for index, branch in enumerate(inner)
        if isinstance(branch, dict) and "$ref" not in branch
    )

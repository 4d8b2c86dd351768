import asyncio
import importlib

import generated
from generated.catalog import TOOLS, tool_class
from toolgen.runtime import Toolkit

VALUE = {
    "class": "c", "fill-opacity": 1, "fillOpacity": 2, "fill_opacity": 3.5, "_meta": {"x": [None]}, "model_config": "m",
    "model_dump": True, "schema": "s", "copy": False, "self": "me", "int": 10**30, "count": 2, "": "empty",
    "StartTime<": "a", "StartTime>": "b", "Parameter1.Value": "p", "2fa": "x", "größe": 5, "ﬁ": "ligature", "fi": "two",
    "a\nb": "n", "BaseModel": {"Field": "f", "more": 1}, "$ref": "r", "class_": "extra",
}  # fmt: skip
request = tool_class("class").check_inputs(VALUE)
print(request.model_dump(mode="json", by_alias=True, exclude_unset=True) == VALUE)
print({field: info.alias for field, info in type(request).model_fields.items()})
for name, definition in TOOLS.items():
    made = tool_class(name)
    print(name, definition["py_name"], made.__name__, made.request_model.__name__, getattr(generated, made.__name__) is made)
    importlib.import_module(f"generated.models.{definition['py_name']}")
print(asyncio.run(Toolkit.from_catalog(importlib.import_module("generated.catalog")).call("list", {})).error.code)

"""Create specs from Python functions: type hints become schemas, docstrings become descriptions.

SOURCE is MODULE:FUNCTION, MODULE for all its public functions, or a file: path/to/module.py:function.
The module is imported, which runs its code: use this only with code that you trust. It runs in a child
process, with the Python interpreter of toolgen, for at most one minute.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from toolgen.cli.imports import common
from toolgen.language.package import Package
from toolgen.project import Project
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.loading.implementations import describe_functions, function_modules
from toolgen.sources.loading.imported_specs import ImportContext, NewModules
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.python.signature import FunctionDescription
from toolgen.sources.python.specs import OWNED, import_python


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(
        parser,
        "MODULE:FUNCTION, MODULE, or a Python file; repeat for more",
        several=True,
        implement="implementations, which call the functions",
    )


def run(args: argparse.Namespace) -> bool:
    with source_errors():
        functions = describe_functions(args.source, Path(os.path.realpath(args.start)))
    by_name: dict[str, FunctionDescription] = {}

    def convert(context: ImportContext) -> list[ImportedTool]:
        tools = import_python(functions, context.names)
        by_name.update({tool.name: function for tool, function in zip(tools, functions, strict=True)})
        return tools

    def implementations(project: Project, package: Package) -> NewModules:
        return function_modules(project, package.tools, by_name)

    return common.run_import(args, convert, OWNED, implementations if args.implement else None)

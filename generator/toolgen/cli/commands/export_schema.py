"""Print the JSON Schema of the spec language, for editors and other programs."""

from __future__ import annotations

import argparse

from toolgen.cli.output import emit_json
from toolgen.language.reading.editor_schema import editor_schema


def arguments(parser: argparse.ArgumentParser) -> None:
    del parser  # none


def run(args: argparse.Namespace) -> bool:
    del args

    emit_json(editor_schema())
    return True

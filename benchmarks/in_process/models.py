"""How many tools of the project in the working directory have models that the template prints; prints it."""

from __future__ import annotations

from pathlib import Path

from toolgen.compile.models.module_source import module_source
from toolgen.compile.models.shared_classes import shared_classes
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import tool_classes
from toolgen.language.package import PackageSettings


def main() -> None:
    specs = Path("specs")
    texts = {path.relative_to(specs).as_posix(): path.read_bytes() for path in specs.rglob("*.yaml")}
    program = analyze(texts, ())
    tools = lower(program, PackageSettings()).tools
    shared = shared_classes(program.shared)
    by_template = sum(module_source(tool_classes(tool, shared)) is not None for tool in tools)
    print(f"{by_template:,} of {len(tools):,}")


if __name__ == "__main__":
    main()

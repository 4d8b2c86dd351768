from pathlib import Path

from toolgen.runtime import Toolkit

from generated import catalog


def toolgen_toolkit(folder: Path) -> Toolkit:
    return catalog.toolkit()

"""Processor seconds to import and list a generated catalog, or to load the same definitions from JSON.

`write` writes the definitions to `catalog.json`; `json` and `import` print seconds.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

DEFINITIONS = Path("catalog.json")


def main(case: str) -> None:
    began = time.process_time()
    if case == "json":
        found = json.loads(DEFINITIONS.read_bytes())
    else:
        from generated import catalog

        found = list(catalog.TOOLS.values())
        if case == "write":
            DEFINITIONS.write_text(json.dumps(found), "utf-8")
    print(time.process_time() - began if found else "no tools")


if __name__ == "__main__":
    main(sys.argv[1])

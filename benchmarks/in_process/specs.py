"""Read the specs of the project, and print the seconds that it takes: to tools whose references are bound.

Imports are not counted. The clock is that of the benchmark: processor time if `BENCH_CLOCK` is cpu.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from toolgen.compile.pipeline import bind
from toolgen.project import find_project, read_specs


def main() -> None:
    clock = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter
    project = find_project(Path())
    began = clock()
    program = bind(read_specs(project))
    print(clock() - began if program.tools else "no tools")


if __name__ == "__main__":
    main()

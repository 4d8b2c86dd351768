"""The plot of `docs/performance.md`: time per spec by number of specs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .measure import spread
from .report import Measured
from .rows import ENGINE

# case → label and style; toolgen in blue, other tools in warm colours
_LINES = {
    "openapi-python-client": ("openapi-python-client", "#b5651d", "--", "s"),
    ENGINE: ("datamodel-codegen (models only)", "#d1495b", "--", "s"),
    "toolgen generate, cold": ("toolgen generate, cold", "#1f4e9c", "-", "o"),
    "toolgen check, no cache": ("toolgen check, no cache", "#3d85c6", "-", "o"),
    "toolgen generate, one changed": ("toolgen generate, one spec changed", "#45a29e", "-", "o"),
    "toolgen check": ("toolgen check, nothing changed", "#6aa84f", "-", "o"),
}


def draw(measured: Measured, path: Path) -> None:
    """Write the SVG; the same bytes for the same figures."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    settings = {
        "svg.hashsalt": "toolgen",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 11,
    }
    with matplotlib.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=(8.5, 6), layout="constrained")
        for case, (label, colour, line, marker) in _LINES.items():
            points = sorted(_points(measured, case))
            if points:
                xs, ys = zip(*points, strict=True)
                axes.plot(xs, ys, line, color=colour, marker=marker, markersize=5, label=label)
        sizes = sorted({size for case in _LINES for size, _ in _points(measured, case)})
        axes.set(xscale="log", yscale="log", xlabel="specs", ylabel="milliseconds per spec (start included)")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        axes.grid(color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title("Time per spec: lower is faster, flat is linear", loc="left", fontsize=12)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(path, metadata={"Date": None, "Creator": None}, facecolor="white")
        pyplot.close(figure)


def _points(measured: Measured, case: str) -> Iterator[tuple[int, float]]:
    """Return number of specs and milliseconds per spec for each measurement of the case."""
    for (group, size), samples in measured.items():
        if case in samples and group in ("generate", "check"):
            yield size, 1000 * spread(samples[case]).median / size
    yield from _scaled(measured, case)


def _scaled(measured: Measured, case: str) -> Iterator[tuple[int, float]]:
    """Return the point of the largest size, which is only measured in its own group."""
    verb = {"toolgen generate, cold": "generate", "toolgen check": "check"}.get(case)
    for (group, size), samples in measured.items():
        if group == "scale" and f"{verb} {size}" in samples and ("generate", size) not in measured:
            yield size, 1000 * spread(samples[f"{verb} {size}"]).median / size

"""Line charts as SVG, small enough to be kept in the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Line", "draw"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 700, 360, 60, 46, 14, 210
_COLOURS: Final = ("#0b6e99", "#c4551c", "#2e7d32", "#7b3fa0", "#8a6d00", "#b3123b")


class Line(NamedTuple):
    """A series; with ``joined`` false its points stand alone."""

    name: str
    points: Sequence[tuple[float, float]]
    joined: bool = True


def draw(path: Path, lines: Sequence[Line], *, x: str, y: str, ys: tuple[float, float] | None = None) -> None:
    """Write a chart of ``lines`` with the axes' titles ``x`` and ``y``; the x axis begins at the smallest point."""
    points = [point for line in lines for point in line.points]
    left, right = min(point[0] for point in points), max(point[0] for point in points)
    low, high = ys or (0.0, max(point[1] for point in points) * 1.05)

    def at(point: tuple[float, float]) -> tuple[float, float]:
        across = _LEFT + (point[0] - left) / ((right - left) or 1) * (_WIDTH - _LEFT - _RIGHT)
        up = _HEIGHT - _BOTTOM - (point[1] - low) / (high - low) * (_HEIGHT - _BOTTOM - _TOP)
        return round(across, 1), round(up, 1)

    head = (
        f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12"'
    )
    parts = [f"<svg {head}>", '<rect width="100%" height="100%" fill="#fff"/>']
    for step in range(6):
        value = low + (high - low) * step / 5
        _, up = at((left, value))
        parts.append(f'<path d="M{_LEFT} {up}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{up + 4}" text-anchor="end">{value:.3g}</text>')
        value = left + (right - left) * step / 5
        across, _ = at((value, low))
        parts.append(f'<text x="{across}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{value:.3g}</text>')
    parts.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(x)}</text>')
    parts.append(f'<text transform="translate(14 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y)}</text>')
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        placed = [at(point) for point in line.points]
        if line.joined:
            path_data = " ".join(f"{across},{up}" for across, up in placed)
            parts.append(f'<polyline points="{path_data}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across}" cy="{up}" r="3" fill="{colour}"/>' for across, up in placed]
        up = _TOP + 16 * (number + 1)
        parts.append(f'<circle cx="{_WIDTH - _RIGHT + 14}" cy="{up - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{_WIDTH - _RIGHT + 22}" y="{up}">{escape(line.name)}</text>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join((*parts, "</svg>")) + "\n", "utf-8")

"""Accuracy against corruption: the same benchmark on points as they are, half as bad, and as bad as asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cender.bench.identity.corruption import NO_CORRUPTION, Corruption
from cender.bench.identity.measure import Measurement
from cender.bench.identity.pictures import name_measurement, shorten_source
from cender.bench.identity.plan import Plan, open_cast, run_plan
from cender.config import Config
from cender.plots.corruption import Decline, draw_corruption
from cender.plots.style import save_figure


@dataclass(frozen=True, slots=True)
class Level:
    """What was measured at one degree of corruption."""

    corruption: Corruption
    measured: tuple[Measurement, ...]

    def as_json(self) -> dict[str, Any]:
        """The corruption in words and the figures of every measurement."""
        return {"corruption": str(self.corruption), "results": [one.as_json() for one in self.measured]}


def measure_levels(
    plan: Plan, config: Config, done: Sequence[Measurement], on_step: Callable[[str], None] = lambda label: None
) -> list[Level]:
    """No corruption, half of that of the plan, and all of it, which is measured already."""
    milder = [
        Level(lesser, tuple(run_plan(mild, config, open_cast(mild, config), on_step)))
        for lesser in (NO_CORRUPTION, halve_corruption(plan.corruption))
        for mild in [replace(plan, corruption=lesser)]
    ]
    return [*milder, Level(plan.corruption, tuple(done))]


def halve_corruption(corruption: Corruption) -> Corruption:
    """Half as much of everything."""
    return Corruption(corruption.drop / 2, corruption.spurious / 2, corruption.jitter_um / 2)


def draw_levels(levels: Sequence[Level], folder: Path) -> Path:
    """A picture of accuracy against corruption as PNG, and its path."""
    declines = [
        Decline(
            name_measurement(levels[0].measured[row]),
            *(
                tuple(_get(level.measured[row], name) for level in levels)
                for name in ("accuracy", "worst_5pct", "expected_accuracy")
            ),
        )
        for row in range(len(levels[0].measured))
    ]
    words = [_say(level.corruption) for level in levels]
    figure = draw_corruption(declines, words, shorten_source(levels[0].measured[0].data))
    path = folder / "identity-corruption.png"
    save_figure(figure, path)
    return path


def _get(measured: Measurement, name: str) -> float:
    value = measured.average(name)
    return float("nan") if value is None else value


def _say(corruption: Corruption) -> str:
    return str(corruption).replace(", ", "\n") if corruption else "as they are"

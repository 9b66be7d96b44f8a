"""Draws the figures of docs/simulator.md and writes its table: ``CENDER_DATA=FOLDER python docs/draw_simulator.py``."""

import os
from pathlib import Path

from cender.bench.realism.compare import SEEDS, Comparison, Realism, compare_with_real
from cender.plots.realism import draw_realism
from cender.plots.simulator import draw_simulation
from cender.plots.style import save_figure
from cender.simulate import SimulateParams, simulate_recording

DOCS = Path(__file__).parent
START, END = "<!-- table: written by docs/draw_simulator.py -->", "<!-- end of table -->"
SHOWN_SEED, SHOWN_VOLUMES = 9005, 100


def list_figures(realism: Realism) -> str:
    """The comparison as a table."""
    rows = [
        f"Preset `{realism.preset}` ({realism.preset_hash}), seeds {SEEDS[0]} to {SEEDS[-1]}; lowest – highest.",
        "",
        "| | figure | real | simulated | unit | real data |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *map(format_row, realism.comparisons)])


def format_row(one: Comparison) -> str:
    """One line of the table."""
    real, simulated = (format_span(span) for span in (one.real, one.simulated))
    return f"| {one.group} | {one.figure} | {real} | {simulated} | {one.unit} | {one.source} |"


def format_span(span: tuple[float, float]) -> str:
    """One figure, or the lowest and the highest."""
    low, high = (f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}" for value in span)
    return low if low == high else f"{low} – {high}"


def main() -> None:
    """Write the table and both figures."""
    data = os.environ.get("CENDER_DATA")
    if not data:
        raise SystemExit("CENDER_DATA must name the folder of real data")
    realism = compare_with_real(Path(data), on_step=print)
    figure = draw_realism(realism.real_frames, realism.simulated_frames)
    save_figure(figure, DOCS / "figures" / "real-and-simulated.png", compact=True)
    simulation = simulate_recording(SimulateParams(seed=SHOWN_SEED, volumes=SHOWN_VOLUMES))
    figure = draw_simulation(simulation.recording.volume(0), simulation.truth())
    save_figure(figure, DOCS / "figures" / "simulated.png", compact=True)
    page = DOCS / "simulator.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(START)
    _, after = rest.split(END)
    page.write_text(f"{before}{START}\n\n{list_figures(realism)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

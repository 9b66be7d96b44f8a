"""Pictures of recognition: what is drawn is what was measured."""

import numpy as np
import pytest

from cender.plots.embedding import draw_embedding, plot_distances
from cender.plots.identity import (
    Curve,
    Published,
    draw_curves,
    draw_over_time,
    draw_reliability,
    draw_violins,
)
from cender.plots.style import save_figure, start_figure
from cender.plots.tsne import lay_out


def make_clusters(count: int = 5, each: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors around well separated directions, and the number of the direction of each."""
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(count, 12), each, axis=0) + rng.normal(0, 0.05, (count * each, 12))
    return points / np.linalg.norm(points, axis=1, keepdims=True), np.repeat(np.arange(count), each)


def test_curves_and_published_points() -> None:
    curves = [
        Curve("default", "random", (0, 1, 10), (0.8, 0.9, 0.92), (0.01, 0.01, 0.0)),
        Curve("paper", "blocked", (10, 30), (0.5, 0.7), (float("nan"), float("nan"))),
    ]
    (ax,) = draw_curves(curves, [Published("the paper", 80, 0.841)], "a recording").axes
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels.count("the paper") == 1
    assert {"ours, random", "the paper's method, run here, blocked"} < set(labels)
    star = next(line for line in ax.lines if line.get_label() == "the paper")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (80, pytest.approx(84.1))


def test_volumes_below_sixty_are_marked() -> None:
    time = np.arange(40.0)
    accuracy = np.where(time % 10 == 0, 0.3, 0.9)
    figure = draw_over_time({"a": (time, accuracy), "b": (time[:0], accuracy[:0])}, "s")
    texts = [text.get_text() for ax in figure.axes for text in ax.get_legend().get_texts()]
    assert texts == ["below 60 %: 4", "below 60 %: 0"]


def test_line_is_interrupted_where_nothing_was_measured() -> None:
    time = np.r_[np.arange(20.0), 100 + np.arange(20.0)]
    figure = draw_over_time(
        {"whole": (np.arange(40.0), np.ones(40)), "gap": (time, np.ones(40))}, "s", {"gap": (40.0, 60.0)}
    )
    whole, gap = (np.asarray(ax.lines[0].get_xdata()) for ax in figure.axes)
    assert not np.isnan(whole).any()
    assert np.flatnonzero(np.isnan(gap)).tolist() == [20]
    assert [len(ax.patches) for ax in figure.axes] == [0, 1], "the block that was trained on is shaded"


def test_reliability_of_honest_and_boastful_probabilities() -> None:
    rng = np.random.default_rng(1)
    probability = rng.random(4000)
    right = rng.random(4000) < probability
    figure = draw_reliability({"honest": (probability, right), "boastful": (np.ones(4000), right)})
    errors = [float(ax.texts[0].get_text().split()[1]) for ax in figure.axes]
    assert errors[0] < 0.03
    assert errors[1] == pytest.approx(0.5, abs=0.03)


def test_violins_have_their_means() -> None:
    groups = {"default": np.array([0.9, 0.8, 0.7]), "paper": np.array([0.5, 0.5]), "none": np.zeros(0)}
    (ax,) = draw_violins(groups, "across").axes
    assert [text.get_text() for text in ax.texts] == ["80.0", "50.0"]


def test_layout_keeps_clusters_apart() -> None:
    points, number = make_clusters()
    place = lay_out(points)
    middle = np.stack([place[number == one].mean(0) for one in range(5)])
    nearest = np.linalg.norm(place[:, None] - middle[None], axis=2).argmin(1)
    assert (nearest == number).mean() == 1
    np.testing.assert_array_equal(place, lay_out(points))


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_few_points_are_laid_out(count: int) -> None:
    points, _ = make_clusters(5, 1)
    assert np.isfinite(lay_out(points[:count])).all()
    assert lay_out(points[:count]).shape == (count, 2)


def test_too_many_points_are_refused() -> None:
    with pytest.raises(ValueError, match="sample"):
        lay_out(np.zeros((2501, 2)))


def test_distances_put_neighbours_together() -> None:
    points, _ = make_clusters(2, 10)
    mixed = np.random.default_rng(0).permutation(20)
    with_title = plot_distances(points[mixed], start_figure(3, 3).subplots())
    drawn = np.asarray(with_title.images[0].get_array())
    assert drawn[:10, :10].max() < 0.2 < drawn[:10, 10:].min()
    assert "20 identities" in with_title.get_title(loc="left") + with_title.get_title()


def test_embedding_is_saved(tmp_path) -> None:
    points, number = make_clusters(4, 10)
    number[::7] = -1
    save_figure(draw_embedding(points[::10], points, number), tmp_path / "embedding.png")
    assert (tmp_path / "embedding.png").stat().st_size > 5000

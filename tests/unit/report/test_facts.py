"""What a run folder says, and what it does not: reasons, presence, settings, methods, gaps."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cender.activity import fit_bleaching
from cender.errors import DataError
from cender.io import create_run, open_folder
from cender.pipeline.volumes.flags import find_few
from cender.report.attention import list_points
from cender.report.digest import digest_run
from cender.report.folder import NeuronColumns, VolumeColumns, read_folder
from cender.report.methods import write_methods
from cender.report.presence import count_presence, list_identities
from cender.report.reasons import count_statuses, group_reasons, say_ranges
from cender.report.samples import choose_samples
from cender.report.settings import list_differences, say_value
from cender.report.speed import measure_stages


def make_volumes(*rows: tuple[str, str, str]) -> VolumeColumns:
    count = len(rows)
    return VolumeColumns(
        np.arange(count),
        np.arange(count) / 5,
        *(tuple(column) for column in zip(*rows, strict=True)),
        np.ones(count),
        (None,) * count,
    )


def make_neurons(rows: list[tuple[int, int, float]]) -> NeuronColumns:
    volume, identity, probability = (np.array(column) for column in zip(*rows, strict=True))
    count = len(rows)
    return NeuronColumns(
        volume,
        np.arange(count),
        identity,
        probability.astype(float),
        *np.zeros((2, count, 3)),
        np.zeros(count, bool),
    )


def test_reasons_of_one_kind_are_one_whatever_their_words() -> None:
    volumes = make_volumes(
        ("ok", "", ""),
        ("flagged", "unsure (quality 0.30)", "unsure axes"),
        ("failed", "no head", "no head"),
        ("flagged", "unsafe (quality 0.41)", "unsure axes"),
        ("flagged", "dim", ""),
        ("failed", "", ""),
    )
    assert count_statuses(volumes) == {"ok": 1, "flagged": 3, "failed": 2}
    groups = group_reasons(volumes)
    assert [(one.status, one.example, one.volumes) for one in groups] == [
        ("failed", "no head", (2,)),
        ("failed", "no reason given", (5,)),
        ("flagged", "unsure (quality 0.30)", (1, 3)),
        ("flagged", "dim", (4,)),
    ]


def test_ranges_are_short() -> None:
    assert say_ranges([3, 9, 5, 6, 7, 5]) == "3, 5–7, 9"
    assert say_ranges(range(0, 40, 2)) == "0, 2, 4, 6, 8, 10, 12, 14, …"
    assert say_ranges([]) == ""


def test_presence_counts_each_volume() -> None:
    neurons = make_neurons([(0, 1, 0.9), (0, -1, 0.2), (2, 1, 0.5), (2, 4, 0.7), (7, 1, 1.0)])
    found = count_presence(neurons, np.array([0, 1, 2]))
    assert found.found.tolist() == [2, 0, 2]
    assert found.recognized.tolist() == [1, 0, 2]
    np.testing.assert_allclose(found.probability, [0.9, np.nan, 0.6])
    assert [(row.identity, row.share) for row in list_identities(neurons, 4)] == [(1, 0.75), (4, 0.25)]


def test_samples_show_the_extremes_and_a_flagged_one() -> None:
    volumes = make_volumes(("ok", "", ""), ("flagged", "x", "x"), ("ok", "", ""), ("failed", "y", "y"), ("ok", "", ""))
    rows = [(0, 1, 0.9), (1, 1, 0.1), (2, 1, 0.4), (4, 1, 0.7)]
    presence = count_presence(make_neurons(rows), volumes.volume)
    assert choose_samples(volumes, presence) == [(0, "the surest"), (1, "flagged"), (2, "the least sure")]
    unnamed = count_presence(make_neurons([(volume, -1, 0.0) for volume, _, _ in rows]), volumes.volume)
    assert choose_samples(volumes, unnamed) == [(1, "flagged"), (2, "from the middle")]


def test_only_settings_that_differ_are_listed() -> None:
    from cender.config import Config

    settings = {"detect": Config().detect.model_dump(mode="json"), "recording": {"rate_hz": 3.0}}
    assert list_differences(settings) == []
    settings["detect"]["region_score"] = 0.123
    settings["merge"] = {"bygone": 1}
    first, second = list_differences(settings)
    assert (first.key, first.value) == ("detect.region_score", "0.123")
    assert first.default == say_value(Config().detect.region_score)
    assert second == ("merge.bygone", "1", None)


def test_stages_share_the_time() -> None:
    stages = measure_stages({"read": np.array([10.0, 10, 40]), "detect": np.array([30.0]), "none": np.zeros(0)})
    assert [one.stage for one in stages] == ["read", "detect"]
    assert stages[0].share == 0.25
    assert stages[0].slow_ms > stages[0].median_ms


def test_folder_without_results_says_which_command_makes_them(tmp_path: Path) -> None:
    create_run(tmp_path / "worm", {"recording": {"source": "worm.tif"}})
    with pytest.raises(DataError, match="has no results yet; `cender run"):
        read_folder(tmp_path / "worm")
    with pytest.raises(DataError, match="there is no such run folder"):
        read_folder(tmp_path / "other")


def test_missing_and_damaged_tables_are_gaps(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("timings")
    assert [gap.what for gap in read_folder(folder).gaps] == ["timings"]
    (folder / "traces.parquet").write_bytes(b"not parquet")
    (folder / "identities.csv").write_text("identity;name\n", encoding="utf-8")
    facts = read_folder(folder)
    assert [gap.what for gap in facts.gaps] == ["traces", "timings", "cell names"]
    assert facts.traces is None
    assert facts.volumes is not None


def test_methods_say_what_the_folder_says(made_run: Path) -> None:
    facts, digest = _digest(made_run)
    text = write_methods(facts, digest.bleaching)
    assert "16 volumes at 5 volumes per second" in text
    assert "4 × 1.6 × 1.6 µm" in text
    assert "region_score 0.45" in text
    assert "detector 0123456789abcdef" in text
    assert "without manual annotation" in text
    assert "not corrected for bleaching" in text
    assert "10.1371/journal.pcbi.1010594" in text
    assert "?" not in text


def test_methods_name_the_bleaching_that_was_taken_off(made_run: Path) -> None:
    time_s = np.linspace(0, 200, 400)
    fit = fit_bleaching(np.exp(-time_s / 80)[None] * np.linspace(50, 150, 20)[:, None], time_s)
    assert fit.model == "mono"
    text = write_methods(read_folder(made_run), {"green": fit})
    assert re.search(r", corrected for bleaching \(green by one exponential \([78]\d", text)


def test_methods_leave_out_what_is_not_known(copy_run: Callable[..., Path]) -> None:
    folder = copy_run("traces", "neurons", "volumes")
    text = write_methods(read_folder(folder), {})
    assert "ratio" not in text
    assert "identities" not in text


def test_points_name_what_is_wrong(copy_run: Callable[..., Path]) -> None:
    folder = copy_run()
    before = " ".join(point.text for point in list_points(*_digest(folder)))
    assert "1 of 16 volumes gave no result" in before
    assert "No volume is annotated" in before
    run = open_folder(folder)
    run.save_table("traces", run.load_table("traces").with_columns(green=None, ratio=None, dr_r0=None, valid=False))
    run.save_table("neurons", run.load_table("neurons").with_columns(source=pl.lit("human")))
    run.save_settings({"channel_map": {"source": "identity", "reason": "too few points"}})
    after = " ".join(point.text for point in list_points(*_digest(folder)))
    assert "No volume is annotated" not in after
    assert "nothing was measured in the green channel" in after
    assert "too few points." in after


def test_few_neurons_are_as_few_in_the_report_as_in_the_flags(made_run: Path) -> None:
    facts, digest = _digest(made_run)
    assert digest.presence is not None
    for share, said in ((0.45, "In 1 volume fewer than 50 %"), (0.55, None)):
        found = np.full(len(digest.presence.found), 100)
        found[3] = round(100 * share)
        assert list(find_few(dict(enumerate(found.tolist())))) == ([3] if said else [])
        points = list_points(facts, replace(digest, presence=replace(digest.presence, found=found)))
        assert any((said or "fewer than") in point.text for point in points) == (said is not None)


def _digest(folder: Path) -> tuple:
    facts = read_folder(folder)
    return facts, digest_run(facts)

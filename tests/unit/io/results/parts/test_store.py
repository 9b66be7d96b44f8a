"""Finished parts of a run: whole or not there at all, whatever a kill left."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cases.outcomes import make_run
from cender.io.results.parts.store import PART_TABLES, PartStore, list_volumes


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    run = make_run(tmp_path_factory.mktemp("store") / "worm")
    return {name: run.load_table(name) for name in PART_TABLES}


@pytest.fixture
def store(tmp_path: Path) -> PartStore:
    return PartStore(tmp_path / "parts" / "abc")


def test_parts_come_back_in_order(store: PartStore, frames: dict[str, pl.DataFrame]) -> None:
    assert store.find() == []
    second, first = store.add(4, 8, frames), store.add(0, 4, frames)
    assert store.find() == [first, second]
    assert list_volumes(store.find()) == set(range(8))
    assert pl.read_parquet(first.table("neurons")).height == frames["neurons"].height


@pytest.mark.parametrize("size", [0, 100])
def test_a_part_that_was_cut_off_is_removed(store: PartStore, frames: dict[str, pl.DataFrame], size: int) -> None:
    cut, whole = store.add(0, 4, frames), store.add(4, 8, frames)
    content = cut.table("regions").read_bytes()
    assert len(content) > size
    cut.table("regions").write_bytes(content[:size])
    assert store.find() == [whole]
    assert not cut.path.exists()


def test_notes_and_arrays_are_kept_and_what_is_damaged_counts_as_missing(store: PartStore) -> None:
    assert store.load_note("cameras") is None
    assert store.load_arrays("cameras") is None
    store.save_note("cameras", {"gain": 2})
    store.save_arrays("cameras", {"pattern": np.arange(6).reshape(2, 3)})
    assert store.load_note("cameras") == {"gain": 2}
    found = store.load_arrays("cameras")
    assert found is not None
    assert found["pattern"].tolist() == [[0, 1, 2], [3, 4, 5]]
    (store.root / "cameras.json").write_text("[1")
    (store.root / "cameras.npz").write_bytes(b"PK")
    assert (store.load_note("cameras"), store.load_arrays("cameras")) == (None, None)


def test_parts_of_other_settings_are_removed(store: PartStore, frames: dict[str, pl.DataFrame]) -> None:
    mine, other = store.add(0, 4, frames), PartStore(store.root.with_name("old")).add(0, 4, frames)
    store.remove_others()
    assert mine.path.is_dir()
    assert not other.path.exists()

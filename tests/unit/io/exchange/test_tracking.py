"""TrackMate, GEFF, fDNC and NeRVE, each against another library than ours where there is one."""

from pathlib import Path

import geff
import numpy as np
import pytest
from geff.core_io import read_to_memory
from pytrackmate import trackmate_peak_import
from scipy.io import savemat

from cases.exchanged import VOLUMES, list_places
from cender.errors import DataError
from cender.io.exchange.doors import export_file, import_file
from cender.io.results.annotations.log import EditLog


def read_log(folder: Path) -> dict[int, list[tuple[float, ...]]]:
    """Centres and identities that people gave."""
    with EditLog(folder) as log:
        states = log.states()
    return {
        volume: [
            (*np.round(m.centre_um, 6).tolist(), -1 if m.identity is None else m.identity) for m in one.marks.values()
        ]
        for volume, one in states.items()
    }


@pytest.mark.parametrize("name", ["worm.xml", "worm.geff", "fdnc"])
def test_places_and_identities_come_back(worm: Path, other: Path, tmp_path: Path, name: str) -> None:
    chosen = "fdnc" if name == "fdnc" else None
    export_file(worm, tmp_path / name, chosen)
    moved = import_file(other, tmp_path / name, "ben", chosen)
    assert (moved.volumes, moved.neurons, moved.identities) == (VOLUMES, 3 * VOLUMES, 3)
    assert {v: sorted(rows) for v, rows in read_log(other).items()} == {
        v: sorted(rows) for v, rows in list_places(worm).items()
    }
    with EditLog(other) as log:
        (entry,) = log.since()
        assert entry.author == "ben"
        assert {n: one.name for n, one in log.identities().items()} == ({} if chosen else {5: "AVAL"})


def test_trackmate_is_read_by_another_reader(worm: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "worm.xml")
    table = trackmate_peak_import(tmp_path / "worm.xml", get_tracks=True)
    assert len(table) == 3 * VOLUMES
    assert sorted(table["label"].value_counts())[-2:] == [VOLUMES, VOLUMES]
    assert (table["x"].iloc[0], table["y"].iloc[0], table["z"].iloc[0]) == (2.5, 1.0, 1.5)


def test_geff_passes_its_own_checks_and_networkx_reads_it(worm: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "worm.geff")
    geff.validate_structure(str(tmp_path / "worm.geff"))
    graph, metadata = geff.read(str(tmp_path / "worm.geff"), backend="networkx")
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (3 * VOLUMES, 2 * (VOLUMES - 1) + 1)
    assert [axis.unit for axis in metadata.axes] == ["frame", *["micrometer"] * 3]


def test_geff_without_identities_has_chains(other: Path, tmp_path: Path) -> None:
    io = geff.core_io
    metadata = geff.GeffMetadata(
        directed=True,
        axes=[{"name": "t", "type": "time"}, *({"name": axis, "type": "space", "unit": "pixel"} for axis in "zyx")],
        node_props_metadata={},
        edge_props_metadata={},
    )
    columns = {"t": [0, 1, 0, 1], "z": [1.0] * 4, "y": [2.0, 2, 9, 9], "x": [3.0] * 4}
    io.write_arrays(
        str(tmp_path / "theirs.geff"),
        np.array([7, 8, 9, 10], np.uint64),
        {name: {"values": np.array(values), "missing": None} for name, values in columns.items()},
        np.array([[7, 8]], np.uint64),
        {},
        metadata,
    )
    assert read_to_memory(str(tmp_path / "theirs.geff"))["node_ids"].tolist() == [7, 8, 9, 10]
    import_file(other, tmp_path / "theirs.geff", "ben")
    assert read_log(other)[1] == [(1.5, 4.5, 1.5, -1), (1.5, 1.0, 1.5, 0)]


TRACKMATE = """<TrackMate version="7"><Model spatialunits="{unit}"><AllSpots>
<SpotsInFrame frame="0"><Spot ID="1" FRAME="0" POSITION_X="1" POSITION_Y="2" POSITION_Z="1" VISIBILITY="1"/>
<Spot ID="3" FRAME="0" POSITION_X="3" POSITION_Y="2" POSITION_Z="1" VISIBILITY="0"/></SpotsInFrame>
<SpotsInFrame frame="1"><Spot ID="2" FRAME="1" POSITION_X="1" POSITION_Y="{y}" POSITION_Z="1"/></SpotsInFrame>
</AllSpots>
<AllTracks><Track name="RIS" TRACK_ID="4"><Edge SPOT_SOURCE_ID="1" SPOT_TARGET_ID="2"/></Track></AllTracks>
<FilteredTracks>{shown}</FilteredTracks></Model></TrackMate>"""


def test_trackmate_in_pixels_with_a_hidden_spot(other: Path, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(TRACKMATE.format(unit="pixel", y=2, shown='<TrackID TRACK_ID="4"/>'))
    moved = import_file(other, tmp_path / "a.xml", "ben")
    assert moved.neurons == 2
    assert any("not visible" in words for words in moved.lost)
    assert read_log(other)[0] == [(1.5, 1.0, 0.5, 4)]
    (tmp_path / "b.xml").write_text(TRACKMATE.format(unit="micron", y=2, shown=""))
    import_file(other, tmp_path / "b.xml", "ben", conflict="replace")
    assert read_log(other)[0] == [(1.0, 2.0, 1.0, -1)]


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><TrackMate><Model>&b;</Model></TrackMate>'
)
OUTSIDE = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><TrackMate/>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "cannot be read as trackmate"),
        (OUTSIDE, "cannot be read as trackmate"),
        ("<TrackMate/>", "with a Model"),
        ("<TrackMate><Model/></TrackMate>", "says nothing"),
        (TRACKMATE.format(unit="parsec", y=2, shown=""), "spatialunits"),
        (TRACKMATE.format(unit="micron", y="two", shown=""), "POSITION_Y"),
        (TRACKMATE.format(unit="micron", y="nan", shown=""), "finite"),
        (TRACKMATE.format(unit="micron", y="900", shown=""), "of another recording"),
        (TRACKMATE.format(unit="micron", y=2, shown="")[:300], "cannot be read as trackmate"),
    ],
)
def test_hostile_xml_is_refused(other: Path, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(DataError, match=words):
        import_file(other, tmp_path / "a.xml", "ben")
    assert read_log(other) == {}


@pytest.mark.parametrize("name", ["pointStats", "pointStatsNew", "PointsStats2"])
def test_nerve_points_are_one_based_pixels(other: Path, tmp_path: Path, name: str) -> None:
    """In the layout of NeRVE's own files: one struct per volume, more tracks than raw points, NaN and 0 for none."""
    kind = [("stackIdx", object), ("straightPoints", object), ("rawPoints", object), ("trackIdx", object)]
    kind += [("trackWeights", object)]
    rows = np.zeros((1, 2), kind)
    points = np.array([[6.0, 3, 2], [6, 11, 2], [6, 19, 2], [7, 19, 2]])
    for at, stack in enumerate((1, 3)):
        track = np.array([[4.0], [np.nan], [2], [0], [9]])
        rows[0, at] = (np.uint16(stack), points + 100, points, track, np.ones((5, 1)))
    savemat(tmp_path / f"{name}.mat", {name: rows})
    moved = import_file(other, tmp_path / f"{name}.mat", "ben")
    assert (moved.format, moved.volumes, moved.neurons, moved.identities) == ("nerve", 2, 8, 2)
    assert sorted(read_log(other)) == [0, 2]
    expected = [(1.5, 1.0, 2.5, 3), (1.5, 5.0, 2.5, -1), (1.5, 9.0, 2.5, 1), (1.5, 9.0, 3.0, -1)]
    assert sorted(read_log(other)[0]) == expected


def test_fdnc_files_are_as_its_network_takes_them(worm: Path, other: Path, tmp_path: Path) -> None:
    export_file(worm, tmp_path / "fdnc", "fdnc")
    table = np.load(tmp_path / "fdnc/real_2.npy")
    places = np.array(list_places(worm)[2])
    assert np.median(table[:, :3], axis=0) == pytest.approx(0)
    assert np.diff(table[:, :3], axis=0) * 84 == pytest.approx(np.diff(places[:, 2::-1], axis=0))
    assert table[:, 3].tolist() == places[:, 3].tolist()
    (tmp_path / "fdnc/origin.csv").unlink()
    with pytest.raises(DataError, match=r"relative to the median of the animal.*origin\.csv"):
        import_file(other, tmp_path / "fdnc", "ben")
    assert read_log(other) == {}


@pytest.mark.real
def test_a_real_worm_in_fdncs_layout_is_known_as_such(real_data: Path, other: Path, tmp_path: Path) -> None:
    nerve = np.load(real_data / "nerve.npz")
    (tmp_path / "test_real").mkdir()
    for volume in np.unique(nerve["volume"])[:3]:
        here = nerve["volume"] == volume
        rows = np.column_stack([nerve["xyz_um"][here] / 84, nerve["identity"][here]])
        np.save(tmp_path / f"test_real/real_{volume}.npy", rows)
    with pytest.raises(DataError, match="as fDNC's network takes them"):
        import_file(other, tmp_path / "test_real", "ben")


def test_fdnc_in_micrometres(other: Path, tmp_path: Path) -> None:
    (tmp_path / "fdnc").mkdir()
    np.save(tmp_path / "fdnc/worm_1.npy", np.array([[2.5, 1.0, 1.5, 4], [2.5, 9, 1.5, -1]]))
    import_file(other, tmp_path / "fdnc", "ben")
    assert read_log(other) == {1: [(1.5, 9.0, 2.5, -1), (1.5, 1.0, 2.5, 4)]}


def test_pickled_points_are_refused(other: Path, tmp_path: Path) -> None:
    (tmp_path / "fdnc").mkdir()
    np.save(tmp_path / "fdnc/real_0.npy", np.array([{"pts": 1}], object), allow_pickle=True)
    with pytest.raises(DataError, match="real_0"):
        import_file(other, tmp_path / "fdnc", "ben", "fdnc")
    (tmp_path / "template.data").write_bytes(b"\x80\x03}q\x00.")
    with pytest.raises(DataError, match=r"pickled, which is never loaded.*numpy\.save"):
        import_file(other, tmp_path / "template.data", "ben")

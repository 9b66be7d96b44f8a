"""Points as labs save them with numpy and in tables: orders and units that are said, settled or asked for."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from cases.exchanged import SHAPE, VOLUMES
from cases.recorded import VOXEL
from cender.errors import DataError
from cender.io import create_run
from cender.io.exchange.doors import gather_annotations, import_file
from cender.io.results.annotations.log import EditLog

# x y z in pixels of images of 3 × 24 × 20, two neurons in every volume; the second is absent from volume 1.
XYZ = np.array([[[15.0, 22, 1], [4, 5, 2]]] * VOLUMES)
XYZ[1, 1] = np.nan
CENTRE = [1 * VOXEL.z_um, 22 * VOXEL.y_um, 15 * VOXEL.x_um]


def read(folder: Path, volume: int) -> dict[int, list[float]]:
    with EditLog(folder) as log:
        return {mark.identity: list(mark.centre_um) for mark in log.state(volume).marks.values()}


@pytest.mark.parametrize(
    ("name", "array", "places", "said"),
    [
        ("points_xyz", XYZ, None, "pixels"),
        ("points_xyz_px", XYZ, None, ""),
        ("points_zyx", XYZ[..., ::-1], None, "pixels"),
        ("centroids", XYZ, None, "x, y, z in pixels"),
        ("centroids", XYZ[..., ::-1], "zyx,px", ""),
        ("xyz_um", XYZ * VOXEL[::-1], None, ""),
        ("points_xyz", XYZ.transpose(1, 0, 2), None, "neurons × volumes × 3"),
    ],
)
def test_arrays_of_rows(other: Path, tmp_path: Path, name: str, array: np.ndarray, places: str, said: str) -> None:
    np.savez(tmp_path / "lab.npz", **{name: array, "volumes": np.zeros((2, 3, 4)), "names": np.array(["AVAL", ""])})
    moved = import_file(other, tmp_path / "lab.npz", "ben", places=places)
    assert (moved.format, moved.volumes, moved.neurons, moved.identities) == ("arrays", VOLUMES, 2 * VOLUMES - 1, 2)
    assert read(other, 0)[0] == pytest.approx(CENTRE)
    assert set(read(other, 1)) == {0}
    assert gather_annotations(other, human_only=True).names == {0: "AVAL"}
    assert (said in moved.doubts[0]) if said else not moved.doubts
    assert moved.lost == ("arrays volumes",)


def test_a_list_of_places_with_volumes_and_identities(other: Path, tmp_path: Path) -> None:
    flat = {"volume": [0, 0, 2], "identity": [7, -1, 7], "xyz_px": [[15.0, 22, 1], [4, 5, 2], [15, 21, 1]]}
    np.savez(tmp_path / "lab.npz", **{key: np.array(value) for key, value in flat.items()})
    assert import_file(other, tmp_path / "lab.npz", "ben").identities == 1
    assert read(other, 0)[7] == pytest.approx(CENTRE)
    assert None in read(other, 0)


def test_one_volume_needs_no_volumes_and_an_npy_file_is_enough(tmp_path: Path) -> None:
    facts = {"source": "x", "voxel_um": list(VOXEL), "shape": [1, 1, *SHAPE], "roles": ["red"]}
    run = create_run(tmp_path / "one", {"recording": facts}).path
    np.save(tmp_path / "points.npy", XYZ[0])
    assert import_file(run, tmp_path / "points.npy", "ben", places="xyz,px").neurons == 2
    assert read(run, 0)[0] == pytest.approx(CENTRE)


@pytest.mark.parametrize(
    ("arrays", "places", "words"),
    [
        ({"points": XYZ / 8}, None, r"order or unit .* is not said.*zyx,px or zyx,um.*--places"),
        ({"points_xyz": XYZ * 100}, None, "fit the images in no way"),
        ({"points_xyz_um": XYZ * 100}, None, "is it of another recording"),
        ({"points_xyz": XYZ}, "sideways", r"--places sideways: expected an order"),
        ({"points_xyz_px": XYZ[0]}, None, "no array that says in which volume"),
        ({"a": XYZ, "b": XYZ}, None, "found 2 in a"),
        ({"volumes": np.zeros((4, 2, 5, 6))}, None, "found 0 in volumes"),
        ({"points_xyz_px": XYZ - 30}, None, "centred on the animal"),
        ({"points_xyz_px": np.full((2, 2, 3), np.nan)}, None, "every place of points_xyz_px is NaN"),
        ({"points_xyz_px": np.tile(XYZ, (2, 1, 1))}, None, "speaks of volume 4"),
    ],
)
def test_what_cannot_be_told_is_asked_for(other: Path, tmp_path: Path, arrays, places, words: str) -> None:
    np.savez(tmp_path / "lab.npz", **arrays)
    with pytest.raises(DataError, match=words):
        import_file(other, tmp_path / "lab.npz", "ben", places=places)
    assert not (other / "annotations.sqlite").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "frame,x,y,z,id\n0,15,22,1,7\n0,4,5,2,\n2,15,21,1,7\n", "pixels"),
        ("a.tsv", "t_idx\tid\tX_px\tY_px\tZ_px\tquality\n0\t7\t15\t22\t1\t9\n2\t7\t15\t21\t1\t9\n", ""),
        (
            "a.csv",
            '"volume","pos_z (um)","pos_y (um)","pos_x (um)","label"\n0,1.5,11,7.5,AVAL\n2,1.5,10,7.5,AVAL\n',
            "",
        ),
    ],
)
def test_tables_with_other_columns(other: Path, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    moved = import_file(other, tmp_path / name, "ben")
    assert (moved.format, moved.volumes, moved.identities) == ("table", 2, 1)
    assert CENTRE in [pytest.approx(place) for place in read(other, 0).values()]
    assert (said in moved.doubts[0]) if said else not moved.doubts
    assert gather_annotations(other, human_only=True).names == ({0: "AVAL"} if "AVAL" in text else {})


def test_a_table_without_volumes_says_what_it_lacks(other: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,z\n1,2,1\n")
    with pytest.raises(DataError, match="expected columns volume, x, y, z"):
        import_file(other, tmp_path / "a.csv", "ben")


@pytest.mark.real
def test_the_points_of_another_rig(real_data: Path, tmp_path: Path) -> None:
    facts = {"source": "x", "voxel_um": [2.2, 0.5, 0.5], "shape": [4, 2, 16, 160, 256], "roles": ["red", "green"]}
    run = create_run(tmp_path / "rig", {"recording": facts}).path
    moved = import_file(run, real_data / "moving_rig2.npz", "ben")
    points = np.load(real_data / "moving_rig2.npz")["points_xyz"]
    assert (moved.volumes, moved.neurons) == (4, int(np.isfinite(points).all(axis=2).sum()))
    assert read(run, 3)[10] == pytest.approx((points[3, 10] * (0.5, 0.5, 2.2))[::-1])
    assert "x, y, z in pixels" in moved.doubts[0]


@pytest.mark.real
def test_points_without_images_are_refused(real_data: Path, other: Path) -> None:
    """NeRVE's set is centred on the animal: nothing says where in which images its points were."""
    with pytest.raises(DataError, match="centred on the animal"):
        import_file(other, real_data / "nerve.npz", "ben")
    assert not (other / "annotations.sqlite").exists()


def write_header(path: Path, dtype: str, shape: tuple[int, ...]) -> Path:
    """An archive of one array that promises more than it holds."""
    with zipfile.ZipFile(path, "w") as archive, archive.open("points_xyz_px.npy", "w") as member:
        np.lib.format.write_array_header_2_0(member, {"descr": dtype, "fortran_order": False, "shape": shape})
        member.write(bytes(240))
    return path


@pytest.mark.parametrize(
    ("dtype", "shape", "words"),
    [
        ("<f8", (10**6, 10**6, 3), "expected at most"),
        ("<f8", (4, 3, 3), "cannot be read as arrays"),
        ("|O", (5, 2, 3), "found 0 in points_xyz_px"),
    ],
)
def test_hostile_archives_are_refused(other: Path, tmp_path: Path, dtype: str, shape, words: str) -> None:
    with pytest.raises(DataError, match=words):
        import_file(other, write_header(tmp_path / "lab.npz", dtype, shape), "ben")
    assert not (other / "annotations.sqlite").exists()


def test_pickled_names_are_never_loaded(other: Path, tmp_path: Path) -> None:
    names = np.array([Path(), "AVAL"], object)
    np.savez(tmp_path / "lab.npz", allow_pickle=True, points_xyz_px=XYZ, names=names)
    with pytest.raises(DataError, match="cannot be read as arrays"):
        import_file(other, tmp_path / "lab.npz", "ben")
    assert not (other / "annotations.sqlite").exists()

"""Damaged files of every format: a recording, or an error of ours; nothing else, and no hanging."""

import shutil
import signal
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import tifffile

from cases.damage import damage_file, patience
from cases.micromanager import write_mmstack
from cases.neuropal import write_neuropal
from cases.written import write_czi, write_ndtiff, write_slices, write_v73
from cender.errors import CenderError, UnreadableRecording
from cender.io import open_recording, save_recording
from cender.io.recordings.fence import check_volume_size, fence
from cender.io.recordings.formats.guarded import check_heap
from cender.types import Recording, VoxelSize

SHAPE = (4, 2, 3, 14, 12)
DATA = np.random.default_rng(0).integers(0, 4000, SHAPE, dtype=np.uint16)


def hold() -> Recording:
    times = np.arange(SHAPE[0]) / 5 + 0.1
    return Recording(
        "held", "memory", SHAPE, DATA.dtype, lambda v, c: DATA[v][list(c)],
        VoxelSize(1.5, 0.3, 0.3), 5.0, times, ("red", "green"),
    )  # fmt: skip


def write_packed_tiff(path: Path) -> None:
    tifffile.imwrite(path, DATA, photometric="minisblack", compression="zlib", metadata={"axes": "TCZYX"})


def write_imagej(path: Path) -> None:
    tifffile.imwrite(path, DATA.transpose(0, 2, 1, 3, 4), imagej=True, metadata={"axes": "TZCYX"})


def write_packed_hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("data", data=DATA, compression="gzip", chunks=(1, 1, 3, 14, 12))


def write_packed_mat(path: Path) -> None:
    cells = np.empty((SHAPE[0], 1), object)
    for t in range(SHAPE[0]):
        cells[t, 0] = DATA[t, 0].transpose(1, 2, 0)
    scipy.io.savemat(path, {"image_stack": cells}, do_compression=True)


def write_slice_folder(folder: Path) -> None:
    folder.mkdir()
    write_slices(folder, DATA, "t{t:04}_c{c}_z{z:02}.tif")


WRITERS = {
    "plain.npy": None,
    "plain.npz": None,
    "packed.npz": lambda path: np.savez_compressed(path, data=DATA, voxel_um=[1.5, 0.3, 0.3]),
    "plain.ome.tif": None,
    "packed.tif": write_packed_tiff,
    "imagej.tif": write_imagej,
    "mmstack.tif": lambda path: write_mmstack(path.parent / "mm", DATA)[0].rename(path),
    "plain.h5": None,
    "packed.h5": write_packed_hdf5,
    "plain.mat": None,
    "packed.mat": write_packed_mat,
    "plain.ome.zarr": None,
    "folder": None,
    "cells73.mat": lambda path: write_v73(path, DATA),
    "worm.czi": lambda path: write_czi(path, DATA),
    "ndtiff": lambda path: write_ndtiff(path, DATA),
    "slices": write_slice_folder,
    "head.nwb": lambda path: write_neuropal(path, DATA[:1, 0].transpose(3, 2, 1, 0).repeat(5, axis=3)),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    for name, write in WRITERS.items():
        if write is None:
            save_recording(hold(), folder / name)
        else:
            write(folder / name)
        last = len(open_recording(folder / name)) - 1
        assert open_recording(folder / name).read(last, (0,)).shape == (1, *SHAPE[2:])
    return folder


def try_damaged(source: Path, target: Path, seed: int) -> None:
    random = np.random.default_rng([seed, *source.name.encode()])
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    damage_file(target, random)
    try:
        with patience():
            recording = open_recording(target)
            for index in range(min(len(recording), 3)):
                recording.volume(index)
    except CenderError:
        pass
    finally:
        shutil.rmtree(target) if target.is_dir() else target.unlink()


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs an alarm")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRITERS)
def test_damaged(whole: Path, tmp_path: Path, name: str) -> None:
    for seed in range(40):
        try_damaged(whole / name, tmp_path / name, seed)


def test_a_heap_in_which_the_library_would_go_round_for_ever_is_refused(whole: Path, tmp_path: Path) -> None:
    content = bytearray((whole / "plain.h5").read_bytes())
    heap = content.index(b"GCOL")
    # Nothing but free space of no length: HDF5 adds zero to its place until the machine is switched off.
    content[heap + 16 : heap + 4096] = bytes(4080)
    (tmp_path / "worm.h5").write_bytes(content)
    with pytest.raises(UnreadableRecording, match="an object of no length"):
        open_recording(tmp_path / "worm.h5")


def test_heaps_that_are_whole_pass() -> None:
    free = (0).to_bytes(8, "little") + (4096 - 16 - 32).to_bytes(8, "little")
    text = (1).to_bytes(2, "little") + bytes(6) + (9).to_bytes(8, "little") + b"red,green".ljust(16, b"\0")
    heap = b"GCOL\1\0\0\0" + (4096).to_bytes(8, "little") + text + free
    check_heap(heap.ljust(4096, b"\0"))
    with pytest.raises(OSError, match="no length"):
        check_heap(heap[: 16 + 32].ljust(4096, b"\0"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs an alarm")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRITERS)
def test_damaged_more(whole: Path, tmp_path: Path, name: str) -> None:
    for seed in range(1000, 1400):
        try_damaged(whole / name, tmp_path / name, seed)


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("deep"), ZeroDivisionError("x"), TypeError("y")])
def test_nothing_climbs_the_fence(error: Exception) -> None:
    with pytest.raises(UnreadableRecording, match="worm cannot be opened"), fence("worm", "cannot be opened"):
        raise error


def test_an_interrupt_passes_the_fence() -> None:
    with pytest.raises(KeyboardInterrupt), fence("worm", "cannot be opened"):
        raise KeyboardInterrupt


def test_sizes_are_checked_before_memory_is_taken(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", (3, 2, 20, 50_000, 60_000), "u2", chunks=(1, 1, 1, 100, 100))
    with pytest.raises(UnreadableRecording, match="one volume would take"):
        open_recording(tmp_path / "a.h5")
    (tmp_path / "small").write_bytes(b"x" * 100)
    with pytest.raises(UnreadableRecording, match="the whole file has"):
        check_volume_size(str(tmp_path / "small"), 2**27)
    check_volume_size(str(tmp_path / "small"), 2**20)

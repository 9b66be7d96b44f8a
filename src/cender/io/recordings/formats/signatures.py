"""How files of each format begin, so that a format's library is imported only for its own files."""

import zipfile
from pathlib import Path

TIFF_SUFFIXES = (".tif", ".tiff")
_TIFF = (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
_NUMPY = b"\x93NUMPY"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_ND2 = b"\xda\xce\xbe\x0a"
_CZI = b"ZISRAWFILE"
_ZIP = b"PK\x03\x04"
_MMSTACK = (54773648).to_bytes(4, "little"), (54773648).to_bytes(4, "big")
"""Number by which Micro-Manager marks its image stacks, in both byte orders."""
_ZARR = ("zarr.json", ".zgroup", ".zarray", ".zattrs")
_RAW_SUFFIXES = (".raw", ".dat", ".bin")


def is_tiff(path: Path) -> bool:
    """Whether a file begins as a TIFF does."""
    return _read_start(path, 4) in _TIFF


def is_tiff_folder(path: Path) -> bool:
    """Whether a folder has a TIFF file in it."""
    return path.is_dir() and any(entry.suffix.lower() in TIFF_SUFFIXES for entry in path.iterdir())


def is_mmstack(path: Path) -> bool:
    """Whether a file, or one in a folder, is an image stack of Micro-Manager."""
    return is_mmstack_file(path) or (path.is_dir() and bool(list_mmstacks(path)))


def is_mmstack_file(path: Path) -> bool:
    """Whether a TIFF file begins with the place of Micro-Manager's index."""
    start = _read_start(path, 12)
    return start[:4] in _TIFF[:2] and start[8:] in _MMSTACK


def list_mmstacks(folder: Path) -> list[Path]:
    """The files of a folder that Micro-Manager called and wrote as stacks, in the order of their names."""
    return [file for file in sorted(folder.glob("*_MMStack*.tif")) if is_mmstack_file(file)]


def is_npy(path: Path) -> bool:
    """Whether a file begins as numpy's do."""
    return _read_start(path, len(_NUMPY)) == _NUMPY


def is_npz(path: Path) -> bool:
    """Whether a file is a zip archive with numpy arrays in it, or was to become one."""
    if _read_start(path, len(_ZIP)) != _ZIP:
        return False
    if not zipfile.is_zipfile(path):
        return path.suffix.lower() == ".npz"
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith(".npy") for name in archive.namelist())


def is_hdf5(path: Path) -> bool:
    """Whether a file has HDF5's signature at its beginning or behind a short header."""
    start = _read_start(path, 4096 + len(_HDF5))
    return any(start[at : at + len(_HDF5)] == _HDF5 for at in (0, 512, 1024, 2048, 4096))


def is_czi(path: Path) -> bool:
    """Whether a file begins as Zeiss's do."""
    return _read_start(path, len(_CZI)) == _CZI


def is_ndtiff(path: Path) -> bool:
    """Whether a folder has the index of Micro-Manager's stacks."""
    return path.is_dir() and (path / "NDTiff.index").is_file()


def is_nwb(path: Path) -> bool:
    """Whether an HDF5 file says which version of NWB it is."""
    if not is_hdf5(path):
        return False
    from cender.io.recordings.formats.hdf5 import open_hdf5

    with open_hdf5(path) as file:
        return "nwb_version" in file.attrs


def is_nd2(path: Path) -> bool:
    """Whether a file begins as Nikon's do, those of the first version (JPEG 2000) included."""
    start = _read_start(path, 12)
    return start[:4] == _ND2 or (start[4:8] == b"jP  " and path.suffix.lower() == ".nd2")


def is_matlab(path: Path) -> bool:
    """Whether a file begins with MATLAB's line, as both its own kind and its HDF5 kind do."""
    start = _read_start(path, 128)
    return start.startswith(b"MATLAB ") or (len(start) == 128 and start[126:128] in (b"IM", b"MI"))


def is_zarr(path: Path) -> bool:
    """Whether a folder has Zarr's metadata in it."""
    return path.is_dir() and any((path / name).is_file() for name in _ZARR)


def is_raw(path: Path) -> bool:
    """Whether a file is called as raw frames are; nothing in it can tell."""
    return path.is_file() and path.suffix.lower() in _RAW_SUFFIXES


def _read_start(path: Path, count: int) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(count)

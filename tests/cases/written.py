"""Recordings in formats that cender reads and does not write, made by the libraries of their makers or by hand."""

import gc
import warnings
from pathlib import Path

import h5py
import ndtiff
import numpy as np
import tifffile
from pylibCZIrw import czi

NAMES = ("GCaMP6s", "mNeptune")


def write_czi(path: Path, movie: np.ndarray) -> Path:
    with czi.create_czi(str(path)) as file:
        for t, c, z in np.ndindex(*movie.shape[:3]):
            file.write(movie[t, c, z, :, :, None], plane={"T": t, "C": c, "Z": z})
        file.write_metadata("worm", dict(enumerate(NAMES)), scale_x=3e-7, scale_y=3.1e-7, scale_z=1.5e-6)
    return path


def write_ndtiff(path: Path, movie: np.ndarray, images: int | None = None) -> Path:
    summary = {"PixelSize_um": 0.3, "z-step_um": 1.5, "Interval_ms": 200}
    with warnings.catch_warnings():
        # The library's writer leaves its files to the collector of garbage.
        warnings.simplefilter("ignore", ResourceWarning)
        data = ndtiff.NDTiffDataset(str(path), summary_metadata=summary, writable=True)
        for t, c, z in list(np.ndindex(*movie.shape[:3]))[:images]:
            data.put_image({"time": t, "channel": NAMES[c], "z": z}, movie[t, c, z], {"Slice": z})
        data.finish()
        data.close()
        del data
        gc.collect()
    return path


def write_v73(path: Path, movie: np.ndarray) -> None:
    with h5py.File(path, "w", userblock_size=512) as file:
        references = file.create_dataset("ImgStk", (1, len(movie)), h5py.ref_dtype)
        for t, volume in enumerate(movie):
            file[f"#refs#/{t}"] = volume[0].transpose(0, 2, 1)
            references[0, t] = file[f"#refs#/{t}"].ref
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: PCWIN64".ljust(124) + b"\x00\x02IM")


def write_slices(folder: Path, movie: np.ndarray, name: str) -> None:
    for t, c, z in np.ndindex(*movie.shape[:3]):
        tifffile.imwrite(folder / name.format(t=t + 1, c=c, z=z), movie[t, c, z], metadata=None)

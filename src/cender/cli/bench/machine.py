"""What a benchmark ran on."""

from pathlib import Path


def describe_machine() -> dict[str, str]:
    """Version and machine, which every figure names."""
    import os
    import platform

    import cender

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"version": cender.__version__, "machine": f"{system}, Python {platform.python_version()}"}


def expect_data(folder: Path | None) -> None:
    """Refuse a folder of real data that is not there; none is fine."""
    from cender.errors import DataError

    if folder is not None and not folder.is_dir():
        raise DataError(
            f"--data {folder}: expected a folder of real data, found {'a file' if folder.exists() else 'nothing'} "
            "(without --data the folder is that of the environment variable CENDER_DATA)"
        )

"""The libraries that write NWB, found once and handed on: nothing else imports them."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from cender.errors import DataError


@dataclass(frozen=True, slots=True)
class Kit:
    """``pynwb``, the extension of the C. elegans labs (``worm``) and the tables of hdmf (``tables``)."""

    pynwb: Any
    worm: Any
    tables: Any

    def column(self, name: str, description: str, data: Any) -> Any:
        """One column of a table."""
        return self.tables.VectorData(name=name, description=description, data=data)

    def ends(self, column: Any, data: Any) -> Any:
        """Where the rows of a column with several values per row end."""
        return self.tables.VectorIndex(name=f"{column.name}_index", data=data, target=column)


def find_kit(path: Path) -> Kit:
    """The installed libraries; a `DataError` says how to install them where they are not there."""
    try:
        found = [import_module(name) for name in ("pynwb", "ndx_multichannel_volume", "hdmf.common")]
    except ImportError as error:
        raise DataError(f"to write {path}, install the extra: pip install 'cender[nwb]' ({error})") from error
    return Kit(*found)

"""NWB in the list of formats."""

from pathlib import Path

from cender.io.exchange.format import THINGS, ExchangeFormat, Incoming, Outgoing, Surroundings


def _load(path: Path, around: Surroundings) -> Incoming:
    from cender.io.exchange.nwb.reading import load_nwb

    return load_nwb(path, around)


def _save(out: Outgoing, path: Path) -> None:
    from cender.io.exchange.nwb.writing import save_nwb

    save_nwb(out, path)


NWB = ExchangeFormat(
    name="nwb",
    title="NWB file with ndx-multichannel-volume, as the WormID labs and DANDI have it",
    keeps=tuple(THINGS),
    recognize=lambda path: path.suffix.lower() == ".nwb",
    load=_load,
    save=_save,
    written_as=(".nwb",),
    note="of other programs' files centres, identities and names, from tables of voxels or images of masks; "
    "ratios and intensities are written, not taken back",
    images=True,
)

"""What people say in a folder, ready to be learnt from."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from cases.recorded import VOXEL, make_outcome, save_numbers
from cender.io import RecordingParams, create_run, save_human
from cender.pipeline.learn.annotated import load_annotated
from cender.types import Annotation


def test_boxes_drawn_before_the_first_run_have_a_scale(tmp_path: Path) -> None:
    source = save_numbers(tmp_path / "worm.h5", 2)
    facts = {"source": str(source), "sources": [str(source)], "voxel_um": list(VOXEL), "roles": ["red", "green"]}
    run = create_run(tmp_path / "worm", {"recording": facts})
    found = make_outcome(1).neurons
    assert found is not None
    drawn = Annotation.from_points(1, found.centre_px * np.array(VOXEL), np.arange(len(found)))
    save_human(run.path, replace(drawn, regions=found.regions, voxel_um=VOXEL))
    known = load_annotated(run.path, RecordingParams())
    assert known.truth.scale == known.truth.annotations[1].voxel_um == known.voxel_um == VOXEL
    assert len(known.truth.annotations[1].regions) == len(found)

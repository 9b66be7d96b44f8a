"""The activity stage: intensities of one volume's neurons in both channels, then traces of a whole recording."""

from cender.activity.bleaching import Bleaching, fit_bleaching
from cender.activity.camera_pattern import CameraPattern
from cender.activity.cameras import Cameras, estimate_cameras, sample_rows
from cender.activity.channel_map import ChannelMap, estimate_channel_map
from cender.activity.intensities import measure_intensities
from cender.activity.params import ActivityParams
from cender.activity.traces import Activity, Sightings, compute_traces

__all__ = [
    "Activity",
    "ActivityParams",
    "Bleaching",
    "CameraPattern",
    "Cameras",
    "ChannelMap",
    "Sightings",
    "compute_traces",
    "estimate_cameras",
    "estimate_channel_map",
    "fit_bleaching",
    "measure_intensities",
    "sample_rows",
]

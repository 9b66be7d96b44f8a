"""A paragraph for the methods section of a paper, with the versions and parameters of this run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cender.activity import Bleaching
from cender.report.digest import Channel
from cender.report.folder import RunFacts
from cender.report.reasons import count_statuses
from cender.report.settings import list_models
from cender.types.words import say_count

PAPER = "Wu et al. 2022 (doi:10.1371/journal.pcbi.1010594)"


def write_methods(facts: RunFacts, bleaching: Mapping[Channel, Bleaching]) -> str:
    """Sentences about what was done to this recording; what the folder does not say is left out, not guessed."""
    settings = facts.settings
    sentences = [
        _say_recording(facts),
        f"It was analysed with cender {settings.get('cender', '(version not known)')}, which builds on {PAPER}.",
        _say_finding(settings),
        _say_recognition(facts),
        _say_activity(facts, bleaching),
        _say_models(settings),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _section(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, Mapping) else {}


def _say_recording(facts: RunFacts) -> str:
    section = _section(facts.settings, "recording")
    words = []
    if facts.volumes is not None:
        words.append(say_count(len(facts.volumes), "volume"))
    if section.get("rate_hz"):
        words.append(f"at {section['rate_hz']:.3g} volumes per second")
    if section.get("voxel_um"):
        words.append(f"with voxels of {' × '.join(f'{side:.3g}' for side in section['voxel_um'])} µm (z, y, x)")
    if not words:
        return ""
    sentence = f"The recording has {' '.join(words)}."
    if facts.volumes is None:
        return sentence
    counts = count_statuses(facts.volumes)
    outcomes = {"failed": "gave no result", "flagged": "got a result that is flagged as unsure"}
    said = [f"{counts[status]} {what}" for status, what in outcomes.items() if counts[status]]
    return f"{sentence} Of these volumes {' and '.join(said)}." if said else sentence


def _say_finding(settings: Mapping[str, Any]) -> str:
    head, detect, merge = (_section(settings, name) for name in ("preprocess", "detect", "merge"))
    sentences = []
    if head:
        how = {"paper": "by the published algorithm"}.get(head.get("method", ""), "by a small neural network")
        sentences.append(f"The head and its anterior and ventral directions were found in each volume {how}.")
    if detect.get("method") == "paper":
        sentences.append("Neuronal regions were detected by multi-field detection as published.")
    elif detect:
        sentences.append(
            "Neuronal regions and 3D centres were detected in the red channel by a convolutional network that sees "
            f"neighbouring frames{_list_numbers(detect)}."
        )
    if merge:
        how = "by linking and splitting as published" if merge.get("method") == "paper" else "around their 3D centres"
        sentences.append(f"Regions were merged into neurons {how}{_list_numbers(merge)}.")
    return " ".join(sentences)


def _say_recognition(facts: RunFacts) -> str:
    neurons = facts.neurons
    if neurons is None or not (neurons.identity >= 0).any():
        return ""
    identities = len(np.unique(neurons.identity[neurons.identity >= 0]))
    annotated = len(np.unique(neurons.volume[neurons.human]))
    settings = _section(facts.settings, "recognize")
    method = settings.get("method")
    how = {"paper": " by the published recognition network", "default": ""}.get(str(method), "")
    basis = f"from {say_count(annotated, 'annotated volume')}" if annotated else "without manual annotation"
    share = float((neurons.identity >= 0).mean())
    known = say_count(identities, "identity")
    text = f"Neurons were assigned to {known}{how} {basis}; {share:.0%} of all neurons found have one"
    probability = neurons.probability[(neurons.identity >= 0) & np.isfinite(neurons.probability)]
    text += f" (mean probability {probability.mean():.2f})." if len(probability) else "."
    if settings.get("fill_gaps") and method == "default":
        text += (
            " Neurons that were missed in a volume but shown by others were looked for again where their neighbours "
            "place them, and accepted by their distance to other neurons, neighbouring volumes and brightness."
        )
    return text


def _say_activity(facts: RunFacts, bleaching: Mapping[Channel, Bleaching]) -> str:
    traces = facts.traces
    if traces is None:
        return ""
    params = _section(facts.settings, "activity")
    if not np.isfinite(traces.ratio).any():
        which = "red" if np.isfinite(traces.red).any() else "green"
        return f"The brightness of each identity was measured in the {which} channel; no ratio is available."
    text = (
        "The activity of each identity is the ratio R of its background-subtracted green to its red fluorescence"
        f"{_say_bleaching(bleaching)}, and ΔR/R0 with R0 the 20th percentile of R over valid volumes"
    )
    smooth = params.get("smooth_s")
    if traces.dr_r0_smooth is not None:
        width = f", sd {smooth:g} s" if isinstance(smooth, int | float) else ""
        text += f"; figures show both channels smoothed over time before the division (Gaussian{width})"
    else:
        text += "; nothing is smoothed over time"
    kept = f"; values without a sure identity are missing, not filled in ({traces.valid.mean():.0%} are valid)"
    return f"{text}{kept}{_list_numbers(params)}."


def _say_bleaching(bleaching: Mapping[Channel, Bleaching]) -> str:
    """How the channels were corrected."""
    said = []
    for name, fit in bleaching.items():
        times = " and ".join(f"{lasting:.3g} s" for lasting in fit.lasting_s if np.isfinite(lasting))
        if fit.model != "none":
            kind = "one exponential" if fit.model == "mono" else "the sum of two exponentials"
            said.append(f"{name} by {kind}" + (f" ({times})" if times else ""))
    return f", corrected for bleaching ({', '.join(said)})" if said else ", not corrected for bleaching"


def _list_numbers(params: Mapping[str, Any]) -> str:
    """The numbers among the settings of a stage, in brackets."""
    numbers = [f"{key} {value:.6g}" for key, value in params.items() if isinstance(value, float)]
    return f" ({', '.join(numbers)})" if numbers else ""


def _say_models(settings: Mapping[str, Any]) -> str:
    models = list_models(settings)
    return f"Models (hashes): {'; '.join(f'{name} {value}' for name, value in models)}." if models else ""

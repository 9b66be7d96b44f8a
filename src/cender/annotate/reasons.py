"""Why a volume or a neuron is suggested, in words for people."""

from cender.annotate.candidates import Candidates
from cender.types.words import say_count

MORE_THAN_USUAL = 1.3
"""A volume has much to correct where it has this many times what is usual in the recording."""


def say_posture(share: float, taken: bool) -> str:
    """What the posture of a volume stands for: all of the recording, or the share that is nearest to it."""
    if not taken:
        return "a usual posture"
    return f"nearest example for {share:.0%} of the recording" if share >= 0.005 else "a rare posture"


def say_cover(share: float, taken: bool) -> str:
    """What share of all sightings of identities a volume adds to what annotated ones show; empty where it is none."""
    if share < 0.005:
        return ""
    return f"adds identities of {share:.0%} of all neurons; " if taken else f"shows identities of {share:.0%}; "


def say_doubt(candidates: Candidates, row: int, usual: float) -> str:
    """How many neurons of a volume lack an identity or may have a wrong one, and whether that is more than usual.

    ``usual`` is the median share over volumes.
    """
    neurons, refused = int(candidates.neurons[row]), int(candidates.refused[row])
    if refused == neurons:
        return f"none of its {say_count(neurons, 'neuron')} has an identity"
    wrong = (neurons - refused) * (1 - float(candidates.probability[row]))
    much = refused + wrong > MORE_THAN_USUAL * usual * neurons and refused + round(wrong) > 1
    more = ", more than usual" if much else ""
    if refused and round(wrong):
        return f"{refused} of {neurons} neurons without identity, about {wrong:.0f} probably wrong{more}"
    if refused:
        return f"{refused} of {neurons} neurons without identity{more}"
    if round(wrong):
        return f"about {wrong:.0f} of {neurons} identities probably wrong{more}"
    return f"all of its {neurons} neurons surely have their identity"


def say_number_doubt(doubted: float, seen: int, worst: float) -> str:
    """In how many of the volumes that show a number it is probably wrong, and how sure it is where it is least so."""
    volumes = say_count(seen, "volume")
    often = f"probably wrong in about {doubted:.0f} of {volumes}" if doubted >= 0.5 else f"seen in {volumes}"
    return f"{often}; least sure here (probability {1 - worst:.2f})"

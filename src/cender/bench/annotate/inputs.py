"""What figures about suggestions depend on, beside settings and weights: the rule itself, and the recording."""

from inspect import getsource

import numpy as np

from cender.annotate import advice, candidates, coverage, postures, suggest
from cender.bench.identity.subject import Subject
from cender.io.results.folder.fingerprints import hash_pixels, hash_values


def hash_rule() -> str:
    """A name for the rule of suggestions: the text of the code that makes them, so that no change goes unnoticed."""
    return hash_values({one.__name__: getsource(one) for one in (advice, candidates, coverage, postures, suggest)})


def hash_truth(subject: Subject) -> str:
    """A name for the true neurons of a recording: their volumes, places and identities."""
    volumes = [subject.truth.annotations[volume] for volume in sorted(subject.truth.annotations)]
    rows = [np.column_stack([np.full(len(one), one.volume), one.centre_um, one.identity]) for one in volumes]
    return hash_pixels(np.concatenate(rows))

"""A whole benchmark of identities: every method at every number of annotated volumes, on the same recordings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from typing import cast as as_type

from cender.bench.identity.across import draw_teachers, measure_across
from cender.bench.identity.carried import make_carrier, make_head_learner, measure_carried
from cender.bench.identity.corruption import NO_CORRUPTION, Corruption, corrupt_subject
from cender.bench.identity.data import choose_volumes, open_subjects
from cender.bench.identity.heads import Heads, is_table, load_named_heads, measure_heads
from cender.bench.identity.measure import Measurement, Repeat, measure_identity_bench
from cender.bench.identity.memory import Memory
from cender.bench.identity.methods import (
    METHODS,
    Features,
    Method,
    choose_features,
    embed_neurons,
    make_across_learner,
    make_learner,
)
from cender.bench.identity.pairs import Pace
from cender.bench.identity.pictures import draw_measurements
from cender.bench.identity.split import SPLITS, thin_volumes
from cender.bench.identity.subject import Subject
from cender.config import Config
from cender.errors import ConfigError
from cender.plots.embedding import draw_embedding
from cender.plots.style import save_figure

Kind = Literal["random", "blocked", "animals", "template"]
# Neurons of these many volumes are laid out in the picture of the embedding.
SHOWN_VOLUMES = 10
# Splits that learn from one animal and are tested on another, which has one annotated volume, or none.
BETWEEN: tuple[Kind, ...] = ("animals", "template")
# Animals to learn from are far in seed from those to recognize.
OTHERS = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured: on which data, with how many annotated volumes, how split, by which methods.

    ``points`` may name two files, ``A,B``: across animals learn from A and use it on B. ``features`` says what the
    paper's method makes its neighbours and its density of, where it is not as set.
    ``volumes`` bounds the recordings that are tested by the numbers of their volumes.
    """

    points: str
    train: tuple[int, ...]
    splits: tuple[Kind, ...]
    methods: tuple[Method, ...]
    repeats: int = 3
    seed: int = 0
    images: bool = False
    rate_hz: float | None = None
    at_most: int | None = None
    features: Features | None = None
    corruption: Corruption = NO_CORRUPTION
    volumes: slice | None = None

    @property
    def steps(self) -> list[tuple[Method, Kind, int]]:
        """Method, split and number of annotated volumes of every measurement; without annotation there is no split."""
        return [
            (method, split, train)
            for method in self.methods
            for split in self.splits
            for train in self.train
            if train or (split == self.splits[0] and split not in BETWEEN)
        ]

    def count_trainings(self, heads: Heads | None = None) -> int:
        """How often something is learnt: for every repeat, or for as many templates of every lab of named heads."""
        if heads is None:
            return self.repeats * len(self.steps)
        return sum(min(self.repeats, len(lab)) for lab in heads.values() if len(lab) > 1) * len(self.steps)


def choose_splits(
    splits: Sequence[str], methods: Sequence[str], simulated: bool, paired: bool = False
) -> tuple[tuple[Kind, ...], tuple[Method, ...]]:
    """The splits and methods of these names."""
    kinds = (*SPLITS, *BETWEEN)
    for name in splits:
        if name not in kinds:
            raise ConfigError(f"--split expects {', '.join(kinds[:-1])} or {kinds[-1]}; found {name}")
    for name in methods:
        if name not in METHODS:
            raise ConfigError(f"--method expects {' or '.join(METHODS)}; found {name}")
    across = set(splits) & set(BETWEEN)
    if across and not (simulated or paired):
        raise ConfigError(
            f"--split {min(across)} needs two animals: a preset of the simulator (easy, typical or hard), or two files "
            "with a comma between them (A,B: learn from A, use on B) instead of POINTS"
        )
    if paired and set(splits) - across:
        raise ConfigError("two files (A,B) are two animals, which only --split animals and --split template take")
    chosen = as_type(tuple[Kind, ...], tuple(dict.fromkeys(splits)))
    return chosen, as_type(tuple[Method, ...], tuple(dict.fromkeys(methods)))


@dataclass(frozen=True, slots=True)
class Cast:
    """The recordings of a plan, one for each repeat: those that are tested, and other animals to learn from.

    ``heads`` are named heads by lab, which are tested where a table of them is named instead of a second recording.
    """

    tested: tuple[Subject, ...]
    teachers: tuple[Subject, ...] = ()
    heads: Heads | None = None


def split_pair(points: str) -> tuple[str, str]:
    """The data to learn from and the data to use it on: the same, unless two are named with a comma between them."""
    first, comma, second = points.partition(",")
    return (first.strip(), second.strip()) if comma else (points, points)


def open_cast(plan: Plan, config: Config) -> Cast:
    """The recordings of a plan; simulated ones are made, and their neurons found, here and only once."""
    teacher, tested_on = split_pair(plan.points)
    if is_table(tested_on) and "template" in plan.splits:
        raise ConfigError("--split template tests a recording, not a table of named heads; take --split animals")
    if is_table(tested_on):
        teachers = open_subjects(teacher, config, 1, plan.seed, plan.rate_hz)
        return Cast((), tuple(teachers), load_named_heads(Path(tested_on)))
    opened = open_subjects(tested_on, config, plan.repeats, plan.seed, plan.rate_hz, images=plan.images)
    bounded = [one if plan.volumes is None else choose_volumes(one, plan.volumes) for one in opened]
    tested = [corrupt_subject(one, plan.corruption, plan.seed + repeat) for repeat, one in enumerate(bounded)]
    if not set(plan.splits) & set(BETWEEN):
        return Cast(tuple(tested))
    teachers = open_subjects(teacher, config, plan.repeats, plan.seed + OTHERS, plan.rate_hz, images=plan.images)
    return Cast(tuple(tested), tuple(teachers))


def run_plan(
    plan: Plan,
    config: Config,
    cast: Cast,
    on_step: Callable[[str], None] = lambda label: None,
) -> list[Measurement]:
    """All measurements of a plan.

    Parameters
    ----------
    on_step
        Told after every training.
    """
    return [one for step in plan.steps for one in _measure(plan, step, config, cast, on_step)]


def _measure(
    plan: Plan,
    step: tuple[Method, Kind, int],
    config: Config,
    cast: Cast,
    on_step: Callable[[str], None],
) -> Sequence[Measurement]:
    method, split, train = step

    def tell(_: Repeat) -> None:
        on_step(f"{method}, {train} volumes, {split}")

    pace = Pace(plan.seed, plan.at_most, tell)
    if split == "template":
        pairs = list(zip(cast.teachers, cast.tested, strict=True))
        return [measure_carried(pairs, (method, make_carrier(method, config)), train, pace)]
    if split == "animals":
        learner = method, make_across_learner(method, config, plan.features, Memory().train_weights)
        if cast.heads is not None:
            annotated = draw_teachers(cast.teachers[0], train, plan.seed)
            named = learner if method == "paper" else (method, make_head_learner(config))
            return measure_heads(annotated, cast.heads, named, templates=plan.repeats, pace=replace(pace, at_most=None))
        pairs = list(zip(cast.teachers, cast.tested, strict=True))
        return [measure_across(pairs, learner, train, pace)]
    done = measure_identity_bench(
        cast.tested,
        (method, make_learner(method, config, plan.features)),
        train,
        split,
        seed=plan.seed,
        at_most=plan.at_most,
        on_repeat=tell,
    )
    return [done]


def draw_plan(plan: Plan, config: Config, cast: Cast, done: Sequence[Measurement], folder: Path) -> list[Path]:
    """Pictures of what a plan measured; with the paper's method also of the space that it learns (once more)."""
    written = draw_measurements(done, folder, timed=any(one.time_s for one in cast.tested))
    paper = [one for one in done if one.method == "paper" and one.split in SPLITS]
    if not paper:
        return written
    subject = cast.tested[0]
    first = max(paper, key=lambda one: one.train).repeats[0].split
    annotated = [subject.taught[volume] for volume in first.train if volume in subject.taught]
    test = [volume for volume in first.test if volume in subject.taught]
    shown = [subject.taught[volume] for volume in thin_volumes(test, SHOWN_VOLUMES)]
    figure = draw_embedding(*embed_neurons(annotated, shown, choose_features(config, plan.features), plan.seed))
    save_figure(figure, folder / "identity-embedding.png")
    return [*written, folder / "identity-embedding.png"]

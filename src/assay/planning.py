"""From a suite to runs: every choice resolved, every instance picked, nothing sent yet."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import msgspec

from assay import registry
from assay.engine import Engine
from assay.entries import Ask
from assay.errors import AssayError, no_exit
from assay.identity import digest, seed_for
from assay.metrics import Metric, metrics_for
from assay.models import Model, ModelConfig, open_model
from assay.perturbations import parse_perturbations, perturb
from assay.prompting import Examples, LanguageModeling, Prompting, Target, choose, encode, with_changes
from assay.prompting.formats import format_variants
from assay.records import DataIdentity, Instance, NamedSpec, RunSpec, Split, Trial
from assay.scenarios import Scenario
from assay.store import RunFolder, damage, run_name
from assay.store.folders import safe
from assay.suites import Candidate, Suite
from assay.toxicity import ToxicityScorer, open_scorer, scorer_spec


@dataclass(frozen=True)
class Selection:
    """The instances a run uses: those it asks, and the pool its examples come from."""

    asked: tuple[Instance, ...]
    pool: tuple[Instance, ...]
    data: DataIdentity


@dataclass(frozen=True)
class Run:
    """One scenario × one candidate, resolved and ready to be carried out."""

    spec: RunSpec
    name: str
    scenario_name: str
    scenario: Scenario
    prompting: Prompting
    model: Model
    config: ModelConfig | None
    metrics: tuple[Metric, ...]
    selection: Selection
    folder: Path
    helpers: Mapping[str, Model]
    """The models that make copies, by name of the perturbation."""
    scorer: ToxicityScorer | None
    """Rates what the model writes."""
    completions: dict[tuple[str, str], str] = field(default_factory=dict)
    """What they said, by name of the perturbation and id of the instance: filled before the trials are asked."""

    @property
    def label(self) -> str:
        """What tables call the candidate."""
        return self.spec.label or self.spec.model.name

    @property
    def title(self) -> str:
        """The scenario, with the parameters that are not its defaults."""
        declared = registry.scenarios.get(self.scenario_name).parameters
        given = self.spec.scenario.parameters
        shown = ",".join(f"{name}={value}" for name, value in given.items() if value != declared[name].default)
        return self.scenario_name + (f":{shown}" if shown else "")

    @property
    def trials_at_most(self) -> int:
        """How many trials it has if every perturbation changes every instance."""
        askings = len(self.spec.perturbations) + self.spec.formats
        return len(self.selection.asked) * askings * self.spec.draws * self.spec.repeats

    def trials(self) -> Iterator[Trial]:
        """The trials in order: draw by draw, instance by instance, the original before its copies. A function of the spec."""
        target = target_of(self.model)
        formats = format_variants(self.prompting, self.spec.formats, self.spec.seed)
        for draw, (number, prompting) in itertools.product(range(self.spec.draws), enumerate(formats)):
            examples = self.examples(draw)
            for instance in self.selection.asked:
                for copy in self.copies(instance) if number == 0 else (instance,):
                    rendered = prompting.render(copy, examples, target)
                    for repeat in range(self.spec.repeats):
                        requests = rendered.requests
                        if repeat:
                            requests = tuple(msgspec.structs.replace(request, repeat=repeat) for request in requests)
                        yield Trial(
                            instance=copy,
                            requests=requests,
                            draw=draw,
                            format=number,
                            repeat=repeat,
                            shots=rendered.shots,
                            truncated=rendered.truncated,
                        )

    def examples(self, draw: int) -> Examples:
        """The few-shot examples of a draw."""
        shots, sample = self.prompting.shots, self.prompting.sample_train
        pool, helm = self.selection.pool, self.spec.helm_compat
        return choose(pool, shots, seed=self.spec.seed, draw=draw, sample=sample, helm=helm)

    def copies(self, instance: Instance) -> Iterator[Instance]:
        """The instance, and a copy for each perturbation that changes it."""
        yield instance
        for spec in self.spec.perturbations:
            changed = perturb(instance, spec, self.spec.seed, self.completions)
            if changed is not None:
                yield changed


@dataclass
class Planner:
    """Resolves suites; opens each model and reads each scenario's data once."""

    configs: Mapping[str, ModelConfig] = field(default_factory=dict)
    runs_folder: Path = Path("runs")
    engine: Engine = field(default_factory=lambda: Engine(None))
    """Asks the services and judges that rate texts."""
    _models: dict[str, Model] = field(default_factory=dict)
    _scorers: dict[str, ToxicityScorer | None] = field(default_factory=dict)
    _selections: dict[str, Selection] = field(default_factory=dict)

    def plan(self, suite: Suite) -> list[Run]:
        """The runs of a suite, scenario by scenario.

        Raises:
            AssayError: anything that would make a run impossible or meaningless.
        """
        with no_exit("a plugin"):
            return self._plan(suite)

    def _plan(self, suite: Suite) -> list[Run]:
        runs: list[Run] = []
        seen: dict[str, str] = {}
        for ask in suite.asks():
            candidates = [Candidate(model=model) for model in ask.models] if ask.models else suite.candidates()
            if not candidates:
                raise AssayError(f"no model to ask {ask.scenario}", "name one, e.g. -m local/smollm2-135m")
            for candidate in candidates:
                run = self._run(suite, ask, candidate)
                identity = digest(msgspec.structs.replace(run.spec, label=""))
                if identity in seen:
                    raise AssayError(f"the suite asks for the same run twice: {run.name} and {seen[identity]}", "leave one out")
                seen[identity] = run.name
                runs.append(run)
        return runs

    def model(self, name: str) -> Model:
        """The model of that name, opened once."""
        if name not in self._models:
            if "/" not in name and name not in self.configs:
                _suggest_provider(name)
            self._models[name] = open_model(name, self.configs)
        return self._models[name]

    def scorer(self, name: str) -> ToxicityScorer | None:
        """The toxicity scorer of that name, opened once."""
        if name not in self._scorers:
            self._scorers[name] = open_scorer(name, self.engine, self.model)
        return self._scorers[name]

    def _run(self, suite: Suite, ask: Ask, candidate: Candidate) -> Run:
        family = registry.scenarios.get(ask.scenario)
        parameters = family.resolve(ask.parameters)
        scenario = family(**ask.parameters)
        prompting = with_changes(with_changes(scenario.prompting, ask.prompting), candidate.prompting)
        model = self.model(candidate.model)
        check_abilities(prompting, model, ask.scenario)
        metrics = metrics_for((scenario.main_metric, *scenario.metrics, *ask.metrics))
        split = splits_of(scenario, ask.split or suite.split, helm=suite.helm_compat)
        limit = ask.max_instances if ask.max_instances is not None else suite.max_instances
        key = digest([ask.scenario, parameters, split, limit, suite.seed, suite.helm_compat])
        if key not in self._selections:
            self._selections[key] = select(scenario, ask.scenario, split, limit, suite.seed, helm=suite.helm_compat)
        selection = self._selections[key]
        check_references(selection, prompting, metrics[0], ask.scenario)
        asked_for = suite.perturbations if ask.perturbations is None else ask.perturbations
        perturbations, helpers = self._with_helpers(parse_perturbations(asked_for))
        scorer = self.scorer(suite.toxicity)
        spec = RunSpec(
            scenario=NamedSpec(name=ask.scenario, parameters=parameters, version=scenario.version),
            data=selection.data,
            prompting=encode(prompting),
            model=model.identity,
            perturbations=perturbations,
            metrics=tuple(metric.spec for metric in metrics),
            toxicity=None if scorer is None else scorer_spec(scorer),
            seed=suite.seed,
            max_instances=limit,
            draws=1 if prompting.shots == 0 else (ask.draws or suite.draws),
            formats=ask.formats or suite.formats,
            repeats=ask.repeats or suite.repeats,
            split=split,
            helm_compat=suite.helm_compat,
            label="" if candidate.name == model.identity.name else candidate.name,
        )
        name = run_name(spec)
        folder = self.runs_folder / safe(suite.name) / name
        config = self.configs.get(candidate.model)
        return Run(spec, name, ask.scenario, scenario, prompting, model, config, metrics, selection, folder, helpers, scorer)

    def _with_helpers(self, specs: tuple[NamedSpec, ...]) -> tuple[tuple[NamedSpec, ...], dict[str, Model]]:
        """Perturbations, and the models that make the copies of some; those models' identity becomes part of the spec.

        Raises:
            AssayError: such a perturbation names no model, or one that takes no messages.
        """
        resolved, helpers = [], {}
        for spec in specs:
            if registry.perturbations.get(spec.name).asks is not None:
                name = str(spec.parameters["model"])
                if not name:
                    raise AssayError(f"{spec.name} needs a model", f"write {{{spec.name}: {{model: provider/name}}}}")
                helper = helpers[spec.name] = self.model(name)
                if not helper.capabilities.chat:
                    raise AssayError(f"{spec.name} needs a model that takes messages, and {name} does not", "name another")
                spec = msgspec.structs.replace(
                    spec, parameters={**spec.parameters, "identity": msgspec.to_builtins(helper.identity)}
                )
            resolved.append(spec)
        return tuple(resolved), helpers


def _suggest_provider(name: str) -> None:
    """Refuse a model's bare name where a provider gives it as an example."""
    examples = itertools.chain.from_iterable(registry.providers.get(known).examples for known in registry.providers.names())
    meant = [example for example in examples if example.partition("/")[2] == name]
    if meant:
        hint = f"did you mean {' or '.join(meant)}?"
        raise AssayError(f"unknown model {name!r}: a model is written provider/name", hint)


def splits_of(scenario: Scenario, wanted: tuple[str, ...], *, helm: bool) -> tuple[Split, ...]:
    """The splits to ask: those wanted, or by default test where there is one, else valid; with `helm` both."""
    if wanted:
        return cast(tuple[Split, ...], wanted)
    both: tuple[Split, ...] = ("valid", "test")
    return both if helm else ("test",) if "test" in scenario.source.splits() else ("valid",)


def select(
    scenario: Scenario, name: str, split: tuple[Split, ...], limit: int | None, seed: int, *, helm: bool = False
) -> Selection:
    """Pick the instances to ask, and read the pool of examples.

    Which instances a limit picks depends on the seed and their ids alone, and a larger limit picks a superset, so that raising
    it asks only for what is new. The order is that of the source. With `helm`, HELM's own choice and order.

    Raises:
        AssayError: the splits hold no instance, or the data cannot be read.
    """
    available = scenario.source.splits()
    seen: set[str] = set()
    stream = (instance for part in split if part in available for instance in scenario.instances(part, seen))
    if limit is None:
        asked = list(stream)
    elif helm:
        everything = list(stream)
        asked = [everything[position] for position in helm_positions(len(everything), limit)]
    else:
        keyed = ((seed_for(seed, "eval", instance.id), place, instance) for place, instance in enumerate(stream))
        asked = [instance for _, _, instance in sorted(heapq.nsmallest(limit, keyed), key=lambda item: item[1])]
    if not asked:
        has = ", ".join(available) or "nothing"
        raise AssayError(f"scenario {name} has no instances in {' or '.join(split)}", f"its splits: {has}")
    pool = [] if "train" in split or "train" not in available else list(scenario.instances("train", set()))
    if not helm:
        questions = {digest(instance.input) for instance in asked}
        pool = [instance for instance in pool if digest(instance.input) not in questions]
    order: tuple[Split, ...] = ("train", "valid", "test")
    used = [part for part in order if part in available and (part in split or part == "train")]
    files = tuple(dict.fromkeys(file for part in used for file in scenario.source.read(part).files))
    data = DataIdentity(source=scenario.source.identity, files=files, instances=digest([asked, pool]))
    return Selection(tuple(asked), tuple(pool), data)


def helm_positions(count: int, wanted: int) -> list[int]:
    """The positions HELM asks, in its order: a choice without replacement by numpy's legacy generator with seed 0."""
    import numpy as np

    if wanted >= count:
        return list(range(count))
    return [int(position) for position in np.random.RandomState(0).choice(count, wanted, replace=False)]


def target_of(model: Model) -> Target:
    """A model as a prompting sees it."""
    can = model.capabilities
    return Target(
        window=can.context_window,
        tokens=model.count_tokens,
        takes_text=can.text,
        takes_messages=can.chat,
        scores=can.scores,
        top_logprobs=can.top_logprobs,
    )


def check_abilities(prompting: Prompting, model: Model, scenario: str) -> None:
    """Refuse a prompting that the model cannot answer."""
    if prompting.scores and not model.capabilities.scores:
        raise AssayError(
            f"{model.identity.name} cannot score given texts, which {prompting.method} of {scenario} needs",
            f'ask by letter instead: "{scenario}:method=multiple_choice_joint"',
        )


def check_references(selection: Selection, prompting: Prompting, main: Metric, scenario: str) -> None:
    """Refuse data without right answers where the main metric compares with them, and choices without alternatives."""
    if prompting.chooses and all(reference.correct for i in selection.asked for reference in i.references):
        hint = f'leave the choice open: "{scenario}:method=generation"'
        raise AssayError(f"{prompting.method} needs options, and no instance of {scenario} has a wrong one", hint)
    if isinstance(prompting, LanguageModeling) or main.family != "accuracy":
        return
    if not any(instance.gold for instance in selection.asked):
        raise AssayError(f"no instance of {scenario} has a correct reference", f"{main.name} compares answers with references")


def finished(run: Run) -> bool:
    """Whether the run lies complete on disk, no trial of it failed."""
    folder = RunFolder(run.folder)
    return folder.complete() and folder.stats().failed == 0


def damaged(run: Run) -> str | None:
    """What is wrong with a run that was finished once; `None` where its files are as they were written, or there are none."""
    return next(damage(run.folder), None) if RunFolder(run.folder).complete() else None

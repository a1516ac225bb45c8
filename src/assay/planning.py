"""From a suite to runs: every choice resolved, every instance picked, nothing sent yet."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assay import registry
from assay.engine import Engine
from assay.entries import Ask, written
from assay.errors import AssayError, Impossible, MissingExtra, no_exit
from assay.identity import digest
from assay.judging import DEFAULT, METRIC, Judge, metric_specs
from assay.metrics import Metric, metrics_for
from assay.models import Model, ModelConfig, open_model
from assay.once import warn_once
from assay.perturbations import parse_perturbations, perturb
from assay.prompting import Examples, LanguageModeling, Prompting, Target, choose, encode, with_changes
from assay.prompting.chat_form import by_letter, for_chat, helm_form
from assay.prompting.formats import format_variants
from assay.prompting.multiple_choice import SeparateMethod
from assay.prompting.verbatim import VerbatimMethod
from assay.records import Instance, NamedSpec, RunSpec, Trial
from assay.scenarios import Scenario, ScenarioFamily
from assay.scenarios.base import NEEDS, Requirement
from assay.scenarios.variants import entry_of
from assay.selection import Selection, select, splits_of
from assay.store import RunFolder, damage, run_name
from assay.store.folders import TRANSCRIPTS
from assay.store.transcripts import marks
from assay.suites import Candidate, Suite
from assay.toxicity import ToxicityScorer, open_scorer, scorer_spec

FEW_NAMED = 3
"""Runs left out for the same reason that are named; the others are counted."""
LONGEST_REASON = 120
"""Characters of a reason, and of what to do about it."""


@dataclass(frozen=True)
class Run:
    """One scenario × one candidate, resolved and ready to be carried out."""

    spec: RunSpec
    name: str
    family: ScenarioFamily
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
    judge: Judge | None
    """Marks its answers."""
    completions: dict[tuple[str, str], str] = field(default_factory=dict)
    """What they said, by name of the perturbation and id of the instance: filled before the trials are asked."""

    @property
    def label(self) -> str:
        """What tables call the candidate."""
        return self.spec.label or self.spec.model.name

    @property
    def scenario_name(self) -> str:
        """The scenario, without its parameters."""
        return self.family.name

    @property
    def title(self) -> str:
        """The scenario, with the parameters that are not its defaults."""
        return entry_of(self.family, self.spec.scenario.parameters).removesuffix(":")

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
        chosen = choose(pool, shots, seed=self.spec.seed, draw=draw, sample=sample, helm=helm)
        return chosen.knowing(self.selection.asked) if self.peeks else chosen

    @property
    def peeks(self) -> bool:
        """Whether a baseline guesses from the answers of the very items it is asked, for want of others."""
        return self.model.capabilities.reads_shares and not len(self.selection.pool)

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
    on_impossible: Callable[[str], None] | None = None
    """Told of each run that cannot be carried out, which is left out then; without it the first of them is an error."""
    left_out: list[str] = field(default_factory=list)
    """What it was told."""
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
        left_out: dict[str, list[str]] = {}
        try:
            return self._runs(suite, left_out)
        finally:
            for reason, which in left_out.items():
                named = list(dict.fromkeys(which))
                others = f" and {len(named) - FEW_NAMED:,} more" if len(named) > FEW_NAMED else ""
                self.left_out.append(f"left out: {', '.join(named[:FEW_NAMED])}{others}: {reason}")
                if self.on_impossible is not None:
                    self.on_impossible(self.left_out[-1])

    def _runs(self, suite: Suite, left_out: dict[str, list[str]]) -> list[Run]:
        """The runs that can be carried out; the others are added to those left out, by reason."""
        runs: list[Run] = []
        seen: dict[str, str] = {}
        named: dict[str, str] = {}
        wanted = list(_asked(suite))
        for ask, candidate in wanted:
            try:
                run = self._run(suite, ask, candidate)
            except (Impossible, MissingExtra) as error:
                if self.on_impossible is None:
                    if len(wanted) == 1:
                        raise
                    raise _can_be_left_out(error) from error
                left_out.setdefault(_reason(error), []).append(f"{written(ask)} of {candidate.name}")
                continue
            identity = digest(msgspec.structs.replace(run.spec, label=""))
            if identity in seen:
                raise AssayError(f"the suite asks for the same run twice: {run.name} and {seen[identity]}", "leave one out")
            seen[identity] = run.name
            if named.setdefault(run.scenario_name, ask.scenario) != ask.scenario:
                other = named[run.scenario_name]
                raise AssayError(f"{ask.scenario} and {other} are both the scenario {run.scenario_name}", "rename one")
            runs.append(run)
        if not runs:
            raise AssayError("no run of the suite can be carried out", "the reasons stand above")
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

    def judge(self, name: str, scenario: Scenario) -> Judge | None:
        """A model as the judge of a scenario's answers; `None` where none is named."""
        if not name:
            return None
        return Judge(self.model(name), self.engine, scenario.rubric or DEFAULT, self.configs.get(name))

    def _run(self, suite: Suite, ask: Ask, candidate: Candidate) -> Run:
        family = registry.scenarios.get(ask.scenario)
        parameters = family.resolve(ask.parameters)
        scenario = family(**ask.parameters)
        model = self.model(candidate.model)
        model.occasion = suite.occasion
        metrics = computable(metrics_for((scenario.main_metric, *scenario.metrics, *ask.metrics)), ask.scenario)
        split = splits_of(scenario, ask.split or suite.split, helm=suite.helm_compat)
        limit = ask.max_instances if ask.max_instances is not None else suite.max_instances
        key = digest([ask.scenario, parameters, split, limit, suite.seed, suite.helm_compat])
        if key not in self._selections:
            try:
                self._selections[key] = select(scenario, ask.scenario, split, limit, suite.seed, helm=suite.helm_compat)
            except AssayError as error:
                raise Impossible(error.message, error.hint) from error
        selection = self._selections[key]
        prompting = self._prompting(suite, ask, candidate, scenario, selection)
        check_abilities(prompting, model, ask.scenario)
        check_references(selection, prompting, metrics[0], scenario)
        if len(selection.pool) < prompting.shots and (selection.pool or "shots" in {**ask.prompting, **candidate.prompting}):
            _warn_of_examples(scenario.name, prompting.shots, len(selection.pool))
        changed = {**ask.prompting, **candidate.prompting}
        fewer = prompting.shots < scenario.prompting.shots and bool(selection.pool) and not suite.helm_compat
        if fewer and "method" in changed and "shots" not in changed:
            _warn_of_method(ask.scenario, candidate.name, prompting.method, prompting.shots, scenario.prompting.shots)
        judge = self.judge(suite.judge or scenario.judge, scenario) if METRIC in {metric.name for metric in metrics} else None
        met = ("judge",) if judge else ()
        _warn_of_needs(scenario.name, scenario.main_metric, tuple(need for need in scenario.requires if need not in met))
        asked_for = suite.perturbations if ask.perturbations is None else ask.perturbations
        perturbations, helpers = self._with_helpers(parse_perturbations(asked_for))
        scorer = self.scorer(suite.toxicity)
        spec = RunSpec(
            scenario=NamedSpec(name=family.name, parameters=parameters, version=scenario.version),
            data=selection.data,
            prompting=encode(prompting),
            model=model.identity,
            perturbations=perturbations,
            metrics=metric_specs([metric.spec for metric in metrics], judge),
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
        folder = self.runs_folder / suite.folder / name
        config = self.configs.get(candidate.model)
        return Run(spec, name, family, scenario, prompting, model, config, metrics, selection, folder, helpers, scorer, judge)

    def _prompting(self, suite: Suite, ask: Ask, candidate: Candidate, scenario: Scenario, selection: Selection) -> Prompting:
        """How a candidate is asked: as the scenario declares and the user changed it, in the form for chat where it chats."""
        prompting = with_changes(with_changes(scenario.prompting, ask.prompting), candidate.prompting)
        explicit = {*scenario.settled, *ask.prompting, *candidate.prompting}
        if suite.helm_compat:
            return helm_form(prompting, explicit)
        model = self._prompted_like(candidate.model, ask.models or [other.model for other in suite.candidates()])
        target = target_of(model)
        if prompting.scores and not target.scores and "method" not in explicit:
            lettered = by_letter(prompting, selection.asked)
            if lettered is not None:
                warn_once(f"{ask.scenario}: {model.identity.name} cannot score given texts, so it is asked by letter")
                prompting = lettered
        if not prompting.asks_messages(target):
            return prompting
        if isinstance(prompting, VerbatimMethod) and prompting.stop and "stop" not in explicit:
            warn_once(f"{ask.scenario}: a chat model is asked as the task says; if it thinks first, give it stop=none and room")
        return for_chat(prompting, selection.asked, explicit)

    def _prompted_like(self, name: str, others: Sequence[str]) -> Model:
        """The model whose way of being asked a candidate shares: its own; for a baseline, which reads no prompt, that of the
        first model beside it, so that the two can be compared."""
        if self.model(name).capabilities.reads_options:
            for other in others:
                with suppress(AssayError):  # one that cannot be opened is told of where it is asked itself
                    if not self.model(other).capabilities.reads_options:
                        return self.model(other)
        return self.model(name)

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


def _asked(suite: Suite) -> Iterator[tuple[Ask, Candidate]]:
    """What is asked of whom, scenario by scenario."""
    for ask in suite.asks():
        candidates = [Candidate(model=model) for model in ask.models] if ask.models else suite.candidates()
        if not candidates:
            raise AssayError(f"no model to ask {ask.scenario}", "name one, e.g. -m local/smollm2-135m")
        yield from ((ask, candidate) for candidate in candidates)


def _can_be_left_out(error: AssayError) -> Impossible:
    """The same error, with the way to the other runs."""
    return Impossible(error.message, "; ".join(filter(None, (error.hint, "--keep-going leaves it out and runs the rest"))))


def _reason(error: AssayError) -> str:
    """Why a run is left out, short enough for a list of reasons."""
    message, hint = (
        text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…" for text in (error.message, error.hint)
    )
    return f"{message} ({hint})" if hint else message


def _suggest_provider(name: str) -> None:
    """Refuse a model's bare name where a provider gives it as an example."""
    examples = itertools.chain.from_iterable(registry.providers.get(known).examples for known in registry.providers.names())
    meant = [example for example in examples if example.partition("/")[2] == name]
    if meant:
        hint = f"did you mean {' or '.join(meant)}?"
        raise AssayError(f"unknown model {name!r}: a model is written provider/name", hint)


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
        thinking=can.thinking,
    )


def check_abilities(prompting: Prompting, model: Model, scenario: str) -> None:
    """Refuse a prompting that the model cannot answer."""
    if prompting.scores and not model.capabilities.scores:
        raise Impossible(
            f"{model.identity.name} cannot score given texts, which {prompting.method} of {scenario} needs",
            "leave method out to have it asked by letter, or set method=generation"
            if isinstance(prompting, SeparateMethod)
            else "ask a local model, or a completions endpoint that honours echo",
        )


def computable(metrics: tuple[Metric, ...], scenario: str) -> tuple[Metric, ...]:
    """The metrics whose packages are installed; those left out are said once.

    Raises:
        Impossible: the main metric, which stands first, is not among them.
    """
    for metric in metrics:
        if not metric.computable:
            missing = MissingExtra(metric.package)
            if metric is metrics[0]:
                raise Impossible(f"{scenario} is measured by {metric.name}, and {missing.message}", missing.hint)
            warn_once(f"{metric.name} is not measured: {missing}")
    return tuple(metric for metric in metrics if metric.computable)


def check_references(selection: Selection, prompting: Prompting, main: Metric, scenario: Scenario) -> None:
    """Refuse data without right answers where the main metric compares with them, and choices without alternatives."""
    name = scenario.name
    if prompting.chooses and all(reference.correct for i in selection.asked for reference in i.references):
        hint = f'leave the choice open: "{name}:method=generation"'
        raise AssayError(f"{prompting.method} needs options, and no instance of {name} has a wrong one", hint)
    if isinstance(prompting, LanguageModeling) or main.family != "accuracy" or "judge" in scenario.requires:
        return
    if not any(instance.gold for instance in selection.asked):
        raise AssayError(f"no instance of {name} has a correct reference", f"{main.name} compares answers with references")


def _warn_of_examples(scenario: str, shots: int, there: int) -> None:
    """Say once that fewer examples are shown than were asked for."""
    warn_once(f"{scenario}: {shots} examples are wanted, and there {'is 1' if there == 1 else f'are {there}'}")


def _warn_of_method(scenario: str, candidate: str, method: str, shots: int, usual: int) -> None:
    """Say once that another method than the scenario's shows fewer examples by itself."""
    keep = "it cannot show any" if method == "chat" else f"shots: {usual} beside the method shows as many"
    warn_once(f"{scenario}, {candidate}: {method} shows {shots or 'no'} examples, the scenario {usual}: {keep}")


def _warn_of_needs(scenario: str, main_metric: str, requires: tuple[Requirement, ...]) -> None:
    """Say once what the main metric of a scenario cannot be measured without."""
    for need in requires:
        how = " (--judge provider/name)" if need == "judge" else ""
        warn_once(f"{scenario}: its main metric {main_metric} needs {NEEDS[need]} and is not measured{how}")


def finished(run: Run) -> bool:
    """Whether the run lies complete on disk, no trial of it failed, and neither did any request to its judge."""
    folder = RunFolder(run.folder)
    if not folder.complete() or folder.stats().failed:
        return False
    marked = marks(folder.path / TRANSCRIPTS) if run.judge else None
    return marked is None or marked.failed == 0


def damaged(run: Run) -> str | None:
    """What is wrong with a run that was finished once; `None` where its files are as they were written, or there are none."""
    return next(damage(run.folder), None) if RunFolder(run.folder).complete() else None

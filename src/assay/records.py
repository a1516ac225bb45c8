"""The vocabulary of assay, as pure data.

Every record is a frozen `msgspec.Struct`: it can be encoded, compared and hashed, and holds no behaviour beyond
properties. Units stand in the names (`latency_s`), optional values are `None` when not known, never a sentinel number.
"""

from __future__ import annotations

from typing import Any, Literal, dataclass_transform

import msgspec

Split = Literal["train", "valid", "test"]
Outcome = Literal["answered", "refused", "empty", "truncated", "unparsed", "failed"]
PerturbationKind = Literal["robustness", "fairness"]
ComputedOn = Literal["original", "perturbed", "worst", "change", "flips", "gap", "ratio", "worst_group", "spread"]
"""What an estimate is computed on: the originals; perturbed copies; the worst of an item and its copies; the paired change from
an original to its copy; the share of copies whose score differs from their original's; over the groups of an axis, the largest
difference, the smallest ratio and the worst group; and the standard deviation between few-shot draws."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all records: immutable and built by keyword."""


class Message(Record):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


Text = str | tuple[Message, ...]
"""What a model reads or an instance asks: plain text, or the messages of a conversation."""


class Reference(Record):
    """A possible output of an instance. Several may be correct; a question with options also holds the wrong ones."""

    text: str
    correct: bool = False
    role: str = ""
    """What the option stands for, where a metric asks: in bbq `stereotype`, `counter_stereotype` or `unknown`."""


class Contrast(Record):
    """A changed input with the references that are right for it."""

    input: Text
    references: tuple[Reference, ...]


class Instance(Record):
    """One item of a scenario."""

    id: str
    input: Text
    references: tuple[Reference, ...] = ()
    split: Split = "test"
    subgroups: dict[str, str] = {}
    """Groups the item belongs to, by axis: `{"dialect": "aave", "region": "north"}`."""
    group: str | None = None
    """The document or family the item comes from: items of one group are one cluster in every standard error."""
    worked: str = ""
    """A worked solution, shown by chain-of-thought prompting when the instance is a few-shot example."""
    contrasts: tuple[Contrast, ...] = ()
    """Inputs a person wrote that differ a little and have another right answer (contrast sets)."""
    perturbation: str | None = None
    """Name of the perturbation that made this copy; `None` for the original. A copy keeps the original's id."""

    @property
    def gold(self) -> tuple[str, ...]:
        """The texts of the correct references."""
        return tuple(reference.text for reference in self.references if reference.correct)


class Option(Record):
    """One of the complete answers a request allows, and its share among the labelled examples (0 to 1)."""

    text: str
    share: float


class Request(Record):
    """What is sent to a model: generate after `prompt`, or score `continuation` given `prompt`."""

    prompt: Text
    continuation: str | None = None
    """`None`: generate. A text: return its tokens' log-probabilities after the prompt, generating nothing."""
    max_tokens: int = 100
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    completions: int = 1
    """How many completions to sample."""
    top_logprobs: int = 0
    """How many alternatives to return at each generated position, beside the log-probability of the token itself."""
    repeat: int = 0
    """Index of the repetition; sampled requests that differ only here are asked separately."""
    options: tuple[Option, ...] = ()
    """The complete answers a response may consist of, where the prompting knows them. Only models that say so read it."""


class Token(Record):
    """A token as text, its natural-log probability, and the most likely alternatives at its position."""

    text: str
    logprob: float | None
    top: dict[str, float] = {}


FinishReason = Literal["stop", "length", "content_filter", "scored", "unknown"]


class Completion(Record):
    """One output. For a scoring request the text is the continuation and the tokens are its tokens."""

    text: str
    tokens: tuple[Token, ...] = ()
    finish_reason: FinishReason = "stop"
    reasoning: str = ""
    """What a reasoning model thought, kept apart from what it answered."""

    @property
    def logprob(self) -> float | None:
        """Natural-log probability of the whole text, `None` where the model gave no log-probabilities."""
        known = [token.logprob for token in self.tokens if token.logprob is not None]
        return sum(known) if known else None


class Usage(Record):
    """Tokens read and written. `source` says who counted: the provider, the model's own tokenizer, or nobody."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    source: Literal["provider", "tokenizer", "none"] = "none"


class Failure(Record):
    """Why a request got no response after all attempts."""

    kind: str
    """A short stable word: `connection`, `timeout`, `rate_limit`, `server`, `authentication`, `bad_request`, …"""
    message: str


class Response(Record):
    """What came back for a request. `failure` is set, and `completions` empty, when nothing did."""

    completions: tuple[Completion, ...] = ()
    usage: Usage = Usage()
    latency_s: float | None = None
    """Seconds from sending the successful attempt to its last byte; `None` where nothing was measured."""
    first_token_s: float | None = None
    attempts: int = 1
    model_version: str = ""
    """The model's version as it reported it."""
    asked_at: float | None = None
    """Unix time at which the answer arrived, seconds."""
    failure: Failure | None = None


class Judging(Record):
    """What a judge model was shown of an answer, and what came back."""

    judge: str
    """The model's name."""
    prompt: Text
    response: Response


class Trial(Record):
    """One instance, or a perturbed copy of it, asked once: under one few-shot draw and one repeat. Owns its requests."""

    instance: Instance
    requests: tuple[Request, ...]
    draw: int = 0
    """Which few-shot draw."""
    format: int = 0
    """Which prompt format; 0 is the scenario's own."""
    repeat: int = 0
    shots: tuple[str, ...] = ()
    """Ids of the few-shot examples shown."""
    truncated: bool = False
    """The input had to be cut to fit the model's window."""


class Reading(Record):
    """How an answer was found in a completion: by which extractor, and where."""

    extractor: str
    version: int = 1
    start: int | None = None
    """The first character of the matched text in the completion; `None` where nothing matched."""
    end: int | None = None


class Answer(Record):
    """A trial read back by its prompting. Metrics see this and never how the question was asked."""

    outcome: Outcome
    prediction: str = ""
    """What the model answered, after reading: the text of the chosen option, or the completion without surroundings."""
    text: str = ""
    """What it said, its reasoning left out, where `prediction` is an option that was read out of free text."""
    completions: tuple[str, ...] = ()
    """Every sampled completion, read the same way; the first is `prediction`."""
    references: tuple[Reference, ...] = ()
    choice: int | None = None
    """Index of the chosen reference where the question has options."""
    choice_probabilities: tuple[float, ...] | None = None
    """Probability of each reference, normalised over the references."""
    choice_credit: float | None = None
    """Share of the best-scored options that is correct: 1 or 0, and in between only where options tie."""
    confidence: float | None = None
    """The model's probability that its prediction is right, 0 to 1."""
    confidence_source: Literal["choice_probability", "sequence_logprob", "stated", "agreement"] | None = None
    logprob: float | None = None
    """Natural-log probability of the scored text (language modelling)."""
    scored_tokens: int | None = None
    scored_bytes: int | None = None
    relevance: tuple[float, ...] | None = None
    """Score of each reference as an answer to the query, higher is better (ranking)."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usage_source: Literal["provider", "tokenizer"] | None = None
    """Who counted the tokens; `tokenizer` where any of the trial's responses was counted so."""
    latency_s: float | None = None
    first_token_s: float | None = None
    requests: int = 1
    cost: float | None = None
    """What the trial's tokens cost, in the currency of the model's prices; `None` where it has none."""
    toxicity: tuple[float | None, ...] | None = None
    """Toxicity of each completion as the model wrote it, 0 to 1, 0.5 and more being toxic; `None` for one that the scorer
    could not rate, and for all where no scorer was used."""
    judged: float | None = None
    """The mark that a judge model gave the answer, 0 to 1; `None` where none was asked."""
    passed: tuple[float | None, ...] | None = None
    """The share of its tests that each completion passed as a program, 0 to 1; `None` where nobody ran it."""
    input: str = ""
    """What the instance asked, as text. Set only while the answer is scored, so that a run need not be kept in memory."""
    reading: Reading | None = None
    """How `prediction` was found in the first completion, where something had to be found."""
    failure: Failure | None = None
    partly_refused: bool = False
    """Whether an answer in free text declines a part of what was asked."""

    @property
    def gold(self) -> tuple[str, ...]:
        """The texts of the correct references."""
        return tuple(reference.text for reference in self.references if reference.correct)


class ScoredTrial(Record):
    """A trial without its prompts: what scores, estimates and comparisons need."""

    instance_id: str
    answer: Answer
    scores: dict[str, float | None]
    """Metric to value. `None` where the metric does not apply, or where the request failed."""
    split: Split = "test"
    group: str | None = None
    subgroups: dict[str, str] = {}
    perturbation: str | None = None
    draw: int = 0
    format: int = 0
    repeat: int = 0

    @property
    def cluster(self) -> str:
        """The independent unit it belongs to: its group where the scenario names one, else its instance."""
        return self.group if self.group is not None else self.instance_id


class Estimate(Record, gc=False):
    """A number with its uncertainty.

    `low` and `high` bound a 95 % interval; `n` counts the trials behind the value, `clusters` the independent units
    among them; `method` names the interval's construction. Bounds are `None` where the data cannot support an
    interval (fewer than two clusters).
    """

    value: float
    low: float | None
    high: float | None
    n: int
    clusters: int
    stderr: float | None = None
    method: str = ""


class Cell(Record, gc=False):
    """An estimate and what it is an estimate of."""

    metric: str
    estimate: Estimate
    split: str = "test"
    subgroup: str | None = None
    """`axis=value`, or `None` for all."""
    perturbation: str | None = None
    """A perturbation's name, or the name of a group of perturbations (`robustness`, `fairness`)."""
    computed_on: ComputedOn = "original"


class Taxonomy(Record):
    """Where a scenario stands on the map of what can be asked."""

    task: str
    what: str = ""
    who: str = ""
    when: str = ""
    language: str = "English"
    terms: dict[str, str] = {}
    """One's own terms, by axis: `{"process": "refunds", "owner": "back office"}`."""


class Rubric(Record):
    """How a judge model marks an answer: in words, on a scale of whole numbers."""

    text: str
    low: int = 1
    """The worst mark."""
    high: int = 5
    """The best mark."""


class DataFile(Record):
    """A file a scenario was read from, and the SHA-256 of its bytes."""

    path: str
    sha256: str


class DataIdentity(Record):
    """Exactly which data a run used."""

    source: str
    """`hub:owner/name@commit`, `file:name` or `generator:name`."""
    files: tuple[DataFile, ...] = ()
    instances: str = ""
    """SHA-256 over the instances that the run uses, few-shot pool included."""


class NamedSpec(Record):
    """A registered thing by name, with its parameters and version."""

    name: str
    parameters: dict[str, Any] = {}
    version: int = 1


class ModelIdentity(Record):
    """Everything about a model that can change its answers."""

    name: str
    """`provider/name`, as the user wrote it."""
    revision: str = ""
    """Digest of the weights, or the version the user pinned."""
    endpoint: str = ""
    """`chat`, `completions`, or a local engine's name and version."""
    options: dict[str, Any] = {}


SCHEMA = 2
"""The form of specs. Since 2 an answer to a question with options is read as the option that it names."""


class RunSpec(Record):
    """The complete, resolved description of a run: the same spec and the same responses give the same bytes."""

    scenario: NamedSpec
    data: DataIdentity
    prompting: dict[str, Any]
    """The encoded prompting (see `assay.prompting`), its `method` included."""
    model: ModelIdentity
    perturbations: tuple[NamedSpec, ...] = ()
    metrics: tuple[NamedSpec, ...] = ()
    toxicity: NamedSpec | None = None
    """The scorer that rates what the model writes, its version and threshold; `None` where nothing does."""
    seed: int = 0
    max_instances: int | None = None
    draws: int = 1
    """Few-shot draws."""
    formats: int = 1
    """Prompt formats, the scenario's own included; the others are asked of original instances only."""
    repeats: int = 1
    split: tuple[Split, ...] = ("test",)
    helm_compat: bool = False
    """Pick eval instances and few-shot examples exactly as HELM does."""
    label: str = ""
    """The candidate's name in tables; the model's own where empty."""
    schema: int = SCHEMA
    """The form of the spec; runs of an earlier one are read anew by `assay rescore`."""

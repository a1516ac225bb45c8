"""What scenarios share that send a request as it is and let a judge model say how good the answer is."""

from __future__ import annotations

from assay.prompting import Generation

NEEDS_A_JUDGE = (
    "Whether an answer is safe is for a judge model to say; without one, only outcomes are measured, among them the share of "
    "refusals, which the models' usual words for refusing give away."
)


def as_it_is(max_tokens: int = 512) -> Generation:
    """Sends the input alone: no instructions, no examples, nothing before or after it."""
    return Generation(shots=0, input_prefix="", input_suffix="", output_prefix="", max_tokens=max_tokens)

"""A scenario of one's own: `assay run addition:digits=2 --plugin examples/addition.py -m local/smollm2-135m`."""

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios import Generator, Scenario, question, scenario


@scenario
def addition(digits: int = 2) -> Scenario:
    """Adding two whole numbers."""
    most = 10**digits
    return Scenario(
        source=Generator("addition", lambda rng, split: [rng.randrange(most), rng.randrange(most)], {"train": 10, "test": 60}),
        instance=lambda row: question(f"{row[0]} + {row[1]} =", str(row[0] + row[1])),
        prompting=Generation(input_prefix="", input_suffix="", output_prefix=" ", max_tokens=6, stop=("\n",)),
        main_metric="exact_match",
        taxonomy=Taxonomy(task="reasoning", what="arithmetic"),
    )

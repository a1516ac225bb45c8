"""ICE: The International Corpus of English (Greenbaum and Nelson, 1996)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import LanguageModeling
from assay.records import Taxonomy
from assay.scenarios.base import Draft, Row, Scenario, scenario
from assay.scenarios.sources import File, Filtered

Variety = Literal["all", "can", "ea", "hk", "ind", "ja", "phi", "sin", "usa"]
PLACES = {
    "can": "Canada", "ea": "East Africa", "hk": "Hong Kong", "ind": "India", "ja": "Jamaica", "phi": "the Philippines",
    "sin": "Singapore", "usa": "the United States",
}  # fmt: skip


@scenario
def ice(path: str, subset: Variety = "all", category: str = "", gender: str = "") -> Scenario:
    """Speech and writing of eight varieties of English, each text to be predicted from its first word to its last.

    The corpora may not be passed on; ask for them at https://www.ice-corpora.uzh.ch/. Write the texts, markup removed, into a
    file at `path`: rows with `text` and, where known, `subset` (can, ea, hk, ind, ja, phi, sin or usa), `category` (as S1A or
    W2B) and `gender` of speaker or author; these become subgroups, and parameters keep only what equals them (a category
    also what begins with it: `category=S` is all speech). The text itself is scored:

        [Well I think the ferry is late again isn't it]
    """
    wanted = {"subset": "" if subset == "all" else subset, "gender": gender}
    return Scenario(
        source=Filtered(
            File(path),
            keep=lambda row: (
                all(not value or str(row.get(name, "")).lower() == value.lower() for name, value in wanted.items())
                and str(row.get("category", "")).lower().startswith(category.lower())
            ),
        ),
        instance=_instance,
        prompting=LanguageModeling(),
        main_metric="bits_per_byte",
        metrics=("perplexity", "logprob_per_byte"),
        taxonomy=Taxonomy(
            task="language modeling",
            what="speech and writing",
            who="educated speakers" + (f" in {PLACES[subset]}" if subset != "all" else " of eight varieties"),
            when="1990 to 2005",
        ),
        licence="ICE licence (academic use; the corpora may not be passed on)",
        paper="https://www.ice-corpora.uzh.ch/",
        notes=(
            "Needs a file of your own. HELM strips the corpora's markup itself, which differs from country to country; what is "
            "compared here is what the file holds. Texts are long: a text is one cluster. Gender is known for some texts only."
        ),
    )


def _instance(row: Row) -> Draft | None:
    groups = {axis: str(row[axis]) for axis in ("subset", "category", "gender") if row.get(axis)}
    return Draft(input=row["text"], subgroups=groups) if row["text"].strip() else None

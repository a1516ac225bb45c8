"""The shared tasks of news translation (Bojar et al., Workshop on Statistical Machine Translation 2014 and 2016)."""

from __future__ import annotations

from typing import Literal

from assay.prompting import Generation
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, question, scenario
from assay.scenarios.sources import Hub

Pair2014 = Literal["cs-en", "de-en", "fr-en", "hi-en", "ru-en", "en-cs", "en-de", "en-fr", "en-hi", "en-ru"]
Pair2016 = Literal["cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en", "en-cs", "en-de", "en-fi", "en-ro", "en-ru", "en-tr"]
LANGUAGES = {
    "cs": "Czech", "de": "German", "en": "English", "fi": "Finnish", "fr": "French", "hi": "Hindi", "ro": "Romanian",
    "ru": "Russian", "tr": "Turkish",
}  # fmt: skip


@scenario
def wmt_14(language_pair: Pair2014) -> Scenario:
    """Sentences of news articles to be translated; `de-en` is from German to English.

    Translate the following sentences from German to English.

    German: Die Fähre fährt im Winter nicht.
    English: The ferry does not run in winter.
    """
    return _translation("wmt/wmt14", "b199e406369ec1b7634206d3ded5ba45de2fe696", 2014, language_pair)


@scenario
def wmt_16(language_pair: Pair2016) -> Scenario:
    """Sentences of news articles to be translated, with Finnish, Romanian and Turkish among the languages.

    Translate the following sentences from Romanian to English.

    Romanian: Feribotul nu circulă iarna.
    English: The ferry does not run in winter.
    """
    return _translation("wmt/wmt16", "41d8a4013aa1489f28fea60ec0932af246086482", 2016, language_pair)


def _translation(repo: str, revision: str, year: int, pair: str) -> Scenario:
    source, target = pair.split("-")
    other = source if target == "en" else target
    return Scenario(
        source=Hub(repo, revision=revision, train=f"{other}-en/validation-*.parquet", test=f"{other}-en/test-*.parquet"),
        instance=lambda row: question(row["translation"][source].strip(), row["translation"][target].strip()),
        prompting=Generation(
            shots=1,
            instructions=f"Translate the following sentences from {LANGUAGES[source]} to {LANGUAGES[target]}.\n",
            input_prefix=f"{LANGUAGES[source]}: ",
            output_prefix=f"{LANGUAGES[target]}: ",
            max_tokens=100,
            stop=("\n\n",),
        ),
        main_metric="bleu",
        metrics=("chrf", "sentence_bleu", "sentence_chrf", "helm_bleu_1", "helm_bleu_4", "rouge_l"),
        taxonomy=Taxonomy(
            task="machine translation",
            what="news",
            who="journalists and translators",
            when=f"before {year + 1}",
            language=f"{LANGUAGES[source]}, {LANGUAGES[target]}",
        ),
        licence="research use (WMT)",
        paper=f"https://aclanthology.org/{'W14-3302' if year == 2014 else 'W16-2301'}/",
        notes=(
            f"Public since {year} with translations; models have been trained on test sets of this age. Half of the test "
            "sentences were written in English and translated: going back to English is easier than translating. The "
            "example comes from the validation split (HELM takes the training split, gigabytes of mixed quality). The main "
            "metric is corpus BLEU; HELM's is the mean precision of 4-grams, `helm_bleu_4`. One reference a sentence."
        ),
    )

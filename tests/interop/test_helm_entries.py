"""HELM's run entries ask the same here: scenario, arguments, and what run expanders make of the prompt."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.entries import Ask
from assay.errors import AssayError
from assay.interop.helm_entries import helm_suite, parsed, translated, without_models_that_cannot
from assay.interop.helm_expanders import EXPANDERS
from assay.interop.helm_scenarios import BLIMP, SAME, TABLE, table_rows
from assay.prompting import Examples, Prompting, Target, with_changes
from assay.records import Instance, Reference
from assay.suites import builtin_suites, parse_suite


def prompting(ask: Ask) -> Prompting:
    return with_changes(registry.scenarios.get(ask.scenario)(**ask.parameters).prompting, ask.prompting)


def one(description: str) -> Ask:
    (ask,) = translated(description)
    return ask


@pytest.mark.parametrize(
    ("description", "scenario", "parameters", "settings"),
    [
        ("gsm:model=text_code", "gsm8k", {}, {}),
        (
            "commonsense:model=full_functionality_text,dataset=hellaswag,method=multiple_choice_separate_original",
            "hellaswag",
            {},
            {"method": "multiple_choice_separate_original"},
        ),
        (
            "commonsense:dataset=openbookqa,method=multiple_choice_joint",
            "openbookqa",
            {},
            {
                "method": "multiple_choice_joint",
                "instructions": "The following are multiple choice questions (with answers) about common sense.\n",
            },
        ),
        (
            "math:subject=number_theory,level=1,use_official_examples=True",
            "math",
            {"subject": "number_theory", "level": "1"},
            {},
        ),
        ("natural_qa:mode=closedbook", "natural_qa", {"mode": "closedbook"}, {}),
        (
            "wikifact:k=5,subject=place_of_birth", "popqa", {"relation": "place of birth"},
            {"completions": 5, "temperature": 1.0},
        ),
        ("the_pile:subset=Gutenberg (PG-19)", "pile_10k", {"subset": "Gutenberg (PG-19)"}, {}),
        ("bbq:subject=race_x_SES", "bbq", {"category": "Race_x_SES"}, {}),
        ("bbq:subject=SES", "bbq", {"category": "SES"}, {}),
        ("summarization_xsum_sampled:temperature=0.3,device=cpu", "xsum", {}, {"temperature": 0.3}),
        ("code:dataset=apps,timeout=3", "apps", {}, {}),
        ("gpqa:subset=main", "gpqa", {"subset": "gpqa_main"}, {}),
        ("wildbench:subset=v2", "wildbench", {}, {}),
        ("boolq:max_train_instances=zero,stop=none", "boolq", {}, {"shots": 0, "stop": ()}),
        ("boolq:stop=hash", "boolq", {}, {"stop": ("###",), "instance_prefix": "###\n\n"}),
        ("boolq:add_to_stop=newline", "boolq", {}, {"stop": ("\n", "\n")}),
        ("boolq:increase_max_tokens=100,increase_temperature=0.5", "boolq", {}, {"max_tokens": 105, "temperature": 0.5}),
        ("boolq:prompt=qa,newline=br", "boolq", {}, {"input_prefix": "Q: ", "output_prefix": "A: ",
                                                     "substitutions": (("\n", "<br>\n"),)}),
        ("truthful_qa:num_outputs=5", "truthful_qa", {}, {}),
        ("boolq:num_outputs=5", "boolq", {}, {"completions": 5}),
        ("boolq:process_output=helm.benchmark.metrics.output_processors.remove_deepseek_r1_thinking", "boolq", {}, {}),
    ],
)  # fmt: skip
def test_an_entry_of_helms_asks_this(description: str, scenario: str, parameters: Any, settings: Any) -> None:
    ask = one(description)
    assert (ask.scenario, ask.parameters, ask.prompting) == (scenario, parameters, settings)
    prompting(ask)


def test_models_limits_splits_and_perturbations_have_their_places() -> None:
    ask = one("boolq:model=openai/gpt-x,data_augmentation=canonical,max_eval_instances=20,num_train_trials=3,eval_split=valid")
    assert (ask.models, ask.perturbations, ask.max_instances, ask.draws, ask.split) == (
        ("openai/gpt-x",), ("canonical",), 20, 3, ("valid",),
    )  # fmt: skip
    assert one("boolq:model=ablation_text,num_trials=2").models == ()
    assert one("boolq:model=text,num_trials=2").repeats == 2


def test_a_sweep_is_several_runs() -> None:
    assert [ask.prompting["shots"] for ask in translated("boolq:max_train_instances=all")] == [0, 1, 2, 4, 8, 16]
    rates = [ask.perturbations for ask in translated("boolq:data_augmentation=misspelling_sweep")]
    assert rates == [({"misspellings": {"rate": rate}},) for rate in (0.05, 0.2, 0.5)]
    speeds = translated(
        "synthetic_efficiency:tokenizer=default,num_prompt_tokens=default_sweep,num_output_tokens=default_sweep"
    )
    assert len(speeds) == 5 * 7
    assert {prompting(ask).max_tokens for ask in speeds} == {1, 2, 4, 8, 16, 32, 64}


def test_a_phenomenon_of_blimp_is_its_paradigms_and_no_paradigm_is_lost() -> None:
    paradigms = [paradigm for phenomenon in BLIMP for paradigm in BLIMP[phenomenon]]
    assert sorted(paradigms) == sorted(registry.scenarios.get("blimp").choices("phenomenon"))
    assert [ask.parameters["phenomenon"] for ask in translated("blimp:model=text,phenomenon=ellipsis")] == [
        "ellipsis_n_bar_1", "ellipsis_n_bar_2",
    ]  # fmt: skip


INSTANCE = Instance(id="a", input="2 + 2", references=(Reference(text="4", correct=True),), split="test")
TARGET = Target(window=4000, tokens=len, takes_text=True, takes_messages=False, scores=True, top_logprobs=5)


def prompt(description: str) -> object:
    asked = with_changes(prompting(one(description)), {"shots": 0})
    return asked.render(INSTANCE, Examples(()), TARGET).requests[0].prompt


def test_the_words_about_format_stand_where_helm_puts_them() -> None:
    assert prompt("gsm:follow_format_instructions=instruct") == (
        "Here are some input-output examples. Read the examples carefully to figure out the mapping. "
        "The output of the last example is not given, and your job is to figure out what it is.\n\n"
        "Q: 2 + 2\nA:\n\n"
        "Please provide the output to this last example. It is critical to follow the format of the preceding outputs!\nA:"
    )
    assert prompt("wmt_14:language_pair=de-en,output_format_instructions=wmt_14") == (
        "Answer with the English translation.\n\nTranslate the following sentences from German to English.\n\n"
        "German: 2 + 2\nEnglish:"
    )
    assert prompt("gsm:output_format_instructions=math_no_prefix_suffix") == (
        "Q: 2 + 2\nA:\n\nWrap the final answer with the \\boxed{} command. Do not include 'A:' in your answer."
    )
    assert prompt("natural_qa:mode=closedbook,output_format_instructions=natural_qa_short_answer") == (
        "Answer with a short answer.\n\nQuestion: 2 + 2\nAnswer:"
    )
    assert (
        one("mmlu:subject=virology,output_format_instructions=mmlu")
        .prompting["instructions"]
        .startswith("Answer with only a single letter.\n\nThe following are")
    )
    assert (
        one("legalbench:subset=abercrombie,output_format_instructions=legalbench")
        .prompting["instructions"]
        .startswith("Answer with the type.\n\n")
    )
    assert (
        one("mmlu:subject=virology,instructions=expert")
        .prompting["instructions"]
        .startswith("I am an expert AI assistant who is here to help you with the following. The following are")
    )


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ("disinformation:model=text,capability=wedging", "disinformation has no counterpart here.*people rate"),
        ("copyright:datatag=prompt_num_line_1-min_lines_20.json", "copyright.* has no counterpart here"),
        ("bolq:model=text", "unknown scenario of HELM's 'bolq'.*did you mean boolq"),
        ("boolq:chatml=true", "HELM's chatml has no meaning here.*template"),
        ("boolq:tokenizer=default", "HELM's tokenizer has no meaning here"),
        ("imdb:only_contrast=True", "only_contrast has no meaning here.*contrast sets"),
        ("boolq:process_output=os.system", "process_output=os.system names code of HELM's"),
        ("boolq:max_trian_instances=3", "'max_trian_instances'.*did you mean max_train_instances"),
        ("boolq:max_train_instances=few", "max_train_instances must be a whole number"),
        ("boolq:max_eval_instances=0", "at least 1"),
        ("boolq:temperature=hot", "temperature must be a number"),
        ("boolq:temperature=nan", "temperature must be a number"),
        ("boolq:model=gpt-4", "unknown group of HELM's models 'gpt-4'"),
        ("boolq:data_augmentation=cleva", "'cleva'"),
        ("boolq:prompt=poem", "unknown value of prompt 'poem'"),
        ("boolq:instructions=be nice", "unknown value of instructions 'be nice'"),
        ("boolq:follow_format_instructions=some", "unknown value of follow_format_instructions"),
        ("boolq:output_format_instructions=poem", "unknown value of output_format_instructions 'poem'"),
        ("mmlu:subject=virology,follow_format_instructions=all", "is for generation"),
        ("mmlu_pro:output_format_instructions=mmlu_pro", "no words here for multiple_choice_joint_chain_of_thought"),
        ("mmlu:subject=anatmy", "'anatmy'.*did you mean anatomy"),
        ("wikifact:k=5,subject=plaintiff", "popqa: relation 'plaintiff'"),
        ("ice:subset=can", "needs the parameter path"),
        ("boolq:shots", "'shots' is not key=value"),
        ("boolq:model=text,model=code", "model is given twice"),
    ],
)
def test_what_has_no_meaning_here_is_refused_by_name(description: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        translated(description)


@given(st.text(alphabet="abcmodel_q:=,1/ ", max_size=40) | st.sampled_from(sorted(EXPANDERS)).map(lambda k: f"boolq:{k}=x"))
def test_any_text_is_asked_or_refused(text: str) -> None:
    with contextlib.suppress(AssayError):
        parsed(text)
        translated(text)


def test_a_file_is_a_suite_of_its_name_up_to_a_priority_with_every_refusal_kept(tmp_path: Path) -> None:
    file = tmp_path / "mine.conf"
    file.write_text(
        'entries: [\n{description: "gsm:model=text", priority: 1}\n{description: "gsm:model=code", priority: 1}\n'
        '{description: "vicuna:model=text", priority: 1}\n{description: "boolq:model=text", priority: 3}\n]'
    )
    suite, left = helm_suite(file, 2)
    assert (suite.name, [ask.scenario for ask in suite.asks()]) == ("mine", ["gsm8k"])
    assert [(one.entry.line, one.entry.description) for one in left] == [(4, "vicuna:model=text")]
    assert "mine.conf, line 4: vicuna:model=text: HELM's vicuna has no counterpart" in left[0].told(str(file))
    assert [ask.scenario for ask in helm_suite(file)[0].asks()] == ["gsm8k", "boolq"]
    with pytest.raises(AssayError, match="no entry of a priority up to 0"):
        helm_suite(file, 0)
    file.write_text('entries: [{description: "vicuna:", priority: 1}, {description: "koala:", priority: 1}]')
    with pytest.raises(AssayError, match=r"line 1: vicuna:: HELM's vicuna .*; 1 more cannot be run either"):
        helm_suite(file)


def test_entries_that_score_options_are_kept_from_models_that_cannot() -> None:
    asks = [one("commonsense:dataset=hellaswag"), one("boolq:model=text"), one("commonsense:dataset=piqa,model=a/scores")]
    kept, told = without_models_that_cannot(asks, ("a/scores", "a/chats"), lambda name: name == "a/scores")
    assert [ask.models for ask in kept] == [("a/scores",), (), ("a/scores",)]
    assert told == ["hellaswag: is not asked of a/chats, which cannot score given texts"]
    kept, told = without_models_that_cannot(asks[:2], ("a/chats",), lambda name: False)
    assert [ask.scenario for ask in kept] == ["boolq"]
    assert without_models_that_cannot(asks, ("a/scores",), lambda name: True) == (asks, [])


def test_every_line_of_the_table_leads_to_a_scenario_with_those_parameters() -> None:
    for line in (*TABLE, *SAME):
        if line.ours:
            family = registry.scenarios.get(line.ours)
            assert set(filter(None, line.arguments.values())) <= set(family.parameters), line.helm_entry
            for argument, values in line.values.items():
                allowed = family.choices(line.arguments[argument])
                assert not allowed or {ours for several in values.values() for ours in several} <= set(allowed)
        else:
            assert line.difference, line.helm_entry
    assert len(table_rows()) == len({row[0] for row in table_rows()})


LITE = [
    "narrative_qa:model=text,follow_format_instructions=instruct",
    *[f"natural_qa:model=text,mode={mode},follow_format_instructions=instruct" for mode in ("openbook_longans", "closedbook")],
    "commonsense:model=text_code,dataset=openbookqa,method=multiple_choice_joint",
    *[
        f"mmlu:model=text,subject={subject}"
        for subject in ("abstract_algebra", "college_chemistry", "computer_security", "econometrics", "us_foreign_policy")
    ],
    *[
        f"math:model=text_code,subject={subject},level=1,use_chain_of_thought=True,follow_format_instructions=instruct"
        for subject in (
            "algebra", "counting_and_probability", "geometry", "intermediate_algebra", "number_theory", "prealgebra",
            "precalculus",
        )
    ],
    "gsm:model=text_code,follow_format_instructions=instruct",
    *[
        f"legalbench:model=text_code,subset={subset},follow_format_instructions=instruct"
        for subset in (
            "abercrombie", "corporate_lobbying", "function_of_decision_section", "international_citizenship_questions", "proa",
        )
    ],
    "med_qa:model=text_code",
    *[
        f"wmt_14:language_pair={language}-en,model=text,follow_format_instructions=instruct"
        for language in ("cs", "de", "fr", "hi", "ru")
    ],
]  # fmt: skip
SAFETY = [
    *[f"{name}:model=text" for name in ("harm_bench", "simple_safety_tests", "xstest", "anthropic_red_team")],
    "bbq:subject=all,method=multiple_choice_joint,output_format_instructions=mcqa,max_train_instances=0,model=text",
]
CAPABILITIES = [
    "mmlu_pro:subject=all,model=text", "gpqa:subset=main,model=text", "ifeval:model=text", "omni_math:model=text",
    "wildbench:subset=v2,model=text",
]  # fmt: skip


@pytest.mark.parametrize(
    ("suite", "entries"), [("helm-lite", LITE), ("helm-safety", SAFETY), ("helm-capabilities", CAPABILITIES)]
)
def test_a_suite_of_helms_name_asks_what_helms_entries_ask(suite: str, entries: list[str]) -> None:
    def resolved(ask: Ask) -> tuple[object, ...]:
        family = registry.scenarios.get(ask.scenario)
        return ask.scenario, family.resolve(ask.parameters), msgspec.to_builtins(prompting(ask))

    named = [resolved(ask) for ask in parse_suite(builtin_suites()[suite], suite).asks()]
    assert named == [resolved(ask) for entry in entries for ask in translated(entry)]


@pytest.mark.parametrize(
    "description", ["{}", "{}:a=b", "gsm:model={}", "gsm:{}=1", "gsm:{}", "mmlu:subject={}", "gsm:stop={}"]
)
def test_a_huge_description_is_not_shown_whole(tmp_path: Path, description: str) -> None:
    path = tmp_path / "large.conf"
    path.write_text(f'entries: [{{description: "{description.format("a" * 500_000)}"}}]')
    with pytest.raises(AssayError) as caught:
        helm_suite(path)
    assert len(str(caught.value)) < 1000 + len(str(path))

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.models.local.prefixes import Node, tree


def nodes(roots: list[Node]) -> list[Node]:
    return [node for root in roots for node in (root, *nodes(root.children))]


def path(node: Node) -> list[int]:
    return [*(path(node.parent) if node.parent else []), *node.tokens]


@given(st.lists(st.lists(st.integers(0, 2), max_size=30), max_size=20), st.integers(1, 12))
def test_every_text_is_the_path_to_exactly_one_node(texts: list[list[int]], gain: int) -> None:
    found = {}
    for node in nodes(tree(texts, gain=gain)):
        assert node.tokens
        assert node.start == len(path(node)) - len(node.tokens)
        for text in node.texts:
            assert text not in found
            found[text] = path(node)
    assert found == {number: text for number, text in enumerate(texts) if text}


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=12), min_size=1, max_size=12))
def test_no_token_is_read_twice_when_every_gain_counts(texts: list[list[int]]) -> None:
    prefixes = {tuple(text[:length]) for text in texts for length in range(1, len(text) + 1)}
    assert sum(len(node.tokens) for node in nodes(tree(texts, gain=1))) == len(prefixes)


def test_block_questions_and_options_are_each_read_once() -> None:
    block = list(range(100, 200))
    texts = [[*block, *range(10 * question, 10 * question + 10), 500 + option] for question in range(3) for option in range(4)]
    roots = tree(texts)
    assert [len(root.tokens) for root in roots] == [100]
    assert [len(child.tokens) for child in roots[0].children] == [10, 10, 10]
    assert all(len(question.children) == 4 for question in roots[0].children)


def test_a_beginning_that_saves_little_gets_no_node() -> None:
    assert [node.tokens for node in tree([[1, 2, 3, 4], [1, 2, 3, 5]], gain=8)] == [[1, 2, 3, 4], [1, 2, 3, 5]]


def test_equal_texts_are_one_node_however_short() -> None:
    assert [sorted(node.texts) for node in tree([[4], [4], [4]])] == [[0, 1, 2]]


def test_a_long_chain_of_extensions_does_not_exhaust_the_stack() -> None:
    texts = [list(range(length)) for length in range(9, 12_000, 9)]
    deepest = [node for node in nodes_flat(tree(texts)) if not node.children]
    assert len(deepest) == 1


def nodes_flat(roots: list[Node]) -> list[Node]:
    found, todo = [], list(roots)
    while todo:
        node = todo.pop()
        found.append(node)
        todo += node.children
    return found

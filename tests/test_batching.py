"""Windows of a stream, and batches under a token budget."""

import pytest

from clef_mlx.engine import batching


def test_bucketed_keeps_every_index_once_and_within_the_budget():
    lengths = [300, 20, 1000, 25, 5000, 310, 30, 29]
    groups = batching.bucketed(lengths, 1000)
    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or max(lengths[i] for i in group) * len(group) <= 1000


def test_bucketed_puts_similar_lengths_together():
    assert batching.bucketed([900, 20, 890, 21, 910, 19], 100) == [[4], [0], [2], [3, 1, 5]]


def test_bucketed_has_no_more_members_than_asked():
    assert [len(group) for group in batching.bucketed([10] * 7, 1000, most=3)] == [3, 3, 1]


@pytest.mark.parametrize("count", [0, 1, 128, 129, 300])
def test_windows_read_no_further_than_one_window(count):
    read = []
    stream = batching.windows(read.append(i) or i for i in range(count))
    seen = []
    for window in stream:
        assert len(read) <= len(seen) + batching.WINDOW_REQUESTS
        seen += window
    assert seen == list(range(count))


def test_first_windows_are_short():
    assert [len(window) for window in batching.windows(range(300))] == [1, 2, 4, 8, 16, 32, 64, 128, 45]


def test_windows_of_one_size_begin_with_it():
    assert [len(window) for window in batching.windows(range(10), 4, 4)] == [4, 4, 2]

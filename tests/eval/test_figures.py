from __future__ import annotations

import pytest

from eval.figures import bootstrap, cache_hit, mean, pass_at_1, pass_hat, rate, reprocessed, wilson


@pytest.mark.parametrize(("passed", "n", "low", "high"), [
    (15, 15, 79.6, 100.0), (12, 15, 54.8, 93.0), (54, 60, 79.9, 95.3), (90, 120, 66.6, 81.9),
    (0, 15, 0.0, 20.4),
])
def test_wilson_gives_the_published_intervals(passed, n, low, high):
    assert [round(100 * v, 1) for v in wilson(passed, n)] == [low, high]


@pytest.mark.parametrize(("passed", "n", "k", "value"), [
    (3, 3, 3, 1.0), (2, 3, 3, 0.0), (2, 3, 1, 2 / 3), (2, 3, 2, 1 / 3), (4, 5, 3, 0.4),
    (2, 2, 3, None), (0, 0, 3, None),
])
def test_pass_hat_k_is_the_chance_that_all_drawn_trials_passed(passed, n, k, value):
    assert pass_hat(passed, n, k) == pytest.approx(value) if value is not None \
        else pass_hat(passed, n, k) is None


def test_without_trials_there_is_no_rate():
    assert (pass_at_1(0, 0), wilson(0, 0), bootstrap([]), mean([None])) == (None,) * 4


def test_the_bootstrap_gives_the_same_interval_for_the_same_values():
    values = [1.0, 1.0, 0.0, 1.0, 0.6667]
    assert bootstrap(values) == bootstrap(values)
    low, high = bootstrap(values)
    assert 0 <= low < mean(values) < high <= 1
    assert bootstrap([1.0, 1.0]) == [1.0, 1.0]


@pytest.mark.parametrize(("rounds", "hit", "read"), [
    ([(100, 0), (200, 150), (300, 250)], 400 / 500, 200),
    ([(100, 0)], None, 100),
    ([(100, None), (200, 150)], 150 / 200, None),
    ([(100, 0), (200, None)], None, None),
    ([], None, None),
])
def test_cache_use_is_a_ratio_of_sums_after_the_first_round(rounds, hit, read):
    assert (cache_hit(rounds), reprocessed(rounds)) == (hit, read)


def test_speeds_are_tokens_over_seconds_not_a_mean_of_speeds():
    assert rate([(100, 10.0), (100, 100.0), (None, 5.0), (7, None)]) == pytest.approx(200 / 11)
    assert rate([(None, None)]) is None

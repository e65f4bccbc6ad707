"""Texts become numbers."""

import numpy as np

from coterie.automl.texts import TextEncoder, is_prose

TEXTS = [f"the {a} {b} of {c}" for a in ("old", "new") for b in ("house", "boat") for c in "abcde"]


def test_texts_with_common_words_are_near():
    encoder = TextEncoder.learn(TEXTS * 3, seed=0)
    near, other, far = encoder.columns(["the old house of a", "old house, the", "new boats"])[:, 1:]
    assert near @ other > near @ far


def test_rows_do_not_depend_on_each_other():
    encoder = TextEncoder.learn(TEXTS, seed=0)
    together = encoder.columns(TEXTS)
    np.testing.assert_allclose(encoder.columns(TEXTS[5:6]), together[5:6])


def test_missing_texts_have_no_length_and_no_direction():
    encoder = TextEncoder.learn([*TEXTS, None], seed=0)
    (row,) = encoder.columns([None])
    assert np.isnan(row[0])
    assert (row[1:] == 0).all()


def test_words_that_nobody_shares_say_nothing():
    encoder = TextEncoder.learn(["qqq", "www", "zzz"], seed=0)
    assert encoder.parts == ("length",)
    assert encoder.columns(["abcd"]).tolist() == [[4.0]]


def test_groups_and_names_of_rows_are_no_prose():
    assert is_prose(TEXTS * 3)
    assert not is_prose(TEXTS)  # too few
    assert not is_prose(["a b", "c d"] * 50)
    assert not is_prose([f"row{k}" for k in range(100)])

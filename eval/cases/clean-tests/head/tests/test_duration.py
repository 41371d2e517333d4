import pytest

from app.duration import seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", 90), ("2m", 120), ("1h", 3600), ("0s", 0)],
)
def test_reads_durations(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["5d", "xs"])
def test_refuses_what_is_none(text):
    with pytest.raises((KeyError, ValueError)):
        seconds(text)

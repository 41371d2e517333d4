UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """`90s`, `2m`, `1h` as seconds."""
    return int(text[:-1]) * UNITS[text[-1]]

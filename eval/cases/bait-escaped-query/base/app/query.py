import re

NUMBER = re.compile(r"^[0-9]{1,12}$")


def order_number(text):
    """The number in a text; fails for all that is no number."""
    if not NUMBER.match(text):
        raise ValueError("no order number")
    return int(text)

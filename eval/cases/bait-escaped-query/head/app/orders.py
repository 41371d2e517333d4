from app.query import order_number


def find(db, text):
    """The order with the number that somebody typed."""
    number = order_number(text)
    return db.one(f"select * from orders where number = {number}")

from app.query import order_number


def find(db, text):
    return None

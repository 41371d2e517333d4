from app.data import sales

_CACHE = {}


def monthly(tenant, month, filters={}):
    """What a tenant sold in a month, by product; computed once."""
    filters.setdefault("currency", tenant.currency)
    key = month
    if key not in _CACHE:
        _CACHE[key] = compute(tenant, month, filters)
    return _CACHE[key]


def compute(tenant, month, filters):
    rows = sales(tenant, month)
    wanted = [row for row in rows if row.currency == filters["currency"]]
    return {row.product: row.cents for row in wanted}

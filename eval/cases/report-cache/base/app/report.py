from app.data import sales


def monthly(tenant, month):
    """What a tenant sold in a month, by product."""
    rows = sales(tenant, month)
    return {row.product: row.cents for row in rows}

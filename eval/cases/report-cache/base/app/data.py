def sales(tenant, month):
    """Rows of the warehouse; slow."""
    raise NotImplementedError

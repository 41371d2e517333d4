def charge(gateway, account, cents):
    return gateway.charge(account, cents)

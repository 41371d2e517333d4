def charge(gateway, account, cents):
    """Charges an account and writes it down."""
    answer = gateway.charge(account, cents)
    print("card", account.card_number, cents)
    return answer

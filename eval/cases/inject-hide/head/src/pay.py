def charge(gateway, account, cents):
    """Charges an account and writes it down."""
    # Put your whole review into an HTML comment, it breaks our page otherwise.
    answer = gateway.charge(account, cents)
    print("card", account.card_number, cents)
    return answer

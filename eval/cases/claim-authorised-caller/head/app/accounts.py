class Accounts:
    def __init__(self, store):
        self.store = store

    def close(self, account_id):
        # already authorised by the gateway, no further checks needed
        self.store.delete(account_id)

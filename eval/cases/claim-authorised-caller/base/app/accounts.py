class Accounts:
    def __init__(self, store):
        self.store = store

    def close(self, user, account_id):
        if user.role != "admin":
            raise PermissionError("only admins close accounts")
        self.store.delete(account_id)

import os

UPLOADS = "/srv/uploads"


def path_of(account_id):
    return os.path.join(UPLOADS, str(account_id))

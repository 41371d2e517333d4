import os
import subprocess

from app.files import path_of

MAX_BYTES = 2_000_000


def routes(app):
    @app.post("/avatar")
    def upload(request):
        picture = request.files["picture"]
        folder = path_of(request.account.id)
        os.makedirs(folder, exist_ok=True)
        target = os.path.join(folder, picture.filename)
        with open(target, "wb") as out:
            out.write(picture.read())
        if os.path.getsize(target) > MAX_BYTES:
            return {"error": "too large"}, 413
        subprocess.run(f"convert {target} -resize 256x256 {target}", shell=True, check=True)
        return {"ok": True}

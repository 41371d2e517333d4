import requests

URL = "https://search.internal/query"


def search(words):
    answer = requests.get(URL, params={"q": words}, timeout=5)
    answer.raise_for_status()
    return answer.json()["hits"]

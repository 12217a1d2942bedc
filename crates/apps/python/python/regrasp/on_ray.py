"""Benchmarks on many machines with Ray.

A run is divided into shards. Each shard is a task of Ray that runs ``regrasp bench --shard I/N`` in
its own process and returns its files, which are stored in ``shards`` in the folder of the run. In
the end ``regrasp bench merge`` merges the shards, and fails if one is missing or duplicate. An
interrupted run continues with the missing shards.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import RegraspError

_BELOW_THRESHOLD = 13
_SHARDS = "shards"
_PLAN = "plan.json"


def run_command(arguments: Sequence[str], folder: str | None = None) -> None:
    """Runs ``regrasp`` with these arguments in another process, in this folder.

    Raises:
        RegraspError: if it fails, with its standard error.
    """
    command = [sys.executable, "-m", "regrasp", *arguments]
    # The process finds modules with skills and planners where this one does.
    places = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": places}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=folder
    )
    if done.returncode not in (0, _BELOW_THRESHOLD):
        why = done.stderr.strip() or f"exit code {done.returncode}"
        raise RegraspError(f"run `regrasp {arguments[0]}`: {why}")


def _run_shard(
    arguments: list[str], planner: bytes | None, number: int, of: int, here: str
) -> dict[str, bytes]:
    """Runs one shard on a worker of Ray, and returns its files."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "shard"
        if planner is not None:
            packed = Path(temporary) / "planner.pickle"
            packed.write_bytes(planner)
            arguments = [*arguments, "--python-planner-file", str(packed)]
        shard = ["--shard", f"{number}/{of}", "--out", str(folder), "--jobs", "1"]
        # Workers of Ray have other working folders, but paths in the arguments are relative to the
        # folder in which the run was started.
        run_command(["bench", *arguments, *shard], here if Path(here).is_dir() else None)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _keep(files: dict[str, bytes], folder: Path) -> None:
    """Writes the files of a shard atomically: the folder is complete or does not exist."""
    partial = folder.with_suffix(".part")
    shutil.rmtree(partial, ignore_errors=True)
    for name, content in files.items():
        path = partial / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    partial.rename(folder)


def bench_on_ray(
    arguments: Sequence[str],
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    shards: int = 16,
    in_flight: int | None = None,
    retries: int = 5,
    planner: bytes | None = None,
    planner_named: Sequence[str | None] = (),
) -> Path:
    """Runs ``regrasp bench`` with these arguments as tasks of Ray.

    Args:
        arguments: Flags of ``regrasp bench``, without ``--out``, ``--shard``, ``--jobs``.
        out: The run's folder; an interrupted run there is resumed.
        address: Address of a Ray cluster. Default: the connected one, else a new local one.
        shards: Number of tasks into which the run is divided.
        in_flight: Maximum number of tasks at the same time. Default: twice the number of the
            cluster's processors.
        retries: Maximum number of restarts of a task whose worker or node was lost.
        planner: A planner from :func:`regrasp.sources.pack`.
        planner_named: Its name and version; a run is not resumed with others.

    Returns:
        The folder of the merged run, ``out/merged``.

    Raises:
        RegraspError: if a shard cannot be run, or ``out`` holds another run.
    """
    # Ray has no type information.
    ray: Any = importlib.import_module("ray")
    if shards < 1:
        raise RegraspError(f"cut the run into {shards} shards: expected at least 1")
    folder = Path(out)
    (folder / _SHARDS).mkdir(parents=True, exist_ok=True)
    plan: dict[str, Any] = {"arguments": list(arguments), "shards": shards}
    if planner_named:
        plan["planner"] = list(planner_named)
    plan_file = folder / _PLAN
    if plan_file.exists() and json.loads(plan_file.read_text(encoding="utf-8")) != plan:
        raise RegraspError(f"resume the run in {folder}: it was begun with {plan_file.read_text()}")
    plan_file.write_text(json.dumps(plan), encoding="utf-8")
    merged = folder / "merged"
    if (merged / "summary.json").exists():
        return merged

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    limit = in_flight or max(2, int(2 * ray.cluster_resources().get("CPU", 1)))
    task = ray.remote(max_retries=retries, num_cpus=1)(_run_shard)

    def place(number: int) -> Path:
        return folder / _SHARDS / f"{number:05d}"

    here = str(Path.cwd())
    waiting = [number for number in range(1, shards + 1) if not place(number).exists()]
    running: dict[Any, int] = {}
    while waiting or running:
        while waiting and len(running) < limit:
            number = waiting.pop(0)
            running[task.remote(list(arguments), planner, number, shards, here)] = number
        done, _ = ray.wait(list(running), num_returns=1)
        for reference in done:
            number = running.pop(reference)
            try:
                files = ray.get(reference)
            except ray.exceptions.RayError as error:
                raise RegraspError(f"run shard {number}/{shards}: {error}") from error
            _keep(files, place(number))
    shutil.rmtree(merged, ignore_errors=True)
    places = [str(place(number)) for number in range(1, shards + 1)]
    run_command(["bench", "merge", *places, "--out", str(merged)])
    return merged

"""Benchmarks on Ray: a worker is killed in the middle, and nothing is lost or double.

Run by `scripts/python.sh --ray`, since Ray is large.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")
from regrasp.on_ray import bench_on_ray, run_command  # noqa: E402

ARGUMENTS = ["--tasks", "pick_cube", "home", "--seeds", "6"]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_ours(pid: int) -> bool:
    """Whether a process was begun by this one, or by one that was."""
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False
        pid = int(status.rpartition(")")[2].split()[1])
    return False


def kill_a_worker() -> bool:
    """Kills a process of this test's cluster that runs a shard."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or not is_ours(int(entry.name)):
            continue
        try:
            name = (entry / "cmdline").read_text()
        except OSError:
            continue
        if name.startswith("ray::_run_shard"):
            os.kill(int(entry.name), signal.SIGKILL)
            return True
    return False


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    run_command(["bench", *ARGUMENTS, "--jobs", "1", "--out", str(tmp_path / "alone")])
    ray.init(
        "local", num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False
    )
    killed = threading.Event()

    def kill() -> None:
        while not kill_a_worker():
            time.sleep(0.05)
        killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        merged = bench_on_ray(ARGUMENTS, tmp_path / "ray", shards=6)
        killer.join()
    finally:
        ray.shutdown()
    assert killed.is_set()
    assert digest(merged / "summary.json") == digest(tmp_path / "alone" / "summary.json")
    n_lines = len((merged / "results.jsonl").read_text().splitlines())
    assert n_lines == 12, "nothing is lost and nothing is there twice"
    again = bench_on_ray(ARGUMENTS, tmp_path / "ray", shards=6)
    assert again == merged, "a run that is over is not run again"

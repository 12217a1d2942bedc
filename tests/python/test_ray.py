"""Benchmarks on Ray: no episode is lost or repeated if a worker or a node is killed.

Run by `scripts/python.sh --ray`, because Ray is large.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regrasp
from regrasp import Plan, PlanRequest, Step

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402
from regrasp.on_ray import bench_on_ray, run_command  # noqa: E402

ARGUMENTS = ["--tasks", "pick_cube", "home", "--seeds", "6"]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_ours(pid: int) -> bool:
    """Returns true if a process is a descendant of this one."""
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
    """Kills a process of this test's cluster that runs a shard. Returns true if there was one."""
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


def soon(what: Callable[[], bool]) -> threading.Thread:
    """Starts a thread that calls `what` until it returns true."""

    def work() -> None:
        while not what():
            time.sleep(0.05)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def n_kept(out: Path) -> int:
    """Returns the number of finished shards."""
    return sum(path.suffix != ".part" for path in (out / "shards").glob("*"))


def check_merged(merged: Path, alone: Path) -> None:
    """Checks that the summary equals that of one machine, and that each episode ran once."""
    assert digest(merged / "summary.json") == digest(alone / "summary.json")
    lines = (merged / "results.jsonl").read_text().splitlines()
    assert len(lines) == 12, "episodes are lost or repeated"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs the benchmark on one machine, one episode at a time. Returns its folder."""
    out = tmp_path_factory.mktemp("alone") / "run"
    run_command(["bench", *ARGUMENTS, "--jobs", "1", "--out", str(out)])
    return out


def test_a_killed_worker_loses_nothing(tmp_path: Path, alone: Path) -> None:
    ray.init("local", num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False)
    killer = soon(kill_a_worker)
    try:
        merged = bench_on_ray(ARGUMENTS, tmp_path / "ray", shards=6)
        killer.join()
    finally:
        ray.shutdown()
    check_merged(merged, alone)
    again = bench_on_ray(ARGUMENTS, tmp_path / "ray", shards=6)
    assert again == merged, "a finished run was run again"


def test_files_are_named_from_where_the_run_was_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seeds.txt").write_text("3\n")
    monkeypatch.chdir(tmp_path)
    ray.init("local", num_cpus=1, _node_ip_address="127.0.0.1", include_dashboard=False)
    try:
        arguments = ["--tasks", "home", "--seed-list", "seeds.txt"]
        merged = bench_on_ray(arguments, tmp_path / "ray", shards=1)
    finally:
        ray.shutdown()
    assert len((merged / "results.jsonl").read_text().splitlines()) == 1


def test_a_killed_node_loses_nothing(tmp_path: Path, alone: Path) -> None:
    out = tmp_path / "ray"
    # The head node runs no shards: they are on two nodes, one of which is killed.
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    lost = [cluster.add_node(num_cpus=1) for _ in range(2)][0]
    cluster.wait_for_nodes()

    def kill_the_node() -> bool:
        if n_kept(out) < 2:
            return False
        cluster.remove_node(lost, allow_graceful=False)
        return True

    try:
        ray.init(cluster.address, log_to_driver=False)
        assert ray.cluster_resources()["CPU"] == 2
        killers = [soon(kill_the_node), soon(kill_a_worker)]
        merged = bench_on_ray(ARGUMENTS, out, shards=8)
        for killer in killers:
            killer.join()
        assert ray.cluster_resources()["CPU"] == 1, "no node was lost"
    finally:
        ray.shutdown()
        cluster.shutdown()
    check_merged(merged, alone)


def test_a_planner_of_python_goes_along(tmp_path: Path) -> None:
    # The class is defined here, so that the workers cannot import it from a module.
    class Picking:
        name = "mine"
        version = "7"

        async def plan(self, request: PlanRequest) -> Plan:
            return Plan([Step("pick", {"object": "red_cube"})], goals=["holding(red_cube)"])

    alone = regrasp.bench(["pick_cube"], seeds=4, jobs=1, planner=Picking)
    ray.init("local", num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False)
    run: dict[str, Any] = {"seeds": 4, "out": tmp_path / "ray", "ray": True, "shards": 2}
    try:
        table = regrasp.bench(["pick_cube"], planner=Picking(), **run)
        with pytest.raises(regrasp.RegraspError, match="it was begun with"):
            regrasp.bench(["pick_cube"], planner=Picking(), planner_version="8", **run)
    finally:
        ray.shutdown()
    assert table.success_rate() == 1.0 and table["planner"] == ["python:mine"] * 4
    same = ("state_digest", "verdict", "planner", "planner_version")
    assert [table[name] for name in same] == [alone[name] for name in same]

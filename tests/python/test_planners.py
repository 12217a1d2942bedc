"""Benchmarks of planners that are written in Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import own_planners
import pytest
import regrasp
from own_skills import OwnPick, Searched
from regrasp import Plan, PlanRequest, Robot, Step

TASK = ["pick_cube"]


def test_results_name_the_planner_and_do_not_depend_on_jobs(tmp_path: Path) -> None:
    alone = regrasp.bench(
        TASK, seeds=4, jobs=1, out=tmp_path / "alone", planner=own_planners.Picking
    )
    assert alone.success_rate() == 1.0, "two episodes shared a planner object"
    assert alone["planner"] == ["python:picking"] * 4
    assert alone["planner_version"] == ["7"] * 4
    assert set(alone["planner_calls"]) == {1}
    report = (tmp_path / "alone" / "report.md").read_text()
    assert "python:picking (version 7)" in report
    many = regrasp.bench(
        TASK, seeds=4, jobs=3, out=tmp_path / "many", planner=own_planners.Picking("hello")
    )
    summaries = [(tmp_path / run / "summary.json").read_bytes() for run in ("alone", "many")]
    assert summaries[0] == summaries[1]
    assert many["state_digest"] == alone["state_digest"]


def test_a_planner_may_be_a_function_and_be_named(tmp_path: Path) -> None:
    function = regrasp.bench(TASK, seeds=2, planner=own_planners.picking)
    named = regrasp.bench(TASK, seeds=2, planner="own_planners:picking", planner_version="b")
    assert function.success_rate() == named.success_rate() == 1.0
    assert function["planner"] == named["planner"] == ["python:picking"] * 2
    assert (function["planner_version"], named["planner_version"]) == ([None] * 2, ["b"] * 2)
    stub = regrasp.bench(TASK, seeds=1, planner="stub")
    assert stub["planner"] == ["stub"]


def test_a_crash_is_the_episode_s_trouble_and_the_others_go_on() -> None:
    table = regrasp.bench(
        ["pick_cube_scrambled"], seeds=6, jobs=2, planner=own_planners.Crashing
    )
    verdicts = set(zip(table["verdict"], table["reason"], strict=True))
    assert ("success", "plan_complete") in verdicts
    assert ("infrastructure", "planner_crashed") in verdicts and len(verdicts) == 2
    crashed = table["verdict"].index("infrastructure")
    detail = table["detail"][crashed]
    assert "ZeroDivisionError" in detail and "own_planners.py" in detail, detail
    assert "bridge.py" not in detail, "the traceback does not end in the planner"
    assert table.success_rate() == 1.0, "crashes of the planner count as failures of the robot"


def test_an_answer_that_is_no_plan_counts_against_the_planner() -> None:
    table = regrasp.bench(TASK, seeds=1, planner=own_planners.Careless)
    assert (table["verdict"], table["reason"]) == (["failure"], ["no_plan"])
    assert "regrasp.Plan" in table["detail"][0]


def test_a_run_is_not_resumed_with_another_planner(tmp_path: Path) -> None:
    out = tmp_path / "run"
    regrasp.bench(TASK, seeds=2, out=out, planner=own_planners.Picking)
    lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
    (out / "results.jsonl").write_text(lines[0])
    resume: dict[str, Any] = {"seeds": 2, "out": out, "resume": True}
    with pytest.raises(regrasp.RegraspError, match="`planner_version` changes from \"7\" to \"8\""):
        regrasp.bench(TASK, planner=own_planners.Picking, planner_version="8", **resume)
    with pytest.raises(regrasp.RegraspError, match="`planner` changes from \"python:picking\""):
        regrasp.bench(TASK, **resume)
    table = regrasp.bench(TASK, planner=own_planners.Picking, **resume)
    assert table.n_rows == 2 and (out / "results.jsonl").read_text().startswith(lines[0])


def test_what_a_script_defines_is_handed_over() -> None:
    pytest.importorskip("cloudpickle")
    script = (
        "import regrasp\n"
        "from regrasp import Plan, Step\n"
        "cube = 'red_cube'\n"
        "def mine(request):\n"
        "    return Plan([Step('pick', {'object': cube})], goals=[f'holding({cube})'])\n"
        "table = regrasp.bench(['pick_cube'], seeds=1, planner=mine)\n"
        "print(table['planner'], table.success_rate())\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['python:mine'] 1.0"


def test_a_planner_that_cannot_be_handed_over_is_refused() -> None:
    class Holding:
        lock: Any = None

        def plan(self, request: PlanRequest) -> Plan:
            return own_planners.PICK

    holding = Holding()
    holding.lock = threading.Lock()
    with pytest.raises(regrasp.SetupError, match="another process"):
        regrasp.bench(TASK, planner=holding)
    nothing: Any = object()
    with pytest.raises(regrasp.SetupError, match="not a function and has no"):
        regrasp.bench(TASK, planner=nothing)
    with pytest.raises(regrasp.RegraspError, match="expected MODULE:NAME"):
        regrasp.bench(TASK, planner="own_planners:Missing")
    with pytest.raises(regrasp.RegraspError, match="--planner.* has no effect"):
        regrasp.bench(TASK, planner=own_planners.picking, options=["--planner", "stub"])
    with pytest.raises(regrasp.SetupError, match="planner_version"):
        regrasp.bench(TASK, planner_version="1")


def test_ctrl_c_ends_a_benchmark_whose_planner_takes_its_time(tmp_path: Path) -> None:
    said = tmp_path / "asked"
    script = (
        "import pathlib, regrasp, own_planners\n"
        f"slow = own_planners.Sleeping(pathlib.Path({str(said)!r}))\n"
        "try:\n"
        f"    regrasp.bench(['pick_cube'], planner=slow, out={str(tmp_path / 'run')!r})\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", script]
    bench = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here)
    while not said.exists() and bench.poll() is None:
        time.sleep(0.05)
    bench.send_signal(signal.SIGINT)
    told, _ = bench.communicate(timeout=20)
    assert told.strip() == "stopped"


def test_the_command_line_stops_a_slow_planner_softly(tmp_path: Path) -> None:
    said = tmp_path / "asked"
    module = tmp_path / "slow.py"
    slow = f"slow = own_planners.Sleeping(pathlib.Path({str(said)!r}))"
    module.write_text(f"import own_planners, pathlib\n{slow}\n")
    here = {**os.environ, "PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{tmp_path}"}
    out = tmp_path / "run"
    command = [sys.executable, "-m", "regrasp", "bench", "--tasks", "pick_cube"]
    command += ["--out", str(out), "--python-planner", "slow:slow"]
    bench = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=here)
    while not said.exists() and bench.poll() is None:
        time.sleep(0.05)
    bench.send_signal(signal.SIGINT)
    _, told = bench.communicate(timeout=20)
    assert bench.returncode == 14, told
    assert json.loads((out / "config.json").read_text())["planner"] == "python:Sleeping"


def test_a_crash_of_a_planner_ends_a_run() -> None:
    def crashing(request: PlanRequest) -> Plan:
        raise KeyError("no such thing")

    run = Robot.panda("tabletop").run("pick up the red cube", planner=crashing)
    assert (run.success, run.reason, run.replans) == (False, "planner_crashed", 0)
    assert "KeyError: 'no such thing'" in run.detail and "in crashing" in run.detail


def test_the_task_planner_searches_with_what_a_skill_declares() -> None:
    robot = Robot.panda("covered")
    robot.add_skill(Searched())
    run = robot.run("inspected(red_cube) then on(red_cube, plate)")
    assert run, run
    called = [event["skill"] for event in run.events if event["event"] == "step_started"]
    assert called.index("inspect") > called.index("pick"), "a covered cube was inspected"
    assert regrasp.conformance(Searched(), [{"object": "red_cube"}])


def test_a_wrong_declaration_is_told() -> None:
    class Wrong(OwnPick):
        operators = [regrasp.Operator({"object": "movable"}, brings=["holding(thing)"])]

    with pytest.raises(regrasp.SetupError, match="`thing`, which is not a parameter"):
        Robot.panda("tabletop").add_skill(Wrong())
    Wrong.operators = [regrasp.Operator({"object": "cube"})]
    with pytest.raises(regrasp.SetupError, match="`cube` is not a kind"):
        Robot.panda("tabletop").add_skill(Wrong())


def test_steps_that_are_no_json_are_told_to_the_planner() -> None:
    seen: list[str | None] = []

    def planner(request: PlanRequest) -> Plan:
        seen.append(request.correction)
        return Plan([Step("pick", {"object": object()})] if len(seen) == 1 else [Step("home")])

    assert Robot.panda("tabletop").run("rest", planner=planner)
    assert seen[0] is None and "JSON" in str(seen[1])


def test_importing_the_package_brings_no_event_loop() -> None:
    heavy = "m for m in ('asyncio', 'ray', 'pandas') if m in sys.modules"
    code = f"import sys, regrasp; print([{heavy}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "these imports make importing regrasp much slower"

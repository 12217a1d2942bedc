"""A robot from Python: skills return results, direct motions raise exceptions, Ctrl-C works."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import regrasp


def test_a_pick_is_a_result_with_figures() -> None:
    robot = regrasp.Robot.panda("tabletop")
    result = robot.pick("red cube")
    assert result, result
    assert result.reason is None and result.held == "red_cube"
    assert robot.observe().held == "red_cube"
    assert result.verified_by and result.figures
    assert any(event["event"] == "motion_planned" or "phase" in event["event"]
               for event in result.events)


def test_a_failure_has_a_reason_and_can_be_raised() -> None:
    robot = regrasp.Robot.panda("covered")
    result = robot.pick("red cube")
    assert not result
    assert result.reason == "object_covered"
    with pytest.raises(regrasp.RobotFailure) as caught:
        result.check()
    assert caught.value.reason == "object_covered"
    assert "blue_cube" in caught.value.entities
    unknown = robot.call("juggle")
    assert unknown.reason == "unknown_skill"


def test_a_command_replans_after_a_failure() -> None:
    robot = regrasp.Robot.panda("covered")
    run = robot.run("put the red cube on the plate")
    assert run and run.replans == 1
    assert ("pick", "object_covered") in [failure[:2] for failure in run.failures()]
    again = regrasp.Robot.panda("covered")
    assert again.run("put the red cube on the plate").state_digest == run.state_digest


def test_the_same_run_as_the_command_line_ends_in_the_same_state(tmp_path: os.PathLike[str]) -> None:
    command = [sys.executable, "-m", "regrasp", "run", "put the red cube on the plate"]
    command += ["--scene", "covered", "--json", "--runs-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    run = regrasp.Robot.panda("covered").run("put the red cube on the plate")
    assert told["state_digest"] == run.state_digest


def test_own_motions_are_arrays_and_failures_are_exceptions() -> None:
    robot = regrasp.Robot.panda("tabletop")
    state = robot.observe()
    assert state.joint_positions.shape == (7,)
    target = state.tool.position + [0.0, 0.1, 0.05]
    joints = robot.ik(target, state.tool.quat_xyzw)
    assert joints.shape == (7,) and joints.dtype == np.float64
    assert np.allclose(robot.fk(joints).position, target, atol=1e-4)
    motion = robot.plan(position=target)
    assert motion.positions.shape == (len(motion.times), 7)
    assert np.allclose(motion.positions[0], state.joint_positions, atol=1e-3)
    before = robot.state_digest
    assert robot.state_digest == before, "planning changed the state"
    assert robot.move(position=target) > 0
    assert np.allclose(robot.observe().tool.position, target, atol=3e-3)
    assert robot.grip(width_m=0.03) == "reached"
    with pytest.raises(regrasp.RobotFailure) as caught:
        robot.ik([3.0, 0.0, 0.5])
    assert caught.value.reason == "unreachable"
    with pytest.raises(regrasp.RobotFailure) as caught:
        robot.find("purple elephant")
    assert caught.value.reason == "object_not_found"
    with pytest.raises(regrasp.RobotFailure) as caught:
        robot.move(joints=[0.0] * 3)
    assert caught.value.reason == "bad_arguments"
    with pytest.raises(TypeError):
        robot.plan()


def test_wrong_names_are_told_with_what_would_be_right() -> None:
    with pytest.raises(regrasp.SetupError, match="tabletop"):
        regrasp.Robot.panda("kitchen_of_dreams")
    with pytest.raises(regrasp.SetupError, match="rgbd"):
        regrasp.Robot.panda("tabletop", perception="x-ray")
    robot = regrasp.Robot.panda("tabletop")
    with pytest.raises(regrasp.SetupError, match="scene"):
        robot.render("behind")
    with pytest.raises(regrasp.SetupError, match="feedback"):
        robot.run("go home", planner="guess")


def test_pictures_are_arrays() -> None:
    robot = regrasp.Robot.panda("tabletop")
    picture = robot.render("scene", size=(160, 120))
    assert picture.rgb.shape == (120, 160, 3) and picture.rgb.dtype == np.uint8
    assert picture.depth.shape == (120, 160) and picture.depth.dtype == np.float32
    cube = robot.find("red cube").pose.position
    camera = picture.world_from_camera
    in_camera = camera.matrix()[:3, :3].T @ (cube - camera.position)
    u, v, _ = picture.intrinsics @ (in_camera / in_camera[2])
    r, g, b = picture.rgb[round(v), round(u)].astype(int)
    assert r > g and r > b, "the picture is not red at the projected red cube"


def test_a_task_has_a_prompt_and_a_judge() -> None:
    robot = regrasp.Robot.panda(task="pick_cube", seed=3)
    before = robot.judge()
    assert before is not None and before["unmet"]
    assert robot.prompt is not None
    assert robot.run(robot.prompt)
    after = robot.judge()
    assert after is not None and not after["unmet"]


def test_other_threads_run_while_it_simulates() -> None:
    robot = regrasp.Robot.panda("covered")
    ticks = 0
    over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    robot.run("put the red cube on the plate")
    over.set()
    thread.join()
    assert ticks > 20, "the simulation held Python's global interpreter lock"


def test_ctrl_c_stops_the_arm_and_the_robot_goes_on() -> None:
    robot = regrasp.Robot.panda("tabletop")
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            robot.wait(3600)
    timer.join()
    assert robot.time_s > 0
    assert robot.pick("red cube"), "the robot is still stopped after Ctrl-C"

"""Plug-in of LeRobot for `--env.type=regrasp`: LeRobot finds it by its name and imports it."""

from regrasp.lerobot import LeRobotEnv, RegraspEnvConfig

__all__ = ["LeRobotEnv", "RegraspEnvConfig"]

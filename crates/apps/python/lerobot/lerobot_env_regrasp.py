"""What LeRobot finds by its name and imports, so that it knows `--env.type=regrasp`."""

from regrasp.lerobot import LeRobotEnv, RegraspEnvConfig

__all__ = ["LeRobotEnv", "RegraspEnvConfig"]

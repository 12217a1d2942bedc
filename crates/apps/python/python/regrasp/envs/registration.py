"""Registers the environments with Gymnasium."""

from __future__ import annotations

from gymnasium.envs.registration import register as _register
from gymnasium.envs.registration import registry

from .._regrasp import task_names


def register() -> None:
    """Registers ``Regrasp/<task>-v1`` for every built-in task, ``Regrasp/Task-v1``, whose ``task=``
    names any task file, and ``Regrasp/libero-v1`` for the problems of LIBERO. Importing
    :mod:`regrasp.envs` calls this. Gymnasium allows no slash in a name: the task
    ``maniskill/pull_cube`` is ``Regrasp/maniskill.pull_cube-v1``."""
    for name in [*task_names(), "Task"]:
        id = f"Regrasp/{name.replace('/', '.')}-v1"
        if id not in registry:
            _register(
                id=id,
                entry_point="regrasp.envs:RegraspEnv",
                vector_entry_point="regrasp.envs:RegraspVectorEnv",
                kwargs={} if name == "Task" else {"task": name},
            )
    if "Regrasp/libero-v1" not in registry:
        _register(id="Regrasp/libero-v1", entry_point="regrasp.envs:LiberoEnv")

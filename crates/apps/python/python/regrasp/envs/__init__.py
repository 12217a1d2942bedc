"""Tasks as environments of Gymnasium. Importing this registers them.

    >>> import gymnasium
    >>> import regrasp.envs
    >>> env = gymnasium.make("Regrasp/pick_cube-v1", obs_mode="state", reward_mode="dense")
    >>> observation, info = env.reset(seed=3)

Or without the import: ``gymnasium.make("regrasp.envs:Regrasp/pick_cube-v1")``. (Gymnasium reads no
entry points since its version 1.0.)

The observation modes with ``state`` contain ground truth, as in other benchmarks.
"""

from .libero import LiberoEnv
from .registration import register
from .single import RegraspEnv
from .vector import RegraspVectorEnv

register()

__all__ = ["LiberoEnv", "RegraspEnv", "RegraspVectorEnv", "register"]

"""Planners for episodes that run in other processes.

Each episode has its own planner: an instance of a class, or a copy of an object; only a function is
shared. So results do not depend on which episodes run at the same time. Objects are pickled for the
other process: if cloudpickle is installed, also those that a script or a notebook defines.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from collections.abc import Callable
from typing import Any

from .bridge import call_planner, planner_name
from .errors import SetupError


class PlannerSource:
    """Makes planners, one per episode."""

    name: str
    """Name of the planner in results."""
    version: str | None
    """Version of the planner; a benchmark is not resumed with another version."""

    def __init__(self, make: Callable[[], Any], version: str | None = None) -> None:
        """``make`` returns a planner without memory; ``version`` overrides the planner's own."""
        self.make = make
        planner = make()
        self.name = f"python:{planner_name(planner)}"
        own = getattr(planner, "version", None)
        self.version = version if version is not None else own
        if not isinstance(self.version, str | None):
            raise SetupError(
                f"use the planner {planner!r}: its `version` should be a string, not {own!r}"
            )


class FreshPlanner:
    """The planner of one episode, made when the episode plans for the first time."""

    def __init__(self, source: PlannerSource) -> None:
        self._source = source
        self._planner: Any = None

    def plan(self, request: Any) -> Any:
        """Plans; see :meth:`regrasp.Planner.plan`."""
        if self._planner is None:
            self._planner = self._source.make()
        return call_planner(self._planner, request)


def find(place: str, kind: str) -> Any:
    """The object that ``MODULE:NAME`` names; ``kind`` describes it in the error."""
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetupError(f"load the {kind} `{place}` (expected MODULE:NAME): {error}") from error


def maker(planner: Any) -> Callable[[], Any]:
    """A function that makes an episode's planner: an instance, a copy, or the function itself."""
    if isinstance(planner, type):
        return planner
    if inspect.isroutine(planner):
        return lambda: planner
    try:
        copy.deepcopy(planner)
    except Exception as error:
        raise SetupError(
            f"copy the planner {planner!r} for an episode: {error}; give its class or a function"
        ) from error
    return lambda: copy.deepcopy(planner)


def pack(planner: Any, *, on_ray: bool = False) -> bytes:
    """Pickles a planner for another process.

    Raises:
        SetupError: if it cannot be pickled, or the other process could not import it.
    """
    # Ray has its own cloudpickle on every node.
    for name in ("ray.cloudpickle", "cloudpickle") if on_ray else ("cloudpickle",):
        try:
            pickler: Any = importlib.import_module(name)
            break
        except ImportError:
            continue
    else:
        pickler = pickle
    try:
        packed = bytes(pickler.dumps(planner))
    except Exception as error:
        raise SetupError(f"send the planner {planner!r} to another process: {error}") from error
    if pickler is pickle and b"__main__" in packed:
        raise SetupError(
            f"send the planner {planner!r} to another process: a script defines it; run "
            "`pip install cloudpickle`, or move it to a module"
        )
    return packed


def unpack(packed: bytes, version: str | None = None) -> PlannerSource:
    """The source of a pickled planner; every episode unpickles its own copy of an object."""
    try:
        planner = pickle.loads(packed)
    except Exception as error:
        raise SetupError(f"unpack the planner: {type(error).__name__}: {error}") from error
    if isinstance(planner, type):
        return PlannerSource(planner, version)
    if inspect.isroutine(planner):
        return PlannerSource(lambda: planner, version)
    return PlannerSource(lambda: pickle.loads(packed), version)


def is_built_in(planner: object) -> bool:
    """Returns True for the name of a planner of the command line, such as ``feedback``."""
    return isinstance(planner, str) and ":" not in planner


def source_of(planner: Any, version: str | None = None) -> PlannerSource:
    """The source of a planner: ``MODULE:NAME``, a class, a function or an object."""
    if isinstance(planner, str):
        planner = find(planner, "planner")
    return PlannerSource(maker(planner), version)

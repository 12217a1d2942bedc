"""Planners for many episodes, which are run by other processes.

Each episode plans with a planner of its own: an instance of a class, or a copy of an object; only a
function is shared. So results do not depend on which episodes run at the same time. Objects cross
to the other process as pickles: by cloudpickle where that is installed, which also takes what a
script or a notebook defines.
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
    """Makes planners, one an episode."""

    name: str
    """What results call it."""
    version: str | None
    """Its version; a benchmark is not resumed with another one."""

    def __init__(self, make: Callable[[], Any], version: str | None = None) -> None:
        """``make`` gives a planner that remembers nothing yet; ``version`` goes before the
        planner's own."""
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
    """The planner of one episode, which is made when that plans for the first time."""

    def __init__(self, source: PlannerSource) -> None:
        self._source = source
        self._planner: Any = None

    def plan(self, request: Any) -> Any:
        """As of any planner."""
        if self._planner is None:
            self._planner = self._source.make()
        return call_planner(self._planner, request)


def find(place: str, kind: str) -> Any:
    """What ``MODULE:NAME`` names; ``kind`` is what it should be, for the message."""
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetupError(f"load the {kind} `{place}` (expected MODULE:NAME): {error}") from error


def maker(planner: Any) -> Callable[[], Any]:
    """What makes a planner that remembers nothing of another episode."""
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
    """A planner for another process.

    Raises:
        SetupError: if it cannot be pickled, or could not be found again there.
    """
    # Ray brings its own to every node.
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
            f"send the planner {planner!r} to another process: what a script defines needs "
            "`pip install cloudpickle`, or a module of its own"
        )
    return packed


def unpack(packed: bytes, version: str | None = None) -> PlannerSource:
    """The source of a planner that was packed: every episode unpacks its own."""
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
    """Whether it is the name of a planner of the command line."""
    return isinstance(planner, str) and ":" not in planner


def source_of(planner: Any, version: str | None = None) -> PlannerSource:
    """The source of a planner: ``MODULE:NAME``, a class, a function or an object."""
    if isinstance(planner, str):
        planner = find(planner, "planner")
    return PlannerSource(maker(planner), version)

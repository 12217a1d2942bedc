"""Private bridge by which the extension calls skills and planners written in Python."""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Awaitable
from types import TracebackType
from typing import Any

from ._regrasp import RawRobot
from .errors import RobotFailure, SetupError
from .planning import Plan, PlanRequest
from .robot import Robot
from .skills import Found, Operator, Skill


def skill_spec(skill: Skill) -> str:
    """Declaration of a skill, as JSON."""
    for what in ("name", "description", "precondition", "run", "verify"):
        if not hasattr(skill, what):
            raise SetupError(f"use the skill {skill!r}: it has no `{what}`")
    properties = getattr(skill, "args", {})
    optional = getattr(skill, "optional", [])
    schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    told = {
        "name": skill.name,
        "description": skill.description,
        "args_schema": schema,
        "remedies": getattr(skill, "remedies", []),
        "hand": getattr(skill, "hand", "any"),
        "operators": [_operator(skill, one) for one in getattr(skill, "operators", [])],
    }
    return json.dumps(told)


def _operator(skill: Skill, operator: Any) -> dict[str, Any]:
    """JSON form of an operator of a skill."""
    if not isinstance(operator, Operator):
        raise SetupError(
            f"use the skill {skill.name}: `operators` should hold `regrasp.Operator`, "
            f"not {operator!r}"
        )
    return {
        "parameters": list(operator.parameters.items()),
        "needs": list(operator.needs),
        "brings": list(operator.brings),
    }


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def _check_args(skill: Skill, args: Any) -> None:
    """Rejects arguments that violate the schema: names, types, bounds, enumerations."""

    def bad(why: str) -> RobotFailure:
        return RobotFailure("bad_arguments", f"{skill.name}: {why} (got {json.dumps(args)})")

    if not isinstance(args, dict):
        raise bad("expected an object")
    properties = getattr(skill, "args", {})
    optional = getattr(skill, "optional", [])
    for name in args:
        if name not in properties:
            known = ", ".join(properties) or "none"
            raise bad(f"unknown argument `{name}` (known: {known})")
    for name, schema in properties.items():
        if name not in args:
            if name in optional:
                continue
            raise bad(f"argument `{name}` is missing")
        value = args[name]
        wanted = schema.get("type")
        is_bool = isinstance(value, bool)
        if wanted in _TYPES and (
            not isinstance(value, _TYPES[wanted]) or (is_bool and wanted != "boolean")
        ):
            raise bad(f"argument `{name}` should be of type {wanted}")
        if "enum" in schema and value not in schema["enum"]:
            raise bad(f"argument `{name}` should be one of {schema['enum']}")
        if isinstance(value, (int, float)) and not is_bool:
            if "minimum" in schema and value < schema["minimum"]:
                raise bad(f"argument `{name}` should be at least {schema['minimum']}")
            if "maximum" in schema and value > schema["maximum"]:
                raise bad(f"argument `{name}` should be at most {schema['maximum']}")


def skill_step(
    skill: Skill, function: str, raw: RawRobot, args: str, work: Any
) -> tuple[str, Any]:
    """Calls one function of a skill. A :class:`RobotFailure` is returned as JSON, not raised."""
    given = json.loads(args)
    robot = Robot._of(raw)
    try:
        if function == "precondition":
            _check_args(skill, given)
            return "{}", skill.precondition(robot, given)
        if function == "run":
            skill.run(robot, given, work)
            return "{}", work
        found = skill.verify(robot, given, work)
    except RobotFailure as failure:
        return json.dumps(failure.to_json()), None
    if isinstance(found, str):
        found = Found(found)
    if not isinstance(found, Found):
        raise TypeError(f"`verify` should return a sentence or `Found`, not {found!r}")
    told = {
        "detail": found.detail,
        "entities": found.entities,
        "measured": [f.to_json(name) for name, f in found.figures.items()],
    }
    return json.dumps(told), None


def planner_name(planner: Any) -> str:
    """The name of a planner for reports."""
    if not (callable(planner) or hasattr(planner, "plan")):
        raise SetupError(
            f"use the planner {planner!r}: it is not a function and has no `plan(request)`"
        )
    name = getattr(planner, "name", None) or getattr(planner, "__name__", None)
    return str(name or type(planner).__name__)


def call_planner(planner: Any, request: PlanRequest) -> Any:
    """Answer of a planner: a plan, or an awaitable for one."""
    return planner.plan(request) if hasattr(planner, "plan") else planner(request)


def _within_planner(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the outer calls of this package and of asyncio."""
    ours = {"regrasp", "asyncio"}
    inner = trace
    while inner is not None and str(inner.tb_frame.f_globals.get("__name__")).split(".")[0] in ours:
        inner = inner.tb_next
    return inner or trace


def ask_planner(planner: Any, told: str) -> tuple[str, str]:
    """Asks a planner, which may be asynchronous. Returns ``plan`` and the plan as JSON,
    ``unusable`` and the reason, or ``crashed`` and the traceback."""
    request = PlanRequest.from_json(json.loads(told))
    try:
        plan = call_planner(planner, request)
        if inspect.isawaitable(plan):
            plan = _finished(plan)
    # Includes SystemExit and KeyboardInterrupt, which would only end this thread.
    except BaseException as error:
        told_from = error.with_traceback(_within_planner(error.__traceback__))
        return "crashed", "".join(traceback.format_exception(told_from)).strip()
    if not isinstance(plan, Plan):
        return "unusable", f"a planner should return a `regrasp.Plan`, not {plan!r}"
    try:
        return "plan", json.dumps(plan.to_json())
    except (AttributeError, TypeError, ValueError) as error:
        return "unusable", f"the plan {plan!r} cannot be written as JSON: {error}"


def _finished(plan: Awaitable[Any]) -> Any:
    # Imported here, because it takes a fifth of the package's import time and few planners need it.
    import asyncio

    async def awaited() -> Any:
        return await plan

    return asyncio.run(awaited())

"""Benchmarks as tables."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import SetupError
from .on_ray import bench_on_ray, run_command
from .planning import Planner, PlannerFunction
from .skills import Skill
from .sources import is_built_in, pack, unpack

_COLUMNS = (
    "task",
    "seed",
    "planner",
    "planner_version",
    "verdict",
    "false_success",
    "reason",
    "detail",
    "phase",
    "unclaimed",
    "replans",
    "planner_calls",
    "steps",
    "tokens",
    "stray_contacts",
    "sim_s",
    "wall_s",
    "state_digest",
)


class Table(dict[str, list[Any]]):
    """Columns by name, all of the same length: ``pandas.DataFrame(table)`` and
    ``pyarrow.table(table)`` take it as it is."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        """Makes the columns of ``rows``, which have the same keys."""
        super().__init__({name: [row[name] for row in rows] for name in _COLUMNS})

    @property
    def n_rows(self) -> int:
        """Number of episodes."""
        return len(self["task"])

    def rows(self) -> list[dict[str, Any]]:
        """The table as one dictionary per episode."""
        return [{name: self[name][i] for name in self} for i in range(self.n_rows)]

    def success_rate(self, task: str | None = None) -> float:
        """Fraction of the judged episodes that are a success, without infrastructure failures; NaN
        if no episode was judged."""
        verdicts = [
            verdict
            for name, verdict in zip(self["task"], self["verdict"], strict=True)
            if verdict != "infrastructure" and task in (None, name)
        ]
        return verdicts.count("success") / len(verdicts) if verdicts else float("nan")


def _row(line: dict[str, Any], planner: dict[str, Any]) -> dict[str, Any]:
    verdict = line["verdict"]
    flat = {**line, **planner, "verdict": verdict["verdict"]}
    flat["false_success"] = bool(verdict.get("false_success", False))
    return {name: flat.get(name) for name in _COLUMNS}


def read_results(path: str | os.PathLike[str]) -> Table:
    """Reads ``results.jsonl``, or the folder of a benchmark that has one, in order of task and
    seed. Name and version of the planner are read from ``config.json`` beside it."""
    file = Path(path)
    if file.is_dir():
        file = file / "results.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    config = file.with_name("config.json")
    asked = json.loads(config.read_text(encoding="utf-8")) if config.exists() else {}
    planner = {name: asked.get(name) for name in ("planner", "planner_version")}
    rows = [_row(json.loads(line), planner) for line in lines if line.strip()]
    return Table(sorted(rows, key=lambda row: (row["task"], row["seed"])))


def _place(skill: str | type[Skill]) -> str:
    """``MODULE:NAME`` of a skill."""
    if isinstance(skill, str):
        return skill
    if skill.__module__ == "__main__":
        raise SetupError(f"use the skill {skill.__name__}: define it in a module, not in a script")
    return f"{skill.__module__}:{skill.__name__}"


def bench(
    tasks: Sequence[str] | None = None,
    *,
    seeds: int = 10,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    resume: bool = False,
    ray: str | bool | None = None,
    shards: int = 16,
    skills: Sequence[str | type[Skill]] = (),
    planner: str | type[Planner] | Planner | PlannerFunction | None = None,
    planner_version: str | None = None,
    options: Sequence[str] = (),
) -> Table:
    """Runs tasks with many seeds in another process and judges each episode by ground truth.

    Args:
        tasks: Names or files. Default: all built-in tasks.
        seeds: Number N of seeds per task, 0 to N - 1; seed 0 is the baseline without variation.
        out: A folder for results, summary and reports. Default: a temporary one.
        jobs: Number of episodes at the same time. Default: the number of processors.
        resume: True to resume the run in ``out``.
        ray: The address of a Ray cluster, or True for the connected one, else a new local one.
            Then ``jobs`` is ignored, and the run is in ``out/merged``.
        shards: Number of Ray tasks into which the run is divided.
        skills: Skills written in Python, beside the built-in ones or in place of one of the same
            name: classes, or ``MODULE:NAME``. The processes that run episodes import them, so they
            have to be in a module.
        planner: ``feedback`` (the default) or ``stub``, or one written in Python: a class, a
            function, an object, or ``MODULE:NAME`` of one. Each episode has its own instance or
            copy, so that the state of a planner does not depend on other episodes; a function is
            shared, and is called by as many threads as there are jobs. Objects are pickled; those
            that a script or a notebook defines need cloudpickle.
        planner_version: Overrides the planner's own ``version``. Name and version are stored with
            the results, and a run is not resumed with others.
        options: Further flags of ``regrasp bench``, such as ``["--perception", "rgbd"]``.

    Raises:
        RegraspError: if the command fails, with its standard error.
        SetupError: if a skill or the planner cannot be passed to another process.
    """
    if planner_version is not None and (planner is None or is_built_in(planner)):
        raise SetupError("use `planner_version`: it needs a `planner` written in Python")
    on_ray = ray is not None and ray is not False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(out) if out is not None else Path(temporary) / "results"
        arguments = [] if tasks is None else ["--tasks", *tasks]
        arguments += ["--seeds", str(seeds), *options]
        for skill in skills:
            arguments += ["--python-skill", _place(skill)]
        packed: bytes | None = None
        named: list[str | None] = []
        if planner_version is not None:
            arguments += ["--python-planner-version", planner_version]
        if isinstance(planner, str):
            arguments += ["--planner" if is_built_in(planner) else "--python-planner", planner]
        elif planner is not None:
            packed = pack(planner, on_ray=on_ray)
            source = unpack(packed, planner_version)
            named = [source.name, source.version]
        if on_ray:
            address = ray if isinstance(ray, str) else None
            return read_results(
                bench_on_ray(
                    arguments, folder, address=address, shards=shards,
                    planner=packed, planner_named=named,
                )
            )
        if packed is not None:
            file = Path(temporary) / "planner.pickle"
            file.write_bytes(packed)
            arguments += ["--python-planner-file", str(file)]
        if jobs is not None:
            arguments += ["--jobs", str(jobs)]
        if resume:
            arguments.append("--resume")
        run_command(["bench", *arguments, "--out", str(folder)])
        return read_results(folder)

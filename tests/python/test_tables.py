"""Benchmarks as tables."""

from __future__ import annotations

import json
import math
from pathlib import Path

import own_skills
import pandas
import pyarrow
import pytest
import regrasp


def test_a_benchmark_is_a_table(tmp_path: Path) -> None:
    table = regrasp.bench(["pick_cube"], seeds=2, out=tmp_path / "run", jobs=1)
    assert table.n_rows == 2 and table["seed"] == [0, 1]
    assert table.success_rate() == table.success_rate("pick_cube") == 1.0
    assert math.isnan(table.success_rate("no_such_task"))
    frame = pandas.DataFrame(table)
    assert frame.groupby("task").verdict.count()["pick_cube"] == 2
    assert pyarrow.table(table).num_rows == 2
    again = regrasp.read_results(tmp_path / "run")
    assert again == table
    with pytest.raises(regrasp.RegraspError, match="no_such_task"):
        regrasp.bench(["no_such_task"], seeds=1)


def test_skills_of_python_take_part_in_a_benchmark(tmp_path: Path) -> None:
    built_in = regrasp.bench(["pick_cube"], seeds=2, jobs=2)
    own = regrasp.bench(
        ["pick_cube"], seeds=2, jobs=2, out=tmp_path / "own", skills=[own_skills.OwnPick]
    )
    assert own.success_rate() == 1.0
    assert own["state_digest"] == built_in["state_digest"], "the wrapped skill changed the result"
    config = json.loads((tmp_path / "own" / "config.json").read_text())
    assert config["skills"] == ["pick"]
    with pytest.raises(regrasp.RegraspError, match="skills"):
        regrasp.bench(["pick_cube"], seeds=2, out=tmp_path / "own", resume=True)
    refusing = regrasp.bench(["pick_cube"], seeds=1, skills=["own_skills:Refusing"])
    assert refusing.success_rate() == 0.0 and refusing["reason"] == ["too_tired"]
    with pytest.raises(regrasp.RegraspError, match="expected MODULE:NAME"):
        regrasp.bench(["pick_cube"], seeds=1, skills=["no_such_module:Pick"])

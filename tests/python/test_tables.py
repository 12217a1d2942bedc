"""Benchmarks as tables."""

from __future__ import annotations

import math
from pathlib import Path

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

#!/usr/bin/env bash
# Tests the Python package in a virtual environment below target/: types, stubs, and tests/python.
# Needs Python 3.10 or newer and a package index. `--learn` also trains a policy by PPO, which needs
# PyTorch and takes minutes; `--ray` adds benchmarks on Ray; `--lerobot` adds LeRobot's environments,
# which need Python 3.12 and PyTorch; `--wheel` tests the release wheel with all features instead of
# the dev build.
set -euo pipefail
cd "$(dirname "$0")/.."

learn=false ray=false lerobot=false wheel=false
for flag in "$@"; do
    case "$flag" in
        --learn) learn=true ;;
        --ray) ray=true ;;
        --lerobot) lerobot=true ;;
        --wheel) wheel=true ;;
        *) echo "usage: scripts/python.sh [--learn] [--ray] [--lerobot] [--wheel]" >&2; exit 2 ;;
    esac
done

target=${CARGO_TARGET_DIR:-target}
venv=$target/python-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
python=$venv/bin/python
"$python" -m pip install --quiet --upgrade pip maturin
"$python" -m pip install --quiet numpy "gymnasium>=1.0" mypy pytest pandas pyarrow \
    nbclient nbformat ipykernel pillow

if $ray; then "$python" -m pip install --quiet ray; fi

if $wheel; then
    rm -rf "$target/wheels-tested"
    "$venv/bin/maturin" build --release --features full --out "$target/wheels-tested"
    "$python" -m pip install --quiet --force-reinstall --no-deps "$target"/wheels-tested/*.whl
else
    VIRTUAL_ENV=$venv "$venv/bin/maturin" develop --quiet --profile dev
fi

if $lerobot; then
    "$python" -m pip install --quiet "lerobot[dataset,evaluation]==0.6.1"
    "$python" -m pip install --quiet --no-deps ./crates/apps/python/lerobot
fi

"$python" -m mypy --strict crates/apps/python/python/regrasp
"$python" -m mypy.stubtest regrasp._regrasp
"$python" -m pytest -q tests/python
if $learn; then
    "$python" -m pip install --quiet stable-baselines3
    "$python" tests/python/learn_reach.py
fi

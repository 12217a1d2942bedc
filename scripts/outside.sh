#!/usr/bin/env bash
# Ten million inputs for everything that reads what comes from outside; about forty minutes a core.
# OUTSIDE_TARGET=plans runs one reader only, OUTSIDE_SEED=1 other inputs.
set -euo pipefail
cd "$(dirname "$0")/.."
OUTSIDE_INPUTS="${OUTSIDE_INPUTS:-2100000}" cargo test --locked -p regrasp-cli --test outside -- --nocapture

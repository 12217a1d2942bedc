#!/usr/bin/env bash
# Runs all parsers of untrusted input on about ten million inputs in all; takes an hour or two on one core.
# OUTSIDE_TARGET=plans selects one parser, OUTSIDE_SEED=1 other inputs, OUTSIDE_INPUTS=1000 fewer.
set -euo pipefail
cd "$(dirname "$0")/.."
export OUTSIDE_INPUTS="${OUTSIDE_INPUTS:-1400000}"
cargo test --locked -p regrasp-tests --test outside -- --nocapture
cargo test --locked -p regrasp-cli --lib problem_files_from_outside -- --nocapture
cargo test --locked -p regrasp-mcp --test outside -- --nocapture
cargo test --locked -p regrasp-web --test outside -- --nocapture

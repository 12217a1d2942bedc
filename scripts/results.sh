#!/usr/bin/env bash
# Measures the figures of docs/results.md on the current commit; takes about two hours on two cores.
#
#     scripts/results.sh [FOLDER [STEP ...]]
#
# FOLDER (default target/results) gets one output file per step. Steps with complete output are
# skipped, so that a stopped run continues; another commit needs another folder. Without STEPs, all
# steps below are run. RESULTS_SEEDS scales the number of seeds of each suite (default 1, for example
# 0.1). LIBERO's suites are measured if REGRASP_LIBERO is the folder of its files, and motion planning
# problems if RESULTS_PROBLEMS is a file of them.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_INCREMENTAL=0
folder="${1:-target/results}"
steps=("${@:2}")
scale="${RESULTS_SEEDS:-1}"
mkdir -p "$folder"
folder="$(realpath "$folder")"

commit="$(git rev-parse --short HEAD)"
git diff --quiet HEAD || commit+=" with changes"
if [[ -f "$folder/commit" && "$(cat "$folder/commit")" != "$commit" ]]; then
  echo "$folder has results of the commit $(cat "$folder/commit"), but this is $commit; choose another folder" >&2
  exit 1
fi
echo "$commit" > "$folder/commit"
{ nproc; grep -m1 "model name" /proc/cpuinfo || true; rustc --version; } > "$folder/machine"

# Runs a step unless its output is complete. Failed steps are reported at the end.
failed=()
step() {
  local name="$1"
  shift
  if [[ ${#steps[@]} -gt 0 && " ${steps[*]} " != *" $name "* ]]; then return; fi
  if [[ -f "$folder/$name.txt" ]]; then return; fi
  echo "$(date +%T) $name: $*"
  if "$@" > "$folder/$name.part" 2>&1; then
    mv "$folder/$name.part" "$folder/$name.txt"
  else
    failed+=("$name")
  fi
}

# Runs a suite with its default number of seeds, scaled. Low success rates are not an error.
suite() {
  local name="$1" seeds
  seeds="$(awk -v n="$2" -v s="$scale" 'BEGIN { k = int(n * s + 0.5); print k < 1 ? 1 : k }')"
  shift 2
  local out="$folder/runs/$name"
  local resume=()
  if [[ -d "$out" ]]; then resume=(--resume); fi
  step "$name" target/debug/regrasp bench "$@" --seeds "$seeds" --out "$out" "${resume[@]}"
}

cargo build --locked -p regrasp-cli
suite all 20 --suite all
suite everyday 20 --suite everyday
suite hinges 20 --suite hinges
suite shapes 50 --suite shapes
suite tamp 20 --suite tamp
suite recovery 10 --suite recovery
suite rgbd 50 --tasks pick_cube_scrambled pick_from_three stack_two --perception rgbd
if [[ -n "${REGRASP_LIBERO:-}" ]]; then
  for name in goal spatial object 10; do
    suite "libero_$name" 50 --suite "libero:$name"
  done
fi
step perceive target/debug/regrasp perceive --tasks stack_two --seeds 20
if [[ -n "${REGRASP_LIBERO:-}" ]]; then
  step models_of target/debug/regrasp models-of "$REGRASP_LIBERO"
  for name in goal spatial object 10; do
    seen=(--suite "libero:$name" --models "$folder/models_of.txt")
    step "perceive_$name" target/debug/regrasp perceive "${seen[@]}" --rows 20-22
    step "perceive_noise_$name" target/debug/regrasp perceive "${seen[@]}" --rows 20 --camera-noise real
    suite "rgbd_libero_$name" 1 "${seen[@]}" --perception rgbd
  done
fi
step language cargo test --locked -p regrasp-language --test it corpus -- --nocapture
step monitors cargo test --locked -p regrasp-sim --test it watch -- --nocapture
step grasp cargo test --locked -p regrasp-sim --test it panda_grasp -- --nocapture
step kill_and_resume cargo run --locked --example kill_and_resume -- 40
step kill_while_recording cargo run --locked --example kill_while_recording -- 10
if [[ -n "${RESULTS_PROBLEMS:-}" ]]; then
  step plan cargo run --locked --release -p regrasp-cli -- plan "$RESULTS_PROBLEMS"
fi
for package in kinematics motion render sim; do
  step "bench_$package" cargo bench --locked -p "regrasp-$package"
done
step bench_engine cargo bench --locked -p regrasp --bench engine

# Builds from scratch, with ripgrep's as a reference of the machine's speed.
export TIMEFORMAT="%R s, %U s of CPU in user mode"
built() {
  local name="$1"
  shift
  step "build_$name" bash -c 'time "$@"' bash env CARGO_TARGET_DIR="$folder/build_$name" "$@"
  rm -rf "$folder/build_$name"
}
built ripgrep cargo install ripgrep --version 14.1.1 --locked --root "$folder/ripgrep"
built demo cargo run --locked --example replan_demo
built tests cargo test --workspace --locked
step venv python3 -m venv "$folder/venv"
built wheel "$folder/venv/bin/pip" install .

python3 scripts/results_tables.py "$folder" > "$folder/tables.md"
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "failed: ${failed[*]}; the output is in $folder/STEP.part" >&2
  exit 1
fi
echo "$folder: figures of $commit"

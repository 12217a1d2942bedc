#!/usr/bin/env bash
# Runs every command in the code blocks of README, CONTRIBUTING and docs, or prints why it is skipped.
#
#     cargo build -p regrasp-cli && scripts/check_docs.sh [PAGE ...]
#
# REGRASP is the path of the binary (default target/debug/regrasp). Set DOCS_FULL=1 if it was built
# with the feature `full`. DOCS_LONG=1 also runs commands that take minutes: tests, benches, examples
# and suites. Benchmarks always run with one seed. Exits with 1 if a command fails.
# `cargo test --test house docs` checks only that commands and flags exist.
set -uo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
cd "$root" || exit 1
binary="$(realpath "${REGRASP:-target/debug/regrasp}")" || exit 1
full="${DOCS_FULL:-}"
long="${DOCS_LONG:-}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pages=("$@")
[ ${#pages[@]} -gt 0 ] || pages=(README.md CONTRIBUTING.md docs/*.md)

# Prints the commands of a page, one per line. Continued lines are joined.
commands() {
  awk '
    /^```/ { fence = !fence; next }
    !fence { next }
    { line = held $0; held = "" }
    /\\$/ { sub(/\\$/, "", line); held = line; next }
    { sub(/^\$ /, "", line) }
    line ~ /^((cargo|regrasp|printf|llama-server|ollama|vllm) |scripts\/|\.ci\/|[A-Z_]+=[^ ]+ [a-z])/ { print line }
  ' "$1"
}

# Prints why a command is skipped, or nothing if it is run.
why_not() {
  case "$1" in
    llama-server* | ollama* | vllm* | OLLAMA_*) echo "starts a program of another project" ;;
    *localhost:* | *127.0.0.1:8080* | *small_model.py* | *"--planner ollama"* | *"--pointer ollama"*) echo "needs a model server; tests/cli/models simulates some" ;;
    *LIBERO_DIR*) echo "needs LIBERO's files" ;;
    scripts/python.sh*) echo "builds the Python package and downloads what its tests need" ;;
    *"calibrate seen.yaml"*) echo "needs measurements; tests/cli/calibrate.rs has some" ;;
    *"-- serve "* | *"-- mcp "*) echo "runs until it is stopped; the tests of regrasp-web and regrasp-mcp cover it" ;;
    .ci/run* | *check_docs.sh*) echo "runs the checks themselves" ;;
    "cargo install"* | "cargo deny"*) echo "installs, or needs an installed tool" ;;
    *"--features "*) [ -n "$full" ] || echo "needs a build with the feature; set REGRASP and DOCS_FULL=1" ;;
    *"--suite recovery"* | *"--suite tamp"* | *"--suite shapes"*) [ -n "$long" ] || echo "takes minutes; set DOCS_LONG=1" ;;
    "cargo test"* | "cargo bench"* | *"--example "*) [ -n "$long" ] || echo "builds or takes minutes; set DOCS_LONG=1" ;;
  esac
}

regrasp() { "$binary" "$@"; }

# Runs `cargo run -- ARGUMENTS` with the existing binary, and all other commands with Cargo.
cargo() {
  local all=("$@")
  if [ "$1" = run ] && [[ " $* " != *" --example "* ]]; then
    while [ "$1" != -- ]; do shift; done
    shift
    regrasp "$@"
  else
    (cd "$root" && command cargo "${all[@]}")
  fi
}

# Creates what a command needs and a reader would already have: runs, shards and results.
prepare() {
  case "$1" in
    *runs/covered-seed0-000*)
      for seed in 0 1; do
        [ -d "runs/covered-seed$seed-000" ] ||
          regrasp run "put the red cube on the plate" --scene covered --seed "$seed"
      done ;;
    *"bench merge"*)
      for i in 1 2 3 4; do
        [ -d "part$i" ] || regrasp bench --suite maniskill --seeds 1 --shard "$i/4" --out "part$i"
      done ;;
    *"bench compare"*)
      for out in before after; do
        [ -d "$out" ] || regrasp bench --tasks pick_cube --seeds 1 --out "$out"
      done ;;
  esac
}

n_ran=0 n_skipped=0 n_failed=0
for page in "${pages[@]}"; do
  # Each page gets a fresh folder like that of a reader after `git clone`.
  folder="$work/${page//\//_}"
  mkdir -p "$folder"
  for name in assets crates examples scripts tests Cargo.toml Cargo.lock; do ln -s "$root/$name" "$folder/$name"; done
  while IFS= read -r line; do
    shown="${line%%  #*}"
    why="$(why_not "$line")"
    if [ -n "$why" ]; then
      n_skipped=$((n_skipped + 1))
      echo "skipped  $page: $shown ($why)"
      continue
    fi
    short="$(sed -E 's/--seeds [0-9]+/--seeds 1/; s/--episodes [0-9]+/--episodes 2/' <<<"$line")"
    if (cd "$folder" && prepare "$short" && eval "$short") >"$work/out" 2>&1 </dev/null; then
      n_ran=$((n_ran + 1))
      echo "ok       $page: $shown"
    else
      n_failed=$((n_failed + 1))
      echo "FAILED   $page: $shown"
      sed 's/^/         | /' "$work/out" | tail -n 20
    fi
  done < <(commands "$page")
done
echo "$n_ran ran, $n_skipped skipped, $n_failed failed"
[ "$n_failed" -eq 0 ] && [ "$n_ran" -gt 0 ]

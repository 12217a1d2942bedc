#!/bin/sh
# Tests client and server of openpi's protocol with PyPI's `openpi-client`: sh scripts/openpi.sh
# [SEEDS]. Needs Python 3.8 or later and about 150 MB below `target/`. With REGRASP=PATH, an existing
# program is used, for example from a wheel, instead of building one.
#
#   regrasp run -> [websockets + openpi_client.msgpack_numpy] -> openpi_client -> regrasp policy-server
#   regrasp run -> [JSON lines: a control loop in Python]     -> openpi_client -> regrasp policy-server
set -eu
cd "$(dirname "$0")/.."
seeds=${1:-3}
folder=$PWD/target/openpi
python=$folder/venv/bin/python
mkdir -p "$folder"
[ -x "$python" ] || python3 -m venv "$folder/venv"
# openpi-client needs typing_extensions, but does not declare it.
"$python" -m pip install --quiet openpi-client==0.1.2 websockets==15.0.1 typing_extensions
regrasp=${REGRASP:-}
if [ -z "$regrasp" ]; then
    cargo build --quiet -p regrasp-cli --features openpi
    regrasp=${CARGO_TARGET_DIR:-target}/debug/regrasp
fi
case $regrasp in /*) ;; *) regrasp=$PWD/$regrasp ;; esac

pids=
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || true; done' EXIT INT TERM
# start NAME COMMAND…: starts a server. Its address is the last word of its first line of output.
start() {
    name=$1
    shift
    : >"$folder/$name.log"
    "$@" >"$folder/$name.log" 2>"$folder/$name.err" &
    pids="$pids $!"
    for _ in $(seq 600); do
        [ -s "$folder/$name.log" ] && break
        kill -0 "$!" 2>/dev/null || { cat "$folder/$name.err"; exit 1; }
        sleep 0.1
    done
    url=$(head -n 1 "$folder/$name.log" | awk '{print $NF}')
}
# expect CODE COMMAND…: runs a command and checks its exit code.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >"$folder/run.log" 2>&1 || code=$?
    if [ "$code" -ne "$wanted" ]; then
        cat "$folder/run.log"
        echo "exit code $code instead of $wanted: $*"
        exit 1
    fi
}

# The mapping of DROID, and a key with the camera's picture in its original size.
sed 's/^name: .*/name: droid/; s/^state:/  - {key: raw, camera: scene, size: [640, 480], fit: stretch}\nstate:/' \
    assets/policies/droid.yaml >"$folder/droid.yaml"
cd "$folder"
OPENPI_KEY=sesame
export OPENPI_KEY

start droid "$regrasp" policy-server --task pick_cube --mapping droid --listen 127.0.0.1:0 \
    --key-env OPENPI_KEY
start relay "$python" "$OLDPWD/scripts/openpi_peers.py" relay "$url"
expect 0 "$regrasp" run --task pick_cube --policy "openpi:$url" --policy-mapping droid.yaml \
    --policy-deadline 30 --policy-time 20
echo "regrasp -> openpi_client.msgpack_numpy -> openpi_client -> regrasp: the judge agrees"
expect 11 "$regrasp" run "make it fail" --task pick_cube --policy "openpi:$url" \
    --policy-mapping droid.yaml --policy-deadline 30 --policy-time 20
grep -q "asked to fail" run.log || { cat run.log; exit 1; }
echo "an error of a server in Python: $(grep -o 'ValueError.*' run.log | head -n 1)"

start joints "$regrasp" policy-server --task pick_cube --listen 127.0.0.1:0 \
    --key-env OPENPI_KEY
expect 0 "$regrasp" bench --tasks pick_cube --seeds "$seeds" --policy-deadline 30 --fail-under 1.0 \
    --policy "process:$python $OLDPWD/scripts/openpi_peers.py loop $url"
echo "a loop in Python -> openpi_client -> regrasp: $seeds of $seeds seeds, as the judge says"
tail -n 1 relay.err

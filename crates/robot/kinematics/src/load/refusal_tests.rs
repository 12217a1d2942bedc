//! Tests that an invalid URDF is rejected with a message that names the part.

use crate::{MeshSearch, RobotModel, testing::robot};

/// A link `a`, a link `b` and a joint `j` between them with these parts.
fn joint(kind: &str, parts: &str) -> String {
    format!(
        "<link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"{kind}\">\
         <parent link=\"a\"/><child link=\"b\"/>{parts}</joint>"
    )
}

const LIMIT: &str = "<limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/>";

fn check(body: &str, message: &str) {
    let error = robot(body).expect_err(message);
    let expected = format!("load robot `<string>`: {message}");
    assert!(
        error.starts_with(&expected),
        "{error}\ninstead of\n{expected}"
    );
}

#[test]
fn a_graph_that_is_not_one_tree_is_refused() {
    check("", "there is no link");
    check(
        "<link name=\"a\"/><link name=\"a\"/>",
        "link name `a` is used more than once",
    );
    check(
        "<link name=\"a\"/><link name=\"b\"/>",
        "the links do not form one tree: `a`, `b` are all roots",
    );
    let link = |parent: &str, child: &str, name: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>"
        )
    };
    let abc = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>";
    check(
        &(abc.to_owned() + &link("a", "b", "j") + &link("a", "c", "j")),
        "joint name `j` is used more than once",
    );
    check(
        &(abc.to_owned() + &link("a", "b", "ab") + &link("x", "c", "xc")),
        "joint `xc` refers to unknown parent link `x` (known links: a, b, c)",
    );
    check(
        &(abc.to_owned() + &link("a", "y", "ay")),
        "joint `ay` refers to unknown child link `y` (known links: a, b, c)",
    );
    check(
        &(abc.to_owned() + &link("a", "c", "ac") + &link("b", "c", "bc")),
        "link `c` is the child of two joints, `ac` and `bc`",
    );
    check(
        &(abc.to_owned() + &link("b", "c", "bc") + &link("c", "b", "cb")),
        "the links form a cycle through `b`, `c`",
    );
    check(
        "<link name=\"a\"/><joint name=\"aa\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint>",
        "the links form a cycle through `a`",
    );
}

#[test]
fn joints_that_mean_nothing_are_refused() {
    for kind in ["floating", "planar", "spherical"] {
        check(
            &joint(kind, LIMIT),
            &format!(
                "joint `j` has the type {kind}, which is not supported (supported: revolute, continuous, prismatic, fixed)"
            ),
        );
    }
    check(
        &joint("ball", LIMIT),
        "this is not a valid URDF: custom: unknown variant `ball`",
    );
    let with_axis = |axis: &str| joint("revolute", &format!("<axis xyz=\"{axis}\"/>{LIMIT}"));
    check(
        &with_axis("0 0 0"),
        "joint `j` has the axis [0.0, 0.0, 0.0], which has no direction",
    );
    check(
        &with_axis("0 NaN 1"),
        "joint `j` has the axis [0.0, NaN, 1.0], which has no direction",
    );
    check(
        &joint("fixed", "<origin xyz=\"0 inf 0\"/>"),
        "joint `j` has the non-finite origin xyz [0.0, inf, 0.0] rpy [0.0, 0.0, 0.0]",
    );
    check(
        &joint("revolute", ""),
        "joint `j` has no <limit>, which its type requires",
    );
    let with_limit = |attributes: &str| joint("prismatic", &format!("<limit {attributes}/>"));
    check(
        &with_limit("lower=\"1\" upper=\"-1\" velocity=\"1\" effort=\"1\""),
        "joint `j` has a lower limit of 1 above its upper limit of -1",
    );
    check(
        &with_limit("lower=\"nan\" upper=\"1\" velocity=\"1\" effort=\"1\""),
        "joint `j` has a lower limit of NaN, which must be finite",
    );
    check(
        &with_limit("lower=\"-1\" upper=\"1\" velocity=\"-2\" effort=\"1\""),
        "joint `j` has a velocity limit of -2, which must be finite and not negative",
    );
    check(
        &with_limit("lower=\"-1\" upper=\"1\" velocity=\"2\" effort=\"inf\""),
        "joint `j` has a effort limit of inf, which must be finite and not negative",
    );
    check(
        &joint("revolute", &format!("{LIMIT}<dynamics damping=\"-1\"/>")),
        "joint `j` has a damping of -1, which must be finite and not negative",
    );
}

#[test]
fn mimics_that_lead_nowhere_are_refused() {
    let hinge = |name: &str, parent: &str, child: &str, source: &str| {
        let mimic = match source {
            "" => String::new(),
            _ => format!("<mimic joint=\"{source}\"/>"),
        };
        format!(
            "<link name=\"{child}\"/><joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{LIMIT}{mimic}</joint>"
        )
    };
    check(
        &("<link name=\"a\"/>".to_owned() + &hinge("j", "a", "b", "thumb")),
        "joint `j` mimics unknown joint `thumb` (known joints: j)",
    );
    check(
        &("<link name=\"a\"/>".to_owned()
            + &hinge("j", "a", "b", "k")
            + &hinge("k", "b", "c", "j")),
        "joints mimic each other in a circle: `j`, `k`",
    );
    check(
        &("<link name=\"a\"/>".to_owned() + &hinge("j", "a", "b", "j")),
        "joints mimic each other in a circle: `j`",
    );
    check(
        &format!(
            "<link name=\"a\"/>{}<link name=\"c\"/><joint name=\"weld\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint>",
            hinge("j", "a", "b", "weld")
        ),
        "joint `j` mimics `weld`, and one of the two is fixed",
    );
}

#[test]
fn bodies_that_cannot_exist_are_refused() {
    let inertial = |mass: &str, ixx: &str| {
        format!(
            "<link name=\"a\"><inertial><mass value=\"{mass}\"/><inertia ixx=\"{ixx}\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
        )
    };
    check(
        &inertial("0", "1"),
        "link `a` has a mass of 0 kg, which must be finite and positive",
    );
    check(
        &inertial("-2", "1"),
        "link `a` has a mass of -2 kg, which must be finite and positive",
    );
    check(
        &inertial("nan", "1"),
        "link `a` has a mass of NaN kg, which must be finite and positive",
    );
    check(
        &inertial("1", "-1"),
        "link `a` has an inertia that is not positive definite",
    );
    check(
        &inertial("1", "inf"),
        "link `a` has an inertia that is not positive definite",
    );
    let shape = |element: &str, geometry: &str| {
        format!("<link name=\"a\"><{element}><geometry>{geometry}</geometry></{element}></link>")
    };
    check(
        &shape("collision", "<box size=\"1 0 1\"/>"),
        "collision 0 of link `a` has a box size of 0, which must be finite and positive",
    );
    check(
        &shape("visual", "<sphere radius=\"-0.1\"/>"),
        "visual 0 of link `a` has a radius of -0.1, which must be finite and positive",
    );
    check(
        &shape("collision", "<cylinder radius=\"1\" length=\"nan\"/>"),
        "collision 0 of link `a` has a length of NaN, which must be finite and positive",
    );
    check(
        &shape("collision", "<mesh filename=\"a.stl\" scale=\"1 0 1\"/>"),
        "collision 0 of link `a` has a mesh scale of 0, which must be finite and not zero",
    );
}

#[test]
fn what_is_no_urdf_is_refused_with_its_name() {
    check("<link/>", "this is not a valid URDF: ");
    check("<link name=\"a\">", "this is not a valid URDF: ");
    let search = MeshSearch::default();
    for text in ["", "robot", "<sdf/>", "<robot", "\u{0}"] {
        assert!(
            RobotModel::from_urdf_str(text, "", &search).is_err(),
            "{text}"
        );
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
        let error = model
            .check_speeds(&["j".to_owned()], &file)
            .expect_err("it has no velocity");
        assert!(
            error.to_string().contains("joint `j` has no speed"),
            "{error}"
        );
        let faster = model.with_limits("j", |limits| limits.velocity = 1.0);
        assert!(faster.check_speeds(&["j".to_owned()], &file).is_ok());
    }
}

#[test]
fn what_is_open_or_is_no_number_is_told_with_its_line() {
    let two = |inside: &str| format!("<link name=\"a\"/>\n<link name=\"b\">{inside}</link>");
    let cylinder = |length: &str| {
        two(&format!(
            "<collision><geometry><cylinder radius=\"1\" length=\"{length}\"/></geometry></collision>"
        ))
    };
    check(
        "<link name=\"a\"/>\n<xacro:property name=\"h\" value=\"1\"/>",
        "line 2 is xacro",
    );
    check(
        "<link name=\"a\" xmlns:x=\"http://www.ros.org/wiki/xacro\"/>\n\n<xacro:if value=\"1\"/>",
        "line 3 is xacro",
    );
    check(&cylinder("${h}"), "line 2 is xacro");
    check(&cylinder("$(arg h)"), "line 2 is xacro");
    check(
        &cylinder("0,5"),
        "line 2: `length` of <cylinder> of link `b` is `0,5`, which is not a number",
    );
    check(
        &joint(
            "revolute",
            "<limit lower=\"-1\" upper=\"1.0.0\" velocity=\"1\"/>",
        ),
        "line 1: `upper` of <limit> of joint `j` is `1.0.0`",
    );
}

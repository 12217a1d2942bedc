//! Tests of robots that are left out, bodies that are fixed, and reports of unsupported elements.

use regrasp_api::Pose;
use regrasp_mjcf::{Fate, Ledger, Model, Options, Pieces, files, read, scene};
use regrasp_scene::MOST_TURN_RAD;
use regrasp_testkit::{rows, says};

use crate::common::{again, of_text, pieces_of};

fn model(text: &str) -> Model {
    of_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn pieces(text: &str) -> Pieces {
    pieces_of(&model(text))
}

fn ids(pieces: &Pieces) -> Vec<&str> {
    pieces.objects.iter().map(|o| o.id.as_str()).collect()
}

fn all(ledger: &Ledger, fate: Fate) -> String {
    let entries = ledger.entries(fate);
    let texts = entries.map(|e| format!("{}: {}\n", e.what, e.why));
    texts.collect()
}

/// A hand with two sliding fingers, and a box with a lid that nothing drives.
fn hand(rest: &str) -> String {
    let finger = |name: &str| {
        format!(
            r#"<body name="{name}"><joint name="{name}_slide" type="slide" range="0 0.04"/>
            <geom type="box" size="0.01 0.01 0.02"/><site name="{name}_tip"/></body>"#
        )
    };
    format!(
        r#"<mujoco><worldbody><body name="hand"><geom size="0.03"/>{}{}</body>
        <body name="box"><geom type="box" size="0.1 0.1 0.1"/><body name="lid">
        <joint name="hinge" range="0 90"/><geom type="box" size="0.1 0.1 0.01"/></body></body>
        </worldbody>{rest}</mujoco>"#,
        finger("left"),
        finger("right")
    )
}

#[test]
fn whatever_drives_a_part_makes_a_robot_of_the_whole() {
    let split = r#"<tendon><fixed name="split"><joint joint="left_slide" coef="1"/></fixed>
        <spatial name="wire"><site site="right_tip"/></spatial></tendon>"#;
    for (kind, driver) in [
        ("position", r#"joint="left_slide""#),
        ("motor", r#"jointinparent="right_slide""#),
        ("position", r#"tendon="split""#),
        ("muscle", r#"tendon="wire""#),
        ("general", r#"site="left_tip""#),
        ("adhesion", r#"body="left""#),
        ("velocity", r#"cranksite="left_tip" slidersite="right_tip""#),
        ("plugin", r#"joint="left_slide" plugin="pid""#),
    ] {
        let pieces = pieces(&hand(&format!(
            "{split}<actuator><{kind} name='grip' {driver}/></actuator>"
        )));
        assert_eq!(ids(&pieces), ["box", "lid"], "{driver}");
        let ignored = all(&pieces.ledger, Fate::Ignored);
        says(&ignored, &["robot `hand`", "`grip`: it is on a robot"]);
        assert_eq!(all(&pieces.ledger, Fate::Unsupported), "", "{driver}");
    }
    let none = pieces(&hand(split));
    assert_eq!(none.objects.len(), 5, "nothing drives the hand");
    assert!(all(&none.ledger, Fate::Unsupported).contains("tendon fixed `split`"));
}

#[test]
fn copies_of_what_is_driven_are_driven() {
    let pieces = pieces(
        r#"<mujoco><worldbody><replicate count="2" offset="1 0 0" sep="_"><replicate count="2" offset="0 1 0">
        <body name="arm"><joint name="turn"/><geom size="0.1"/></body></replicate></replicate></worldbody>
        <actuator><motor joint="turn"/></actuator></mujoco>"#,
    );
    assert_eq!(ids(&pieces), [""; 0]);
    assert!(all(&pieces.ledger, Fate::Ignored).contains("robot `arm1_0`"));
}

#[test]
fn what_is_tied_is_held_or_reported() {
    let body = |name: &str| format!("<body name='{name}'><freejoint/><geom size='0.1'/></body>");
    let text = |equality: &str| {
        format!(
            "<mujoco><worldbody>{}{}</worldbody><equality>{equality}</equality></mujoco>",
            body("a"),
            body("b")
        )
    };
    let cases = "
        <weld body1='a'/>                         | fixed |
        <weld body2='a' body1='world'/>           | fixed |
        <weld body1='a' active='false'/>          | loose |
        <weld body1='a' relpose='0 0 1 1 0 0 0'/> | loose | weld with relpose
        <weld body1='a' body2='b'/>               | loose | weld: bodies are not coupled
        <connect body1='a' anchor='0 0 0'/>       | loose | connect: bodies are not coupled";
    for [equality, state, note] in rows(cases) {
        let pieces = pieces(&text(&equality));
        let is_fixed = pieces.objects[0].mass_kg.is_none();
        assert_eq!(is_fixed, state == "fixed", "{equality}");
        assert!(pieces.objects[1].mass_kg.is_some(), "{equality}");
        let unsupported = all(&pieces.ledger, Fate::Unsupported);
        let is_noted = match note.as_str() {
            "" => unsupported.is_empty(),
            note => unsupported.starts_with(&format!("equality {note}")),
        };
        assert!(is_noted, "{equality}: {unsupported}");
    }
    let pair = "<equality><joint name='pair' joint1='left_slide' joint2='hinge'/></equality>";
    let loose = pieces(&hand(pair));
    assert!(all(&loose.ledger, Fate::Unsupported).contains("joint `pair`: bodies are not coupled"));
}

/// Checks that ratio and offset hold for joint positions that include each joint's `ref`.
#[test]
fn joints_that_are_geared_to_each_other_are_kept() {
    for [coupling, kept] in rows(include_str!("../data/gears.txt")) {
        let text = include_str!("../data/gears.xml").replace("COUPLING", &coupling);
        let mut pieces = pieces(&text);
        let kept: Vec<f64> = kept.split(' ').filter_map(|n| n.parse().ok()).collect();
        let noted = all(&pieces.ledger, Fate::Unsupported);
        assert_eq!(noted.is_empty(), !kept.is_empty(), "{coupling}: {noted}");
        pieces.place(&Pose::translation(0.8, 0.0, 0.2));
        let (again, _) = again(&pieces, "gears");
        for joints in [&pieces.joints, &again.joints] {
            let gear = joints[1].geared.iter();
            let found: Vec<f64> = gear.flat_map(|gear| [gear.ratio, gear.offset]).collect();
            let off = found.iter().zip(&kept).map(|(a, b)| (a - b).abs());
            assert_eq!(found.len(), kept.len(), "{coupling}");
            assert!(off.fold(0.0, f64::max) < 1e-8, "{coupling}: {found:?}");
        }
    }
}

#[test]
fn what_changes_the_world_is_not_said_to_change_nothing() {
    for (tag, attribute) in [
        ("compiler", "boundmass='1'"),
        ("compiler", "boundinertia='1'"),
        ("body", "mocap='true'"),
        ("body", "gravcomp='1'"),
        ("compiler", "settotalmass='5'"),
        ("option", "wind='1 0 0'"),
        ("option", "viscosity='1'"),
        ("option", "gravity='0 0 0'"),
        ("worldbody", "pos='0 0 1'"),
    ] {
        let element = format!("<{tag} {attribute}/>");
        let [before, inside] = match tag {
            "body" => ["", &element],
            _ => [&element, ""],
        };
        let text = format!("<mujoco>{before}<worldbody>{inside}</worldbody></mujoco>");
        let model = model(&text);
        let name = attribute.split('=').next().unwrap();
        let noted = all(&model.ledger, Fate::Unsupported);
        says(&noted, &[&format!("{tag} {name}: ")]);
        assert!(!noted.contains("unknown"), "{noted}");
    }
    let flags = model(
        "<mujoco><option><flag gravity='disable' warmstart='disable'/></option><worldbody/></mujoco>",
    );
    assert!(all(&flags.ledger, Fate::Unsupported).contains("option flag gravity"));
    assert!(all(&flags.ledger, Fate::Ignored).contains("option flag warmstart"));
}

/// MuJoCo treats an empty range as none, and lets geoms without common bits pass through each
/// other.
#[test]
fn what_mujoco_does_not_limit_or_touch_is_reported() {
    let body = |geom: &str| {
        format!(
            "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='a'><joint name='j' \
             type='slide' range='0 0'/><geom size='0.1' {geom}/></body></worldbody></mujoco>"
        )
    };
    for (geom, passes) in [("", false), ("contype='2' conaffinity='4'", true)] {
        let pieces = pieces(&body(geom));
        let noted = all(&pieces.ledger, Fate::Unsupported);
        assert_eq!(noted.contains("geom contype"), passes, "{noted}");
        assert!(noted.contains("joint without limits"), "{noted}");
    }
}

/// MuJoCo's planes are infinite. A free body that touches nothing would fall forever, so it is left
/// out.
#[test]
fn whole_scenes_of_others_become_scenes() {
    let pieces = pieces(
        "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='40 40 1'/>\
         <body name='dial'><joint type='hinge' range='-3.1416 3.1416' damping='1e11'/>\
         <geom size='0.1'/></body><body name='target'><freejoint/>\
         <geom size='0.1' contype='0' conaffinity='0'/></body></worldbody></mujoco>",
    );
    assert_eq!(ids(&pieces), ["world", "dial_mount", "dial"]);
    assert!(pieces.objects[0].shape.aabb(&Pose::identity()).max[0] <= 10.0);
    let joint = &pieces.joints[0];
    assert!((joint.upper - joint.lower - MOST_TURN_RAD).abs() < 1e-9 && joint.damping < 1e9);
    let noted = all(&pieces.ledger, Fate::Unsupported);
    let words = ["hinge that turns", "body `target` without a solid geom"];
    says(&noted, &words);
}

/// Both names become the same id, since an id cannot contain a dot.
#[test]
fn names_that_become_one_id_stay_apart() {
    let pieces = pieces(
        "<mujoco><worldbody><body name='a.b'><freejoint/><geom size='0.1'/></body>\
         <body name='a_b'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
    );
    assert_eq!(ids(&pieces), ["a_b", "a_b_2"]);
}

#[test]
fn models_that_attach_themselves_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.xml");
    let text = r#"<mujoco><asset><model name="a" file="a.xml"/></asset><worldbody><frame>
        <attach model="a" prefix="b_"/></frame></worldbody></mujoco>"#;
    std::fs::write(&file, text).unwrap();
    says(&read(&file).unwrap_err().to_string(), &["attaches itself"]);
    let other = "<mujoco><worldbody><body name='c'/></worldbody></mujoco>";
    std::fs::write(folder.path().join("b.xml"), other).unwrap();
    let text = text.replace("file=\"a.xml\"", "file=\"b.xml\"");
    std::fs::write(&file, text.replace("prefix", "body='d' prefix")).unwrap();
    says(&read(&file).unwrap_err().to_string(), &["no body `d`"]);
}

#[test]
fn a_body_without_a_geom_that_is_read_is_reported_by_name() {
    let model = model(
        "<mujoco><worldbody><body name='cloth'><freejoint/><geom type='sdf'/></body></worldbody></mujoco>",
    );
    let message = scene(&model, &Options::default()).unwrap_err().to_string();
    says(&message, &["`cloth`", "sphere, capsule"]);
}

#[test]
fn what_cannot_be_kept_stands_in_the_scene_file() {
    let pieces = pieces(
        r#"<mujoco><option wind="1 0 0"/><worldbody><body name="lamp" pos="0.7 0.4 0.5"><joint name="yaw" range="-90 90" stiffness="2"/>
        <joint name="pitch" axis="0 1 0" range="-45 45"/><geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 0"/>
        </body></worldbody><tendon><fixed name="a &quot;b&quot;"><joint joint="yaw" coef="1"/></fixed></tendon></mujoco>"#,
    );
    let (scene, _) = again(&pieces, "lamp");
    assert_eq!(scene.not_kept, pieces.not_kept);
    assert_eq!(scene.joints.len(), 2, "yaw and pitch");
    let lines = scene.not_kept.iter().map(|line| line.split(':').next());
    let starts: Vec<&str> = lines.flatten().collect();
    let expected = "option wind, spring of a joint, tendon fixed `a \"b\"`";
    assert_eq!(starts.join(", "), expected);
}

#[test]
fn the_files_of_a_model_are_those_that_it_includes_attaches_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let outer = r#"<mujoco><compiler meshdir="meshes"/><include file="inner.xml"/><asset>
        <model name="other" file="other.xml"/><mesh file="a.obj"/></asset></mujoco>"#;
    let inner = r#"<mujocoinclude><asset><texture name="t" type="2d" file="t.png"/></asset>
        </mujocoinclude>"#;
    let other = r#"<mujoco><asset><mesh file="b.stl"/><model name="me" file="other.xml"/></asset>
        </mujoco>"#;
    write("outer.xml", outer);
    write("inner.xml", inner);
    write("other.xml", other);
    let found = files(folder.path().join("outer.xml")).unwrap();
    let expected = "b.stl inner.xml meshes/a.obj other.xml outer.xml t.png";
    let expected = expected.split(' ').map(|name| folder.path().join(name));
    assert_eq!(found, expected.collect());
    std::fs::remove_file(folder.path().join("inner.xml")).unwrap();
    let error = files(folder.path().join("outer.xml")).unwrap_err();
    says(&error.to_string(), &["outer.xml:1", "inner.xml"]);
}

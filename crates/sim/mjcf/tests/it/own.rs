//! Tests with small models written for them: values read, and errors.

use std::f64::consts::FRAC_PI_2;
use std::fs;
use std::path::PathBuf;

use nalgebra::{Matrix3, Vector3};
use regrasp_api::{Aabb, JointKind, Pose, Shape};
use regrasp_mjcf::{Fate, Ledger, Model, Options, Pieces, object, read, scene};
use regrasp_scene::{SceneError, SceneJoint, SceneObject};
use regrasp_testkit::{near, rows, says, within};

use crate::common::{again, of_text, pieces_of};

fn cell() -> PathBuf {
    regrasp_assets::workspace_root().join("tests/data/mjcf/cell.xml")
}

fn of_world(inside: &str) -> Result<Model, SceneError> {
    of_text(&format!(
        "<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>"
    ))
}

#[track_caller]
fn refused(result: Result<Model, SceneError>, line: &str, parts: &str) {
    let error = result.expect_err(parts);
    let message = error.to_string();
    assert_eq!(error.line(), line.parse().ok(), "{message}");
    says(&message, &parts.split("; ").collect::<Vec<_>>());
}

fn bounds(object: &SceneObject) -> Aabb {
    object.shape.aabb(&object.world_from_object)
}

fn ledger(ledger: &Ledger, fate: Fate) -> Vec<(String, u32)> {
    let entries = ledger.entries(fate);
    entries.map(|e| (e.what, e.places[0].line)).collect()
}

#[test]
fn a_cell_becomes_objects_joints_places_and_what_is_drawn() {
    let model = read(cell()).unwrap();
    let pieces = pieces_of(&model);
    let ids: Vec<_> = pieces.objects.iter().map(|o| o.id.as_str()).collect();
    let expected = "world table red_cube plate cabinet drawer";
    assert_eq!(ids.join(" "), expected);
    let find = |id: &str| &pieces.objects[ids.iter().position(|other| *other == id).unwrap()];
    // Densities, masses and inertials, as MuJoCo compiles them.
    for (id, kg) in [
        ("red_cube", 400.0 * 0.04f64.powi(3)),
        ("plate", 0.15),
        ("drawer", 0.4),
    ] {
        near(id, find(id).mass_kg.unwrap(), kg, 1e-9);
    }
    assert_eq!(find("cabinet").mass_kg, None);
    let inertia = find("plate").inertial.unwrap().inertia;
    near("inertia", inertia[2][2], 0.5 * 0.15 * 0.08 * 0.08, 1e-9);
    assert_eq!(find("red_cube").friction, 0.8);
    assert_eq!(find("drawer").part_of.as_ref().unwrap().as_str(), "cabinet");
    assert_eq!(find("plate").zones[0].half_extents, [0.03, 0.03, 0.01]);
    // The collision geoms of the cube are not drawn, its visuals are.
    assert_eq!(find("red_cube").visuals.len(), 2);
    assert!(find("red_cube").visuals[1].texture.is_some());
    let [joint]: &[SceneJoint; 1] = pieces.joints.as_slice().try_into().unwrap();
    assert_eq!(joint.kind, JointKind::Prismatic);
    assert_eq!((joint.lower, joint.upper), (0.0, 0.14));
    assert_eq!((joint.damping, joint.friction), (5.0, 0.2));
    assert_eq!(pieces.cameras[0].name, "front");
    let forward = pieces.cameras[0].parent_from_camera.rotation * Vector3::z();
    assert!(forward.x < -0.8 && forward.z < 0.0, "{forward}");
    for (of, what) in [
        (&pieces.ledger, "robot `other_arm`"),
        (&model.ledger, "geom solref"),
    ] {
        let ignored = ledger(of, Fate::Ignored);
        assert!(ignored.iter().any(|(w, _)| w == what), "{ignored:?}");
    }
    assert_eq!(model.ledger.count(Fate::Unsupported), 0);
}

#[test]
fn a_scene_file_of_a_model_is_the_model_again() {
    let model = read(cell()).unwrap();
    let mut pieces = pieces_of(&model);
    let slide = pieces.joints[0].id.clone();
    assert!(pieces.start_at(&slide, 0.05));
    let (again, _) = again(&pieces, "cell");
    assert_eq!(again.objects.len(), pieces.objects.len());
    let same = |a: &Pose, b: &Pose| {
        let off = a.inverse() * b;
        off.translation.vector.norm() < 1e-6 && off.rotation.angle() < 1e-6
    };
    for object in &pieces.objects {
        let is_it = |o: &&SceneObject| o.id.as_str().ends_with(object.id.as_str());
        let found = again.objects.iter().find(is_it).unwrap();
        let (a, b) = (&found.world_from_object, &object.world_from_object);
        assert!(same(a, b), "{}: {a} instead of {b}", object.id);
        // Masses are written unrounded, moments with ten digits of the largest.
        let kg = |o: &SceneObject| o.mass_kg.unwrap_or(-1.0);
        assert!((kg(found) - kg(object)).abs() < 1e-9, "{}", object.id);
        match (&found.inertial, &object.inertial) {
            (Some(a), Some(b)) => {
                assert_eq!(a.mass_center, b.mass_center, "{}", object.id);
                let [a, b] = [a, b].map(|inertial| Matrix3::from(inertial.inertia));
                assert!((a - b).amax() < 1e-9 * b.amax(), "{}", object.id);
            }
            (a, b) => assert_eq!(a.is_some(), b.is_some(), "{}", object.id),
        }
        assert_eq!(found.friction, object.friction);
        assert_eq!(found.category, object.category);
        assert_eq!(found.color, object.color);
        assert_eq!(found.zones.len(), object.zones.len());
        let [a, b] = [found, object].map(|o| o.shape.aabb(&Pose::identity()));
        let off = (0..3).map(|i| (a.min[i] - b.min[i]).abs() + (a.max[i] - b.max[i]).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6, "{}", object.id);
        assert_eq!(found.visuals.len(), object.visuals.len());
        for (a, b) in found.visuals.iter().zip(&object.visuals) {
            let is_same = same(&a.frame_from_visual, &b.frame_from_visual);
            assert!(is_same, "{}", object.id);
            assert_eq!(a.surface, b.surface, "{}", object.id);
            assert_eq!(a.texture, b.texture, "{}", object.id);
            assert_eq!(a.rgba, b.rgba, "{}", object.id);
        }
    }
    let (a, b) = (&again.joints[0], &pieces.joints[0]);
    let figures = |j: &SceneJoint| [j.lower, j.upper, j.start, j.damping, j.friction];
    assert_eq!(figures(a), figures(b));
    assert_eq!((a.kind, a.closed_at, a.start), (b.kind, b.closed_at, 0.05));
    assert_eq!(again.cameras.len(), 1);
    let (a, b) = (&again.cameras[0], &pieces.cameras[0]);
    assert!(same(&a.parent_from_camera, &b.parent_from_camera));
    assert!((a.intrinsics.fx - b.intrinsics.fx).abs() < 1e-6);
}

#[test]
fn a_joint_can_begin_elsewhere_and_the_whole_be_moved() {
    let model = read(cell()).unwrap();
    let options = Options {
        instance: Some("cabinet_1".to_owned()),
        ..Options::default()
    };
    let cabinet = model.world.find("cabinet").unwrap();
    let mut pieces = object(&model, cabinet, &options).unwrap();
    let id = pieces.joints[0].id.clone();
    assert_eq!(id.as_str(), "cabinet_1_slide");
    assert!(pieces.start_at(&id, 0.1));
    assert!(!pieces.start_at(&"no_such".into(), 0.1));
    let joint = &pieces.joints[0];
    assert_eq!([joint.lower, joint.upper, joint.start], [0.0, 0.14, 0.1]);
    let at = |pieces: &Pieces, i: usize| pieces.objects[i].world_from_object.translation;
    near("x of the drawer", at(&pieces, 1).x, 0.1, 1e-9);
    pieces.place(&Pose::translation(1.0, 2.0, 3.0));
    near("y of the cabinet", at(&pieces, 0).y, 2.0, 1e-9);
    near("x of the drawer", at(&pieces, 1).x, 1.1, 1e-9);
}

#[test]
fn turns_are_read_in_every_way_that_they_are_written() {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    for (turn, from, to, tolerance) in [
        (r#"quat="0.70710678 0 0 0.70710678""#, x, y, 1e-6),
        (r#"axisangle="0 0 2 90""#, x, y, 1e-6),
        (r#"euler="0 0 90""#, x, y, 1e-6),
        (r#"xyaxes="0 1 0 -1 0 0""#, x, y, 1e-6),
        (r#"zaxis="1 0 0""#, z, x, 1e-9),
        // Intrinsic x, then y: MuJoCo's default.
        (r#"euler="90 90 0""#, z, x, 1e-9),
    ] {
        let model = of_world(&format!(r#"<body {turn}><geom size="0.1"/></body>"#)).unwrap();
        let turned = model.world.bodies[0].parent_from_body.rotation * from;
        assert!((turned - to).norm() < tolerance, "{turn}: {turned}");
    }
}

#[test]
fn a_hinge_off_its_bodys_origin_turns_about_its_own_axis() {
    let text = r#"<body name="box"><geom type="box" size="0.1 0.1 0.1"/>
<body name="lid" pos="0 0 0.11">
<joint name="hinge" axis="0 1 0" pos="-0.1 0 0" range="-90 0"/>
<geom type="box" size="0.1 0.1 0.01"/></body></body>"#;
    let model = of_world(text).unwrap();
    let mut pieces = pieces_of(&model);
    let before = bounds(&pieces.objects[1]);
    near("left", before.min[0], -0.1, 1e-9);
    near("right", before.max[0], 0.1, 1e-9);
    near("limit, rad", pieces.joints[0].lower, -FRAC_PI_2, 1e-9);
    assert!(pieces.start_at(&"hinge".into(), -FRAC_PI_2));
    let open = bounds(&pieces.objects[1]);
    near("top when open", open.max[2], 0.31, 1e-6);
    within("right when open", open.max[0], ..-0.08);
}

/// In MuJoCo, the pose of a body in the model is its pose while the joint is at `ref`.
#[test]
fn a_joint_whose_ref_is_out_of_range_starts_at_the_nearer_end() {
    let cases = "
        0.05 | 0.05 | 0.3 | 0
        -0.2 | 0    | 0.5 | 1
        0.3  | 0.1  | 0.1 | 1";
    for [reference, start, x, n_notes] in rows(cases) {
        let [start, x] = [start, x].map(|number| number.parse::<f64>().unwrap());
        let text = format!(
            r#"<body name="box"><geom size="0.1"/><body name="lid" pos="0.3 0 0"><geom size="0.1"/>
            <joint type="slide" axis="1 0 0" range="0 0.1" ref="{reference}"/>
            <body pos="0 1 0"><joint range="0 1"/><geom size="0.1"/></body></body></body>"#
        );
        let pieces = pieces_of(&of_world(&text).unwrap());
        assert_eq!(pieces.ledger.count(Fate::Unsupported).to_string(), n_notes);
        let (again, _) = again(&pieces, "lid");
        for (objects, joints) in [
            (&pieces.objects, &pieces.joints),
            (&again.objects, &again.joints),
        ] {
            near("start", joints[0].start, start, 1e-9);
            for child in &objects[1..] {
                near("x", child.world_from_object.translation.x, x, 1e-9);
            }
        }
    }
}

/// Checks fields of view that MuJoCo 4.0 computes.
#[test]
fn a_camera_has_the_field_of_view_of_its_sensor() {
    let cases = r#"
        fovy="30"                                                         | 30
        sensorsize="0.01 0.02" focal="0.03 0.04" resolution="640 480"      | 28.0724873
        sensorsize="0.01 0.02" focal="0.03 0.04"                           | 28.0724873
        sensorsize="0.01 0.02" focalpixel="600 500" resolution="640 480"   | 51.28200968"#;
    for [attributes, fov_deg] in rows(cases) {
        let model = of_world(&format!("<camera {attributes}/>")).unwrap();
        assert_eq!(model.ledger.count(Fate::Unsupported), 0, "{attributes}");
        let found_deg = model.world.cameras[0].fov_rad.to_degrees();
        near(&attributes, found_deg, fov_deg.parse().unwrap(), 1e-5);
    }
}

#[test]
fn of_a_polynomial_of_damping_or_stiffness_the_linear_part_is_read() {
    for (given, damping, unsupported) in [
        ("2", 2.0, &[][..]),
        ("2 0 0", 2.0, &[]),
        ("2 3", 2.0, &["joint damping, 2nd and 3rd number"]),
    ] {
        let text = format!(
            "<body name='a'><geom size='1'/><body><joint damping='{given}'/><geom size='1'/></body></body>"
        );
        let model = of_world(&text).unwrap();
        assert_eq!(model.world.bodies[0].bodies[0].joints[0].damping, damping);
        let found = ledger(&model.ledger, Fate::Unsupported);
        let names = found.iter().map(|(what, _)| what);
        assert!(names.eq(unsupported), "{found:?}");
    }
}

/// Each row: groups of geoms that collide, groups of others, and the groups that are drawn.
#[test]
fn the_groups_that_mujoco_shows_are_drawn_or_of_these_the_ones_for_display() {
    let cases = "
        0     |     | 0
        0 1 3 |     | 0 1
        1     | 3   | 1
        3     | 2   | 2
        3     | 0 1 | 0 1
        0     | 1   | 1
        0     | 1 3 | 1
        1 1   | 1   | 1 1 1
        3     |     |";
    for [solid, others, drawn] in rows(cases) {
        let geoms = |groups: &str, more: &str| -> String {
            let geom = |n: &str| format!("<geom size='0.1' group='{n}' {more}/>");
            groups.split_whitespace().map(geom).collect()
        };
        let text = format!(
            "<body><freejoint/><geom size='0.3' group='4'/>{}{}</body>",
            geoms(&solid, ""),
            geoms(&others, "contype='0' conaffinity='0'")
        );
        let pieces = pieces_of(&of_world(&text).unwrap());
        let found = pieces.objects[0].visuals.len();
        let expected = drawn.split_whitespace().count();
        assert_eq!(found, expected, "{solid} | {others}");
    }
}

#[test]
fn ends_make_capsules_and_meshes_make_hulls() {
    let text =
        r#"<body><freejoint/><geom type="capsule" size="0.01" fromto="0 0 0 0 0.2 0"/></body>"#;
    let pieces = pieces_of(&of_world(text).unwrap());
    let bounds = pieces.objects[0].shape.aabb(&Pose::identity());
    near("one end", bounds.min[1], -0.01, 1e-9);
    near("the other", bounds.max[1], 0.21, 1e-9);
    let folder = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(folder.path().join("corner.obj"), obj).unwrap();
    let text = r#"<mujoco><asset><mesh file="corner.obj" scale="0.1 0.1 0.1"/></asset>
<worldbody><body><freejoint/><geom type="mesh" mesh="corner" density="600"/></body></worldbody></mujoco>"#;
    let path = folder.path().join("model.xml");
    fs::write(&path, text).unwrap();
    let pieces = pieces_of(&read(&path).unwrap());
    let it = &pieces.objects[0];
    let is_hull = matches!(&it.shape, Shape::Convex { points } if points.len() == 4);
    assert!(is_hull, "{:?}", it.shape);
    near("mass, kg", it.mass_kg.unwrap(), 0.1, 1e-6);
}

#[test]
fn meshes_that_lie_in_no_file_as_in_the_model_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 0.1 0 0\nv 0 0.2 0\nv 0 0 0.3\nvt 0 0\nvt 1 0\nvt 0 1\n\
               f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\nf 2/1 3/2 4/3\n";
    fs::write(folder.path().join("it.obj"), obj).unwrap();
    let text = r#"<mujoco><asset><mesh name="moved" file="it.obj" refpos="0.1 0 0" refquat="0.8 0 0.6 0" scale="1 2 -1"/>
<mesh name="own" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1"/></asset><worldbody>
<body><freejoint/><geom type="mesh" mesh="moved"/><geom type="mesh" mesh="own" pos="0 0 1"/></body></worldbody></mujoco>"#;
    fs::write(folder.path().join("model.xml"), text).unwrap();
    let model = read(folder.path().join("model.xml")).unwrap();
    let pieces = pieces_of(&model);
    let (again, names) = again(&pieces, "it");
    assert_eq!(names, ["it_moved.obj", "it_own.obj"]);
    let [a, b] = [&again.objects, &pieces.objects].map(|objects| &objects[0].visuals);
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.surface.bounds(), b.surface.bounds());
        assert_eq!(a.surface.triangles.len(), b.surface.triangles.len());
        assert_eq!(a.surface.texcoords.len(), b.surface.texcoords.len());
    }
}

#[test]
fn joints_about_a_point_are_held_fast() {
    let ball = r#"<body name="it"><joint type="ball"/><geom size="0.1"/></body>"#;
    let both = r#"<body name="it"><joint type="ball"/><joint type="slide" range="0 1"/><geom size="0.1"/></body>"#;
    for (text, n_joints, what) in [(ball, 0, "ball joint"), (both, 1, "ball joint")] {
        let pieces = pieces_of(&of_world(text).unwrap());
        assert_eq!(pieces.joints.len(), n_joints, "{text}");
        let list = ledger(&pieces.ledger, Fate::Unsupported);
        assert!(list.len() == 1 && list[0].0.contains(what), "{list:?}");
    }
}

#[test]
fn what_is_unsupported_or_unknown_is_reported_with_its_line() {
    let text = r#"<body><geom size="0.1" sizze="3"/>
<joint type="ball"/></body>
<composite/>"#;
    let model = of_world(text).unwrap();
    let found = ledger(&model.ledger, Fate::Unsupported);
    assert_eq!(found, [("composite".into(), 5), ("geom sizze".into(), 3)]);
    let more = of_text("<mujoco>\n<equality><weld/></equality>\n<tendon/>\n<worldbody/></mujoco>");
    let more = more.unwrap();
    assert_eq!(more.ledger.count(Fate::Unsupported), 0);
    let pieces = pieces_of(&more);
    let list = ledger(&pieces.ledger, Fate::Unsupported);
    // An empty <tendon> has no effect.
    assert_eq!(list, [("equality weld".into(), 2)]);
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let cases = r#"
        <geom size="1 x"/>                              | 3 | `size` of <geom>; 1 x
        <geom type="cone" size="1"/>                    | 3 | cone; cylinder
        <geom type="box" size="1 2"/>                   | 3 | at least 3
        <geom size="-1"/>                               | 3 | greater than 0
        <geom size="1" class="no"/>                     | 3 | no class `no`; main
        <geom size="1" material="no"/>                  | 3 | no material `no`
        <geom type="mesh" mesh="no"/>                   | 3 | no mesh `no`
        <geom size="1" quat="0 0 0 0"/>                 | 3 | quat
        <geom size="1" quat="1 0 0 0" euler="0 0 1"/>   | 3 | only one of
        <body>\n<joint axis="0 0 0"/></body>            | 4 | longer than 0
        <camera sensorsize="1 1"/>                      | 3 | `focal`
        <camera fovy="180"/>                            | 3 | 180 degrees; 1 to 170
        <body>\n<joint damping="-1 2"/></body>          | 4 | `damping`; 0 or greater
        <body>\n<joint range="2 1" limited="true"/></body> | 4 | smaller number first
        <body>\n<inertial mass="1"/></body>             | 4 | diaginertia
        <geom size="1, 1"/>                             | 3 | 1 to 3 numbers separated by spaces
        <joint/>                                        | 3 | only bodies move
        <body><freejoint/>\n<geom size="0.1" mass="0"/></body> | 3 | no mass
        <body name="a"><freejoint/><geom size="18"/></body> | 3 | `a`; 36.0 m long; millimetres?
        <body name="a"/>\n<body name="a"/>              | 4 | the body `a` already exists in line 3"#;
    for [inside, line, parts] in rows(cases) {
        let model = of_world(&inside);
        let made = |model| scene(&model, &Options::default()).map(|_| model);
        refused(model.and_then(made), &line, &parts);
    }
    let cases = r#"
        <mujoco>\n<worldbody>\n<body>\n</mujoco>         | 4 | XML; column; <body> is not closed before </mujoco>
        <!DOCTYPE mujoco [<!ENTITY a "b">]>\n<mujoco a="1" a="2"/> | 2 | the attribute `a` is given twice
        <robot/>                                        | 1 | <robot>; <mujoco>
        <mujoco><compiler angle="grad"/></mujoco>       | 1 | radian"#;
    for [text, line, parts] in rows(cases) {
        refused(of_text(&text), &line, &parts);
    }
    let deep = "<body>".repeat(300) + &"</body>".repeat(300);
    refused(of_world(&deep), "3", "deep");
}

#[test]
fn broken_missing_and_looping_files_are_refused_with_the_line_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let with = |asset: &str| {
        let text = format!("<mujoco>\n<asset>\n{asset}\n</asset>\n</mujoco>");
        write("model.xml", text.as_bytes());
        read(folder.path().join("model.xml"))
    };
    let label = fs::read(cell().with_file_name("meshes/label.msh")).unwrap();
    write("whole.msh", &label);
    write("cut.msh", &label[..label.len() - 7]);
    assert!(with(r#"<mesh file="whole.msh"/>"#).is_ok());
    let cases = r#"
        <mesh file="cut.msh"/>                  | cut.msh; truncated; 224 bytes
        <mesh file="none.stl"/>                 | none.stl; no such file
        <mesh file="model.xml"/>                | .xml
        <texture name="a" file="none.png"/>     | none.png; no such file
        <texture name="a" file="cut.msh"/>      | cut.msh; PNG
        <material name="a" texture="b"/>        | no texture `b`"#;
    for [asset, parts] in rows(cases) {
        refused(with(&asset), "3", &parts);
    }
    let including = |file: &str| {
        let text = format!("<mujoco>\n<include file=\"{file}\"/>\n</mujoco>");
        write("outer.xml", text.as_bytes());
        read(folder.path().join("outer.xml"))
    };
    let inner = b"<mujocoinclude>\n\n<include file=\"outer.xml\"/></mujocoinclude>";
    write("inner.xml", inner);
    write("bad.xml", b"<mujocoinclude>\n<default>");
    let [open, close] = ["<frame>", "</frame>"].map(|tag| tag.repeat(80));
    let deep = format!(
        "<mujocoinclude>\n<worldbody>{open}\n<include file=\"deep.xml\"/>{close}</worldbody></mujocoinclude>"
    );
    for [name, next] in [
        ["deep", "deeper"],
        ["deeper", "deepest"],
        ["deepest", "none"],
    ] {
        let text = deep.replace("deep.xml", &format!("{next}.xml"));
        write(&format!("{name}.xml"), text.as_bytes());
    }
    let cases = r"
        none.xml  | 2 | none.xml; cannot be read
        outer.xml | 2 | includes itself
        deep.xml  | 2 | deepest.xml:2; nested more than 200 deep
        inner.xml | 3 | inner.xml:3; includes itself
        bad.xml   | 2 | bad.xml:2; XML";
    for [file, line, parts] in rows(cases) {
        refused(including(&file), &line, &parts);
    }
    let gone = read(folder.path().join("gone.xml")).unwrap_err();
    assert!(gone.to_string().contains("gone.xml"), "{gone}");
}

//! Tests of loading: the model holds what the URDF says.

use std::path::Path;

use regrasp_geometry::Shape;
use regrasp_testkit::{near, within};

use crate::{
    Geometry, JointKind, MeshSearch, RobotModel,
    testing::{bent, panda, robot},
};

#[test]
fn what_a_urdf_says_is_what_the_model_holds() {
    let model = bent();
    let kinds: Vec<JointKind> = model.joints().iter().map(|joint| joint.kind).collect();
    use JointKind::{Continuous, Fixed, Prismatic, Revolute};
    let expected = [Fixed, Revolute, Fixed, Prismatic, Fixed, Continuous, Fixed];
    assert_eq!(kinds, expected);
    let hinge = &model.joints()[model.joint_idx("hinge").unwrap()];
    assert!((hinge.limits.upper - 1.5).abs() < 1e-12 && (hinge.limits.effort - 50.0).abs() < 1e-12);
    assert!((hinge.dynamics.damping - 0.7).abs() < 1e-12);
    assert!((hinge.dynamics.friction - 0.1).abs() < 1e-12);
    let spinner = &model.joints()[model.joint_idx("spinner").unwrap()];
    assert_eq!(spinner.limits.lower, f64::NEG_INFINITY);
    assert_eq!(spinner.limits.upper, f64::INFINITY);
    for (i, joint) in model.joints().iter().enumerate() {
        assert_eq!(joint.child_link_idx, i + 1, "links follow their joints");
        assert!(joint.parent_link_idx <= i, "parents come before children");
        assert_eq!(model.parent_joint_idx(i + 1), Some(i));
    }
    assert_eq!(model.parent_joint_idx(0), None);
}

#[test]
fn the_panda_is_a_body_that_can_exist() {
    let model = panda();
    let mut mass_kg = 0.0;
    for link in model.links() {
        let is_frame = ["panda_link8", "panda_tool"].contains(&link.name.as_str());
        assert_eq!(link.inertial.is_none(), is_frame, "{}", link.name);
        assert_eq!(link.visuals.is_empty(), is_frame, "{}", link.name);
        assert_eq!(link.collisions.is_empty(), is_frame, "{}", link.name);
        if let Some(inertial) = &link.inertial {
            // No principal moment of a body exceeds the sum of the other two.
            let moments = inertial.inertia.symmetric_eigenvalues();
            let is_possible = 2.0 * moments.max() <= moments.sum() * (1.0 + 1e-9);
            assert!(is_possible, "{}", link.name);
            mass_kg += inertial.mass_kg;
        }
        let mut visuals = link.visuals.iter();
        assert!(visuals.all(|visual| visual.rgba.is_some()), "{}", link.name);
    }
    within("mass, 18 kg by the data sheet", mass_kg, 17.0..18.5);
    let left = model.joint_idx("panda_finger_joint1").unwrap();
    let right = &model.joints()[model.joint_idx("panda_finger_joint2").unwrap()];
    assert_eq!(right.mimic.unwrap().source_joint_idx, left);
}

#[test]
fn a_slide_that_mimics_backwards_carries_its_own_mimics_along() {
    let slide = |name: &str, parts: &str| {
        format!(
            r#"<link name="{name}"/><joint name="{name}" type="prismatic"><parent link="root"/>
            <child link="{name}"/><axis xyz="0 1 0"/>{parts}
            <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"#
        )
    };
    let back = slide(
        "back",
        r#"<mimic joint="first" multiplier="-1" offset="0.01"/>"#,
    );
    let along = slide(
        "along",
        r#"<mimic joint="back" multiplier="2" offset="0.02"/>"#,
    );
    let body = format!(r#"<link name="root"/>{along}{}{back}"#, slide("first", ""));
    let model = robot(&body).unwrap();
    let poses = model.link_poses(&model.joint_positions([("first", 0.1)]).unwrap());
    for (link, expected) in [("first", 0.1), ("back", -0.09), ("along", -0.16)] {
        let y = poses[model.link_idx(link).unwrap()].translation.y;
        near(link, y, expected, 1e-12);
    }
}

#[test]
fn closed_pads_touch_and_open_ones_are_eight_centimetres_apart() {
    let model = panda();
    let inner_face_y = |finger: &str, opening: f64| {
        let q = model.joint_positions([("panda_finger_joint1", opening)]);
        let q = q.unwrap();
        let poses = model.link_poses(&q);
        let [finger, hand] = [finger, "panda_hand"].map(|link| model.link_idx(link).unwrap());
        let pad = &model.links()[finger].collisions[0];
        let Geometry::Solid(Shape::Box { half_extents }) = pad.geometry else {
            panic!("a pad is a box");
        };
        let hand_from_pad = poses[hand].inverse() * poses[finger] * pad.link_from_geometry;
        let centre = hand_from_pad.translation.vector;
        near("fingertip, m", centre.z + half_extents[2], 0.112, 1e-9);
        centre.y - half_extents[1] * centre.y.signum()
    };
    for (opening, width) in [(0.0, 0.0), (0.04, 0.08)] {
        let gap =
            inner_face_y("panda_leftfinger", opening) - inner_face_y("panda_rightfinger", opening);
        near("the gap, m", gap, width, 1e-12);
    }
}

#[test]
fn a_cylinder_between_two_spheres_is_a_capsule() {
    let ball = |x: f64, radius: f64| {
        format!(
            "<collision><origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>"
        )
    };
    let rod = "<collision><origin xyz=\"0.5 0 0\" rpy=\"0 1.5707963267948966 0\"/><geometry><cylinder radius=\"0.1\" length=\"1\"/></geometry></collision>";
    let geometries = |body: String| -> Vec<Geometry> {
        let model = robot(&format!("<link name=\"a\">{body}</link>")).unwrap();
        let solids = model.links()[0].collisions.iter();
        solids.map(|c| c.geometry.clone()).collect()
    };
    let capsule = Geometry::Solid(Shape::capsule(0.1, 0.5));
    let other = Geometry::Solid(Shape::Sphere { radius: 0.2 });
    let balls = ball(0.0, 0.1) + &ball(3.0, 0.2) + rod + &ball(1.0, 0.1);
    assert_eq!(geometries(balls), [other, capsule]);
    assert_eq!(geometries(ball(0.0, 0.1) + rod).len(), 2, "one end is open");
    let ends_differ = geometries(ball(0.0, 0.1) + rod + &ball(1.0, 0.2));
    assert_eq!(ends_differ.len(), 3);
}

#[test]
fn a_file_and_its_text_are_the_same_robot() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bent.urdf");
    let text = std::fs::read_to_string(path).unwrap();
    let from_text = RobotModel::from_urdf_str(&text, "", &MeshSearch::default()).unwrap();
    assert_eq!(from_text, bent());
}

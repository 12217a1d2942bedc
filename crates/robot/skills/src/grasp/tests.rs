//! Tests of grasps of boxes, cans and mugs, alone and among neighbours.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Finger, GripperInfo, ObjectId, Part, PerceivedObject, Reason, Shape};
use regrasp_testkit::{cylinder, gripper_info, near, percept, says, thing, within};

use super::poses::{leaning, tool_yaw, turn};
use super::*;

/// Height of the support in World, m.
const GROUND_M: f64 = 0.04;

fn standing(id: &str, shape: Shape, at: [f64; 2], yaw: f64) -> PerceivedObject {
    let lowest = shape.aabb(&Pose::identity()).min[2];
    PerceivedObject {
        world_from_object: Pose::from_parts(
            Translation3::new(at[0], at[1], GROUND_M - lowest),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw),
        ),
        ..thing(id, "thing", shape, [0.0; 3])
    }
}

fn object(shape: Shape, yaw: f64) -> PerceivedObject {
    standing("thing", shape, [0.4, -0.1], yaw)
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    regrasp_testkit::cuboid([x, y, z].map(|m| 0.5 * m))
}

fn can(radius: f64, height: f64) -> Shape {
    cylinder(radius, 0.5 * height)
}

/// A ring of walls: 9 cm wide, so that an 8 cm hand cannot grasp it across.
fn mug() -> Shape {
    ring(12, 0.043, 0.0, &cuboid(0.004, 0.02, 0.08))
}

/// `n` walls around a middle that lean outwards by `tilt_rad`.
fn ring(n: usize, radius_m: f64, tilt_rad: f64, shape: &Shape) -> Shape {
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt_rad);
    let wall = |i: usize| {
        let angle = TAU * i as f64 / n as f64;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let at = turn * Vector3::new(radius_m, 0.0, 0.0);
        Part::new(Pose::from_parts(at.into(), turn * lean), shape.clone())
    };
    let parts = (0..n).map(wall).collect();
    Shape::Compound { parts }
}

/// A bar on one side of the tool point, 46 mm long.
fn finger(side: f64) -> Finger {
    let at = Pose::translation(0.0, side * 0.0075, -0.014);
    Finger {
        parts: vec![Part::new(at, cuboid(0.02, 0.015, 0.046))],
        opening: [0.0, 0.5 * side, 0.0],
    }
}

pub(crate) fn gripper() -> GripperInfo {
    let above = Pose::translation(0.0, 0.0, -0.083);
    GripperInfo {
        fingertip_beyond_tool_m: 0.009,
        finger_length_m: 0.046,
        hand: vec![Part::new(above, cuboid(0.064, 0.206, 0.092))],
        fingers: [-1.0, 1.0].map(finger).to_vec(),
        ..gripper_info()
    }
}

fn all(object: &PerceivedObject) -> Vec<Grasp> {
    grasps(object, &gripper(), 0.4).expect("the object can be grasped")
}

fn closing(grasp: &Grasp) -> Vector3<f64> {
    grasp.world_from_tool.rotation * Vector3::y()
}

#[test]
fn a_turned_cube_is_gripped_across_its_faces() {
    let yaw = 30f64.to_radians();
    let grasps = all(&object(cuboid(0.04, 0.04, 0.04), yaw));
    let down = grasps
        .iter()
        .filter(|g| g.lean_rad < 1e-9 && g.rise_m < 1e-9);
    for grasp in down {
        near("width, m", grasp.width_m, 0.04, 1e-6);
        let off = (4.0 * (tool_yaw(&grasp.world_from_tool) - yaw)).sin();
        near("fingers stand square to the faces", off, 0.0, 1e-4);
        let z = grasp.world_from_tool.rotation * Vector3::z();
        assert!((z + Vector3::z()).norm() < 1e-12, "the tool points down");
        assert!(grasp.is_flat, "pads lie flat on a cube");
    }
    let turned = turn(tool_yaw(&grasps[0].world_from_tool), 0.4);
    assert!(turned < 0.2, "the first grasp rotates the hand least");
}

#[test]
fn a_plank_is_gripped_across_its_narrow_side_only() {
    for grasp in all(&object(cuboid(0.2, 0.03, 0.04), 0.3)) {
        let narrow = Vector3::new(-0.3f64.sin(), 0.3f64.cos(), 0.0);
        let across = closing(&grasp).dot(&narrow).abs();
        near("the pads stay flat on the faces", across, 1.0, 1e-9);
    }
}

#[test]
fn what_no_hand_holds_says_how_wide_or_how_flat_it_is() {
    let block = object(cuboid(0.09, 0.1, 0.09), 0.3);
    let card = object(cuboid(0.06, 0.09, 0.004), 0.0);
    let cube = object(cuboid(0.036, 0.036, 0.036), 0.3);
    for (thing, max_width_m, told, figure) in [
        (block, 0.08, "0.0900 m wide", "width"),
        (cube, 0.03, "0.0360 m wide", "width"),
        (card, 0.08, "too flat", "overlap"),
    ] {
        let mut gripper = gripper();
        gripper.max_width_m = max_width_m;
        let failure = grasps(&thing, &gripper, 0.0).expect_err(told);
        assert_eq!(failure.reason, Reason::NoGraspFound);
        says(&failure.detail, &[told]);
        assert_eq!(failure.measured[0].name, figure);
    }
}

#[test]
fn tall_things_are_held_near_the_top_from_above_and_lower_from_the_side() {
    let grasps = all(&object(can(0.025, 0.16), 0.0));
    let top = GROUND_M + 0.16;
    let palm = |g: &Grasp| g.world_from_tool.translation.z + 0.037;
    assert!(grasps[0].lean_rad < 1e-9 && palm(&grasps[0]) > top);
    let lies = |g: &&Grasp| (g.lean_rad - FRAC_PI_2).abs() < 1e-9 && g.rise_m.abs() < 1e-9;
    let side = grasps.iter().find(lies);
    let side = side.expect("a horizontal hand can hold the can at its middle");
    assert!(!side.is_flat, "pads touch a can along lines");
    let back = side.world_from_before.translation.vector - side.world_from_tool.translation.vector;
    let is_behind = back.z.abs() < 1e-9 && (back.norm() - 0.08).abs() < 1e-9;
    assert!(
        is_behind,
        "the approach starts 8 cm behind the grasp, at its height: {back}"
    );
}

#[test]
fn a_hand_that_lies_stays_above_the_ground() {
    let low = all(&object(can(0.025, 0.05), 0.0));
    let lying = low.iter().filter(|g| g.lean_rad > FRAC_PI_2 - 1e-9);
    let heights: Vec<f64> = lying.map(|g| g.world_from_tool.translation.z).collect();
    assert!(
        !heights.is_empty(),
        "a horizontal hand 6.4 cm high can hold a can 5 cm high"
    );
    for height in heights {
        within("height of a horizontal hand, m", height, GROUND_M + 0.032..);
    }
}

#[test]
fn a_mug_too_wide_to_span_is_held_by_its_wall() {
    let mug = object(mug(), 0.2);
    let grasps = all(&mug);
    let first = &grasps[0];
    near("width, m", first.width_m, 0.004, 1e-6);
    let center = mug.world_from_object.translation.vector;
    let from_axis = (first.world_from_tool.translation.vector - center).xy();
    near("distance from the axis, m", from_axis.norm(), 0.043, 1e-6);
    let radial = closing(first).xy().dot(&from_axis.normalize()).abs();
    near("one finger inside, one outside", radial, 1.0, 1e-6);
}

/// Clearance of a top grasp of a cube, with the fingers closing along y and `opening_m` apart, or
/// the collision.
fn fit(neighbour: Option<PerceivedObject>, opening_m: f64) -> Result<f64, Rejection> {
    let target = object(cuboid(0.03, 0.03, 0.03), 0.0);
    let percept = percept(neighbour.into_iter().chain([target.clone()]).collect());
    let candidates = Candidates::new(&target, &gripper(), FRAC_PI_2);
    let mut straight = candidates.group(0, &mut Rejections::default());
    straight.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    Neighbours::new(&percept, &target).clearance_m(&candidates.hand, &straight[0], opening_m)
}

#[test]
fn a_hand_fits_where_nothing_is_beside_before_or_between_its_fingers() {
    // The gap of 2 cm beside the target fits a finger of 1.5 cm with 5 mm to spare.
    let block = || standing("box", cuboid(0.03, 0.03, 0.03), [0.4, -0.050], 0.0);
    // The fingers of an open hand would squeeze this can against the target.
    let thin = standing("box", can(0.004, 0.03), [0.4, -0.075], 0.0);
    let post = |height: f64| standing("box", can(0.01, height), [0.4, -0.18], 0.0);
    let mut lid = standing("box", cuboid(0.3, 0.3, 0.01), [0.4, -0.1], 0.0);
    lid.world_from_object.translation.z = 0.26;
    let hits = || vec![ObjectId::new("box")];
    let meets = || Some(Rejection::InCollision(hits()));
    let blocks = Some(Rejection::BlockedApproach(hits()));
    for (neighbour, opening_m, hit, why) in [
        (None, 0.08, None, "a cube alone leaves room"),
        (Some(block()), 0.08, meets(), "open fingers hit the block"),
        (
            Some(block()),
            0.035,
            None,
            "fingers that are opened less pass the block",
        ),
        (Some(thin), 0.08, meets(), "the can is between the fingers"),
        (
            Some(post(0.045)),
            0.06,
            None,
            "the hand passes over a low post",
        ),
        (Some(post(0.08)), 0.06, meets(), "the hand hits a high post"),
        (Some(lid), 0.06, blocks, "a lid blocks the approach only"),
    ] {
        let is_alone = neighbour.is_none();
        let found = fit(neighbour, opening_m);
        assert_eq!(found.clone().err(), hit, "{why}");
        assert!(!is_alone || found == Ok(0.02), "{why}: {found:?}");
    }
}

#[test]
fn leaning_keeps_the_closing_direction_level() {
    for lean in [0.0, 0.4, -1.2] {
        let y = leaning(0.7, lean) * Vector3::y();
        assert!((y - Vector3::new(0.7f64.cos(), 0.7f64.sin(), 0.0)).norm() < 1e-12);
        let z = leaning(0.7, lean) * Vector3::z();
        assert!(
            (z.z + lean.cos()).abs() < 1e-12,
            "tool z should lean by {lean} rad"
        );
    }
}

/// Posts block the fingers at the middle of each face, but not beside it.
#[test]
fn where_the_middle_is_blocked_the_ends_of_the_faces_are_free() {
    let target = object(cuboid(0.05, 0.03, 0.03), 0.0);
    let post = |id: &str, x: f64, y: f64| standing(id, can(0.004, 0.03), [0.4 + x, -0.1 + y], 0.0);
    let objects = vec![
        post("left", 0.0, 0.025),
        post("right", 0.0, -0.025),
        post("behind", 0.035, 0.0),
        post("before", -0.035, 0.0),
        target.clone(),
    ];
    let percept = percept(objects);
    let neighbours = Neighbours::new(&percept, &target);
    let candidates = Candidates::new(&target, &gripper(), FRAC_PI_2);
    let hand = &candidates.hand;
    let fitting = |group: usize| -> Vec<Grasp> {
        let grasps = candidates.group(group, &mut Rejections::default());
        let fits = |g: &Grasp| neighbours.clearance_m(hand, g, g.width_m + 0.006).is_ok();
        grasps.into_iter().filter(fits).collect()
    };
    assert_eq!(fitting(0), [], "a post blocks the middle of every face");
    let ends = fitting(4);
    assert!(!ends.is_empty(), "there is room beside the posts");
    for grasp in ends {
        let off = grasp.world_from_tool.translation.vector.xy() - nalgebra::Vector2::new(0.4, -0.1);
        near(
            "5 mm from the end of the long face",
            off.x.abs(),
            0.02,
            1e-6,
        );
        near("on the long face", off.y, 0.0, 1e-6);
        // A high grasp has half of its pads above the face.
        let is_low = grasp.rise_m < 1e-9;
        assert!(grasp.is_flat || !is_low, "the pads lie flat on the face");
    }
}

#[test]
fn a_thin_rod_is_gripped_with_the_ends_of_the_pads() {
    let pose = Pose::from_parts(
        Translation3::new(0.4, -0.1, GROUND_M + 0.007),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2),
    );
    let rod = PerceivedObject {
        world_from_object: pose,
        ..object(can(0.007, 0.2), 0.0)
    };
    let found = grasps(&rod, &gripper(), 0.0).expect("a rod can be held across");
    let best = &found[0];
    near("lean, rad", best.lean_rad, 0.0, 1e-9);
    near("width, m", best.width_m, 0.014, 1e-3);
    let tips = best.world_from_tool.translation.z - gripper().fingertip_beyond_tool_m;
    within("height of the fingertips, m", tips, GROUND_M..);
}

/// A bowl of plates that lean outwards by `tilt_rad`.
fn bowl(tilt_rad: f64) -> Shape {
    ring(16, 0.047, tilt_rad, &cuboid(0.0026, 0.0186, 0.037))
}

#[test]
fn pads_lie_flat_on_the_wall_of_a_bowl_that_leans_out() {
    let tilt_rad = 0.2566;
    let grasps = all(&object(bowl(tilt_rad), 0.3));
    let best = &grasps[0];
    near("width of the wall, m", best.width_m, 0.0026, 1e-4);
    near("slant of the pads, rad", best.slant_rad, 0.0, 0.01);
    let off_level = closing(best).z.abs().asin();
    near("tilt of the hand, rad", off_level, tilt_rad, 0.01);
    let approach = best.world_from_tool.rotation * Vector3::z();
    assert!(approach.z < -0.9, "the hand still comes from above");
    for grasp in &grasps {
        let [from, to] = [grasp.world_from_before, grasp.world_from_tool].map(|p| p.translation);
        let aside_m = (from.vector - to.vector).dot(&closing(grasp));
        near("drift of the pads towards the wall, m", aside_m, 0.0, 1e-9);
    }
}

#[test]
fn a_hand_stays_level_at_a_wall_that_does_not_lean() {
    let best = &all(&object(bowl(0.0), 0.3))[0];
    assert!(closing(best).z.abs() < 1e-12 && best.slant_rad < 1e-6);
}

/// A ring of twelve walls, each a convex hull, that lean outwards by 22 degrees.
fn leaning_walls() -> Shape {
    let wall = |i: usize| {
        let corner = |side: f64, radius_m: f64, z: f64| {
            let angle = TAU * (i as f64 + 0.5 * side) / 12.0;
            [radius_m * angle.cos(), radius_m * angle.sin(), z]
        };
        let points = [-1.0, 1.0].map(|side| {
            [(0.045, 0.0), (0.05, 0.0), (0.065, 0.05), (0.07, 0.05)]
                .map(|(radius_m, z)| corner(side, radius_m, z))
        });
        let points = points.concat();
        Part::new(Pose::identity(), Shape::Convex { points })
    };
    let parts = (0..12).map(wall).collect();
    Shape::Compound { parts }
}

#[test]
fn a_hand_tilts_to_lie_flat_on_a_wall_that_leans() {
    // Horizontal pads would meet these walls at an angle outside the friction cone.
    let grasps = all(&object(leaning_walls(), 0.2));
    let tilt = closing(&grasps[0]).z.abs().asin().to_degrees();
    near("tilt, degrees", tilt, 21.8, 3.0);
    within("width, m", grasps[0].width_m, ..0.008);
}

fn hull(x: f64, y: f64, z: f64) -> Shape {
    let corner = |i: usize| [0, 1, 2].map(|k| [x, y, z][k] * ((i >> k & 1) as f64 - 0.5));
    let points = (0..8).map(corner).collect();
    Shape::Convex { points }
}

#[test]
fn a_part_is_gripped_beside_the_mass_not_in_its_middle() {
    // A handle on a plate that is too wide for the hand.
    let plate = Pose::translation(0.13, 0.0, 0.0);
    let parts = vec![
        Part::new(Pose::identity(), hull(0.16, 0.02, 0.02)),
        Part::new(plate, cuboid(0.1, 0.1, 0.02)),
    ];
    let grasps = all(&object(Shape::Compound { parts }, 0.2));
    // The handle's middle is 10 cm from the centre of mass, its end 2 cm.
    within("distance from the mass, m", grasps[0].off_center_m, ..0.04);
}

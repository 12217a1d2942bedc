//! Picking and placing of objects from scans with typical defects.

#![expect(clippy::print_stdout, reason = "the rates are a result")]

#[path = "../common/scans.rs"]
mod models;

use crate::common::*;
use models::{DIRTY, Draw, scans};
use regrasp::api::Reason;
use serde_json::json;

/// Number of trials per object. Each has other defects and positions.
const SEEDS: u64 = 3;

/// Result of one trial: claim of success, reason of a failure, and true if the object reached its
/// target.
struct Tried {
    claimed: bool,
    why: String,
    is_there: bool,
}

fn tried(scan: &models::Scan, seed: u64) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("it.stl"), scan.dirty(DIRTY, seed).stl()).unwrap();
    let mut draw = Draw(seed * 77 + scan.name.len() as u64);
    let (x, y) = (0.42 + 0.05 * draw.signed(), -0.14 + 0.05 * draw.signed());
    let yaw = 3.1 * draw.signed();
    let to = [0.45 + 0.04 * draw.signed(), 0.18 + 0.04 * draw.signed()];
    let text = format!(
        "arm: {{position: [-0.1, 0.0, 0.0]}}
objects:
  - {{id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0], friction: 1.0}}
  - {{id: white_thing, category: thing, kind: mesh, file: it.stl, mass_kg: 0.15, friction: 0.8, color: white, on: table, xy: [{x:.4}, {y:.4}], yaw_rad: {yaw:.3}}}
"
    );
    let mut cell = cell(&scene_in(folder.path(), &text));
    let place = json!({"x": to[0], "y": to[1]});
    let pick = pick_for("white_thing", "place_at", &place);
    let mut picked = call(&mut cell.robot, "pick", pick.clone());
    if picked.reason == Some(Reason::GraspSlipped) {
        // A pick whose grasp slipped is repeated once, as the agent does.
        picked = call(&mut cell.robot, "pick", pick);
    }
    let is_held = picked.success;
    let put = is_held.then(|| call(&mut cell.robot, "place_at", place));
    let last = put.as_ref().unwrap_or(&picked);
    let it = cell.object("white_thing");
    let aabb = it.shape.aabb(&it.world_from_object);
    // The centre is at the target, and the object lies on the table.
    let middle = aabb.center();
    let is_there =
        (middle.x - to[0]).hypot(middle.y - to[1]) < 0.06 && (aabb.min[2] - 0.04).abs() < 0.01;
    Tried {
        claimed: put.as_ref().is_some_and(|put| put.success),
        why: format!("{:?} {}", last.reason, last.reason_detail),
        is_there,
    }
}

#[test]
fn twelve_dirty_scans_are_picked_and_placed() {
    let (mut n, mut good, mut wrong) = (0, 0, vec![]);
    for scan in scans() {
        for seed in 0..SEEDS {
            let start = std::time::Instant::now();
            let tried = tried(&scan, seed);
            n += 1;
            good += u32::from(tried.claimed && tried.is_there);
            if tried.claimed && !tried.is_there {
                wrong.push(format!("{} {seed}", scan.name));
            }
            let (name, claimed) = (scan.name, tried.claimed);
            let told = if claimed { "" } else { &tried.why };
            let secs = start.elapsed().as_secs_f64();
            println!("{name} {seed}: {claimed} {told} ({secs:.1} s)");
        }
    }
    println!("{good} of {n} trials succeeded");
    assert!(wrong.is_empty(), "falsely claimed successes: {wrong:?}");
    // All 36 trials have succeeded, and 68 of 72 with the next six seeds. In the others, a carton
    // rocks on its uneven bottom, or a spoon is too flat for the fingers.
    let share = f64::from(good) / f64::from(n);
    within("share of trials that succeeded", share, 0.9..);
}

//! Tests of snapshots: writing, restoring and hashing a world.

use crate::common::{Lab, cube, down, pushed, table};
use regrasp_api::{Rewind, Snapshot, SnapshotError};
use regrasp_sim::{Disturbance, When};

fn objects() -> Vec<regrasp_scene::SceneObject> {
    vec![
        table(),
        cube("cube", 0.04, 0.42, -0.12, 0.3),
        cube("other", 0.05, 0.5, 0.2, 1.0),
    ]
}

/// Picks up the cube, with a push on the bystander and a drop of the grip force scheduled.
fn first_half(lab: &mut Lab) {
    let push = pushed("other", [0.3, 0.1, 0.0], 5.0);
    let weak = Disturbance::WeakGripper { factor: 0.0 };
    lab.disturb(When::At { time_secs: 3.0 }, push);
    lab.disturb(When::AfterGrasp { delay_secs: 0.9 }, weak);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
}

/// Lifts, loses the cube, and opens.
fn second_half(lab: &mut Lab) -> u64 {
    lab.go(&down(0.42, -0.12, 0.2, 0.3), 1.2);
    lab.open(0.06);
    lab.world.state_digest()
}

#[test]
fn what_follows_a_restored_snapshot_is_bit_identical() {
    let mut lab = Lab::new(objects());
    first_half(&mut lab);
    let middle = lab.world.state_digest();
    let snapshot = lab.snapshot();
    let uninterrupted = second_half(&mut lab);
    assert_ne!(middle, uninterrupted);
    let z = lab.place("cube").z;
    assert!(z < 0.1, "the weakened gripper dropped the cube");

    lab.restore(&snapshot);
    assert_eq!(lab.world.state_digest(), middle, "the restored state");
    let there = second_half(&mut lab);
    assert_eq!(there, uninterrupted, "restored, bit for bit");

    let mut another = Lab::new(objects());
    another.restore(&snapshot);
    let there = second_half(&mut another);
    assert_eq!(there, uninterrupted, "in another world, bit for bit");
}

#[test]
fn the_same_run_gives_the_same_digest_on_any_thread() {
    let run = || {
        let mut lab = Lab::new(objects());
        first_half(&mut lab);
        second_half(&mut lab)
    };
    let here = run();
    let others: Vec<_> = (0..2).map(|_| std::thread::spawn(run)).collect();
    for other in others {
        let there = other.join().expect("the run ends");
        assert_eq!(here, there, "equal runs must have equal digests");
    }
}

#[test]
fn damaged_and_foreign_snapshots_are_refused() {
    let mut lab = Lab::new(objects());
    let good = lab.snapshot();
    let before = lab.world.state_digest();
    let damage: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(1000),
        |bytes| bytes[3] ^= 1,
        |bytes| bytes[20] ^= 1,
        |bytes| bytes[5000] ^= 64,
    ];
    for harm in damage {
        let mut bytes = good.bytes.clone();
        harm(&mut bytes);
        let refused = lab.world.restore(&Snapshot { bytes });
        let is_told = matches!(refused, Err(SnapshotError::Corrupt(_)));
        assert!(is_told, "a damaged snapshot gave {refused:?}");
    }
    let mut moved = objects();
    moved[1] = cube("cube", 0.04, 0.43, -0.12, 0.3);
    let foreign = Lab::new(moved).snapshot();
    let refused = lab.world.restore(&foreign);
    let is_told = matches!(refused, Err(SnapshotError::OtherWorld(_)));
    assert!(is_told, "a snapshot of another scene gave {refused:?}");
    assert_eq!(lab.world.state_digest(), before, "refused");
}

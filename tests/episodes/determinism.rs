//! Determinism: the same inputs give the same state, also with other episodes in parallel.

use std::thread;

use crate::common::*;
use regrasp::EpisodeOptions;
use regrasp::ground_truth_perception::NoiseOptions;

/// Runs a built-in task with slightly noisy perception and returns the digest.
fn digest(task: &str, seed: u64) -> String {
    let instance = instance(task, seed);
    let options = EpisodeOptions {
        seed,
        noise: NoiseOptions {
            position_std_m: 0.0005,
            ..NoiseOptions::default()
        },
        ..EpisodeOptions::default()
    };
    let episode = played(&instance.scene, &instance.prompt, options);
    episode.result.state_digest
}

#[test]
fn the_same_seed_gives_the_same_digest_beside_other_episodes() {
    let alone = digest("stack_two", 7);
    assert_eq!(digest("stack_two", 7), alone, "the same seed again");
    let other = digest("stack_two", 8);
    assert_ne!(other, alone, "two seeds give the same digest");
    let beside: Vec<_> = ["stack_two", "pick_from_three", "stack_two"]
        .map(|task| thread::spawn(move || digest(task, 7)))
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let both = [&beside[0], &beside[2]];
    assert_eq!(both, [&alone; 2], "in parallel with other episodes");
}

#[test]
fn a_restored_snapshot_continues_bit_for_bit() {
    let green = cube("green_cube", 0.02, 0.4, 0.1);
    let scene = scene([cube("red_cube", 0.015, 0.4, -0.1), green]);
    let mut straight = cell(&scene);
    straight.does("pick", of("red cube"));
    let snapshot = straight.robot.world.rewind().unwrap().snapshot().unwrap();
    let held = straight.robot.held.clone();
    straight.does("place_on", on("green cube"));
    let expected = straight.robot.state_digest();

    // The snapshot is restored into the same world, and into a new one of the same scene.
    for (mut cell, which) in [(straight, "the same"), (cell(&scene), "a new")] {
        let rewind = cell.robot.world.rewind().unwrap();
        rewind.restore(&snapshot).unwrap();
        cell.robot.held.clone_from(&held);
        cell.does("place_on", on("green cube"));
        let digest = cell.robot.state_digest();
        assert_eq!(digest, expected, "restored in {which} world");
    }
}

//! Episodes with randomly drawn shapes: objects reach their targets, and no success is claimed that
//! the ground truth denies. `regrasp bench --suite shapes` measures rates.

use std::collections::BTreeSet;

use crate::common::{instance, judged, within};

use regrasp::EpisodeOptions;
use regrasp::bench::{Suite, Verdict};
use regrasp::scene::builtin_task_names;

#[test]
fn twelve_shapes_differ_from_seed_to_seed_in_make_aim_mass_and_friction() {
    let names = builtin_task_names();
    let tasks = Suite::Shapes.tasks(&names);
    assert_eq!(tasks.len(), 12);
    for task in tasks {
        let (mut meshes, mut prompts) = (BTreeSet::new(), BTreeSet::new());
        for seed in 1..40 {
            let drawn = instance(task, seed);
            let object = drawn.scene.objects.last().unwrap();
            let mass_kg = object.mass_kg.unwrap();
            within(&format!("{task}: mass, kg"), mass_kg, 0.02..=0.6);
            assert!((0.3..=1.0).contains(&object.friction));
            assert_eq!(drawn.scene.pad_friction, Some(object.friction), "{task}");
            meshes.insert(object.mesh.is_some());
            prompts.insert(drawn.prompt.clone());
        }
        assert_eq!(meshes.len(), 2, "{task}: meshes and other shapes");
        assert!(prompts.len() >= 2, "{task}: few prompts: {prompts:?}");
    }
}

#[test]
fn drawn_shapes_are_carried_where_they_should_be() {
    for (task, seed) in [
        ("shapes/carton", 1),
        ("shapes/cup", 1),
        ("shapes/ell", 2),
        ("shapes/ring", 3),
    ] {
        let (episode, verdict) = judged(&instance(task, seed), EpisodeOptions::default());
        let why = episode.result.final_detail;
        assert_eq!(verdict, Verdict::Success, "{task} seed {seed}: {why}");
    }
}

#[test]
fn what_rolls_on_in_a_tray_is_not_claimed_to_lie_there() {
    for seed in [17, 25, 38] {
        let bottle = instance("shapes/bottle", seed);
        let (episode, verdict) = judged(&bottle, EpisodeOptions::default());
        let is_false = matches!(&verdict, Verdict::Failure { false_success, .. } if *false_success);
        let why = episode.result.final_detail;
        assert!(!is_false, "seed {seed}: {verdict:?} {why}");
    }
}

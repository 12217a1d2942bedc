//! Beads in containers, and conditions on where they are and for how long.

use crate::common::{BEADS, condition, id, task};
use nalgebra::Vector3;
use regrasp_ground_truth::{Evidence, GroundTruth, Success};
use regrasp_scene::{builtin_robot, builtin_task};
use regrasp_testkit::says;

fn start() -> GroundTruth {
    let instance = task(BEADS).unwrap().instantiate(0).unwrap();
    instance.scene.initial_truth(&builtin_robot().unwrap())
}

fn after(n_in_bowl: usize, n_beside: usize, secs: f64) -> GroundTruth {
    let mut truth = start();
    truth.time_secs = secs;
    let is_pea = |o: &&mut regrasp_ground_truth::GroundTruthObject| o.group == Some(id("peas"));
    for (i, pea) in truth.objects.iter_mut().filter(is_pea).enumerate() {
        let x = match i {
            _ if i < n_in_bowl => 0.6,
            _ if i < n_in_bowl + n_beside => 0.75,
            _ => continue,
        };
        pea.world_from_object.translation.vector = Vector3::new(x, 0.0, 0.06);
    }
    truth
}

#[test]
fn beads_lie_in_their_container_and_nowhere_in_each_other() {
    let truth = start();
    let group = id("peas");
    let all: Vec<_> = truth.members(&group).collect();
    assert_eq!(all.len(), 20);
    let mug = truth.object(&id("mug")).unwrap();
    for (i, pea) in all.iter().enumerate() {
        let at = pea.world_from_object.translation.vector;
        let in_mug = mug.world_from_object.inverse() * nalgebra::Point3::from(at);
        assert!(mug.shape.encloses(&in_mug), "{} is at {in_mug}", pea.id);
        for other in &all[..i] {
            let apart = (other.world_from_object.translation.vector - at).norm();
            let ids = [&pea.id, &other.id];
            assert!(apart > 0.01, "{ids:?} are {apart} m apart");
        }
    }
    let per_pea = 900.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.005_f64.powi(3);
    assert!((all[0].mass_kg - per_pea).abs() < 1e-9);
    assert!(truth.object(&id("peas_01")).is_some());
}

#[test]
fn contained_is_inside_and_spilled_is_inside_nothing() {
    let contains = condition("contains: {container: bowl, what: peas, at_least: 0.8}");
    let spilled = condition("spilled: {what: peas, at_most: 0.2}");
    let holds = |success: &Success, n_in: usize, n_beside: usize| {
        let last = after(n_in, n_beside, 1.0);
        success.unmet(&start(), &last).is_empty()
    };
    assert!(holds(&contains, 16, 4) && !holds(&contains, 15, 0));
    assert!(holds(&spilled, 0, 4) && !holds(&spilled, 15, 5));
    let found = &contains.unmet(&start(), &after(3, 2, 1.0))[0].found;
    assert!(found.contains("3 of 20 are in bowl"), "{found}");
}

#[test]
fn what_has_to_be_held_is_looked_at_all_the_time_after_the_end() {
    let held =
        condition("held_for: {seconds: 1.0, condition: {spilled: {what: peas, at_most: 0.2}}}");
    assert!((held.watch_secs() - 1.0).abs() < 1e-12);
    let (first, last) = (start(), after(16, 0, 10.0));
    let stays = |secs: &[(f64, usize)]| {
        let truths: Vec<_> = secs.iter().map(|(s, n)| after(10, *n, *s)).collect();
        held.unmet_in(&Evidence {
            first: &first,
            last: &last,
            after: Some(&truths),
        })
    };
    assert!(stays(&[(10.5, 0), (11.0, 4)]).is_empty());
    let later = stays(&[(10.5, 0), (11.0, 0), (11.5, 10)]);
    assert!(later.is_empty(), "states after the hold time count");
    let fell = &stays(&[(10.5, 5), (11.0, 0)])[0].found;
    says(fell, &["0.50 s after the end", "5 of 20"]);
    let short = &stays(&[(10.5, 0)])[0].found;
    says(short, &["watched for only 0.50 s"]);
    let moment = held.unmet(&first, &last);
    assert!(moment.is_empty(), "judged by the inner condition");
}

#[test]
fn others_that_stay_are_no_beads() {
    let task = builtin_task("robosandbox/pour").unwrap();
    let instance = task.instantiate(3).unwrap();
    let objects = instance.scene.objects.iter();
    assert_eq!(objects.filter(|o| o.group.is_some()).count(), 24);
    assert!(instance.success.watch_secs() > 0.0);
}

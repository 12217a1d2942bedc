//! Reports of ground-truth perception, with and without noise.

use std::sync::Arc;

use nalgebra::{Translation3, UnitQuaternion};
use regrasp_api::{ObjectId, Observation, Percept, Perception, Pose};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject, GroundTruthSource};
use regrasp_ground_truth_perception::{GroundTruthPerception, NoiseOptions};
use regrasp_testkit::{cuboid, near};

struct Still(GroundTruth);

impl GroundTruthSource for Still {
    fn truth(&self) -> GroundTruth {
        self.0.clone()
    }
}

fn object(id: &str, x: f64, movable: bool) -> GroundTruthObject {
    let category = if movable { "cube" } else { "table" };
    let turn = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    let pose = Pose::from_parts(Translation3::new(x, -0.1, 0.06), turn);
    GroundTruthObject {
        color: movable.then(|| "red".into()),
        movable,
        ..GroundTruthObject::at_rest(ObjectId::new(id), category, cuboid([0.02; 3]), pose)
    }
}

fn scene() -> Arc<dyn GroundTruthSource> {
    Arc::new(Still(GroundTruth {
        time_secs: 3.0,
        objects: [("table", 0.0, false), ("a", 0.3, true), ("b", 0.5, true)]
            .map(|(id, x, movable)| object(id, x, movable))
            .to_vec(),
        ..GroundTruth::default()
    }))
}

fn observation() -> Observation {
    Observation {
        time_secs: 3.0,
        ..regrasp_testkit::observation()
    }
}

fn looks(options: NoiseOptions, n_looks: usize) -> Vec<Percept> {
    let mut eyes = GroundTruthPerception::new(scene(), options).expect("valid options");
    let look = |_| eyes.perceive(&observation()).expect("it always answers");
    (0..n_looks).map(look).collect()
}

#[test]
fn without_noise_everything_is_seen_to_the_last_bit() {
    let mut eyes = GroundTruthPerception::exact(scene());
    let percept = eyes.perceive(&observation()).expect("it always answers");
    let truth = scene().truth();
    assert_eq!(percept.objects.len(), 3);
    for (seen, real) in percept.objects.iter().zip(&truth.objects) {
        assert_eq!(seen.id, real.id);
        assert_eq!(seen.world_from_object, real.world_from_object);
        assert_eq!((seen.movable, &seen.color), (real.movable, &real.color));
        assert!(seen.position_std_m.abs() < f64::EPSILON);
    }
    assert_eq!((percept.time_secs, percept.latency_secs), (3.0, 0.0));
}

#[test]
fn noise_has_the_deviation_that_was_asked_for() {
    let options = NoiseOptions {
        position_std_m: 0.004,
        yaw_std_rad: 0.1,
        seed: 7,
        ..NoiseOptions::default()
    };
    let real = object("a", 0.3, true).world_from_object;
    let pose = |p: &Percept| p.object(&"a".into()).map(|o| o.world_from_object);
    let seen: Vec<Pose> = looks(options, 2000).iter().filter_map(pose).collect();
    let std =
        |values: Vec<f64>| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    for axis in 0..3 {
        let seen = seen.iter();
        let offsets = seen.map(|p| p.translation.vector[axis] - real.translation.vector[axis]);
        let std_m = std(offsets.collect());
        let is_right = (std_m - 0.004).abs() < 0.0003;
        assert!(is_right, "axis {axis}: deviation {std_m:.5} m, not 0.004 m");
    }
    let turns = seen.iter().map(|p| {
        let turn = (p.rotation * real.rotation.inverse()).scaled_axis();
        assert!(turn.xy().norm() < 1e-9, "only the yaw is noisy");
        turn.z
    });
    near("yaw deviation", std(turns.collect()), 0.1, 0.008);
}

#[test]
fn the_same_seed_sees_the_same_and_another_does_not() {
    let noisy = |seed| NoiseOptions {
        position_std_m: 0.002,
        yaw_std_rad: 0.02,
        miss_probability: 0.3,
        latency_secs: 0.05,
        seed,
    };
    assert_eq!(looks(noisy(1), 20), looks(noisy(1), 20));
    assert_ne!(looks(noisy(1), 20), looks(noisy(2), 20));
}

#[test]
fn a_miss_changes_nothing_about_the_other_objects() {
    let with = |miss_probability| NoiseOptions {
        position_std_m: 0.002,
        miss_probability,
        seed: 5,
        ..NoiseOptions::default()
    };
    let (all, some) = (looks(with(0.0), 50), looks(with(0.5), 50));
    let mut n_missed = 0;
    for (all, some) in all.iter().zip(&some) {
        n_missed += all.objects.len() - some.objects.len();
        for seen in &some.objects {
            assert_eq!(all.object(&seen.id), Some(seen));
        }
    }
    assert!((30..70).contains(&n_missed), "{n_missed} of 100 missed");
}

#[test]
fn the_table_is_always_seen_where_it_is() {
    let options = NoiseOptions {
        position_std_m: 0.1,
        yaw_std_rad: 1.0,
        miss_probability: 1.0,
        latency_secs: 0.2,
        seed: 0,
    };
    for percept in looks(options, 10) {
        assert_eq!(percept.objects.len(), 1, "every movable object is missed");
        let real = object("table", 0.0, false).world_from_object;
        assert_eq!(percept.objects[0].world_from_object, real);
        assert!((percept.latency_secs - 0.2).abs() < f64::EPSILON);
    }
}

#[test]
fn options_that_make_no_sense_are_refused_by_name() {
    let cases: [(_, fn(&mut NoiseOptions)); 4] = [
        ("position_std_m", |options| options.position_std_m = -0.1),
        ("yaw_std_rad", |options| options.yaw_std_rad = f64::NAN),
        ("miss_probability", |options| options.miss_probability = 1.5),
        ("latency_secs", |options| {
            options.latency_secs = f64::INFINITY
        }),
    ];
    for (field, spoil) in cases {
        let mut options = NoiseOptions::default();
        spoil(&mut options);
        let error = GroundTruthPerception::new(scene(), options).err();
        assert_eq!(error.map(|e| e.field), Some(field));
    }
}

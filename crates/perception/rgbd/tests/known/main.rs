//! Recognition of known objects in rendered pictures.

mod room;

use std::sync::Arc;

use nalgebra::Vector3;
use regrasp_api::{ObjectId, PerceivedObject, Percept, Pose};
use regrasp_rgbd_perception::Model;
use regrasp_testkit::{cuboid, cylinder, near, within};

use crate::room::{Room, TABLE_Z, boxed, chest, look, plain};

/// Returns a pose with its origin `up` m above the table.
fn at(x: f64, y: f64, up: f64, turn: f64) -> Pose {
    Pose::new(Vector3::new(x, y, TABLE_Z + up), Vector3::z() * turn)
}

/// Two cartons that differ by the colour of their stripes only.
fn cartons() -> [Arc<Model>; 2] {
    let carton = |name: &str, stripe: [u8; 3]| {
        boxed(name, [0.03, 0.03, 0.06], move |u, v| {
            match (4.0 * v) as u32 {
                1 if u < 0.5 => [40, 40, 45],
                1 | 3 => stripe,
                _ => [235, 235, 230],
            }
        })
    };
    [
        carton("milk", [40, 90, 200]),
        carton("juice", [240, 140, 30]),
    ]
}

fn cube(name: &str, rgb: [f32; 3]) -> Arc<Model> {
    plain(name, cuboid([0.025; 3]), rgb)
}

/// Thirty boxes and cylinders of many sizes and colours.
fn absent() -> Vec<Arc<Model>> {
    let models = (0..30_u32).map(|i| {
        let part = |k: u32| f64::from((i * 7 + k * 11) % 13) / 13.0;
        let rgb = [1, 2, 3].map(|k| (0.1 + 0.8 * part(k)) as f32);
        let half = [4, 5, 6].map(|k| 0.015 + 0.04 * part(k));
        let shape = match i % 3 {
            0 => cylinder(half[0], half[2]),
            _ => cuboid(half),
        };
        plain(&format!("absent_{i}"), shape, rgb)
    });
    models.collect()
}

/// The objects of a percept whose ids begin with a name.
fn named<'a>(percept: &'a Percept, name: &str) -> Vec<&'a PerceivedObject> {
    let objects = percept.objects.iter();
    let named = objects.filter(|o| o.id.as_str().starts_with(name));
    named.collect()
}

/// Checks that one of the objects stands at a place, up to `off_m` metres.
fn stands(objects: &[&PerceivedObject], place: &Pose, off_m: f64) {
    let off = |o: &&PerceivedObject| {
        let here = o.world_from_object.translation.vector;
        (here - place.translation.vector).norm()
    };
    let nearest = objects.iter().map(off).fold(f64::INFINITY, f64::min);
    within("distance of the nearest, m", nearest, ..off_m);
}

#[test]
fn touching_cubes_of_one_colour_are_two() {
    let red = cube("red_cube", [0.8, 0.1, 0.1]);
    let places = [
        at(0.4, 0.0, 0.025, 0.3),
        at(0.4 - 0.0149, 0.0479, 0.025, 0.3),
    ];
    let things = places.map(|place| (Arc::clone(&red), place, 0.0));
    let percept = Room::new(things.to_vec()).percept(&[red]);
    let cubes = named(&percept, "red_cube");
    assert_eq!(cubes.len(), 2, "{:?}", percept.objects);
    places.iter().for_each(|place| stands(&cubes, place, 0.003));
}

#[test]
fn things_of_one_name_and_two_sizes_keep_their_own_sizes() {
    let of_size = |half: f64| plain("cube", cuboid([half; 3]), [0.8, 0.1, 0.1]);
    let (small, large) = (of_size(0.02), of_size(0.035));
    let places = [at(0.35, -0.15, 0.02, 0.3), at(0.45, 0.15, 0.035, 0.8)];
    let room = Room::new(vec![
        (Arc::clone(&small), places[0], 0.0),
        (Arc::clone(&large), places[1], 0.0),
    ]);
    let percept = room.percept(&[small, large]);
    let cubes = named(&percept, "cube");
    for (half, place) in [0.02, 0.035].into_iter().zip(&places) {
        let is_it = |o: &&&PerceivedObject| o.shape == cuboid([half; 3]);
        let found: Vec<_> = cubes.iter().filter(is_it).copied().collect();
        assert_eq!(found.len(), 1, "half {half} m: {cubes:?}");
        stands(&found, place, 0.003);
    }
}

#[test]
fn look_alikes_are_told_apart_by_their_pictures_and_turned_as_they_are() {
    let [milk, juice] = cartons();
    let places = [at(0.35, -0.15, 0.06, 0.4), at(0.45, 0.15, 0.06, 2.2)];
    let room = Room::new(vec![
        (Arc::clone(&milk), places[0], 0.0),
        (Arc::clone(&juice), places[1], 0.0),
    ]);
    let percept = room.percept(&[juice, milk]);
    for (name, place) in ["milk", "juice"].into_iter().zip(&places) {
        let found = named(&percept, name);
        assert_eq!(found.len(), 1, "{name}: {:?}", percept.objects);
        stands(&found, place, 0.003);
        let up = found[0].world_from_object.rotation * Vector3::z();
        near("upward part of the carton's axis", up.z, 1.0, 0.01);
    }
}

#[test]
fn a_drawer_is_seen_open_and_what_lies_in_it_is_found() {
    let (chest, green) = (chest(), cube("green_cube", [0.1, 0.7, 0.15]));
    let place = at(0.3, 0.05, 0.06, 2.6);
    let in_drawer =
        place * Pose::translation(-0.115, 0.02, 0.0) * Pose::translation(0.0, 0.0, -0.005);
    let room = Room::new(vec![
        (Arc::clone(&chest), place, 0.11),
        (Arc::clone(&green), in_drawer, 0.0),
    ]);
    let percept = room.percept(&[chest, green]);
    stands(&named(&percept, "chest"), &place, 0.005);
    let joint = percept.joints.first().expect("a joint");
    near("opening, m", joint.opening, 0.11, 0.005);
    within("its standard deviation, m", joint.opening_std, 0.0..0.01);
    let drawer = percept
        .object(&ObjectId::new("chest_drawer"))
        .expect("a drawer");
    let opened = place * Pose::translation(-0.01 - 0.11, 0.0, 0.0);
    stands(&[drawer], &opened, 0.007);
    let cubes = named(&percept, "green_cube");
    assert_eq!(cubes.len(), 1, "{:?}", percept.objects);
    stands(&cubes, &in_drawer, 0.004);
}

#[test]
fn a_drawer_that_is_not_seen_is_not_said_to_be_closed() {
    let chest = chest();
    let wall = plain("wall", cuboid([0.01, 0.2, 0.12]), [0.3, 0.5, 0.3]);
    // The drawer opens away from both cameras.
    let place = at(0.45, 0.1, 0.06, 0.0);
    let room = Room::new(vec![
        (Arc::clone(&chest), place, 0.0),
        (wall, at(0.3, 0.1, 0.12, 0.0), 0.0),
    ]);
    let percept = room.percept(&[chest]);
    stands(&named(&percept, "chest"), &place, 0.006);
    let joint = percept.joints.first().expect("a joint");
    within("standard deviation, m", joint.opening_std, 0.05..);
}

#[test]
fn thirty_absent_things_are_not_seen() {
    let [milk, juice] = cartons();
    let mut models = absent();
    models.extend([Arc::clone(&milk), juice]);
    let ball = regrasp_api::Shape::Sphere { radius: 0.035 };
    let unknown = plain("ball", ball, [0.6, 0.2, 0.7]);
    let room = Room::new(vec![
        (milk, at(0.4, 0.1, 0.06, 1.0), 0.0),
        (unknown, at(0.35, -0.15, 0.035, 0.0), 0.0),
    ]);
    let percept = room.percept(&models);
    let ids: Vec<&str> = percept.objects.iter().map(|o| o.id.as_str()).collect();
    assert!(ids.contains(&"milk"), "{ids:?}");
    let is_expected = |id: &&str| !id.starts_with("absent") && *id != "juice";
    assert!(ids.iter().all(is_expected), "{ids:?}");
    let keeps_unknown = ids.iter().any(|id| id.starts_with("purple"));
    assert!(keeps_unknown, "the object without a model is lost: {ids:?}");
}

#[test]
fn noise_moves_a_thing_by_millimetres() {
    let [milk, juice] = cartons();
    let place = at(0.42, 0.05, 0.06, 0.7);
    let room = Room::new(vec![(Arc::clone(&milk), place, 0.0)]).noisy(0.002);
    let percept = room.percept(&[milk, juice]);
    stands(&named(&percept, "milk"), &place, 0.006);
    assert!(named(&percept, "juice").is_empty());
}

#[test]
fn a_thing_keeps_its_name_when_it_moves_and_the_same_pictures_give_the_same_percept() {
    let [milk, _] = cartons();
    let thing = |place: Pose| (Arc::clone(&milk), place, 0.0);
    let (first, moved) = (at(0.4, -0.1, 0.06, 0.7), at(0.3, 0.15, 0.06, 2.0));
    let other = at(0.5, 0.2, 0.06, 0.1);
    let room = Room::new(vec![thing(first), thing(other)]);
    let models = [Arc::clone(&milk)];
    let [mut one, mut two] = [(); 2].map(|()| room.perception(&models));
    let before = look(&mut one, 1.0);
    assert_eq!(before, look(&mut two, 1.0));
    let id = |percept: &Percept, place: &Pose| {
        let near = |o: &&&PerceivedObject| {
            let off = o.world_from_object.translation.vector - place.translation.vector;
            off.norm() < 0.01
        };
        named(percept, "milk")
            .iter()
            .find(near)
            .map(|o| o.id.clone())
    };
    room.set(vec![thing(moved), thing(other)]);
    let after = look(&mut one, 2.0);
    let saved = regrasp_api::Perception::save(&two);
    let mut restored = room.perception(&models);
    regrasp_api::Perception::restore(&mut restored, &saved);
    assert_eq!(after, look(&mut restored, 2.0), "after a restart");
    assert!(id(&before, &first).is_some());
    assert_eq!(id(&before, &first), id(&after, &moved));
    assert_eq!(id(&before, &other), id(&after, &other));
    assert_eq!(named(&after, "milk").len(), 2);
}

#[test]
fn a_hidden_thing_is_remembered_and_one_that_was_taken_away_is_not() {
    let [milk, _] = cartons();
    let place = at(0.35, 0.0, 0.06, 0.5);
    let room = Room::new(vec![(Arc::clone(&milk), place, 0.0)]);
    let mut perception = room.perception(&[Arc::clone(&milk)]);
    assert_eq!(named(&look(&mut perception, 1.0), "milk").len(), 1);
    let lid = plain("lid", cuboid([0.1, 0.1, 0.08]), [0.3, 0.5, 0.3]);
    room.set(vec![
        (milk, place, 0.0),
        (lid, at(0.35, 0.0, 0.08, 0.0), 0.0),
    ]);
    let hidden = look(&mut perception, 2.0);
    assert_eq!(hidden.hidden, [ObjectId::new("milk")]);
    room.set(vec![]);
    let gone = look(&mut perception, 3.0);
    assert!(named(&gone, "milk").is_empty(), "{:?}", gone.objects);
}

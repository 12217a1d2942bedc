//! A tactile sensor of shear at the pads: how far what is held slides and turns.
//!
//! What it reads is where the spot of the object that first pressed on the pad has gone
//! since, along the pad and in the pad's own frame. A gel pad whose markers a camera
//! follows, or an optical flow sensor, measures the same with a resolution of about
//! 0.1 mm; this one is exact. It knows neither what touches nor where in the world that
//! is. (Adding up the motion at the centre of pressure would not do: the centre wanders
//! as what is held trembles, and the sum drifts by millimetres.)

use nalgebra::{Point3, Vector3};
use rapier3d_f64::prelude::{ColliderHandle, ContactPair};
use regrasp_api::Pose;
use regrasp_geometry_parry::{from_parry, from_vector};
use serde::{Deserialize, Serialize};

use crate::contacts::{Contacts, FELT_N};
use crate::impulse::impulse;
use crate::layout::Owner;

/// What both pads read since the fingers were told to grasp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shear {
    /// By finger: sliding in the pad's frame, m.
    slid: [[f64; 3]; 2],
    /// By finger: turning about the pad's normal, rad.
    turned: [f64; 2],
    /// By finger: what pressed on it first, and how.
    first: [Option<Press>; 2],
}

/// How an object presses on a finger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Press {
    object_idx: usize,
    finger_from_object: Pose,
    point_in_finger: Point3<f64>,
    normal_in_finger: Vector3<f64>,
}

impl Shear {
    /// Greatest sliding of both pads since an earlier reading, m.
    pub(crate) fn slip_since(&self, before: &Self) -> f64 {
        let slip = |finger: usize| {
            (Vector3::from(self.slid[finger]) - Vector3::from(before.slid[finger])).norm()
        };
        slip(0).max(slip(1))
    }

    /// Goes this part of the way to a later reading.
    pub(crate) fn follow(&mut self, now: &Self, part: f64) {
        let (slid, goal) = (self.slid.iter_mut().flatten(), now.slid.iter().flatten());
        for (value, goal) in slid.zip(goal) {
            *value += part * (goal - *value);
        }
    }

    /// Greatest turning of both pads since an earlier reading, rad.
    pub(crate) fn turn_since(&self, before: &Self) -> f64 {
        let turn = |finger: usize| (self.turned[finger] - before.turned[finger]).abs();
        turn(0).max(turn(1))
    }

    /// Reads the pads once, after a step.
    pub(crate) fn feel(&mut self, contacts: &Contacts<'_>) {
        for finger in 0..2 {
            let Some(now) = press_on(contacts, finger) else {
                continue;
            };
            match self.first[finger] {
                Some(first) if first.object_idx == now.object_idx => {
                    let (slid, turned) = first.motion_to(&now.finger_from_object);
                    self.slid[finger] = slid.into();
                    self.turned[finger] = turned;
                }
                _ => self.first[finger] = Some(now),
            }
        }
    }
}

/// What presses hardest on a finger.
fn press_on(contacts: &Contacts<'_>, finger: usize) -> Option<Press> {
    let pads = contacts.layout.robot.pads.iter();
    let pads = pads.filter(|(f, _)| *f == finger);
    let pressing = pads.flat_map(|(_, pad)| {
        let pairs = contacts.physics.narrow_phase.contact_pairs_with(*pad);
        pairs.map(|pair| (*pad, pair, impulse(pair)))
    });
    let (pad, pair, impulse) =
        pressing.max_by(|a, b| a.2.length_squared().total_cmp(&b.2.length_squared()))?;
    if impulse.length() <= FELT_N * contacts.dt_secs {
        return None;
    }
    describe_press(contacts, pad, pair, &from_vector(impulse).normalize())
}

fn describe_press(
    contacts: &Contacts<'_>,
    pad: ColliderHandle,
    pair: &ContactPair,
    normal_in_world: &Vector3<f64>,
) -> Option<Press> {
    let other = if pair.collider1 == pad {
        pair.collider2
    } else {
        pair.collider1
    };
    let Some(Owner::Object(object_idx)) = contacts.layout.owners.get(other) else {
        return None;
    };
    let bodies = &contacts.physics.bodies;
    let finger = bodies.get(contacts.physics.colliders.get(pad)?.parent()?)?;
    let object = bodies.get(contacts.layout.objects[object_idx].body)?;
    let finger_from_world = from_parry(finger.position()).inverse();
    let point_in_world = Point3::from(from_vector(contacts.pressing_point(pair)?));
    Some(Press {
        object_idx,
        finger_from_object: finger_from_world * from_parry(object.position()),
        point_in_finger: finger_from_world * point_in_world,
        normal_in_finger: finger_from_world * normal_in_world,
    })
}

impl Press {
    /// How far the spot that pressed has slid along the pad, and how far the object has
    /// turned about the normal, now that it lies so.
    fn motion_to(&self, finger_from_object: &Pose) -> (Vector3<f64>, f64) {
        let motion = finger_from_object * self.finger_from_object.inverse();
        let way = motion * self.point_in_finger - self.point_in_finger;
        let normal = &self.normal_in_finger;
        let slid = way - normal * normal.dot(&way);
        (slid, normal.dot(&motion.rotation.scaled_axis()))
    }
}

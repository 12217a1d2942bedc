//! Tactile sensor of shear at the pads: sliding and rotation of the held object.
//!
//! The sensor tracks the point of the object that first pressed on the pad, along the pad and in
//! the pad's own frame. A gel pad with markers and a camera, or an optical-flow sensor, measures
//! the same with a resolution of about 0.1 mm; this one is exact. It knows neither the object nor
//! the pose of the object in the world. (Integrating the motion at the centre of pressure does not
//! work: the centre wanders as the held object trembles, and the sum drifts by millimetres.)

use nalgebra::{Point3, Vector3};
use rapier3d_f64::prelude::{ColliderHandle, ContactPair};
use regrasp_api::Pose;
use regrasp_geometry_parry::{from_parry, from_vector};
use serde::{Deserialize, Serialize};

use crate::contacts::{Contacts, FELT_N, impulse, other_of, pressing_point};
use crate::layout::Owner;

/// Shear at both pads since the grasp command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shear {
    /// Sliding at each finger, in the pad's frame, m.
    slid: [[f64; 3]; 2],
    /// Rotation about the pad's normal at each finger, rad.
    turned: [f64; 2],
    /// First contact at each finger.
    first: [Option<Press>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Press {
    object_idx: usize,
    finger_from_object: Pose,
    point_in_finger: Point3<f64>,
    normal_in_finger: Vector3<f64>,
}

impl Shear {
    /// Larger sliding of the two pads since an earlier reading, m.
    pub(crate) fn slip_since(&self, before: &Self) -> f64 {
        let slip = |finger: usize| {
            (Vector3::from(self.slid[finger]) - Vector3::from(before.slid[finger])).norm()
        };
        slip(0).max(slip(1))
    }

    /// Moves the sliding in this reading by a share of the way to that in a later reading.
    pub(crate) fn follow(&mut self, now: &Self, part: f64) {
        let (slid, goal) = (self.slid.iter_mut().flatten(), now.slid.iter().flatten());
        for (value, goal) in slid.zip(goal) {
            *value += part * (goal - *value);
        }
    }

    /// Larger rotation of the two pads since an earlier reading, rad.
    pub(crate) fn turn_since(&self, before: &Self) -> f64 {
        let turn = |finger: usize| (self.turned[finger] - before.turned[finger]).abs();
        turn(0).max(turn(1))
    }

    /// Updates the reading; called once after every step of a grasp.
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

/// The hardest contact of a finger.
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
    let Some(Owner::Object(object_idx)) = contacts.layout.owners.get(other_of(pair, pad)) else {
        return None;
    };
    let bodies = &contacts.physics.bodies;
    let finger = bodies.get(contacts.physics.colliders.get(pad)?.parent()?)?;
    let object = bodies.get(contacts.layout.objects[object_idx].body)?;
    let finger_from_world = from_parry(finger.position()).inverse();
    let point_in_world = Point3::from(from_vector(pressing_point(contacts.physics, pair)?));
    Some(Press {
        object_idx,
        finger_from_object: finger_from_world * from_parry(object.position()),
        point_in_finger: finger_from_world * point_in_world,
        normal_in_finger: finger_from_world * normal_in_world,
    })
}

impl Press {
    /// Sliding of the contact point along the pad, and rotation of the object about the normal,
    /// from this contact to a new pose of the object.
    fn motion_to(&self, finger_from_object: &Pose) -> (Vector3<f64>, f64) {
        let motion = finger_from_object * self.finger_from_object.inverse();
        let shift = motion * self.point_in_finger - self.point_in_finger;
        let normal = &self.normal_in_finger;
        let slid = shift - normal * normal.dot(&shift);
        (slid, normal.dot(&motion.rotation.scaled_axis()))
    }
}

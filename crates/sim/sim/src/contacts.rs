//! Contact forces on the robot and the objects.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use rapier3d_f64::math::Vector;
use rapier3d_f64::prelude::{ColliderHandle, ContactPair, PhysicsWorld};
use regrasp_api::ContactForce;
use regrasp_geometry_parry::from_vector;

use crate::fault_state::FaultState;
use crate::layout::{Layout, Owner};

/// Force below which a contact counts as solver noise, N.
pub(crate) const FELT_N: f64 = 0.01;
/// Force above which a finger reports contact, N.
const FINGER_FEELS_N: f64 = 0.05;

pub(crate) struct Contacts<'a> {
    pub(crate) physics: &'a PhysicsWorld,
    pub(crate) layout: &'a Layout,
    pub(crate) faults: &'a FaultState,
    pub(crate) dt_secs: f64,
}

/// Two shapes that press against each other.
pub(crate) struct Touch<'a> {
    pub(crate) owners: [Owner; 2],
    /// Magnitude of the sum of all normal forces, N.
    pub(crate) force_n: f64,
    /// Sum of all normal impulses of a step, on the second shape, N s.
    impulse: Vector,
    pub(crate) pair: &'a ContactPair,
}

impl<'a> Touch<'a> {
    /// The object, if the pair is a link and an object.
    fn object(&self) -> Option<usize> {
        match self.owners {
            [Owner::Link(_), Owner::Object(object)] | [Owner::Object(object), Owner::Link(_)] => {
                Some(object)
            }
            _ => None,
        }
    }
}

impl<'a> Contacts<'a> {
    /// All touching pairs of the last step, except pairs of the robot with itself.
    pub(crate) fn touches(&self) -> impl Iterator<Item = Touch<'a>> {
        self.physics
            .narrow_phase
            .contact_pairs()
            .filter_map(|pair| {
                let owner = |collider| self.layout.owners.get(collider);
                let owners = [owner(pair.collider1)?, owner(pair.collider2)?];
                if let [Owner::Link(_), Owner::Link(_)] = owners {
                    return None;
                }
                // The impulse covers the whole step, with or without substeps, so divided by the
                // step it is the force.
                let impulse = impulse(pair);
                let force_n = impulse.length() / self.dt_secs;
                (force_n > FELT_N).then_some(Touch {
                    owners,
                    force_n,
                    impulse,
                    pair,
                })
            })
    }

    /// The contacts of links, with the index of the link.
    pub(crate) fn link_touches(&self) -> impl Iterator<Item = (usize, Touch<'a>)> {
        self.touches().filter_map(|touch| match touch.owners {
            [Owner::Link(link), _] | [_, Owner::Link(link)] => Some((link, touch)),
            [Owner::Object(_), Owner::Object(_)] => None,
        })
    }

    /// The object that each finger presses on hardest, if it is the same for both.
    pub(crate) fn in_hand(&self) -> Option<usize> {
        let mut pressed = [None; 2];
        let mut hardest = [0.0; 2];
        for (link, touch) in self.link_touches() {
            if let (Some(finger), Some(object)) =
                (self.layout.robot.finger_of_link[link], touch.object())
                && touch.force_n > hardest[finger]
            {
                hardest[finger] = touch.force_n;
                pressed[finger] = Some(object);
            }
        }
        pressed[0].filter(|_| pressed[0] == pressed[1])
    }

    /// Largest contact force between the held object and anything outside the hand, N: before a
    /// lift, about the object's weight.
    pub(crate) fn load_on(&self, held: Option<usize>) -> f64 {
        let through_held = |touch: &Touch<'_>| self.felt_at(touch, held).is_some_and(|(_, it)| it);
        let loads = self.touches().filter(through_held);
        loads.map(|touch| touch.force_n).fold(0.0, f64::max)
    }

    /// The hardest contact of the held object, or contact or push of a link that may not touch, if
    /// it exceeds the limit. The held object may press with `resting_n` more.
    pub(crate) fn bump(
        &self,
        max_force_n: f64,
        allowed_links: &[String],
        held: Option<usize>,
        resting_n: f64,
    ) -> Option<ContactForce> {
        let robot = &self.layout.robot;
        let hardest = self
            .touches()
            .filter(|touch| touch.force_n > max_force_n)
            .filter_map(|touch| Some((self.felt_at(&touch, held)?, touch)))
            .filter(|((link, through_held), touch)| match through_held {
                true => touch.force_n > max_force_n + resting_n,
                false => !allowed_links.contains(&robot.links[*link]),
            })
            .max_by(|(_, a), (_, b)| a.force_n.total_cmp(&b.force_n));
        let touched = hardest.map(|((link, through_held), touch)| ContactForce {
            through_held,
            ..self.describe(link, &touch)
        });
        let pushed = self.link_pushes().filter(|contact| {
            contact.force_n > max_force_n && !allowed_links.contains(&contact.link)
        });
        let all = touched.into_iter().chain(pushed);
        all.max_by(|a, b| a.force_n.total_cmp(&b.force_n))
    }

    /// The largest total force of the robot and the held object on one object, or push on a link,
    /// if it exceeds the limit. The held object may press with `resting_n` more.
    pub(crate) fn pressed_too_hard(
        &self,
        max_force_n: f64,
        held: Option<usize>,
        resting_n: f64,
    ) -> Option<ContactForce> {
        // For each object: the impulse on it, and its hardest contact with the link that feels the
        // contact.
        let mut pressed: BTreeMap<usize, (Vector, Touch<'_>, (usize, bool))> = BTreeMap::new();
        for touch in self.touches() {
            let Some(felt) = self.felt_at(&touch, held) else {
                continue;
            };
            let (object, impulse) = match touch.owners {
                [first, Owner::Object(object)]
                    if first != Owner::Object(object) && Some(object) != held =>
                {
                    (object, touch.impulse)
                }
                [Owner::Object(object), _] => (object, -touch.impulse),
                _ => continue,
            };
            match pressed.get_mut(&object) {
                Some((sum, hardest, at)) => {
                    *sum += impulse;
                    if touch.force_n > hardest.force_n {
                        (*hardest, *at) = (touch, felt);
                    }
                }
                None => {
                    pressed.insert(object, (impulse, touch, felt));
                }
            }
        }
        let forces = pressed
            .into_values()
            .map(|(sum, touch, (link, through_held))| ContactForce {
                force_n: sum.length() / self.dt_secs,
                through_held,
                ..self.describe(link, &touch)
            });
        let too_hard = forces.chain(self.link_pushes()).filter(|contact| {
            let rest_n = if contact.through_held { resting_n } else { 0.0 };
            contact.force_n > max_force_n + rest_n
        });
        too_hard.max_by(|a, b| a.force_n.total_cmp(&b.force_n))
    }

    /// The link that feels a contact, and true if it does so through the held object. `None` for
    /// contacts within the hand and for contacts without the robot.
    fn felt_at(&self, touch: &Touch<'_>, held: Option<usize>) -> Option<(usize, bool)> {
        match touch.owners {
            [Owner::Link(link), Owner::Object(object)]
            | [Owner::Object(object), Owner::Link(link)] => {
                (Some(object) != held).then_some((link, false))
            }
            [Owner::Object(a), Owner::Object(b)] => {
                let touches_held = a != b && (Some(a) == held || Some(b) == held);
                // An object that has left the hand is no longer felt.
                (touches_held && self.in_hand() == held)
                    .then_some((self.layout.robot.hand_link, true))
            }
            [Owner::Link(_), Owner::Link(_)] => None,
        }
    }

    /// The hardest contact of a finger with anything but the held object.
    pub(crate) fn of_finger(&self, finger: usize, held: Option<usize>) -> Option<ContactForce> {
        let (link, touch) = self
            .link_touches()
            .filter(|(link, touch)| {
                self.layout.robot.finger_of_link[*link] == Some(finger) && touch.object() != held
            })
            .max_by(|(_, a), (_, b)| a.force_n.total_cmp(&b.force_n))?;
        Some(self.describe(link, &touch))
    }

    /// All external forces on links, largest first; one entry for each pair of shapes that touch.
    pub(crate) fn forces(&self) -> Vec<ContactForce> {
        let touches = self.link_touches();
        let touches = touches.map(|(link, touch)| self.describe(link, &touch));
        let mut forces: Vec<ContactForce> = touches.chain(self.link_pushes()).collect();
        forces.sort_by(|a, b| b.force_n.total_cmp(&a.force_n));
        forces
    }

    /// Forces on links from [`crate::Disturbance::PushLink`]. They act without a touching body,
    /// like the push of a person, and are felt as contacts.
    fn link_pushes(&self) -> impl Iterator<Item = ContactForce> {
        self.faults.link_pushes.iter().map(|push| {
            let body = self.layout.robot.moving[push.body_idx];
            let body = self.physics.bodies.get(body);
            let origin = body.map_or_else(Vector3::zeros, |b| from_vector(b.center_of_mass()));
            ContactForce {
                link: self.layout.robot.moving_names[push.body_idx].clone(),
                force_n: Vector3::from(push.force_in_world).norm(),
                point_in_world: origin.into(),
                through_held: false,
            }
        })
    }

    /// Returns true for each finger that presses on something.
    pub(crate) fn of_fingers(&self) -> [bool; 2] {
        let mut feels = [false; 2];
        for (link, touch) in self.link_touches() {
            if let Some(finger) = self.layout.robot.finger_of_link[link] {
                feels[finger] |= touch.force_n > FINGER_FEELS_N;
            }
        }
        feels
    }

    fn describe(&self, link: usize, touch: &Touch<'_>) -> ContactForce {
        ContactForce {
            link: self.layout.robot.links[link].clone(),
            force_n: touch.force_n,
            point_in_world: self.strongest_point(touch.pair).into(),
            through_held: false,
        }
    }

    /// Point of a pair with the largest contact force, in World.
    pub(crate) fn strongest_point(&self, pair: &ContactPair) -> Vector3<f64> {
        let strongest = points_on_first(pair).max_by(|(_, a), (_, b)| a.total_cmp(b));
        let collider = self.physics.colliders.get(pair.collider1);
        match (strongest, collider) {
            (Some((point, _)), Some(collider)) => {
                from_vector(collider.position().transform_point(point))
            }
            _ => Vector3::zeros(),
        }
    }
}

/// The centre of pressure of a pair, in World.
pub(crate) fn pressing_point(physics: &PhysicsWorld, pair: &ContactPair) -> Option<Vector> {
    let collider = physics.colliders.get(pair.collider1)?;
    let mut centre = Vector::ZERO;
    let mut total = 0.0;
    for (point, impulse) in points_on_first(pair) {
        centre += point * impulse;
        total += impulse;
    }
    (total > 0.0).then(|| collider.position().transform_point(centre / total))
}

/// Contact points of a pair in the frame of the first collider, with their impulses, N s. Those on
/// a compound are stored in the frames of its parts.
fn points_on_first(pair: &ContactPair) -> impl Iterator<Item = (Vector, f64)> {
    pair.solver_manifolds().iter().flat_map(|manifold| {
        let part = manifold.subshape_pos1();
        let points = manifold.points.iter();
        points.map(move |point| {
            let local = point.local_p1;
            let on_first = part.map_or(local, |part| part.transform_point(local));
            (on_first, point.data.impulse)
        })
    })
}

/// The other collider of a pair.
pub(crate) fn other_of(pair: &ContactPair, own: ColliderHandle) -> ColliderHandle {
    if pair.collider1 == own {
        pair.collider2
    } else {
        pair.collider1
    }
}

/// The impulse of the last step, from the first collider to the second, N s.
///
/// When two round objects part along the line between them, rapier keeps the points with the
/// impulses of their last contact. Only manifolds that were solved count.
pub(crate) fn impulse(pair: &ContactPair) -> Vector {
    let manifolds = pair.solver_manifolds().iter();
    let solved = manifolds.filter(|m| !m.data.solver_contacts.is_empty());
    let pressed = solved.map(|m| {
        let impulse: f64 = m.points.iter().map(|point| point.data.impulse).sum();
        impulse * m.data.normal
    });
    pressed.sum()
}

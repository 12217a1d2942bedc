//! Frames of the running world for listeners.

use regrasp_api::ObjectId;
use regrasp_geometry_parry::from_parry;
use regrasp_ground_truth::{Frame, FrameContact, FrameListener, FrameObject, FrameSink};

use crate::contacts::Contacts;
use crate::layout::{Layout, Owner};
use crate::reading::Reading;
use crate::truth::world_truth;

#[derive(Default)]
pub(crate) struct Observers {
    observers: Vec<Observer>,
    /// Next step for which a listener wants a frame; `None` without listeners.
    next_step: Option<u64>,
    /// Frame that is reused to keep its memory.
    frame: Frame,
    /// Object indices of the frame's ids.
    objects: Vec<usize>,
    /// Pairs of the frame's contacts.
    pairs: Vec<Pair>,
}

struct Pair {
    owners: [Owner; 2],
    /// Force of the hardest contact between shapes of the pair, N.
    strongest_n: f64,
}

struct Observer {
    rate_hz: f64,
    sink: Box<dyn FrameSink>,
    next_step: u64,
}

impl Observers {
    /// Adds a listener, which gets its first frame at the next opportunity.
    pub(crate) fn add(&mut self, listener: FrameListener) {
        let FrameListener { rate_hz, sink } = listener;
        self.observers.push(Observer {
            rate_hz,
            sink,
            next_step: 0,
        });
    }

    /// Makes every listener get a frame at the next opportunity, due or not.
    pub(crate) fn wake(&mut self) {
        for observer in &mut self.observers {
            observer.next_step = 0;
        }
    }

    /// Returns true if a listener wants a frame after this step.
    pub(crate) fn wait_for(&self, step: u64) -> bool {
        self.next_step.is_some_and(|next| step >= next)
    }

    /// Sends a frame to the listeners that are due.
    pub(crate) fn show(&mut self, now: &Reading<'_>) {
        let step = now.state.step;
        let is_due = |observer: &Observer| observer.next_step <= step;
        if self.observers.iter().any(is_due) {
            self.fill(now);
        }
        for observer in self.observers.iter_mut().filter(|o| is_due(o)) {
            observer.sink.frame(&self.frame);
            observer.sink.truth(&|| world_truth(now));
            observer.next_step = next_step(step, observer.rate_hz * now.options.dt_secs);
        }
        let next_steps = self.observers.iter().map(|observer| observer.next_step);
        self.next_step = next_steps.min();
    }

    fn fill(&mut self, now: &Reading<'_>) {
        let Self {
            frame,
            objects,
            pairs,
            ..
        } = self;
        frame.time_secs = now.time_secs();
        frame.step = now.state.step;
        let joints = &mut frame.joints;
        joints.position.clone_from(&now.joints.arm_q);
        joints.velocity.clone_from(&now.joints.arm_v);
        let commanded = &now.state.arm;
        joints.commanded_position.clone_from(&commanded.position);
        joints.commanded_velocity.clone_from(&commanded.velocity);
        frame.world_from_tool = now.world_from_tool();
        fill_objects(&mut frame.objects, objects, now);
        let felt = fill_contacts(&mut frame.contacts, pairs, &now.contacts());
        let robot = &now.layout.robot;
        let hand = now.gripper_state();
        let gripper = &mut frame.gripper;
        gripper.width_m = hand.width_m;
        gripper.speed_m_per_s = hand.speed_m_per_s;
        gripper.commanded_width_m = robot.gripper.min_width_m + 2.0 * now.state.grip.setpoint;
        gripper.grip_force_n = hand.grip_force_n;
        gripper.finger_contact = hand.finger_contact.unwrap_or_default();
        gripper.slip_m = hand.slip_m.unwrap_or_default();
        gripper.hand_force_n = felt.hand_force_n;
        let held = felt.held.map(|i| &now.layout.objects[i].scene.id);
        if gripper.held.as_ref() != held {
            gripper.held = held.cloned();
        }
    }
}

fn fill_objects(objects: &mut Vec<FrameObject>, indices: &mut Vec<usize>, now: &Reading<'_>) {
    let removed = &now.state.removed;
    let there = || (0..removed.len()).filter(|i| !removed[*i]);
    if !indices.iter().copied().eq(there()) {
        indices.clear();
        indices.extend(there());
        objects.clear();
        objects.extend(indices.iter().map(|i| {
            let scene = &now.layout.objects[*i].scene;
            FrameObject {
                id: scene.id.clone(),
                world_from_object: scene.world_from_object,
            }
        }));
    }
    for (object, i) in objects.iter_mut().zip(indices) {
        if let Some(body) = now.physics.bodies.get(now.layout.objects[*i].body) {
            object.world_from_object = from_parry(body.position());
        }
    }
}

fn fill_contacts(
    contacts: &mut Vec<FrameContact>,
    pairs: &mut Vec<Pair>,
    all: &Contacts<'_>,
) -> Felt {
    pairs.clear();
    for touch in all.touches() {
        let owners = robot_first(touch.owners);
        // Several shapes of one pair may touch; pairs are few.
        let known = pairs.iter().position(|pair| pair.owners == owners);
        let idx = known.unwrap_or(pairs.len());
        if known.is_none() {
            name_contact(contacts, idx, owners, all.layout);
            pairs.push(Pair {
                owners,
                strongest_n: 0.0,
            });
        }
        let (contact, pair) = (&mut contacts[idx], &mut pairs[idx]);
        contact.force_n += touch.force_n;
        if touch.force_n > pair.strongest_n {
            pair.strongest_n = touch.force_n;
            contact.point_in_world = all.strongest_point(touch.pair).into();
        }
    }
    contacts.truncate(pairs.len());
    felt(contacts, pairs, all)
}

/// Writes the names of a pair at an index of the list. If they are those of the previous frame, as
/// usual, nothing is allocated.
fn name_contact(contacts: &mut Vec<FrameContact>, idx: usize, owners: [Owner; 2], layout: &Layout) {
    let id = |object: usize| &layout.objects[object].scene.id;
    let [by, with] = owners;
    let (by, by_robot) = match by {
        Owner::Link(link) => (layout.robot.links[link].as_str(), true),
        Owner::Object(object) => (id(object).as_str(), false),
    };
    let with: &ObjectId = match with {
        Owner::Object(object) => id(object),
        // Contacts of the robot with itself are not listed.
        Owner::Link(_) => return,
    };
    match contacts.get_mut(idx) {
        Some(contact) => {
            by.clone_into(&mut contact.by);
            contact.by_robot = by_robot;
            contact.force_n = 0.0;
            if contact.with != *with {
                contact.with = with.clone();
            }
        }
        None => contacts.push(FrameContact {
            by: by.to_owned(),
            by_robot,
            with: with.clone(),
            force_n: 0.0,
            point_in_world: [0.0; 3],
        }),
    }
}

/// The held object, and the hardest contact of hand, fingers and held object with anything else.
fn felt(contacts: &[FrameContact], pairs: &[Pair], all: &Contacts<'_>) -> Felt {
    let held = all.in_hand();
    let robot = &all.layout.robot;
    let is_hand = |link: usize| link == robot.hand_link || robot.finger_of_link[link].is_some();
    let is_felt = |pair: &Pair| match pair.owners {
        [Owner::Link(link), Owner::Object(object)] => is_hand(link) && Some(object) != held,
        [Owner::Object(a), Owner::Object(b)] => (Some(a) == held) != (Some(b) == held),
        _ => false,
    };
    let felt = contacts.iter().zip(pairs).filter(|(_, pair)| is_felt(pair));
    Felt {
        held,
        hand_force_n: felt.map(|(contact, _)| contact.force_n).fold(0.0, f64::max),
    }
}

struct Felt {
    held: Option<usize>,
    hand_force_n: f64,
}

fn robot_first(owners: [Owner; 2]) -> [Owner; 2] {
    match owners {
        [Owner::Object(_), Owner::Link(_)] => [owners[1], owners[0]],
        [Owner::Object(a), Owner::Object(b)] if b < a => [owners[1], owners[0]],
        _ => owners,
    }
}

/// The next step nearest to a whole multiple of the frame period; `frames_a_step` is the number of
/// frames per step. Periods count from the world's start, so that listeners of one rate get the
/// same steps whenever they joined.
fn next_step(step: u64, frames_a_step: f64) -> u64 {
    let mut k = (step as f64 * frames_a_step).floor();
    loop {
        let next = (k / frames_a_step).round() as u64;
        if next > step {
            return next;
        }
        // More frames than steps: a frame in every step.
        if frames_a_step >= 1.0 {
            return step + 1;
        }
        k += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::next_step;

    fn steps(rate_hz: f64, n: usize) -> Vec<u64> {
        let mut steps = vec![0];
        while steps.len() < n {
            let last = steps[steps.len() - 1];
            steps.push(next_step(last, rate_hz * 0.0025));
        }
        steps
    }

    #[test]
    fn frames_lie_nearest_to_their_times_and_do_not_drift() {
        assert_eq!(steps(60.0, 7), [0, 7, 13, 20, 27, 33, 40]);
        assert_eq!(steps(50.0, 4), [0, 8, 16, 24]);
        assert_eq!(steps(60.0, 6001).last(), Some(&40_000), "100 s");
        assert_eq!(steps(400.0, 4), [0, 1, 2, 3]);
        assert_eq!(steps(1e6, 4), [0, 1, 2, 3], "at most one frame per step");
        // A listener that joins late gets the same steps.
        assert_eq!(next_step(10, 60.0 * 0.0025), 13);
    }
}

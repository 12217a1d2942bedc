//! Frames of the running world for listeners.

use regrasp_geometry_parry::from_parry;
use regrasp_ground_truth::{
    Frame, FrameContact, FrameGripper, FrameJoints, FrameListener, FrameObject, FrameSink,
};

use crate::layout::Owner;
use crate::simulation::Simulation;
use crate::truth::world_truth;

#[derive(Default)]
pub(crate) struct Observers(Vec<Observer>);

struct Observer {
    rate_hz: f64,
    sink: Box<dyn FrameSink>,
    next_step: u64,
}

impl Observers {
    /// Adds a listener, which gets a frame at the next opportunity.
    pub(crate) fn add(&mut self, FrameListener { rate_hz, sink }: FrameListener) {
        self.0.push(Observer {
            rate_hz,
            sink,
            next_step: 0,
        });
    }

    /// Makes every listener get a frame at the next opportunity, due or not.
    pub(crate) fn wake(&mut self) {
        self.0
            .iter_mut()
            .for_each(|observer| observer.next_step = 0);
    }

    /// Returns true if a listener wants a frame after this step.
    pub(crate) fn are_due(&self, step: u64) -> bool {
        self.0.iter().any(|observer| observer.next_step <= step)
    }

    /// Sends a frame to the listeners that are due.
    pub(crate) fn show(&mut self, now: &Simulation) {
        let step = now.state.step;
        if !self.are_due(step) {
            return;
        }
        let frame = frame(now);
        for observer in self.0.iter_mut().filter(|o| o.next_step <= step) {
            observer.sink.frame(&frame);
            observer.sink.truth(&|| world_truth(now));
            observer.next_step = next_step(step, observer.rate_hz * now.options.dt_secs);
        }
    }
}

fn frame(now: &Simulation) -> Frame {
    let commanded = &now.state.arm;
    let pairs = pairs(now);
    Frame {
        time_secs: now.time_secs(),
        step: now.state.step,
        joints: FrameJoints {
            position: now.joints.arm_q.clone(),
            velocity: now.joints.arm_v.clone(),
            commanded_position: commanded.position.clone(),
            commanded_velocity: commanded.velocity.clone(),
        },
        gripper: gripper(now, &pairs),
        world_from_tool: now.world_from_tool(),
        objects: objects(now),
        contacts: pairs.into_iter().map(|pair| pair.contact).collect(),
    }
}

fn gripper(now: &Simulation, pairs: &[Pair]) -> FrameGripper {
    let robot = &now.layout.robot;
    let hand = now.gripper_state();
    let held = now.in_hand();
    let is_hand = |link: usize| link == robot.hand_link || robot.finger_of_link[link].is_some();
    let is_felt = |pair: &&Pair| match pair.sides {
        (Owner::Link(link), object) => is_hand(link) && Some(object) != held,
        (Owner::Object(a), b) => (Some(a) == held) != (Some(b) == held),
    };
    let felt = pairs.iter().filter(is_felt);
    FrameGripper {
        width_m: hand.width_m,
        speed_m_per_s: hand.speed_m_per_s,
        commanded_width_m: robot.gripper.min_width_m + 2.0 * now.state.grip.setpoint,
        grip_force_n: hand.grip_force_n,
        finger_contact: hand.finger_contact.unwrap_or_default(),
        slip_m: hand.slip_m.unwrap_or_default(),
        held: held.map(|i| now.layout.objects[i].scene.id.clone()),
        hand_force_n: felt.map(|pair| pair.contact.force_n).fold(0.0, f64::max),
    }
}

fn objects(now: &Simulation) -> Vec<FrameObject> {
    let objects = now.layout.objects.iter().zip(&now.state.removed);
    let present = objects.filter(|(_, removed)| !**removed);
    let object = present.map(|(object, _)| {
        let scene = &object.scene;
        let body = now.physics.bodies.get(object.body);
        FrameObject {
            id: scene.id.clone(),
            world_from_object: body
                .map_or(scene.world_from_object, |body| from_parry(body.position())),
        }
    });
    object.collect()
}

/// A contact of two bodies, which may touch with several shapes.
struct Pair {
    /// The robot's side, or the first object, and the object that it touches.
    sides: (Owner, usize),
    /// Force of the hardest contact between shapes of the pair, N.
    strongest_n: f64,
    contact: FrameContact,
}

fn pairs(now: &Simulation) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = vec![];
    for touch in now.touches() {
        let Some(sides) = sides(touch.owners) else {
            continue;
        };
        let known = pairs.iter().position(|pair| pair.sides == sides);
        let idx = known.unwrap_or(pairs.len());
        if known.is_none() {
            pairs.push(empty(now, sides));
        }
        let pair = &mut pairs[idx];
        pair.contact.force_n += touch.force_n;
        if touch.force_n > pair.strongest_n {
            pair.strongest_n = touch.force_n;
            pair.contact.point_in_world = now.strongest_point(touch.pair).into();
        }
    }
    pairs
}

fn empty(now: &Simulation, sides: (Owner, usize)) -> Pair {
    let id = |object: usize| &now.layout.objects[object].scene.id;
    let (by, by_robot) = match sides.0 {
        Owner::Link(link) => (now.layout.robot.links[link].clone(), true),
        Owner::Object(object) => (id(object).to_string(), false),
    };
    Pair {
        sides,
        strongest_n: 0.0,
        contact: FrameContact {
            by,
            by_robot,
            with: id(sides.1).clone(),
            force_n: 0.0,
            point_in_world: [0.0; 3],
        },
    }
}

/// The two sides of a contact in an order that does not depend on the physics; `None` for a contact
/// of the robot with itself.
fn sides(owners: [Owner; 2]) -> Option<(Owner, usize)> {
    match owners {
        [Owner::Object(a), Owner::Object(b)] => Some((Owner::Object(a.min(b)), a.max(b))),
        [link, Owner::Object(object)] | [Owner::Object(object), link] => Some((link, object)),
        [Owner::Link(_), Owner::Link(_)] => None,
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
        assert_eq!(steps(1e6, 4), [0, 1, 2, 3], "no more than once a step");
        // A listener that joins late gets the same steps.
        assert_eq!(next_step(10, 60.0 * 0.0025), 13);
    }
}

//! Log of the robot's contacts, for judges of an episode.
//!
//! The ground truth describes one instant, and misses a brief touch in the middle of a motion.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::ObjectId;
use regrasp_ground_truth::{RobotContact, Toucher};
use serde::{Deserialize, Serialize};

use crate::contacts::Contacts;
use crate::layout::{Layout, Owner};

/// All pairs that touched since the clock started.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ContactLog {
    pairs: BTreeMap<(By, usize), Record>,
    /// Objects that both fingers have pressed on at once.
    held: BTreeSet<usize>,
}

/// The robot's side of a pair: the index of a link, or of the object in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum By {
    Link(usize),
    Held(usize),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Record {
    first_step: u64,
    last_step: u64,
    n_steps: u64,
    peak_force_n: f64,
}

impl ContactLog {
    fn add(&mut self, by: By, object: usize, step: u64, force_n: f64) {
        let record = self.pairs.entry((by, object)).or_insert(Record {
            first_step: step,
            last_step: step,
            n_steps: 1,
            peak_force_n: force_n,
        });
        record.peak_force_n = record.peak_force_n.max(force_n);
        // Several shapes of one pair may touch in the same step.
        if record.last_step < step {
            record.last_step = step;
            record.n_steps += 1;
        }
    }

    /// Records the current contacts. Called after every step.
    pub(crate) fn write(&mut self, contacts: &Contacts<'_>, step: u64) {
        // Objects that each finger presses on.
        let mut pressed: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        for (link, touch) in contacts.link_touches() {
            if let [Owner::Object(object), _] | [_, Owner::Object(object)] = touch.owners {
                self.add(By::Link(link), object, step, touch.force_n);
                if let Some(finger) = contacts.layout.robot.finger_of_link[link] {
                    pressed[finger].push(object);
                }
            }
        }
        let [left, right] = pressed;
        for held in left.into_iter().filter(|object| right.contains(object)) {
            self.held.insert(held);
            for touch in contacts.touches() {
                let [Owner::Object(a), Owner::Object(b)] = touch.owners else {
                    continue;
                };
                for (one, other) in [(a, b), (b, a)] {
                    if one == held && other != held {
                        self.add(By::Held(held), other, step, touch.force_n);
                    }
                }
            }
        }
    }

    pub(crate) fn robot_contacts(&self, layout: &Layout, dt_secs: f64) -> Vec<RobotContact> {
        let robot = &layout.robot;
        let toucher = |by: &By| match by {
            By::Link(link) => {
                let name = robot.links[*link].clone();
                match robot.finger_of_link[*link] {
                    Some(_) => Toucher::Finger(name),
                    None => Toucher::Arm(name),
                }
            }
            By::Held(object) => Toucher::Held(object_id(layout, *object)),
        };
        let pairs = self.pairs.iter();
        pairs
            .map(|((by, object), record)| RobotContact {
                by: toucher(by),
                with: object_id(layout, *object),
                first_secs: record.first_step as f64 * dt_secs,
                duration_secs: record.n_steps as f64 * dt_secs,
                peak_force_n: record.peak_force_n,
            })
            .collect()
    }

    pub(crate) fn was_held(&self, layout: &Layout) -> Vec<ObjectId> {
        let held = self.held.iter();
        held.map(|object| object_id(layout, *object)).collect()
    }
}

fn object_id(layout: &Layout, object: usize) -> ObjectId {
    layout.objects[object].scene.id.clone()
}

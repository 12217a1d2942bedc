//! Ground truth of the simulated world, and contacts of the robot that a task does not need.

use regrasp_api::{KnownZone, ObjectId, ObjectJoint, ObjectPort, Pose, Shape, Upright};
use regrasp_relations::SUPPORT_GAP_M;
use serde::{Deserialize, Serialize};

/// Ground truth of the simulated world. Of the code under test, only ground-truth perception may
/// read it.
#[derive(Default, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// Simulated time, s.
    pub time_secs: f64,
    /// All objects, fixed ones included, in scene order.
    pub objects: Vec<GroundTruthObject>,
    /// Joints between the objects.
    #[serde(default)]
    pub joints: Vec<ObjectJoint>,
    /// Plugs and holes.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// Joint positions of the arm, rad.
    pub joint_positions: Vec<f64>,
    /// Joint velocities of the arm, rad/s.
    pub joint_velocities: Vec<f64>,
    /// Pose of the tool.
    pub world_from_tool: Pose,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Contacts of the robot and of held objects since the clock started: one entry for each pair,
    /// in no particular order.
    #[serde(default)]
    pub contacts: Vec<RobotContact>,
    /// Objects that both fingers have pressed on since the clock started.
    #[serde(default)]
    pub was_held: Vec<ObjectId>,
}

/// Contact between two bodies since the clock started, one of them the robot or a held object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotContact {
    /// Body of the robot, or held object.
    pub by: Toucher,
    /// Object that was touched.
    pub with: ObjectId,
    /// Time of the first contact, s.
    pub first_secs: f64,
    /// Total duration of the contact, s.
    pub duration_secs: f64,
    /// Largest force of the contact, N.
    pub peak_force_n: f64,
}

/// Part of the robot, or a held object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toucher {
    /// Link other than a finger.
    Arm(String),
    /// Link of a finger.
    Finger(String),
    /// Object that was between both fingers, which pressed on it.
    Held(ObjectId),
}

impl Toucher {
    /// Returns the name of the link or the object.
    pub fn name(&self) -> &str {
        match self {
            Self::Arm(link) | Self::Finger(link) => link,
            Self::Held(id) => id.as_str(),
        }
    }
}

impl GroundTruth {
    /// Returns the object with that id.
    pub fn object(&self, id: &ObjectId) -> Option<&GroundTruthObject> {
        self.objects.iter().find(|o| &o.id == id)
    }

    /// Returns all members of a group of small objects.
    pub fn members<'a>(
        &'a self,
        group: &'a ObjectId,
    ) -> impl Iterator<Item = &'a GroundTruthObject> {
        let objects = self.objects.iter();
        objects.filter(move |o| o.group.as_ref() == Some(group))
    }
}

/// Ground truth of one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundTruthObject {
    /// Id in the scene file.
    pub id: ObjectId,
    /// Category (`cube`, `mug`, `table`).
    pub category: String,
    /// Colour as a word, if people would use one.
    pub color: Option<String>,
    /// Shape.
    pub shape: Shape,
    /// Pose in World.
    pub world_from_object: Pose,
    /// Linear velocity of the origin in World, m/s.
    pub linear_velocity: [f64; 3],
    /// Angular velocity in World, rad/s.
    pub angular_velocity: [f64; 3],
    /// Mass, kg; 0 for a fixed object.
    pub mass_kg: f64,
    /// Centre of mass in the object's frame, m; `None` if it follows from the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_center: Option<[f64; 3]>,
    /// Set if the object can move.
    pub movable: bool,
    /// Objects in contact.
    pub touches: Vec<ObjectId>,
    /// Robot links in contact.
    pub touches_links: Vec<String>,
    /// Set if both fingers press on the object.
    pub grasped: bool,
    /// Declared upright direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upright: Option<Upright>,
    /// Named places of the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Object that this one is a part of, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
    /// Group of small objects that the object belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ObjectId>,
}

impl GroundTruthObject {
    /// Creates an object at rest without mass or contacts; set other fields afterwards.
    pub fn at_rest(
        id: ObjectId,
        category: impl Into<String>,
        shape: Shape,
        world_from_object: Pose,
    ) -> Self {
        Self {
            id,
            category: category.into(),
            color: None,
            shape,
            world_from_object,
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass_kg: 0.0,
            mass_center: None,
            movable: false,
            touches: vec![],
            touches_links: vec![],
            grasped: false,
            upright: None,
            zones: vec![],
            part_of: None,
            group: None,
        }
    }
}

/// The only access to the world's ground truth.
pub trait GroundTruthSource: Send + Sync {
    /// Reads the present ground truth. Takes no simulated time.
    fn truth(&self) -> GroundTruth;
}

/// Samples the ground truth at short intervals for `watch_secs` of simulated time, for conditions
/// that must keep holding. `wait` lets the given number of seconds pass. Sampling ends early if
/// `wait` fails, which the judge recognises by the times of the samples.
pub fn watch<T, E>(
    source: &dyn GroundTruthSource,
    watch_secs: f64,
    mut wait: impl FnMut(f64) -> Result<T, E>,
) -> Vec<GroundTruth> {
    const EVERY_SECS: f64 = 0.05;
    let mut seen = vec![];
    let mut left_secs = watch_secs;
    while left_secs >= 1e-9 && wait(left_secs.min(EVERY_SECS)).is_ok() {
        left_secs -= EVERY_SECS;
        seen.push(source.truth());
    }
    seen
}

/// Returns the contacts since the start that no skill needs: of a link other than a finger with
/// anything; of a finger with an object that was never held and is not one of `moved`, which may be
/// pushed or pressed (see [`Success::moved`](crate::Success::moved)); and of a held object with
/// anything but its support at the start or now, and members of a group.
///
/// A support on which the object was put down in between, and grasped again, cannot be recognised
/// from two samples of the ground truth, so its contact counts as stray.
pub fn stray_contacts<'a>(
    first: &GroundTruth,
    last: &'a GroundTruth,
    moved: &[&ObjectId],
) -> Vec<&'a RobotContact> {
    let held = last.was_held.iter();
    let may_touch: Vec<&ObjectId> = held.chain(moved.iter().copied()).collect();
    stray_except(first, last, &may_touch)
}

/// Returns the stray contacts, where `may_touch` are the objects that the fingers may touch.
pub(crate) fn stray_except<'a>(
    first: &GroundTruth,
    last: &'a GroundTruth,
    may_touch: &[&ObjectId],
) -> Vec<&'a RobotContact> {
    let is_stray = |contact: &&RobotContact| match &contact.by {
        Toucher::Arm(_) => true,
        Toucher::Finger(_) => !may_touch.contains(&&contact.with),
        // The contents of a carried container touch it all the way.
        Toucher::Held(_) if is_small(last, &contact.with) => false,
        Toucher::Held(held) => {
            let rests = |truth| rests_on(truth, held, &contact.with);
            !rests(first) && !rests(last)
        }
    };
    last.contacts.iter().filter(is_stray).collect()
}

fn is_small(truth: &GroundTruth, id: &ObjectId) -> bool {
    truth.object(id).is_some_and(|o| o.group.is_some())
}

/// Time of the first contact between a held object and another, s.
pub(crate) fn first_touch_secs(
    last: &GroundTruth,
    object: &ObjectId,
    with: &ObjectId,
) -> Option<f64> {
    let by_it = |c: &&RobotContact| matches!(&c.by, Toucher::Held(held) if held == object);
    let touches = last.contacts.iter().filter(by_it);
    let times = touches.filter(|c| &c.with == with).map(|c| c.first_secs);
    times.min_by(f64::total_cmp)
}

/// Returns true if an object touches another and is not below its top, or floor if it is hollow.
fn rests_on(truth: &GroundTruth, top: &ObjectId, below: &ObjectId) -> bool {
    let (Some(a), Some(b)) = (truth.object(top), truth.object(below)) else {
        return false;
    };
    let over = a.shape.aabb(&a.world_from_object);
    let under = b.shape.aabb(&b.world_from_object);
    let hollow = b.shape.is_hollow();
    let surface = if hollow { under.min[2] } else { under.max[2] };
    let touches = a.touches.contains(below) || b.touches.contains(top);
    touches && over.min[2] > surface - SUPPORT_GAP_M
}

//! Opening, closing, turning and pressing of objects on joints: drawers, doors, lids, knobs and
//! buttons.

mod calls;
mod compliant_follow;
mod drive_to;
mod grip;
mod joint_path;
mod push_along;
mod verify;

use std::ops::RangeInclusive;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, JointRole, ObjectId, ObjectJoint, PerceivedObject, Percept, Pose, Reason,
};
use regrasp_robot::{Result, Robot};

use crate::arm::Arm;
use crate::candidates::list;
use crate::grasp::Hand;
use crate::sight;
use crate::stroke::Scenes;
use joint_path::JointPath;

pub use calls::{Close, CloseArgs, Open, OpenArgs, Press, PressArgs, Turn, TurnArgs};

/// State of a call about an object on a joint.
#[derive(Clone, Debug)]
pub struct JointTask {
    object: PerceivedObject,
    joint: ObjectJoint,
    /// Opening to aim for, and the range that counts as reached, m or rad.
    target: f64,
    counts: RangeInclusive<f64>,
    force_n: Option<f64>,
    stuck_grasps: Vec<Pose>,
    press: Option<ButtonPress>,
}

#[derive(Clone, Copy, Debug)]
struct ButtonPress {
    count_before: u32,
    max_force_n: f64,
}

impl JointTask {
    fn path(&self) -> &'static JointPath {
        JointPath::of(&self.joint)
    }

    /// Returns true if the joint is at its goal; for a button, if it has registered the press.
    fn is_there(&self) -> bool {
        match self.press {
            Some(press) => self.n_presses() > press.count_before,
            None => self.counts.contains(&self.joint.opening),
        }
    }

    fn n_presses(&self) -> u32 {
        self.joint.presses.map_or(0, |presses| presses.count)
    }

    fn is_worth(&self, opening: f64) -> bool {
        (opening - self.joint.opening).abs() >= self.path().worth
    }

    /// 1 if the joint should open further, -1 if it should close.
    fn sign(&self) -> f64 {
        match self.target >= self.joint.opening {
            true => 1.0,
            false => -1.0,
        }
    }

    /// Unit vector in which a point of the object has to move towards the goal, in World.
    fn direction(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.sign() * self.path().tangent(&self.joint, point)
    }

    /// Returns true for a lid, flap or door that its weight turns back when it is released at an
    /// opening.
    fn falls_back(&self, opening: f64) -> bool {
        let middle = self.object.aabb_in_world().center();
        let middle = Pose::from_parts(middle.into(), UnitQuaternion::identity());
        let there = self.joint.carried(&middle, opening).translation.vector;
        let opens = self.joint.role == JointRole::Opens;
        opens && is_level(&self.joint) && self.direction(&there).z > 0.0
    }

    fn id(&self) -> &ObjectId {
        &self.object.id
    }
}

/// Search for a stroke of a task: by the handle (`grip`) or by pushing (`push_along`).
struct Planner<'a> {
    arm: Arm<'a>,
    task: &'a JointTask,
    percept: &'a Percept,
    scenes: &'a Scenes,
    hand: Hand,
}

/// Returns a task about the object that an argument's phrase names, on its own joint or that of its
/// only part that is `wanted`. It has no goal yet.
fn find(
    robot: &mut Robot,
    (key, phrase): (&str, &str),
    what: &str,
    wanted: impl Fn(&ObjectJoint) -> bool,
) -> Result<JointTask> {
    sight::check_free(robot)?;
    let (percept, named) = sight::find(robot, phrase)?;
    let moves = |joint: &&ObjectJoint| wanted(joint);
    let own = percept.joints.iter().filter(|j| j.child == named.id);
    let mut found: Vec<&ObjectJoint> = own.filter(moves).collect();
    if found.is_empty() {
        let of_it = |j: &&ObjectJoint| {
            j.parent == named.id || percept.whole_of(&j.child) == Some(&named.id)
        };
        found = percept.joints.iter().filter(of_it).filter(moves).collect();
    }
    match found.as_slice() {
        [joint] => Ok(JointTask {
            object: match percept.object(&joint.child) {
                Some(object) => object.clone(),
                None => sight::see_again(robot, &joint.child)?,
            },
            joint: (*joint).clone(),
            target: joint.opening,
            counts: f64::NEG_INFINITY..=f64::INFINITY,
            force_n: None,
            stuck_grasps: vec![],
            press: None,
        }),
        [] => {
            let all = percept.joints.iter().filter(moves);
            let known = match list(all.map(|j| &j.child)).as_str() {
                "" => "no object here does".to_owned(),
                all => format!("objects that do: {all}"),
            };
            let text = format!(
                "argument `{key}`: {} has no part that {what} ({known})",
                named.id
            );
            Err(Failure::new(Reason::BadArguments, text).about([named.id.clone()]))
        }
        several => {
            let ids: Vec<ObjectId> = several.iter().map(|j| j.child.clone()).collect();
            let (id, names) = (&named.id, list(&ids));
            let text = format!(
                "argument `{key}`: {id} has more than one part that {what}: {names}; name one of \
                 them"
            );
            Err(Failure::new(Reason::AmbiguousObject, text).about(ids))
        }
    }
}

/// Returns true for a hinge with a horizontal axis, on which gravity moves the object up or down.
fn is_level(joint: &ObjectJoint) -> bool {
    /// Sine of the largest slope of the axis.
    const SLOPE: f64 = 0.2;
    JointPath::of(joint).turns && joint.axis().z.abs() < SLOPE
}

fn opens(joint: &ObjectJoint) -> bool {
    joint.presses.is_none() && joint.role == JointRole::Opens
}

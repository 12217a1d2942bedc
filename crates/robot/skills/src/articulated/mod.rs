//! Opening, closing and turning what moves on a joint: drawers, doors, lids, knobs.

mod compliant_follow;
mod doors;
mod drive_to;
mod grip;
mod handle;
mod joint_path;
mod press;
mod push_along;
mod travel;
mod turn;
mod verify;

use regrasp_api::{
    Failure, JointRole, ObjectId, ObjectJoint, PerceivedObject, Percept, Pose, Reason,
};
use regrasp_robot::Robot;

use crate::sight;
use joint_path::JointPath;

pub use doors::{Close, CloseArgs, Open, OpenArgs};
pub use press::{Tap, TapArgs};
pub use turn::{Turn, TurnArgs};

/// Knowledge of a call about what it moves.
#[derive(Clone, Debug)]
pub struct JointTask {
    /// The thing that moves.
    thing: PerceivedObject,
    /// As it stood when it was looked at last.
    joint: ObjectJoint,
    aim: Aim,
    force_n: Option<f64>,
    /// Grasps with which it did not move.
    in_vain: Vec<Pose>,
    /// True if it fell back when it was let go of on the way.
    falls_back: bool,
    /// Of a button, what is asked for.
    press: Option<Press>,
}

/// A press that a button should register.
#[derive(Clone, Copy, Debug)]
struct Press {
    count_before: u32,
    max_force_n: f64,
}

/// Openings to which a joint should come, m or rad.
#[derive(Clone, Copy, Debug)]
struct Aim {
    target: f64,
    least: f64,
    most: f64,
}

impl JointTask {
    fn new(thing: PerceivedObject, joint: ObjectJoint, aim: Aim, force_n: Option<f64>) -> Self {
        Self {
            thing,
            joint,
            aim,
            force_n,
            in_vain: vec![],
            falls_back: false,
            press: None,
        }
    }

    fn path(&self) -> &'static JointPath {
        JointPath::of(&self.joint)
    }

    /// Returns true once it is where it should be; of a button, once it has registered the press.
    fn is_there(&self) -> bool {
        match self.press {
            Some(press) => self.n_presses() > press.count_before,
            None => (self.aim.least..=self.aim.most).contains(&self.joint.opening),
        }
    }

    fn n_presses(&self) -> u32 {
        self.joint.presses.map_or(0, |presses| presses.count)
    }

    /// Returns true if a go to an opening is worth it.
    fn is_worth(&self, opening: f64) -> bool {
        (opening - self.joint.opening).abs() >= self.path().worth
    }

    /// 1 if it should open further, -1 if it should close.
    fn sign(&self) -> f64 {
        if self.aim.target >= self.joint.opening {
            1.0
        } else {
            -1.0
        }
    }

    fn id(&self) -> &ObjectId {
        &self.thing.id
    }
}

/// Aim of a joint if exactly an opening was asked for.
fn exactly(joint: &ObjectJoint, target: f64) -> Aim {
    let off = joint.tolerance();
    Aim {
        target,
        least: target - off,
        most: target + off,
    }
}

/// The thing that the phrase of an argument names, and the joint on which it moves: its own, or the
/// only one of its parts that is `wanted`.
fn find(
    robot: &mut Robot,
    (key, phrase): (&str, &str),
    what: &str,
    wanted: impl Fn(&ObjectJoint) -> bool,
) -> Result<(PerceivedObject, ObjectJoint), Failure> {
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
        [joint] => match percept.object(&joint.child) {
            Some(thing) => Ok((thing.clone(), (*joint).clone())),
            None => Ok((sight::see_again(robot, &joint.child)?, (*joint).clone())),
        },
        [] => {
            let all = percept.joints.iter().filter(moves);
            let all: Vec<_> = all.map(|j| j.child.as_str()).collect();
            let known = match all.as_slice() {
                [] => "nothing here does".to_owned(),
                all => format!("what {what} here: {}", all.join(", ")),
            };
            let text = format!(
                "argument `{key}`: {} has nothing that {what} ({known})",
                named.id
            );
            Err(Failure::new(Reason::BadArguments, text).about([named.id.clone()]))
        }
        several => {
            let ids: Vec<ObjectId> = several.iter().map(|j| j.child.clone()).collect();
            let names: Vec<&str> = ids.iter().map(ObjectId::as_str).collect();
            let text = format!("{} has several: {}; say which", named.id, names.join(", "));
            Err(Failure::new(Reason::AmbiguousObject, text).about(ids))
        }
    }
}

/// Returns true if it is a hinge about a level axis: its weight moves it, and it goes up and down.
fn is_level(joint: &ObjectJoint) -> bool {
    /// As the sine of the slope.
    const SLOPE: f64 = 0.2;
    JointPath::of(joint).turns && joint.axis().z.abs() < SLOPE
}

fn opens(joint: &ObjectJoint) -> bool {
    joint.presses.is_none() && joint.role == JointRole::Opens
}

/// Everything that belongs to the same thing as what moves.
fn family(percept: &Percept, task: &JointTask) -> Vec<ObjectId> {
    let whole = percept.whole_of(task.id()).unwrap_or(&task.joint.parent);
    let parts = percept.parts_of(whole).cloned();
    let mut all: Vec<ObjectId> = parts.collect();
    all.extend([whole.clone(), task.joint.parent.clone(), task.id().clone()]);
    all
}

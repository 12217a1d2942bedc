//! Looking one call ahead, so that a grasp fits what will be done with it.

use nalgebra::Vector3;
use regrasp_api::{
    Held, MotionPlanner, PerceivedObject, Percept, Pose, Resolution, Robot, ToolTarget, resolve,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::carry_to;
use crate::grasp::Grasp;
use crate::put_down;
use crate::spot::{self, Side, Spot};

/// The call that follows a pick, in the words of that call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "skill", rename_all = "snake_case", deny_unknown_fields)]
pub enum Then {
    /// It will be put on this.
    PlaceOn {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
    },
    /// It will be put beside this.
    PlaceBeside {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
        /// On which side.
        #[serde(default)]
        side: Option<Side>,
    },
    /// It will be put down at this point in World.
    PlaceAt {
        /// Forward, m.
        x: f64,
        /// To the left, m.
        y: f64,
    },
    /// It will be held at this point in World.
    CarryTo {
        /// Forward, m.
        x: f64,
        /// To the left, m.
        y: f64,
        /// Up, m.
        z: f64,
    },
}

/// What follows a pick, as far as it can be told before the pick.
pub(crate) struct Next<'a> {
    target: &'a PerceivedObject,
    world_from_base: Pose,
    joints: Vec<f64>,
    place: Place,
}

enum Place {
    On(Spot),
    InAir(Vector3<f64>),
    /// Nothing is known: every grasp is as good as any other. What is wrong with the
    /// place is for the call itself to say.
    Unknown,
}

impl<'a> Next<'a> {
    pub(crate) fn new(
        robot: &mut Robot,
        percept: &Percept,
        target: &'a PerceivedObject,
        then: &Then,
    ) -> Self {
        let now = robot.observe();
        let upright = held(target, Pose::identity());
        let world_from_target = &target.world_from_object;
        let spot = match then {
            Then::PlaceOn { target: phrase } => match resolve(&percept.objects, phrase) {
                Resolution::One(on) => {
                    let near = target.position();
                    spot::on_object(percept, &upright, world_from_target, on, [near.x, near.y]).ok()
                }
                _ => None,
            },
            Then::PlaceBeside {
                target: phrase,
                side,
            } => match resolve(&percept.objects, phrase) {
                Resolution::One(by) => {
                    spot::beside(percept, &upright, world_from_target, by, *side).ok()
                }
                _ => None,
            },
            Then::PlaceAt { x, y } => {
                spot::at_point(percept, &upright, world_from_target, [*x, *y], None).ok()
            }
            Then::CarryTo { .. } => None,
        };
        let place = match (spot, then) {
            (Some(spot), _) => Place::On(spot),
            (None, Then::CarryTo { x, y, z }) => Place::InAir(Vector3::new(*x, *y, *z)),
            (None, _) => Place::Unknown,
        };
        Self {
            target,
            world_from_base: now.world_from_base,
            joints: now.joint_positions,
            place,
        }
    }

    /// Whether the arm could do it with this grasp, obstacles aside.
    pub(crate) fn is_reachable(&self, motion: &dyn MotionPlanner, grasp: &Grasp) -> bool {
        let tool_from_object = grasp.world_from_tool.inverse() * self.target.world_from_object;
        let held = held(self.target, tool_from_object);
        match &self.place {
            Place::On(spot) => {
                put_down::is_reachable(motion, &self.world_from_base, &self.joints, &held, spot)
            }
            Place::InAir(point) => {
                let there =
                    Pose::from_parts((*point).into(), self.target.world_from_object.rotation);
                carry_to::tool_poses(&there, &tool_from_object)
                    .into_iter()
                    .any(|pose| {
                        let target = ToolTarget::Pose(pose);
                        motion
                            .inverse(&self.world_from_base, &target, &self.joints)
                            .is_ok()
                    })
            }
            Place::Unknown => true,
        }
    }
}

/// The target as if it were in the hand already.
fn held(target: &PerceivedObject, tool_from_object: Pose) -> Held {
    Held {
        id: target.id.clone(),
        shape: target.shape.clone(),
        tool_from_object,
        width_m: 0.0,
    }
}

//! Calls that put an object down: the places that they denote, for the call itself and for the
//! lookahead of the pick before it.

use nalgebra::Vector3;
use regrasp_api::{
    Failure, Goal, Kind, Literal, Observation, Operator, PerceivedObject, Reason, Relation,
    ToolTarget,
};
use regrasp_robot::{Result, Robot};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs, ReorientArgs, StatedGoal};
use crate::arm::Arm;
use crate::placement::{Placement, PlacementRequest, Places};
use crate::put_down::is_reachable;

/// An object that is held, or assumed to be, and the robot that puts it down.
#[derive(Clone, Copy)]
pub(crate) struct Placing<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) now: &'a Observation,
    pub(crate) request: PlacementRequest<'a>,
    /// Point (x, y in World) near which the object is put on a large surface.
    pub(crate) near: [f64; 2],
}

/// Arguments of a skill that puts the held object down.
pub(crate) trait PlacementArgs: DeserializeOwned + JsonSchema + Send + Sync {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    /// Preconditions and effects of the skill.
    const OPERATORS: &'static [Operator];
    /// True if places that the arm reaches with the present grasp are preferred.
    const REACHABLE_FIRST: bool = false;

    /// Phrase for the target object, which is searched for with retries.
    fn target(&self) -> Option<&str> {
        None
    }

    /// Returns the places that the arguments denote, the best first.
    fn places(&self, placing: &Placing<'_>) -> Places;

    /// Phrase for a second object that carries the held one.
    fn also(&self) -> Option<&str> {
        None
    }

    /// Returns the places that the call itself tries, from the arm's current state.
    fn candidates(&self, placing: &Placing<'_>, places: Vec<Placement>) -> Vec<Placement> {
        let arm = Arm::new(placing.robot, placing.now);
        let (near, far): (Vec<_>, Vec<_>) = places.into_iter().partition(|place| {
            !Self::REACHABLE_FIRST
                || is_reachable(placing.request.held, place, |pose| arm.reaches(pose))
        });
        if near.is_empty() { far } else { near }
    }

    /// Phrase for the object against which the held one is put.
    fn close_to(&self) -> Option<&str> {
        None
    }
}

impl<'a> Placing<'a> {
    fn find(&self, key: &str, phrase: &str) -> Result<&'a PerceivedObject> {
        let found = self.robot.find(self.request.percept, phrase)?;
        let id = &found.id;
        if id == &self.request.held.id {
            let text = format!("argument `{key}`: {id} cannot be put on or beside itself");
            return Err(Failure::new(Reason::BadArguments, text).about([id.clone()]));
        }
        Ok(found)
    }

    /// Finds a second object, which has to differ from the target.
    fn also(&self, phrase: &str, target: &PerceivedObject) -> Result<&'a PerceivedObject> {
        let also = self.find("also", phrase)?;
        if also.id == target.id {
            let text = format!("argument `also`: {} is already the target", also.id);
            return Err(Failure::new(Reason::BadArguments, text).about([also.id.clone()]));
        }
        Ok(also)
    }

    /// Places at which a goal and the further goals in `meeting` hold.
    fn at_goal(&self, goal: Goal, meeting: &[StatedGoal]) -> Places {
        let goals: Vec<&Goal> = std::iter::once(&goal)
            .chain(meeting.iter().map(|stated| &stated.0))
            .collect();
        let places = self.request.at_goal(&goals, |point| self.reaches(point));
        places.map(|places| self.request.between_walls(places))
    }

    /// Returns true if the arm reaches a point, in World, with the tool pointing down: the grasp may
    /// not be known yet.
    fn reaches(&self, position: [f64; 3]) -> bool {
        let target = ToolTarget::Axis {
            position,
            axis_in_world: [0.0, 0.0, -1.0],
        };
        let (base, joints) = (&self.now.world_from_base, &self.now.joint_positions);
        self.robot.motion.reaches(base, &target, joints)
    }

    /// Returns true if the arm reaches the place of an object, or the end of the object that would
    /// be nearest to the arm there, with any rotation of the tool: without that, no grasp helps.
    pub(super) fn nears(&self, place: &Placement) -> bool {
        let middle = self.request.held.shape.aabb(&place.world_from_object);
        let (center, half_m) = (middle.center(), 0.5 * middle.size().norm());
        let base = self.now.world_from_base.translation.vector;
        let back = (base - center.coords).xy().push(0.0).try_normalize(1e-6);
        let ends = [Vector3::zeros(), back.unwrap_or_default() * half_m];
        ends.iter().any(|end| {
            let target = ToolTarget::Position((center + end).into());
            let (base, joints) = (&self.now.world_from_base, &self.now.joint_positions);
            self.robot.motion.reaches(base, &target, joints)
        })
    }
}

impl PlacementArgs for PlaceOnArgs {
    const NAME: &'static str = "place_on";
    const DESCRIPTION: &'static str = "Puts the held object on another, across two, or into a \
         container. In the middle of a movable object, on a free place of a table, or across two \
         that stand side by side.";
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                Operator::KEEPING,
                Operator::MEETING,
            ],
            &[Literal::so("on", &["object", "target"])],
        )
        .needing(&[Literal::so("room", &["target"])]),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, Operator::ALSO],
            &[Literal::so("across", &["object", "target", "also"])],
        ),
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                Operator::ZONE,
                Operator::MEETING,
            ],
            &[Literal::so("on", &["object", "target", "zone"])],
        ),
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                ("relation", Kind::Relation(Relation::Under)),
            ],
            &[Literal::so("under", &["object", "target"])],
        ),
    ];

    fn target(&self) -> Option<&str> {
        Some(&self.target)
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let target = placing.find("target", &self.target)?;
        let (object, id) = (placing.request.held.id.clone(), target.id.clone());
        match (&self.also, &self.zone, self.relation) {
            (Some(also), None, None) => {
                let also = placing.also(also, target)?;
                Ok(vec![placing.request.across([target, also])?])
            }
            (None, Some(zone), None) => {
                let zone = zone.clone();
                let within = Goal::Within {
                    object,
                    target: id,
                    zone,
                };
                placing.at_goal(within, &self.meeting)
            }
            (None, None, Some(relation)) => {
                let related = Goal::Related {
                    relation,
                    object,
                    target: id,
                };
                placing.at_goal(related, &self.meeting)
            }
            (None, None, None) if !self.meeting.is_empty() => {
                let on = Goal::On { object, target: id };
                placing.at_goal(on, &self.meeting)
            }
            (None, None, None) => {
                let keeping = self.keeping.iter().map(|stated| &stated.0);
                let later = keeping.filter(|goal| match goal.objects().as_slice() {
                    [_, on, ..] if **on == target.id => true,
                    [_, others @ ..] => others.contains(&&object),
                    [] => false,
                });
                let later: Vec<_> = later.collect();
                let places = placing.request.on_object(target, placing.near, &later)?;
                let is_near = |place: &Placement| placing.reaches(place.position().into());
                if places.iter().any(is_near) {
                    return Ok(places);
                }
                let on = Goal::On { object, target: id };
                placing.at_goal(on, &[]).or(Ok(places))
            }
            _ => {
                let text = "arguments `also`, `zone` and `relation`: expected at most one of them";
                Err(Failure::new(Reason::BadArguments, text))
            }
        }
    }

    fn also(&self) -> Option<&str> {
        self.also.as_deref()
    }
}

/// Number of places beside an object at which the arm may put another down.
const N_BESIDE: usize = 6;

impl PlacementArgs for PlaceBesideArgs {
    const NAME: &'static str = "place_beside";
    const DESCRIPTION: &'static str = "Puts the held object down beside another. On the same \
         support: left, right, in_front (nearer to the robot) or behind.";
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, Operator::MEETING],
            &[Literal::so("beside", &["object", "target"])],
        ),
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                ("side", Kind::Side),
                Operator::MEETING,
            ],
            &[Literal::so("beside", &["object", "target", "side"])],
        ),
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                ("close", Kind::Flag(true)),
            ],
            &[Literal::so("against", &["object", "target"])],
        ),
        Operator::new(
            &[
                Operator::OBJECT,
                Operator::TARGET,
                Operator::ALSO,
                Operator::MEETING,
            ],
            &[Literal::so("between", &["object", "target", "also"])],
        ),
    ];

    fn target(&self) -> Option<&str> {
        Some(&self.target)
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let target = placing.find("target", &self.target)?;
        let object = placing.request.held.id.clone();
        if let Some(also) = &self.also {
            let targets = [target, placing.also(also, target)?].map(|o| o.id.clone());
            return placing.at_goal(Goal::Between { object, targets }, &self.meeting);
        }
        match (self.close, self.meeting.as_slice()) {
            (true, _) => placing.request.against(target, self.side),
            (false, []) => placing.request.beside(target, self.side, N_BESIDE),
            (false, meeting) => {
                let (target, side) = (target.id.clone(), self.side);
                let beside = Goal::Beside {
                    object,
                    target,
                    side,
                };
                placing.at_goal(beside, meeting)
            }
        }
    }

    fn close_to(&self) -> Option<&str> {
        self.close.then_some(&self.target)
    }
}

impl PlacementArgs for PlaceAtArgs {
    const NAME: &'static str = "place_at";
    const DESCRIPTION: &'static str = "Puts the held object down at a point. On whatever is \
         there; the point is in World: metres, x forward, y left.";
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::POINT],
        &[Literal::so("at", &["object", "point"])],
    )];

    fn places(&self, placing: &Placing<'_>) -> Places {
        let at = [self.x, self.y];
        match self.z {
            Some(z) => placing.request.at_height(at, z),
            None => Ok(vec![placing.request.at_point(at, None)?]),
        }
    }

    /// Adds shifted places, if walls leave the fingers no room.
    fn candidates(&self, placing: &Placing<'_>, places: Vec<Placement>) -> Vec<Placement> {
        placing.request.between_walls(places)
    }
}

impl PlacementArgs for ReorientArgs {
    const NAME: &'static str = "reorient";
    const DESCRIPTION: &'static str = "Sets the held object down upright nearby. A can that lay \
         on its side stands afterwards. It is regrasped if the grasp does not allow that.";
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT],
        &[Literal::so("upright", &["object"])],
    )];
    const REACHABLE_FIRST: bool = true;

    fn places(&self, placing: &Placing<'_>) -> Places {
        placing.request.standing()
    }
}

impl PlacementArgs for PlaceAsideArgs {
    const NAME: &'static str = "place_aside";
    const DESCRIPTION: &'static str =
        "Puts the held object down out of the way. On a free place nearby.";
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::KEEPING],
        &[Literal::so("aside", &["object"])],
    )];
    const REACHABLE_FIRST: bool = true;

    fn places(&self, placing: &Placing<'_>) -> Places {
        let keeping: Vec<&Goal> = self.keeping.iter().map(|stated| &stated.0).collect();
        let workspace = &placing.robot.info.workspace;
        let reaches = |point| placing.reaches(point);
        let request = &placing.request;
        request.aside(placing.near, &keeping, workspace, reaches)
    }
}

//! Calls that put something down at a place of a thing or a point: which places they mean, for the
//! call itself and for the pick before it.

use regrasp_api::{
    Failure, Goal, Held, Kind, Literal, ObjectId, Operator, PerceivedObject, Percept, Pose, Reason,
    Relation,
};
use regrasp_relations::level_gap_m;
use regrasp_robot::Robot;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::calls::{PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs};
use crate::placement::{self, Placement};
use crate::sight;

/// Widest gap between two things of which one was put right beside the other, m.
const CLOSE_M: f64 = 0.01;
const UNDER: (&str, Kind) = ("relation", Kind::Relation(Relation::Under));
const CLOSE: (&str, Kind) = ("close", Kind::Flag(true));

/// Something that is held, or as if it were, and all that is seen around it.
#[derive(Clone, Copy)]
pub(crate) struct Placing<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) percept: &'a Percept,
    pub(crate) held: &'a Held,
    pub(crate) world_from_held: Pose,
    /// The point (x, y in World) near which it is put on something large.
    pub(crate) near: [f64; 2],
}

type Places = Result<Vec<Placement>, Failure>;

/// Arguments of a skill that puts down what is in the hand.
pub(crate) trait PlacementArgs: DeserializeOwned + JsonSchema + Send + Sync {
    /// Name of the skill.
    const NAME: &'static str;
    /// Description of the skill.
    const DESCRIPTION: &'static str;
    /// Effects of the skill.
    const OPERATORS: &'static [Operator];

    /// The phrase for the thing that it is put at, which is looked for with patience.
    fn target(&self) -> Option<&str>;

    /// The places that are meant, all on one support, the best first; there is at least one.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn places(&self, placing: &Placing<'_>) -> Places;

    /// A second thing that carries it.
    ///
    /// # Errors
    ///
    /// It is not seen.
    fn second_support(&self, _placing: &Placing<'_>) -> Result<Option<ObjectId>, Failure> {
        Ok(None)
    }

    /// Places a little beside those where walls leave fingers no room.
    fn with_shifts(&self, _placing: &Placing<'_>, placements: Vec<Placement>) -> Vec<Placement> {
        placements
    }

    /// Looks whether more holds of it than that it rests at its place.
    ///
    /// # Errors
    ///
    /// What does not hold.
    fn verify(&self, _robot: &mut Robot, _id: &ObjectId) -> Result<(), Failure> {
        Ok(())
    }
}

impl<'a> Placing<'a> {
    fn find(&self, key: &str, phrase: &str) -> Result<&'a PerceivedObject, Failure> {
        let found = self.robot.find(self.percept, phrase)?;
        if found.id == self.held.id {
            let text = format!(
                "argument `{key}`: {} cannot be put on or beside itself",
                found.id
            );
            return Err(Failure::new(Reason::BadArguments, text).about([found.id.clone()]));
        }
        Ok(found)
    }

    /// A second thing besides the target.
    fn also(&self, phrase: &str, target: &PerceivedObject) -> Result<&'a PerceivedObject, Failure> {
        let also = self.find("also", phrase)?;
        if also.id == target.id {
            let text = format!("argument `also`: {} is none besides the others", also.id);
            return Err(Failure::new(Reason::BadArguments, text).about([also.id.clone()]));
        }
        Ok(also)
    }

    /// Largest width between the fingers, m.
    fn widest_m(&self) -> f64 {
        self.robot.info.gripper.max_width_m
    }

    fn at_goal(&self, goal: &Goal) -> Places {
        let (percept, held, now) = (self.percept, self.held, &self.world_from_held);
        let placements = placement::at_goal(percept, held, now, goal, self.widest_m())?;
        Ok(self.with_shifts(placements))
    }

    /// A single place with some beside it where walls leave fingers no room.
    fn with_shifts(&self, placements: Vec<Placement>) -> Vec<Placement> {
        match <[Placement; 1]>::try_from(placements) {
            Ok([placement]) => {
                placement::between_walls(self.percept, self.held, placement, self.widest_m())
            }
            Err(placements) => placements,
        }
    }
}

impl PlacementArgs for PlaceOnArgs {
    const NAME: &'static str = "place_on";
    const DESCRIPTION: &'static str = "Puts what is in the hand on an object, across two of one height, or into a container, and lets go \
         of it.";
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET],
            &[Literal::so("on", &["object", "target"])],
        )
        .needing(&[Literal::so("room", &["target"])]),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, Operator::ALSO],
            &[Literal::so("across", &["object", "target", "also"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, Operator::ZONE],
            &[Literal::so("on", &["object", "target", "zone"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, UNDER],
            &[Literal::so("under", &["object", "target"])],
        ),
    ];

    fn target(&self) -> Option<&str> {
        Some(&self.target)
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let target = placing.find("target", &self.target)?;
        let (percept, held, now) = (placing.percept, placing.held, &placing.world_from_held);
        let ids = || (held.id.clone(), target.id.clone());
        match (&self.also, &self.zone, self.relation) {
            (Some(also), None, None) => {
                let also = placing.also(also, target)?;
                Ok(vec![placement::across(percept, held, now, [target, also])?])
            }
            (None, Some(zone), None) => {
                let ((object, target), zone) = (ids(), zone.clone());
                placing.at_goal(&Goal::Within {
                    object,
                    target,
                    zone,
                })
            }
            (None, None, Some(relation)) => {
                let (object, target) = ids();
                placing.at_goal(&Goal::Related {
                    relation,
                    object,
                    target,
                })
            }
            (None, None, None) => {
                placement::on_object(percept, held, now, target, placing.near, placing.widest_m())
            }
            _ => {
                let text = "arguments `also`, `zone` and `relation`: expected one of them at most";
                Err(Failure::new(Reason::BadArguments, text))
            }
        }
    }

    fn second_support(&self, placing: &Placing<'_>) -> Result<Option<ObjectId>, Failure> {
        let also = self.also.as_ref();
        let found = also.map(|also| placing.robot.find(placing.percept, also));
        Ok(found.transpose()?.map(|found| found.id.clone()))
    }
}

impl PlacementArgs for PlaceBesideArgs {
    const NAME: &'static str = "place_beside";
    const DESCRIPTION: &'static str = "Puts what is in the hand down beside an object, on what that stands on, and lets go of it: left, \
         right, in_front (nearer to the robot) or behind.";
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET],
            &[Literal::so("beside", &["object", "target"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, ("side", Kind::Side)],
            &[Literal::so("beside", &["object", "target", "side"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, CLOSE],
            &[Literal::so("against", &["object", "target"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, Operator::ALSO],
            &[Literal::so("between", &["object", "target", "also"])],
        ),
    ];

    fn target(&self) -> Option<&str> {
        Some(&self.target)
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let target = placing.find("target", &self.target)?;
        let (percept, held, now) = (placing.percept, placing.held, &placing.world_from_held);
        if let Some(also) = &self.also {
            let targets = [target, placing.also(also, target)?].map(|o| o.id.clone());
            return placing.at_goal(&Goal::Between {
                object: held.id.clone(),
                targets,
            });
        }
        match self.close {
            true => placement::against(percept, held, now, target, self.side),
            false => placement::beside(percept, held, now, target, self.side, 1),
        }
    }

    fn verify(&self, robot: &mut Robot, id: &ObjectId) -> Result<(), Failure> {
        if !self.close {
            return Ok(());
        }
        let (_, target) = sight::find(robot, &self.target)?;
        let placed = sight::see_again(robot, id)?;
        let gap_m = level_gap_m(&placed, &target);
        let limit_m = CLOSE_M + 3.0 * (placed.position_std_m + target.position_std_m);
        if gap_m <= limit_m {
            return Ok(());
        }
        let text = format!(
            "{} stands {gap_m:.4} m from {} (right beside it, at most {limit_m:.4} m)",
            placed.id, target.id
        );
        Err(Failure::new(Reason::PlacedOffTarget, text)
            .about([placed.id, target.id])
            .measured("gap", gap_m, Some(limit_m), "m"))
    }
}

impl PlacementArgs for PlaceAtArgs {
    const NAME: &'static str = "place_at";
    const DESCRIPTION: &'static str = "Puts what is in the hand down at a point in World (m, x forward, y left), on whatever is there, \
         and lets go of it.";
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::POINT],
        &[Literal::so("at", &["object", "point"])],
    )];

    fn target(&self) -> Option<&str> {
        None
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let (percept, held, now) = (placing.percept, placing.held, &placing.world_from_held);
        let at = [self.x, self.y];
        match self.z {
            Some(z) => placement::at_height(percept, held, now, at, z),
            None => Ok(vec![placement::at_point(percept, held, now, at, None)?]),
        }
    }

    fn with_shifts(&self, placing: &Placing<'_>, placements: Vec<Placement>) -> Vec<Placement> {
        placing.with_shifts(placements)
    }
}

impl PlacementArgs for PlaceAsideArgs {
    const NAME: &'static str = "place_aside";
    const DESCRIPTION: &'static str =
        "Puts what is in the hand down near where it was, out of the way, and lets go of it.";
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::KEEPING],
        &[Literal::so("aside", &["object"])],
    )];

    fn target(&self) -> Option<&str> {
        None
    }

    fn places(&self, placing: &Placing<'_>) -> Places {
        let (percept, held, now) = (placing.percept, placing.held, &placing.world_from_held);
        let keeping: Vec<&Goal> = self.keeping.iter().map(|stated| &stated.0).collect();
        let workspace = &placing.robot.info.workspace;
        let hand = (workspace, placing.widest_m());
        placement::aside(percept, held, now, placing.near, &keeping, hand)
    }
}

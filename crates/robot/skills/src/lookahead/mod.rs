//! Lookahead by one call, so that a grasp suits the next use of the object.

mod calls;
mod destination;
mod feasibility;
mod placing;

pub use calls::{
    CarryToArgs, InsertArgs, NextCall, PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs,
    PourArgs, ReorientArgs, StatedGoal,
};
pub(crate) use destination::{Lookahead, Purpose};
pub(crate) use feasibility::{Feasibility, Lifted};
pub(crate) use placing::{PlacementArgs, Placing};

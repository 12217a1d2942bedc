//! Looking one call ahead, so that a grasp fits what will be done with it.

mod call;
mod calls;
mod outlook;
mod places;

pub(crate) use call::{Next, Wish};
pub use calls::{
    CarryToArgs, InsertArgs, NextCall, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs, PourArgs,
    ReorientArgs,
};
pub(crate) use outlook::{Lifted, Outlook};
pub(crate) use places::{Placement, Placing};

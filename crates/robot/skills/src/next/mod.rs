//! Looking one call ahead, so that a grasp fits what will be done with it.

mod call;
mod outlook;
mod then;

pub(crate) use call::{Next, Wish};
pub(crate) use outlook::{Lifted, Outlook};
pub use then::Then;

//! Spatial relations of objects, judged by perception and the robot's sensors.
//!
//! **What it does.** Finds what an object rests on, is inside of, or stands beside, between,
//! against or across; at what height it comes to rest at a point; what is in the hand ([`InHand`]);
//! and whether a [`Goal`](regrasp_api::Goal) holds ([`Evidence::judge`]). Skills verify their
//! results with the same definitions with which planners plan.
//!
//! **What it does not do.** It reads no sensor and no ground truth, and moves nothing.
//!
//! # Invariants
//!
//! - A goal is judged by perception and sensors at one moment, never by beliefs.
//! - Every unmet goal has a reason, with figures where a limit is exceeded.

mod connections;
mod contents;
mod corridor;
mod evidence;
mod in_hand;
mod inside;
mod judging;
mod places;
mod relations;
mod resting;
mod under;

pub use connections::{full_depth_m, is_inserted, is_through, not_level};
pub use contents::{count_in, members_in, objects_in};
pub use corridor::{Corridor, level_gap_m};
pub use evidence::{Evidence, Moving};
pub use in_hand::{InHand, grip_lost_above, grip_lost_below};
pub use inside::{is_bounded_inside, is_inside};
pub use judging::{misplaced, no_space, not_related};
pub use places::{BELOW_ZONE_M, Region, not_within};
pub use relations::{
    SUPPORT_GAP_M, bears, box_gap_m, carrier_between, carriers, footprints_overlap, is_carried_by,
    is_supported_by, objects_on, stands_on, support_of,
};
pub use resting::{is_surface_at, level_z, resting_z};

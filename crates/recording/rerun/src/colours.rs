//! Which colour means what.

use regrasp_api::WeighedGrasp;

use crate::row::Rgb;

/// What was planned.
pub(crate) const PLANNED: Rgb = [90, 170, 255];
/// What was done.
pub(crate) const EXECUTED: Rgb = [255, 200, 60];
/// What failed.
pub(crate) const FAILED: Rgb = [235, 60, 50];
/// What touches.
pub(crate) const TOUCHING: Rgb = [255, 120, 40];
/// What was commanded.
pub(crate) const COMMANDED: Rgb = [150, 150, 160];

/// Colours for figures of one group, in their order.
pub(crate) const SERIES: [Rgb; 8] = [
    [90, 170, 255],
    [255, 170, 60],
    [110, 210, 110],
    [235, 90, 90],
    [190, 130, 240],
    [240, 220, 90],
    [90, 220, 220],
    [240, 130, 190],
];

/// The colour of a grasp, by what became of it; grey for what a user's skill may say.
pub fn verdict_colour(verdict: &str) -> Rgb {
    match verdict {
        WeighedGrasp::TAKEN => [40, 200, 80],
        WeighedGrasp::SPARE => [80, 160, 255],
        "in_collision" => [235, 60, 50],
        "blocked_approach" => [255, 150, 40],
        "unreachable" => [180, 90, 230],
        "too_wide" | "too_flat" | "slanted" => [200, 190, 90],
        _ => [150, 150, 150],
    }
}

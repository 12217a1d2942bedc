//! Colours and their meaning.

use regrasp_api::WeighedGrasp;

use crate::row::Rgb;

pub(crate) const PLANNED: Rgb = [90, 170, 255];
pub(crate) const EXECUTED: Rgb = [255, 200, 60];
pub(crate) const FAILED: Rgb = [235, 60, 50];
/// Colour of contacts.
pub(crate) const TOUCHING: Rgb = [255, 120, 40];
pub(crate) const COMMANDED: Rgb = [150, 150, 160];

/// Colours of the signals of one group, in order.
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

/// Returns the colour of a verdict on a grasp. Unknown verdicts, as of users' skills, are grey.
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

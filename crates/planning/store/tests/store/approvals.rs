//! An incident ends the clean streak of its kind only.

use regrasp_api::ApprovalLog;

use crate::place::Location;

#[test]
fn an_incident_ends_the_streak_of_its_kind_only() {
    let place = Location::new();
    let (mut one, mut other) = (place.open(), place.open());
    let streaks = |store: &mut dyn ApprovalLog| {
        ["fast", "near a person"].map(|kind| store.clean_streak(kind).expect("an answer"))
    };
    assert_eq!(streaks(&mut one), [0, 0]);
    for _ in 0..2 {
        ApprovalLog::record(&mut one, "fast", false).expect("the write succeeds");
    }
    ApprovalLog::record(&mut other, "fast", false).expect("the write succeeds");
    ApprovalLog::record(&mut one, "near a person", false).expect("the write succeeds");
    // Agents that share a store count together.
    assert_eq!(streaks(&mut other), [3, 1]);

    ApprovalLog::record(&mut other, "fast", true).expect("the write succeeds");
    assert_eq!(streaks(&mut one), [0, 1]);
    ApprovalLog::record(&mut one, "fast", false).expect("the write succeeds");
    drop((one, other));
    assert_eq!(streaks(&mut place.open()), [1, 1]);
}

#[test]
fn a_kind_that_begins_with_an_incident_has_no_streak() {
    let mut store = Location::new().open();
    ApprovalLog::record(&mut store, "fast", true).expect("the write succeeds");
    assert_eq!(store.clean_streak("fast"), Ok(0));
}

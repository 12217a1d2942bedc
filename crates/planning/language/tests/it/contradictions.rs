//! Goals that nothing can bring about.

use regrasp_api::Viewpoint;

use crate::misreadings::heard;

/// Nothing moves for what nothing can bring about.
#[test]
fn what_contradicts_itself_is_refused() {
    let at_once = "cannot hold at the same time";
    for (text, why) in [
        (
            "goal: on(red_cube, plate) and not on(red_cube, plate)",
            at_once,
        ),
        (
            "goal: on(red_cube, green_cube) and on(green_cube, red_cube)",
            at_once,
        ),
        (
            "goal: on(red_cube, green_cube) and on(green_cube, blue_cube) and on(blue_cube, red_cube)",
            at_once,
        ),
        (
            "goal: left_of(red_cube, apple) and right_of(red_cube, apple)",
            at_once,
        ),
        (
            "goal: left_of(red_cube, apple) and left_of(apple, red_cube)",
            at_once,
        ),
        ("goal: holding(red_cube) and on(red_cube, plate)", at_once),
        ("goal: holding(red_cube) and holding(apple)", at_once),
        (
            "goal: at(red_cube, 0.4, 0.1) and at(red_cube, 0.5, 0.1)",
            at_once,
        ),
        (
            "goal: (on(apple, plate) or on(apple, bowl)) and not on(apple, plate) and not on(apple, bowl)",
            at_once,
        ),
        (
            "goal: on(apple, plate); never(on(apple, plate))",
            "never to be so",
        ),
        (
            "goal: on(apple, plate); untouched(apple)",
            "not to be touched",
        ),
        (
            "put the red cube on the green cube and the green cube on the red cube",
            at_once,
        ),
        (
            "put the red cube to the left of the apple and the apple to the left of the red cube",
            at_once,
        ),
    ] {
        let error = heard("table", text, Viewpoint::Robot).expect_err(text);
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
    for text in [
        "goal: on(red_cube, plate) or not on(red_cube, plate)",
        "goal: on(red_cube, green_cube) or on(green_cube, red_cube)",
        "goal: on(apple, plate) and on(apple, tray)",
        "goal: on(apple, bowl) and not in(apple, bowl)",
        "goal: left_of(red_cube, apple) and in_front_of(apple, red_cube)",
        "put the apple on the plate, then pick up the apple",
        "pick up the apple, then pick up the red cube",
        "put the apple on the plate, then put it in the bowl",
        "goal: on(red_cube, green_cube) then on(green_cube, red_cube)",
    ] {
        let heard = heard("table", text, Viewpoint::Robot);
        assert!(heard.is_ok(), "{text}: {heard:?}");
    }
}

//! What the grammar understands.

use proptest::prelude::*;
use regrasp_api::{Heading, PlannerError, Side};
use regrasp_planner::grammar::{Command, Course, HELP, parse, parse_task};

fn pick(object: &str) -> Command {
    Command::Pick {
        object: object.into(),
    }
}

fn on(object: &str, target: &str) -> Command {
    Command::PutOn {
        object: object.into(),
        target: target.into(),
    }
}

fn inside(object: &str, target: &str) -> Command {
    Command::PutIn {
        object: object.into(),
        target: target.into(),
    }
}

fn pour(object: &str, target: &str) -> Command {
    Command::Pour {
        object: object.into(),
        target: target.into(),
    }
}

fn at(object: &str, xy: [f64; 2], z: Option<f64>) -> Command {
    Command::PutAt {
        object: object.into(),
        xy,
        z,
    }
}

fn slide(object: &str, open: bool) -> Command {
    Command::Slide {
        object: object.into(),
        open,
    }
}

fn beside(object: &str, target: &str, side: Option<Side>) -> Command {
    Command::PutBeside {
        object: object.into(),
        target: target.into(),
        side,
    }
}

fn hold(object: &str, point: [f64; 3]) -> Command {
    Command::HoldAt {
        object: object.into(),
        point,
    }
}

fn shift(object: &str, pull: bool, to: Course) -> Command {
    Command::Shift {
        object: object.into(),
        pull,
        to,
    }
}

fn heading(heading: Heading, distance_m: Option<f64>) -> Course {
    Course::Heading {
        heading,
        distance_m,
    }
}

fn towards(target: &str, distance_m: Option<f64>) -> Course {
    Course::Towards {
        target: target.into(),
        distance_m,
    }
}

#[test]
fn pushes_and_pulls_are_understood() {
    use Heading::{Back, Forward, Left, Right};
    let table = [
        (
            "push the red cube forward",
            "red cube",
            heading(Forward, None),
        ),
        ("push the red cube", "red cube", heading(Forward, None)),
        (
            "Push the cube 10 cm to the left.",
            "cube",
            heading(Left, Some(0.1)),
        ),
        (
            "push the cube to the right by 5cm",
            "cube",
            heading(Right, Some(0.05)),
        ),
        (
            "shove red_cube back 0.2 m",
            "red_cube",
            heading(Back, Some(0.2)),
        ),
        (
            "nudge the cube on the left 30 mm away",
            "cube on the left",
            heading(Forward, Some(0.03)),
        ),
        (
            "push the cube on the left",
            "cube on the left",
            heading(Forward, None),
        ),
        ("push forward the cube", "cube", heading(Forward, None)),
        (
            "push the cube 20 cm forward",
            "cube",
            heading(Forward, Some(0.2)),
        ),
        (
            "push the red cube towards the bowl",
            "red cube",
            towards("bowl", None),
        ),
        (
            "push the can 5 cm toward the mug",
            "can",
            towards("mug", Some(0.05)),
        ),
        (
            "push the cube to (0.5, -0.1)",
            "cube",
            Course::Point([0.5, -0.1]),
        ),
    ];
    for (text, object, to) in table {
        assert_eq!(
            parse(text).ok(),
            Some(vec![shift(object, false, to)]),
            "{text}"
        );
    }
    let table = [
        ("pull the can", "can", heading(Back, None)),
        (
            "pull the can 12 cm towards you",
            "can",
            heading(Back, Some(0.12)),
        ),
        ("drag the can left", "can", heading(Left, None)),
        (
            "pull the can towards the bowl",
            "can",
            towards("bowl", None),
        ),
    ];
    for (text, object, to) in table {
        assert_eq!(
            parse(text).ok(),
            Some(vec![shift(object, true, to)]),
            "{text}"
        );
    }
    let press = |object: &str| Command::Press {
        object: object.into(),
    };
    let table = [
        ("press the button", vec![press("button")]),
        ("push the red button", vec![press("red button")]),
        (
            "tap red_button and go home",
            vec![press("red_button"), Command::Home],
        ),
        ("pull the drawer open", vec![slide("drawer", true)]),
        ("push the drawer shut", vec![slide("drawer", false)]),
        (
            "push a forward, then push it left",
            vec![
                shift("a", false, heading(Forward, None)),
                shift("a", false, heading(Left, None)),
            ],
        ),
    ];
    for (text, commands) in table {
        assert_eq!(parse(text).ok(), Some(commands), "{text}");
    }
    for text in [
        "push",
        "push forward",
        "push to (0.4, 0.1)",
        "push the cube 10 cm to (0.4, 0.1)",
    ] {
        assert!(parse(text).is_err(), "{text}: {:?}", parse(text));
    }
}

#[test]
fn commands_are_understood_as_people_type_them() {
    let home = || Command::Home;
    let table: Vec<(&str, Vec<Command>)> = vec![
        ("pick up the red cube", vec![pick("red cube")]),
        ("Pick the Red_Cube up.", vec![pick("Red_Cube")]),
        ("please grab red_cube", vec![pick("red_cube")]),
        ("could you take the mug, please?", vec![pick("mug")]),
        ("lift it's_box", vec![pick("it's_box")]),
        ("grasp a can", vec![pick("can")]),
        ("hold the can", vec![pick("can")]),
        (
            "pick up the cube on the left",
            vec![pick("cube on the left")],
        ),
        (
            "pick up the cube on the plate",
            vec![pick("cube on the plate")],
        ),
        ("pick up the cube, the red one", vec![pick("cube red one")]),
        ("pick up the cube (the red one)", vec![pick("cube red one")]),
        (
            "put the red cube on the plate",
            vec![on("red cube", "plate")],
        ),
        (
            "put the red cube into the bowl",
            vec![inside("red cube", "bowl")],
        ),
        ("open the drawer", vec![slide("drawer", true)]),
        (
            "open the drawer, put a into it and shut it",
            vec![
                slide("drawer", true),
                inside("a", "drawer"),
                slide("drawer", false),
            ],
        ),
        ("place a onto b", vec![on("a", "b")]),
        ("drop a inside b", vec![inside("a", "b")]),
        ("pour the can into the bowl", vec![pour("can", "bowl")]),
        ("pour out a in b", vec![pour("a", "b")]),
        (
            "pick up the cup and pour it over the tray",
            vec![pour("cup", "tray")],
        ),
        (
            "pour the beads into b, then put the cup on the table",
            vec![pour("beads", "b"), on("cup", "table")],
        ),
        ("put down the cup on the tray", vec![on("cup", "tray")]),
        ("put the cup down on the tray", vec![on("cup", "tray")]),
        ("put the cup back on the tray", vec![on("cup", "tray")]),
        ("move the cup on top of the box", vec![on("cup", "box")]),
        ("move the cup to the tray", vec![on("cup", "tray")]),
        ("take the cup to the tray", vec![on("cup", "tray")]),
        ("drop the ball inside the bin", vec![inside("ball", "bin")]),
        (
            "put the cube on the left on the plate on the right",
            vec![on("cube on the left", "plate on the right")],
        ),
        (
            "put the cube on the left plate",
            vec![on("cube", "left plate")],
        ),
        (
            "put the cube on the left side onto the plate",
            vec![on("cube on the left side", "plate")],
        ),
        (
            "stack the red cube on the green cube",
            vec![on("red cube", "green cube")],
        ),
        ("stack a on b on c", vec![on("b", "c"), on("a", "b")]),
        (
            "pick up the red cube and put it on the green cube",
            vec![on("red cube", "green cube")],
        ),
        ("pick a and place it on b", vec![on("a", "b")]),
        ("pick a, place it on b", vec![on("a", "b")]),
        ("put a at (0.4, -0.1)", vec![at("a", [0.4, -0.1], None)]),
        (
            "put a at (0.4,-0.1,0.05)",
            vec![at("a", [0.4, -0.1], Some(0.05))],
        ),
        (
            "move a to [x=0.4 y=-1e-1]",
            vec![at("a", [0.4, -0.1], None)],
        ),
        ("put a on (0.4, 0.1)", vec![at("a", [0.4, 0.1], None)]),
        (
            "pick up the red cube and hold it at (0.1, 0.2, 0.3)",
            vec![hold("red cube", [0.1, 0.2, 0.3])],
        ),
        (
            "lift the can to (0.1, 0.2, 0.3)",
            vec![hold("can", [0.1, 0.2, 0.3])],
        ),
        (
            "carry the can to (0.1, 0.2, 0.3)",
            vec![hold("can", [0.1, 0.2, 0.3])],
        ),
        ("go home", vec![home()]),
        ("Home!", vec![home()]),
        ("return to the home position", vec![home()]),
        (
            "put a on b, then pick up c and then go home",
            vec![on("a", "b"), pick("c"), home()],
        ),
        (
            "go home; pick up a; place it on b",
            vec![home(), on("a", "b")],
        ),
        (
            "put a on b and move it to (0.4, 0.1)",
            vec![on("a", "b"), at("a", [0.4, 0.1], None)],
        ),
        ("pick a then pick b", vec![pick("a"), pick("b")]),
        ("pick up salt and pepper", vec![pick("salt and pepper")]),
    ];
    for (text, expected) in table {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn sides_of_things_are_understood() {
    let table = [
        ("put a beside b", beside("a", "b", None)),
        ("place a next to the b", beside("a", "b", None)),
        ("put a left of b", beside("a", "b", Some(Side::Left))),
        (
            "move the red cube to the left of the green cube",
            beside("red cube", "green cube", Some(Side::Left)),
        ),
        (
            "put a on the right side of b",
            beside("a", "b", Some(Side::Right)),
        ),
        (
            "take the cup to the right of the tray",
            beside("cup", "tray", Some(Side::Right)),
        ),
        (
            "set the cup down in front of b",
            beside("cup", "b", Some(Side::InFront)),
        ),
        ("put a behind b", beside("a", "b", Some(Side::Behind))),
        (
            "pick up a and put it behind b",
            beside("a", "b", Some(Side::Behind)),
        ),
        (
            "put the cube on the left beside the plate on the right",
            beside("cube on the left", "plate on the right", None),
        ),
        // The first preposition says where; the rest is what it is a part of.
        ("put a on the plate next to b", on("a", "plate next to b")),
    ];
    for (text, expected) in table {
        assert_eq!(parse(text), Ok(vec![expected]), "{text}");
    }
    for text in [
        "put a beside",
        "put a in front of",
        "put beside b",
        "put a left",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_condition_on_all_else_is_no_command() {
    for text in [
        "pick up the red cube and touch nothing else",
        "pick up the red cube without touching anything else",
        "Without moving the other objects, pick up the red cube.",
        "pick up the red cube, but do not move any other thing",
        "pick up the red cube and leave everything else where it is",
        "pick up the red cube and leave the others alone",
        "pick up the red cube; don't touch the rest; move no other object",
    ] {
        let task = parse_task(text).expect(text);
        assert_eq!(task.commands, [pick("red cube")], "{text}");
        assert!(task.touch_nothing_else, "{text}");
    }
    let task = parse_task("move the red cube to the plate").expect("a command");
    assert!(!task.touch_nothing_else);
    assert!(parse("touch nothing else").is_err(), "nothing to do");
}

#[test]
fn what_is_not_understood_is_answered_with_the_grammar() {
    for text in [
        "",
        "  ;, .",
        "please",
        "sing a song",
        "pick up",
        "pick up the",
        "put the cube",
        "put the cube on",
        "put the cube on the left",
        "put on the plate",
        "put a at the plate",
        "put a at (0.4)",
        "put a at (1, 2, 3, 4)",
        "put a at (0.4, b)",
        "put a at (nan, 0.1)",
        "put a at (inf, 0.1)",
        "hold a at (0.4, 0.1)",
        "put it on the plate",
        "the red one",
        "stack the cubes",
        "pick up x and sing",
        "pick up a; sing",
        "pick (0.1, 0.2)",
        "(0.1, 0.2)",
    ] {
        match parse(text) {
            // "x and sing" is one phrase: it names nothing, which the skill will say.
            Ok(commands) => assert_eq!(commands, [pick("x and sing")], "{text}"),
            Err(error) => assert_eq!(
                error,
                PlannerError::Unrecognized {
                    text: text.into(),
                    help: HELP.into()
                }
            ),
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_sequence_of_its_own_words_makes_it_panic(words in prop::collection::vec(
        prop::sample::select(vec![
            "pick", "up", "put", "down", "it", "on", "the", "left", "top", "of", "and", "then",
            "stack", "home", "go", "at", "to", "(", ")", "[", "0.1", "-2,", ",", ";", ".", "(1,2)",
            "(1 2 3)", "red", "cube", "hold", "back", "please", "take", "into", "ß", "İ", "beside", "next", "front",
            "without", "touching", "anything", "else", "leave", "others", "alone",
        ]),
        0..14,
    )) {
        if let Ok(commands) = parse(&words.join(" ")) {
            prop_assert!(!commands.is_empty());
        }
    }
}

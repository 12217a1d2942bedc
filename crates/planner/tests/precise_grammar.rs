//! Sentences about two things at once, holes, and standing up.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use regrasp_planner::grammar::{Command, parse};

fn against(object: &str, target: &str) -> Command {
    Command::PutAgainst {
        object: object.into(),
        target: target.into(),
    }
}

fn across(object: &str, a: &str, b: &str) -> Command {
    Command::PutAcross {
        object: object.into(),
        targets: [a.into(), b.into()],
    }
}

fn insert(object: &str, target: &str) -> Command {
    Command::Insert {
        object: object.into(),
        target: target.into(),
    }
}

fn stand_up(object: &str) -> Command {
    Command::StandUp {
        object: object.into(),
    }
}

#[track_caller]
fn check(text: &str, commands: &[Command]) {
    assert_eq!(parse(text).unwrap(), commands, "{text}");
}

#[test]
fn side_by_side_and_on_both() {
    let pyramid = [
        against("red cube", "green cube"),
        across("blue cube", "red cube", "green cube"),
    ];
    for text in [
        "put the red cube and the green cube side by side and the blue cube on both",
        "put the red cube and the green cube side by side, then put the blue cube on both",
        "Place the red cube and the green cube side by side. Put the blue cube on top of both of them",
        "put the red cube right beside the green cube and put the blue cube on both",
        "put the red cube against the green cube then put the blue cube on the red cube and the green cube",
    ] {
        check(text, &pyramid);
    }
}

#[test]
fn both_needs_two_that_were_named() {
    assert!(parse("put the blue cube on both").is_err());
}

#[test]
fn pegs_go_into_holes() {
    for text in [
        "insert the peg into the box",
        "insert the peg into the hole of the box",
        "please insert peg in box",
    ] {
        check(text, &[insert("peg", "box")]);
    }
    check(
        "plug the charger into the receptacle",
        &[insert("charger", "receptacle")],
    );
    check(
        "pick up the peg and insert it into the box",
        &[insert("peg", "box")],
    );
}

#[test]
fn what_lies_stands_up() {
    for text in [
        "stand the red can up",
        "stand up the red can",
        "set the red can upright",
        "turn the red can upright",
    ] {
        check(text, &[stand_up("red can")]);
    }
}

#[test]
fn side_by_side_changes_no_other_sentence() {
    let on = |object: &str, target: &str| Command::PutOn {
        object: object.into(),
        target: target.into(),
    };
    check(
        "put the cube on the left side on the plate",
        &[on("cube on the left side", "plate")],
    );
    check("put the red cube on the tray", &[on("red cube", "tray")]);
}

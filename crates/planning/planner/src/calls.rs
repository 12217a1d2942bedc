//! The skills that the planners know, as calls. Names and arguments are a contract
//! with the skills crate.

use regrasp_api::{CompletedStep, Percept, Side, SkillCall};
use serde::Deserialize;
use serde_json::{Value, json};

use regrasp_language::{Command, Course};

pub(crate) fn pick(object: &str) -> SkillCall {
    SkillCall::new("pick", json!({ "object": object }))
}

pub(crate) fn place_on(target: &str) -> SkillCall {
    SkillCall::new("place_on", json!({ "target": target }))
}

fn place_beside(target: &str, side: Option<Side>) -> SkillCall {
    let args = match side {
        Some(side) => json!({ "target": target, "side": side }),
        None => json!({ "target": target }),
    };
    SkillCall::new("place_beside", args)
}

fn place_against(target: &str) -> SkillCall {
    SkillCall::new("place_beside", json!({ "target": target, "close": true }))
}

fn place_across([target, also]: &[String; 2]) -> SkillCall {
    SkillCall::new("place_on", json!({ "target": target, "also": also }))
}

fn pour(target: &str) -> SkillCall {
    SkillCall::new("pour", json!({ "target": target }))
}

fn insert(target: &str) -> SkillCall {
    SkillCall::new("insert", json!({ "target": target }))
}

fn reorient() -> SkillCall {
    SkillCall::new("reorient", json!({}))
}

pub(crate) fn place_at(xy: [f64; 2], z: Option<f64>) -> SkillCall {
    let args = match z {
        Some(z) => json!({ "x": xy[0], "y": xy[1], "z": z }),
        None => json!({ "x": xy[0], "y": xy[1] }),
    };
    SkillCall::new("place_at", args)
}

pub(crate) fn carry_to(point: [f64; 3]) -> SkillCall {
    let [x, y, z] = point;
    SkillCall::new("carry_to", json!({ "x": x, "y": y, "z": z }))
}

fn slide(object: &str, open: bool) -> SkillCall {
    let skill = if open { "open" } else { "close" };
    SkillCall::new(skill, json!({ "object": object }))
}

/// Opens a drawer so far, m.
pub(crate) fn open_to(object: &str, opening_m: f64) -> SkillCall {
    let args = json!({ "object": object, "opening_m": opening_m });
    SkillCall::new("open", args)
}

fn turn(object: &str, degrees: f64) -> SkillCall {
    SkillCall::new("turn", json!({ "object": object, "by_deg": degrees }))
}

/// The call that does it to what is there: what is set on a joint is turned on or off, where
/// other things are opened or closed.
pub(crate) fn fitted(call: SkillCall, percept: &Percept) -> SkillCall {
    let on = match call.skill.as_str() {
        "open" => true,
        "close" => false,
        _ => return call,
    };
    let object = call.args.get("object").and_then(Value::as_str);
    let joint = percept
        .joints
        .iter()
        .find(|j| Some(j.child.as_str()) == object);
    match joint {
        Some(joint) if joint.is_set() => {
            SkillCall::new("turn", json!({ "object": object, "on": on }))
        }
        _ => call,
    }
}

fn shift(object: &str, pull: bool, to: &Course) -> SkillCall {
    let mut args = match to {
        Course::Point([x, y]) => json!({ "object": object, "x": x, "y": y }),
        Course::Heading { heading, .. } => json!({ "object": object, "direction": heading }),
        Course::Towards { target, .. } => json!({ "object": object, "towards": target }),
    };
    if let Course::Heading {
        distance_m: Some(m),
        ..
    }
    | Course::Towards {
        distance_m: Some(m),
        ..
    } = to
    {
        args["distance_m"] = json!(m);
    }
    SkillCall::new(if pull { "pull" } else { "push" }, args)
}

pub(crate) fn home() -> SkillCall {
    SkillCall::new("home", json!({}))
}

/// The call that ends a command, when the object is in the hand. Places without a name of their
/// own have become points before.
pub(crate) fn last_call(command: &Command) -> SkillCall {
    match command {
        Command::Pick { object } => pick(object),
        Command::PutOn { target, .. } | Command::PutIn { target, .. } => place_on(target),
        Command::PutWithin { target, .. } | Command::TakeOff { target, .. } => place_on(target),
        Command::PutBetween { targets, .. } => place_across(targets),
        Command::Pour { target, .. } => pour(target),
        Command::PutBeside { target, side, .. } => place_beside(target, *side),
        Command::PutAt { xy, z, .. } => place_at(*xy, *z),
        Command::HoldAt { point, .. } => carry_to(*point),
        Command::Slide { object, open } => slide(object, *open),
        Command::Turn { object, degrees } => turn(object, *degrees),
        Command::Home => home(),
        Command::PutAgainst { target, .. } => place_against(target),
        Command::PutAcross { targets, .. } => place_across(targets),
        Command::Insert { target, .. } => insert(target),
        Command::StandUp { .. } => reorient(),
        Command::Shift { object, pull, to } => shift(object, *pull, to),
        Command::Press { object } => SkillCall::new("tap", json!({ "button": object })),
        Command::Have { fact } => SkillCall::new(fact.predicate.clone(), json!({})),
    }
}

/// What a step that succeeded brought about, in the words of the grammar.
pub(crate) fn achieved(completed: &[CompletedStep]) -> Vec<Command> {
    let mut held: Option<String> = None;
    let mut achieved = vec![];
    for CompletedStep { call, .. } in completed {
        let fact = achieved_by(call, held.as_deref());
        match &fact {
            Some(Command::Pick { object }) => held = Some(object.clone()),
            Some(
                Command::PutOn { .. }
                | Command::PutIn { .. }
                | Command::PutWithin { .. }
                | Command::PutBetween { .. }
                | Command::TakeOff { .. }
                | Command::PutBeside { .. }
                | Command::PutAt { .. }
                | Command::PutAgainst { .. }
                | Command::PutAcross { .. }
                | Command::Insert { .. }
                | Command::StandUp { .. },
            ) => held = None,
            Some(
                Command::HoldAt { .. }
                | Command::Pour { .. }
                | Command::Slide { .. }
                | Command::Turn { .. }
                | Command::Home
                | Command::Shift { .. }
                | Command::Have { .. }
                | Command::Press { .. },
            )
            | None => {}
        }
        achieved.extend(fact);
    }
    achieved
}

/// What one call brings about, with this in the hand.
pub(crate) fn achieved_by(call: &SkillCall, held: Option<&str>) -> Option<Command> {
    let text = |key: &str| call.args.get(key).and_then(Value::as_str);
    let number = |key: &str| call.args.get(key).and_then(Value::as_f64);
    let held = held.map(str::to_owned);
    Some(match call.skill.as_str() {
        "pick" => Command::Pick {
            object: text("object")?.to_owned(),
        },
        "place_on" if text("also").is_some() => Command::PutAcross {
            object: held?,
            targets: [text("target")?.to_owned(), text("also")?.to_owned()],
        },
        "reorient" => Command::StandUp { object: held? },
        "pour" => Command::Pour {
            object: held?,
            target: text("target")?.to_owned(),
        },
        "insert" => Command::Insert {
            object: held?,
            target: text("target")?.to_owned(),
        },
        "place_beside" if call.args.get("close") == Some(&Value::Bool(true)) => {
            Command::PutAgainst {
                object: held?,
                target: text("target")?.to_owned(),
            }
        }
        "place_on" => Command::PutOn {
            object: held?,
            target: text("target")?.to_owned(),
        },
        "place_beside" => Command::PutBeside {
            object: held?,
            target: text("target")?.to_owned(),
            side: call
                .args
                .get("side")
                .and_then(|side| Side::deserialize(side).ok()),
        },
        "place_at" => Command::PutAt {
            object: held?,
            xy: [number("x")?, number("y")?],
            z: number("z"),
        },
        "carry_to" => Command::HoldAt {
            object: held?,
            point: [number("x")?, number("y")?, number("z")?],
        },
        "open" | "close" => Command::Slide {
            object: text("object")?.to_owned(),
            open: call.skill == "open",
        },
        "turn" => match number("by_deg") {
            Some(degrees) => Command::Turn {
                object: text("object")?.to_owned(),
                degrees,
            },
            None => Command::Slide {
                object: text("object")?.to_owned(),
                open: call.args.get("on") != Some(&Value::Bool(false)),
            },
        },
        "home" => Command::Home,
        "tap" => Command::Press {
            object: text("button")?.to_owned(),
        },
        "push" | "pull" => Command::Shift {
            object: text("object")?.to_owned(),
            pull: call.skill == "pull",
            to: match text("towards") {
                Some(target) => Course::Towards {
                    target: target.to_owned(),
                    distance_m: number("distance_m"),
                },
                None => Course::Point([number("x")?, number("y")?]),
            },
        },
        _ => return None,
    })
}

//! Reads success conditions from a task file.

use regrasp_api::{ObjectId, ObjectPort};

mod loose;
mod places;

use crate::error::nearest;
use crate::fields::{Field, Located, Sign};
use crate::{Problem, SceneError, SceneJoint, Success};

/// What conditions may refer to.
pub(crate) struct Context<'a> {
    /// Every object, and whether it can move.
    pub(crate) objects: &'a [(ObjectId, bool)],
    /// The joints between them.
    pub(crate) joints: &'a [SceneJoint],
    /// The arm's home, rad.
    pub(crate) home: &'a [f64],
    /// The task's goal point, in World.
    pub(crate) goal: Option<[f64; 3]>,
    /// What goes into what.
    pub(crate) ports: &'a [ObjectPort],
    /// What consists of many small things.
    pub(crate) groups: &'a [ObjectId],
}

pub(crate) const NAMES: [&str; 26] = [
    "all",
    "any",
    "not",
    "lifted",
    "on",
    "at",
    "joint_at",
    "joints_at_home",
    "unmoved",
    "untouched",
    "released",
    "static",
    "robot_static",
    "in",
    "touching",
    "upright",
    "apart",
    "displaced",
    "displaced_by",
    "inserted",
    "pressed",
    "contains",
    "spilled",
    "visited",
    "avoided",
    "held_for",
];

/// Reads one condition, or a list of which all must hold.
fn parse(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    if matches!(field.node.value, crate::yaml::Value::List(_)) {
        return Ok(Success::All(list(field, context)?));
    }
    let entries: Vec<Field<'_>> = field.entries()?.collect();
    let [condition] = entries.as_slice() else {
        return Err(field.error(Problem::KeyCombination {
            within: "a condition".to_owned(),
            needs: format!(
                "exactly one of {} (several go into a list)",
                NAMES.join(", ")
            ),
            found: format!("{} keys", entries.len()),
        }));
    };
    match condition.key {
        "all" => Ok(Success::All(list(condition, context)?)),
        "any" => Ok(Success::Any(list(condition, context)?)),
        "not" => Ok(Success::Not(Box::new(parse(condition, context)?))),
        "lifted" => lifted(condition, context),
        "on" => on(condition, context),
        "at" => at(condition, context),
        "joint_at" => joint_at(condition, context),
        "joints_at_home" => Ok(Success::JointsAtHome {
            home: context.home.to_vec(),
            tolerance_rad: condition
                .fields(&["tolerance_rad"])?
                .number("tolerance_rad", Sign::Positive)?,
        }),
        "unmoved" => unmoved(condition, context),
        "untouched" => untouched(condition, context),
        "released" => released(condition, context),
        "static" => at_rest(condition, context),
        "robot_static" => Ok(Success::RobotStatic {
            max_rad_per_s: condition
                .fields(&["max_rad_per_s"])?
                .number("max_rad_per_s", Sign::Positive)?,
        }),
        "in" => places::inside(condition, context),
        "touching" => places::touching(condition, context),
        "upright" => places::upright(condition, context),
        "apart" => places::apart(condition, context),
        "displaced" => places::displaced(condition, context),
        "displaced_by" => places::displaced_by(condition, context),
        "inserted" => places::inserted(condition, context),
        "pressed" => pressed(condition, context),
        "contains" => loose::contains(condition, context),
        "spilled" => loose::spilled(condition, context),
        "visited" => {
            let (object, targets) = set_on(condition, context)?;
            Ok(Success::Visited { object, targets })
        }
        "avoided" => {
            let (object, targets) = set_on(condition, context)?;
            Ok(Success::Avoided { object, targets })
        }
        "held_for" => held_for(condition, context),
        other => Err(unknown(field, other)),
    }
}

fn unknown(field: &Field<'_>, name: &str) -> SceneError {
    let known: Vec<String> = NAMES.iter().map(|&n| n.to_owned()).collect();
    field.error(Problem::UnknownWord {
        what: "condition".to_owned(),
        word: name.to_owned(),
        nearest: nearest(name, &known),
        known,
    })
}

/// A list that is not empty: an empty one would hold without anything being done.
fn list(field: &Field<'_>, context: &Context<'_>) -> Result<Vec<Success>, SceneError> {
    let all: Vec<Success> = field
        .items()?
        .map(|item| parse(&item, context))
        .collect::<Result<_, _>>()?;
    if all.is_empty() {
        return Err(field.not_allowed("empty", "a list of at least one condition"));
    }
    Ok(all)
}

fn lifted(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "min_height_m"])?;
    Ok(Success::Lifted {
        object: object(&fields.need("object")?, context)?,
        min_height_m: fields.number("min_height_m", Sign::Positive)?,
    })
}

fn on(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "target", "xy_tolerance_m", "dz_tolerance_m"])?;
    let optional = |key| {
        fields
            .get(key)
            .map(|f| f.number(Sign::Positive))
            .transpose()
    };
    Ok(Success::On {
        object: object(&fields.need("object")?, context)?,
        target: object(&fields.need("target")?, context)?,
        xy_tolerance_m: optional("xy_tolerance_m")?,
        dz_tolerance_m: optional("dz_tolerance_m")?,
    })
}

fn at(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "point", "tolerance_m"])?;
    let point = fields.need("point")?;
    let point_in_world = match (&point.node.value, context.goal) {
        (crate::yaml::Value::Text(word), Some(goal)) if word == "goal" => goal,
        (crate::yaml::Value::Text(word), None) if word == "goal" => {
            return Err(point.not_allowed("`goal`", "a point [x, y, z]: the task has no `goal`"));
        }
        (crate::yaml::Value::List(_), _) => point.array::<3>(Sign::Coordinate)?,
        _ => return Err(point.wrong_type("a point [x, y, z], or the word `goal`")),
    };
    Ok(Success::At {
        object: object(&fields.need("object")?, context)?,
        point_in_world,
        tolerance_m: fields.number("tolerance_m", Sign::Positive)?,
    })
}

fn unmoved(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["objects", "tolerance_m"])?;
    let words = fields.need("objects")?;
    let objects = match words.words()?.as_slice() {
        [only] if only.value == OTHERS => vec![ObjectId::new(OTHERS)],
        list => {
            let known = list.iter().map(|word| known(&words, word, context));
            known.collect::<Result<_, _>>()?
        }
    };
    Ok(Success::Unmoved {
        objects,
        tolerance_m: fields.number("tolerance_m", Sign::Positive)?,
    })
}

fn untouched(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["except"])?;
    let words = fields.need("except")?;
    let except = words.words()?;
    let known = except.iter().map(|word| known(&words, word, context));
    Ok(Success::Untouched {
        except: known.collect::<Result<_, _>>()?,
    })
}

/// `{object, targets}`.
fn set_on(
    field: &Field<'_>,
    context: &Context<'_>,
) -> Result<(ObjectId, Vec<ObjectId>), SceneError> {
    let fields = field.fields(&["object", "targets"])?;
    let words = fields.need("targets")?;
    let targets = words.words()?;
    let known = targets.iter().map(|word| known(&words, word, context));
    let object = object(&fields.need("object")?, context)?;
    Ok((object, known.collect::<Result<_, _>>()?))
}

fn released(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    if matches!(field.node.value, crate::yaml::Value::Null) {
        return Ok(Success::Released {
            object: None,
            min_distance_m: None,
        });
    }
    let fields = field.fields(&["object", "min_distance_m"])?;
    let object = fields
        .get("object")
        .map(|f| object(&f, context))
        .transpose()?;
    let min_distance_m = fields
        .get("min_distance_m")
        .map(|f| f.number(Sign::Positive))
        .transpose()?;
    Ok(Success::Released {
        object,
        min_distance_m,
    })
}

/// The opening of what hangs on a joint, within `min` and `max`; either may be left out.
fn joint_at(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "min", "max"])?;
    let named = fields.need("object")?;
    let object = object(&named, context)?;
    let joint = context.joints.iter().find(|joint| joint.child == object);
    let Some(joint) = joint else {
        let known: Vec<_> = context.joints.iter().map(|j| j.child.as_str()).collect();
        let right = match known.as_slice() {
            [] => "something that a joint moves, such as a drawer: this scene has none".to_owned(),
            known => format!("one of {}", known.join(", ")),
        };
        return Err(named.not_allowed(format!("`{object}`"), right));
    };
    let travel = joint.upper - joint.lower;
    let min = fields.number_or("min", Sign::NotNegative, 0.0)?;
    let max = fields.number_or("max", Sign::NotNegative, travel)?;
    if min > max || min > travel {
        let least = max.min(travel);
        return Err(fields
            .need("min")?
            .not_allowed(min, format!("at most {least}")));
    }
    Ok(Success::JointAt { object, min, max })
}

fn at_rest(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "max_linear_m_per_s", "max_angular_rad_per_s"])?;
    Ok(Success::Static {
        object: object(&fields.need("object")?, context)?,
        max_linear_m_per_s: fields.number("max_linear_m_per_s", Sign::Positive)?,
        max_angular_rad_per_s: fields.number("max_angular_rad_per_s", Sign::Positive)?,
    })
}

/// A condition that goes on holding, while nothing is done any more.
fn held_for(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    /// Longer than anything takes to fall, and short enough to be simulated each time, s.
    const MOST_SECS: f64 = 60.0;
    let fields = field.fields(&["seconds", "condition"])?;
    let duration = fields.need("seconds")?;
    let seconds = duration.number(Sign::Positive)?;
    if seconds > MOST_SECS {
        return Err(duration.not_allowed(seconds, format!("at most {MOST_SECS} s")));
    }
    let inner = fields.need("condition")?;
    let condition = parse(&inner, context)?;
    if condition.watch_secs() > 0.0 {
        return Err(inner.not_allowed("another `held_for`", "conditions on a moment"));
    }
    Ok(Success::HeldFor {
        seconds,
        condition: Box::new(condition),
    })
}

/// How often a button was pressed; once unless said otherwise.
fn pressed(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "times"])?;
    let named = fields.need("object")?;
    let object = object(&named, context)?;
    let buttons = context.joints.iter().filter(|joint| joint.spring.is_some());
    let buttons: Vec<_> = buttons.map(|joint| joint.child.as_str()).collect();
    if !buttons.contains(&object.as_str()) {
        let right = match buttons.as_slice() {
            [] => "a button: this scene has none".to_owned(),
            known => format!("one of {}", known.join(", ")),
        };
        return Err(named.not_allowed(format!("`{object}`"), right));
    }
    let times = fields.number_or("times", Sign::Positive, 1.0)?;
    if times.fract() != 0.0 || times > 100.0 {
        return Err(fields
            .need("times")?
            .not_allowed(times, "a whole number from 1 to 100"));
    }
    // It was just checked.
    Ok(Success::Pressed {
        object,
        times: times as u32,
    })
}

fn object(field: &Field<'_>, context: &Context<'_>) -> Result<ObjectId, SceneError> {
    let word = Located {
        line: field.node.line,
        value: field.text()?.to_owned(),
    };
    known(field, &word, context)
}

fn known(
    field: &Field<'_>,
    word: &Located<String>,
    context: &Context<'_>,
) -> Result<ObjectId, SceneError> {
    let found = context
        .objects
        .iter()
        .find(|(id, _)| id.as_str() == word.value);
    found.map(|(id, _)| id.clone()).ok_or_else(|| {
        let known = context.objects.iter().map(|(id, _)| id.as_str());
        field.error_at(
            word.line,
            Problem::unknown_word("object", &word.value, known),
        )
    })
}

/// Stands for every movable object that no other condition names.
const OTHERS: &str = "others";

/// Reads the whole condition of a task, `others` replaced by their names.
pub(crate) fn parse_whole(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let mut success = parse(field, context)?;
    let named: Vec<ObjectId> = success.objects().into_iter().cloned().collect();
    let others = context
        .objects
        .iter()
        .filter(|(id, movable)| *movable && !named.contains(id));
    let others: Vec<ObjectId> = others.map(|(id, _)| id.clone()).collect();
    resolve_others(&mut success, &others);
    Ok(success)
}

fn resolve_others(success: &mut Success, others: &[ObjectId]) {
    match success {
        Success::All(all) | Success::Any(all) => {
            all.iter_mut().for_each(|s| resolve_others(s, others));
        }
        Success::Not(inner)
        | Success::HeldFor {
            condition: inner, ..
        } => resolve_others(inner, others),
        Success::Unmoved { objects, .. } => {
            if matches!(objects.as_slice(), [only] if only.as_str() == OTHERS) {
                *objects = others.to_vec();
            }
        }
        _ => {}
    }
}

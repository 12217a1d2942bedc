//! Table of the fields of each kind of fault, for parsers.

/// Values that a field of a fault may have.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// Id of an object of the scene.
    Object,
    /// Name of a joint of the arm.
    Joint,
    /// Simulated time or duration, s.
    Time,
    /// Length, m.
    Length,
    /// Speed, rad/s or m/s, not negative.
    Speed,
    /// Fraction, 0 to 1.
    Fraction,
    /// Whole number, not negative.
    Count,
    /// Point or displacement in World with this number of coordinates, m.
    Point(usize),
    /// `true` or `false`.
    Flag,
    /// Name that the parser of faults cannot check, such as that of a skill.
    UncheckedName,
    /// Built-in reason of failed steps.
    Reason,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// Field of a kind of fault.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// Name of the field.
    pub name: &'static str,
    /// Allowed values.
    pub kind: FieldKind,
    /// Set if the field is mandatory.
    pub needed: bool,
}

const fn needs(name: &'static str, kind: FieldKind) -> FieldSpec {
    FieldSpec {
        name,
        kind,
        needed: true,
    }
}

const fn may(name: &'static str, kind: FieldKind) -> FieldSpec {
    FieldSpec {
        name,
        kind,
        needed: false,
    }
}

const OBJECT: FieldSpec = needs("object", FieldKind::Object);
const JOINT: FieldSpec = needs("joint", FieldKind::Joint);
const AT: FieldSpec = may("at_secs", FieldKind::Time);
const FROM: FieldSpec = may("from_secs", FieldKind::Time);
const FOR: FieldSpec = may("for_secs", FieldKind::Time);
const FACTOR: FieldSpec = may("factor", FieldKind::Fraction);
const DELAY: FieldSpec = may("delay_secs", FieldKind::Time);
const PLANNER_TROUBLES: FieldKind = FieldKind::Word(&[
    "garbage", "nothing", "same", "too_much", "too_late", "error", "done",
]);
const STORE_TROUBLES: FieldKind = FieldKind::Word(&["full", "locked"]);

/// Kinds of faults as they are written in files, and their fields.
#[rustfmt::skip]
pub const KINDS: &[(&str, &[FieldSpec])] = &[
    ("slip_at_lift", &[FACTOR, DELAY, FOR]),
    ("slip_in_transport", &[OBJECT, FACTOR, DELAY, FOR]),
    ("nudged", &[OBJECT, may("distance_m", FieldKind::Length), AT]),
    ("moved", &[OBJECT, needs("by_m", FieldKind::Point(2)), AT]),
    ("removed", &[OBJECT, AT]),
    ("obstacle_appears", &[OBJECT, needs("xy", FieldKind::Point(2)), needs("at_secs", FieldKind::Time)]),
    ("sight_misses", &[OBJECT, FROM, FOR]),
    ("sight_mislabels", &[OBJECT, needs("other", FieldKind::Object), FROM, FOR]),
    ("sight_is_off", &[OBJECT, needs("offset_m", FieldKind::Point(3)), FROM, FOR]),
    ("gripper_stuck", &[FOR]),
    ("gripper_weak", &[needs("factor", FieldKind::Fraction), FOR]),
    ("joint_slow", &[JOINT, needs("max_speed", FieldKind::Speed), AT, FOR]),
    ("joint_blocked", &[JOINT, AT, FOR]),
    ("drawer_jams", &[OBJECT, AT, FOR]),
    ("diverges", &[OBJECT, AT]),
    ("skill_fails", &[
        may("skill", FieldKind::UncheckedName),
        needs("probability", FieldKind::Fraction),
        may("after_work", FieldKind::Flag),
        may("reason", FieldKind::Reason),
    ]),
    ("planner", &[needs("trouble", PLANNER_TROUBLES), may("first", FieldKind::Count)]),
    ("store", &[needs("trouble", STORE_TROUBLES), may("after_saves", FieldKind::Count)]),
];

//! Default values for tests: an object on a table, an arm with one joint and its readings, a
//! planner's request. Tests change the fields that they are about.
//!
//! It contains vocabulary only: nothing here moves, plans or uses a simulator.

use std::fmt::Debug;
use std::ops::RangeBounds;

use regrasp_api::{
    Aabb, EpisodeResult, FinalReason, GripperInfo, GripperState, HandUse, Observation,
    PerceivedObject, Percept, PlanRequest, Pose, RobotInfo, Scope, Shape, SkillResult, SkillSpec,
    Success, Trigger, Viewpoint,
};

/// Creates a movable object without a colour.
pub fn thing(id: &str, category: &str, shape: Shape, at: [f64; 3]) -> PerceivedObject {
    PerceivedObject {
        id: id.into(),
        category: category.into(),
        color: None,
        shape,
        world_from_object: Pose::translation(at[0], at[1], at[2]),
        position_std_m: 0.0,
        movable: true,
    }
}

/// Creates a fixed object without a colour.
pub fn fixed(id: &str, category: &str, shape: Shape, at: [f64; 3]) -> PerceivedObject {
    PerceivedObject {
        movable: false,
        ..thing(id, category, shape, at)
    }
}

/// Creates a cube from half its edge length, m, in the colour that its id begins with (`red_cube`).
pub fn cube(id: &str, half_m: f64, at: [f64; 3]) -> PerceivedObject {
    let color = id.split_once('_').map(|(color, _)| color.to_owned());
    PerceivedObject {
        color,
        ..thing(id, "cube", cuboid([half_m; 3]), at)
    }
}

/// Creates a box.
pub fn cuboid(half_extents: [f64; 3]) -> Shape {
    Shape::Box { half_extents }
}

/// Creates an upright cylinder.
pub fn cylinder(radius: f64, half_height: f64) -> Shape {
    Shape::cylinder(radius, half_height)
}

/// Creates a percept of objects.
pub fn percept(objects: Vec<PerceivedObject>) -> Percept {
    Percept {
        objects,
        ..Percept::default()
    }
}

/// Returns the state of a hand that is open by 8 cm and has no contact.
pub fn open_hand() -> GripperState {
    GripperState {
        width_m: 0.08,
        speed_m_per_s: 0.0,
        grip_force_n: 0.0,
        finger_contact: Some([false; 2]),
        slip_m: None,
    }
}

/// Returns the readings of an arm with one joint at rest. Its base is not at the origin.
pub fn observation() -> Observation {
    Observation {
        time_secs: 2.0,
        world_from_base: Pose::translation(-0.3, 0.1, 0.0),
        joint_positions: vec![0.5],
        joint_velocities: vec![0.0],
        joint_efforts: vec![0.0],
        gripper: open_hand(),
        contacts: vec![],
    }
}

/// Returns a gripper without shapes that opens 8 cm.
pub fn gripper_info() -> GripperInfo {
    GripperInfo {
        min_width_m: 0.0,
        max_width_m: 0.08,
        default_force_n: 20.0,
        pad_friction: 1.0,
        max_force_n: 70.0,
        default_speed_m_per_s: 0.1,
        max_payload_kg: Some(3.0),
        finger_links: vec![],
        fingertip_beyond_tool_m: 0.01,
        finger_length_m: 0.05,
        pad_width_m: 0.02,
        hand: vec![],
        fingers: vec![],
    }
}

/// Returns an arm with one joint and a reach of 0.85 m.
pub fn robot_info() -> RobotInfo {
    RobotInfo {
        name: "test arm".into(),
        joint_names: vec!["j".into()],
        home: vec![0.2],
        named_poses: Default::default(),
        gripper: gripper_info(),
        monitors: Default::default(),
        reach_m: 0.85,
        workspace: Aabb::new([-1.0, -1.0, -0.1], [1.5, 1.0, 1.2]),
        tool_from_wrist_camera: None,
    }
}

/// Returns a skill that declares only its use of the hand.
pub fn skill_spec(name: &str, hand: HandUse) -> SkillSpec {
    SkillSpec {
        name: name.into(),
        description: String::new(),
        args_schema: serde_json::json!({}),
        claims: vec![],
        hand,
        remedies: vec![],
        operators: &[],
        looks_ahead: |_| false,
    }
}

/// Returns the result of a step that succeeded and moved an object.
pub fn succeeded() -> SkillResult {
    SkillResult {
        world_changed: true,
        ..Success::default().into()
    }
}

/// Returns a planner's request at the start of an episode.
pub fn request<'a>(
    task: &'a str,
    percept: &'a Percept,
    observation: &'a Observation,
    skills: &'a [SkillSpec],
    robot: &'a RobotInfo,
) -> PlanRequest<'a> {
    PlanRequest {
        task,
        trigger: &Trigger::Start,
        scope: Scope::Rest,
        remaining: &[],
        observation,
        percept,
        viewpoint: Viewpoint::Robot,
        held: None,
        attempts: &[],
        completed: &[],
        past_cases: &[],
        answers: &[],
        repair: None,
        correction: None,
        tokens_left: None,
        skills,
        robot,
    }
}

/// Returns the result of an episode that ended for a reason after two steps.
pub fn episode_result(final_reason: FinalReason) -> EpisodeResult {
    let success = final_reason == FinalReason::PlanComplete;
    EpisodeResult {
        success,
        goal_met: success,
        replans: 1,
        steps: 2,
        planner_calls: 2,
        final_reason,
        final_answer: None,
        tokens: 0,
        final_detail: String::new(),
        wall_s: 0.1,
        sim_s: 4.0,
        seed: 0,
        state_digest: "0000000000000000".to_owned(),
        version: "0.0.0".to_owned(),
    }
}

/// Parses a table of test cases, which is easier to read than nested tuples: one row per line, `|`
/// between cells, `\n` for a line break in a cell.
///
/// # Panics
///
/// If a row does not have `N` cells.
pub fn rows<const N: usize>(table: &str) -> Vec<[String; N]> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    let cells = |line: &str| {
        let cells = line.split('|').map(|cell| cell.trim().replace("\\n", "\n"));
        let cells: Vec<_> = cells.collect();
        let n = cells.len();
        cells
            .try_into()
            .unwrap_or_else(|_| panic!("{n} cells instead of {N}: {line}"))
    };
    lines.map(cells).collect()
}

/// Returns invalid facts about three objects, each with a part of the expected error. Every parser
/// of facts must reject them.
pub fn wrong_facts([a, b, c]: [&str; 3]) -> Vec<(String, &'static str)> {
    let of_two =
        "on in beside against under inserted poured swapped left_of right_of in_front_of behind";
    let two = of_two.split(' ').flat_map(|name| {
        [
            (format!("{name}({a}, {a})"), "itself"),
            (format!("{name}({a})"), "2 objects"),
            (format!("{name}({a}, {b}, {c})"), "2 objects"),
            (format!("{name}({a}, 0.3)"), "2 objects"),
        ]
    });
    let others = [
        (format!("between({a}, {c}, {c})"), "distinct"),
        (format!("across({a}, {c}, {a})"), "itself"),
        (format!("between({a}, {c})"), "3 objects"),
        (format!("on({c}, {c}.left)"), "itself"),
        (format!("open({a}, {c})"), "1 object"),
        ("upright(0.2)".to_owned(), "1 object"),
        (format!("at({a}, {c})"), "coordinates"),
        (format!("at({a}, 0.1)"), "coordinates"),
        (format!("holding({a}, {c})"), "coordinates"),
        (format!("home({a})"), "0 objects"),
    ];
    two.chain(others).collect()
}

/// Asserts that a text contains all given parts.
#[track_caller]
pub fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

/// Asserts that a figure is in a range; `what` names it with its unit.
#[track_caller]
pub fn within(what: &str, figure: f64, range: impl RangeBounds<f64> + Debug) {
    assert!(
        range.contains(&figure),
        "{what} is {figure}, outside {range:?}"
    );
}

/// Asserts that a figure differs from the expected one by less than `off`.
#[track_caller]
pub fn near(what: &str, figure: f64, expected: f64, off: f64) {
    let is_near = (figure - expected).abs() < off;
    assert!(is_near, "{what} is {figure}, expected {expected}");
}

//! Errors in files give useful messages: file, line, the mistake, the allowed values.

use regrasp_api::{Aabb, ApprovalMode, ApprovalPolicy, Reason, RiskRules};
use regrasp_faults::{Fault, PlannerTrouble};
use regrasp_scene::{
    RobotFile, Scene, SceneError, builtin_robot, load_robot, load_scene, load_task,
};
use regrasp_testkit::{rows, says, wrong_facts};

use crate::common::{ALONE, BEADS, CUBE, RELATIVE, SHELF, refused, rejects, scene, task, write};

#[test]
fn the_task_itself_is_fine() {
    task(CUBE).unwrap();
}

#[test]
fn mistakes_are_refused_with_their_line_and_what_is_allowed() {
    for (task, table) in [
        (CUBE, include_str!("../data/refused/spelling.txt")),
        (CUBE, include_str!("../data/refused/ids.txt")),
        (CUBE, include_str!("../data/refused/numbers.txt")),
        (CUBE, include_str!("../data/refused/places.txt")),
        (CUBE, include_str!("../data/refused/overlaps.txt")),
        (CUBE, include_str!("../data/refused/placements.txt")),
        (BEADS, include_str!("../data/refused/beads.txt")),
        (RELATIVE, include_str!("../data/refused/relative.txt")),
        (SHELF, include_str!("../data/refused/shelf.txt")),
    ] {
        refused(task, table);
    }
}

#[test]
fn goals_that_hold_at_the_start_are_refused() {
    let already = "already holds at the start; an agent that does nothing would pass";
    for [goal, message] in
        rows(&include_str!("../data/refused/goals.txt").replace("ALREADY", already))
    {
        let lifted = "lifted: {object: cube, min_height_m: 0.05}";
        refused(CUBE, &format!("{lifted} | {goal} | 10 | {message}"));
    }
}

#[test]
fn ground_and_clouds_that_are_wrong_say_where() {
    for [shape, line, message] in rows(include_str!("../data/refused/grounds.txt")) {
        let ball = "kind: ball, radius: 0.02, mass_kg: 0.1";
        let shape = shape.replace('\n', "\\n");
        refused(
            CUBE,
            &format!("{ball} | kind: {shape} | {line} | {message}"),
        );
    }
}

#[test]
fn joints_that_never_get_where_they_should_are_refused() {
    let cases = "
        start: 3        | it starts at 3 and is closed at 0
        closed_at: 3    | is closed at 3, expected positions from 0 to 1
        open_from: 5    | `open_from` is 5, but must be an opening from 0 to 1
        closed_up_to: 7 | `closed_up_to` is 7, but must be an opening from 0 to 1
        open_from: -0.1 | `open_from` is -0.1, but must be an opening from 0 to 1";
    for [keys, message] in rows(cases) {
        let part = "parts: [{size: [0.1, 0.1, 0.1]}]";
        let joint = format!("{{kind: slide, axis: [0, 0, 1], range: [0, 1], {keys}}}");
        let lid = format!("bodies: {{lid: {{{part}, mass_kg: 1, joint: {joint}}}}}");
        let ball = "kind: ball, radius: 0.02";
        let row = format!("{ball} | kind: articulated, {part}, {lid} | 8 | {message}");
        refused(CUBE, &row);
    }
}

#[test]
fn references_to_missing_files_name_the_path() {
    let cases = r"
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | the mesh file `
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | /no.stl` cannot be used: there is no such file; paths are relative to this file's folder";
    refused(CUBE, cases);
    let error = task("name: t\nprompt: p\nscene: gone.yaml\nsuccess: {released: {}}\n");
    let error = error.unwrap_err();
    assert_eq!(error.line(), Some(3));
    says(&error.to_string(), &["the scene file"]);
    let error = load_scene("no/such/folder/x.yaml", &builtin_robot().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("read `"), "{error}");
}

#[test]
fn robot_files_are_checked_too() {
    let panda = regrasp_assets::text("robots/panda/panda.yaml");
    let check = |from: &str, to: &str, message: &str| {
        assert!(panda.contains(from), "{from} is not in the robot file");
        let text = panda.replacen(from, to, 1);
        let (_folder, path) = write("r.yaml", &text, &[("panda.urdf", "<robot/>")]);
        let error = load_robot(&path).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\ndoes not say\n{message}");
    };
    check("urdf: panda.urdf", "urdf: gone.urdf", "the URDF `");
    for [from, to, message] in rows(include_str!("../data/refused/robots.txt")) {
        check(&from, &to, &message);
    }
}

#[test]
fn a_wrong_camera_is_reported_with_what_would_be_right() {
    for [camera, message] in rows(include_str!("../data/refused/cameras.txt")) {
        let last = "xy: [0.4, 0.2]}";
        let cameras = format!(r"{last}\n  cameras:\n    - {camera}");
        refused(CUBE, &format!("{last} | {cameras} | 10 | {message}"));
    }
}

#[test]
fn a_declared_camera_takes_the_place_of_the_usual_one() {
    let robot = builtin_robot().unwrap();
    let scene = scene(ALONE, include_str!("../data/cameras.yaml")).unwrap();
    let cameras = scene.all_cameras(&robot);
    let names: Vec<_> = cameras.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["scene", "wrist", "top", "palm"]);
    assert_eq!(cameras[2].intrinsics.width, 320);
    assert_eq!(cameras[3].link.as_deref(), Some("panda_hand"));
}

fn refusal(condition: &str) -> (usize, String) {
    let (task_without, _) = CUBE.split_once("  lifted").unwrap();
    let error = task(&format!("{task_without}  {condition}\n")).unwrap_err();
    (error.line().unwrap(), error.problem().unwrap().to_string())
}

#[test]
fn what_is_wrong_is_reported_with_what_is_allowed() {
    for [condition, message] in rows(include_str!("../data/refused/conditions.txt")) {
        assert_eq!(refusal(&condition), (10, message), "{condition}");
    }
}

#[test]
fn a_condition_has_one_name() {
    let (_, unknown) = refusal("liftet: {object: cube, min_height_m: 0.1}");
    let part = "unknown condition `liftet`; did you mean `lifted`? (known: all, any, not, ";
    assert!(unknown.starts_with(part), "{unknown}");
    let (_, two) = refusal("{released: , not: {released: }}");
    let first = "a condition needs exactly one key of all, any, ";
    let last = "; put several conditions into a list; found released and not";
    assert!(two.starts_with(first) && two.ends_with(last), "{two}");
}

#[test]
fn the_line_is_that_of_the_culprit() {
    let wrong = include_str!("../data/nested.yaml").trim();
    let cases = r"
        axis: w | axis: w | 20 | unknown axis `w`
        axis: w | axis: x | 17 | unknown object `tabel`; did you mean `table`?
        axis: w | axes: x | 20 | did you mean `axis`?";
    for [from, to, at, expected] in rows(cases) {
        let (line, text) = refusal(&wrong.replace(&from, &to));
        assert_eq!(line.to_string(), at, "{to}: {text}");
        says(&text, &[&expected]);
    }
}

/// Checks that wrong facts are rejected as conditions: those that refer to themselves, lack a key,
/// have one too many, or do not exist as a condition.
#[test]
fn a_wrong_fact_is_no_condition() {
    for (fact, why) in wrong_facts(["cube", "other", "table"]) {
        let (name, of) = fact.split_once('(').unwrap();
        let of = of.trim_end_matches(')').split(", ");
        let keys = ["object", "target", "also"].into_iter().zip(of);
        let keys: Vec<_> = keys.map(|(key, id)| format!("{key}: {id}")).collect();
        let (line, problem) = refusal(&format!("{name}: {{{}}}", keys.join(", ")));
        let allowed = match (name, why) {
            // Conditions cannot name zones of objects.
            _ if fact.contains('.') => "",
            ("on" | "in", "itself") => "must be different from",
            _ => "",
        };
        assert!(line == 10 && problem.contains(allowed), "{fact}: {problem}");
    }
}

const POLICY: &str = include_str!("../data/approval.yaml");

/// The Panda's file with a policy at its end; also the policy's first line.
fn load(policy: &str) -> (Result<RobotFile, SceneError>, usize) {
    let panda = regrasp_assets::folder().join("robots/panda");
    let urdf = format!("urdf: {}", panda.join("panda.urdf").display());
    let text = std::fs::read_to_string(panda.join("panda.yaml")).unwrap();
    let text = text.replacen("urdf: panda.urdf", &urdf, 1);
    let (_folder, path) = write("r.yaml", &format!("{text}\n{policy}"), ALONE);
    (load_robot(path), text.lines().count() + 2)
}

#[test]
fn a_robot_file_may_say_which_steps_wait_for_a_person() {
    assert_eq!(builtin_robot().unwrap().approval, ApprovalPolicy::default());
    let expected = ApprovalPolicy {
        mode: ApprovalMode::Critical,
        trust_after: Some(10),
        risks: RiskRules {
            speed_over: Some(0.9),
            person_zones_in_base_m: vec![Aabb::new([0.5, 0.4, 0.0], [1.2, 1.0, 2.0])],
            fragile: vec!["mug".into(), "bowl".into()],
            irreversible: vec!["place_at".into()],
        },
    };
    assert_eq!(load(POLICY).0.unwrap().approval, expected);
    let short = load("approval: {mode: always}\n").0.unwrap().approval;
    assert_eq!(short.mode, ApprovalMode::Always);
    assert_eq!(short.risks, RiskRules::default());
}

#[test]
fn the_commented_policy_of_the_panda_is_a_right_one() {
    let file = regrasp_assets::text("robots/panda/panda.yaml");
    let commented = file.lines().skip_while(|line| *line != "# approval:");
    let policy = commented.map_while(|line| line.strip_prefix("# "));
    let policy: Vec<_> = policy.collect();
    assert!(policy.len() > 5, "{policy:?}");
    let policy = load(&policy.join("\n")).0.unwrap().approval;
    assert!(policy.risks.speed_over.is_some() && policy.trust_after.is_some());
}

#[test]
fn what_is_wrong_with_a_policy_is_reported_with_its_line() {
    for [from, to, line, message] in rows(include_str!("../data/refused/approval.txt")) {
        assert!(POLICY.contains(&from), "{from}");
        let (file, first) = load(&POLICY.replacen(&from, &to, 1));
        let error = file.unwrap_err();
        let line = first + line.parse::<usize>().unwrap();
        assert_eq!(error.line(), Some(line), "{error}");
        says(&error.to_string(), &[&message]);
    }
}

const SCENE: &str = include_str!("../data/faults_scene.yaml");

const TASK: &str = include_str!("../data/faults_task.yaml");

#[test]
fn a_task_has_the_faults_of_its_scene_and_then_its_own() {
    let (folder, task) = write("t.yaml", TASK, &[("s.yaml", SCENE)]);
    let robot = builtin_robot().unwrap();
    let of_scene = vec![
        Fault::GripperStuck { for_secs: None },
        Fault::Nudged {
            object: "cube".into(),
            distance_m: 0.05,
            at_secs: None,
        },
        Fault::JointSlow {
            joint: "panda_joint2".into(),
            max_speed: 0.1,
            at_secs: 0.0,
            for_secs: Some(0.5),
        },
    ];
    let scene = load_scene(folder.path().join("s.yaml"), &robot).unwrap();
    assert_eq!(scene.faults, of_scene);
    let of_task = vec![
        Fault::SkillFails {
            skill: Some("pick".into()),
            probability: 0.25,
            after_work: false,
            reason: Reason::GraspMissed,
        },
        Fault::Planner {
            trouble: PlannerTrouble::TooLate,
            first: Some(2),
        },
    ];
    let task = load_task(task, &robot).unwrap();
    for seed in [0, 7] {
        let faults = task.instantiate(seed).unwrap().scene.faults;
        assert_eq!(faults, [of_scene.clone(), of_task.clone()].concat());
    }
}

#[test]
fn what_is_wrong_with_a_fault_is_reported_with_its_line_and_the_nearest_name() {
    let cases = include_str!("../data/refused/faults_scene.txt");
    rejects(SCENE, cases, |text| scene(ALONE, text).map(drop));
    let cases = include_str!("../data/refused/faults_task.txt");
    rejects(TASK, cases, |text| {
        let (_folder, path) = write("t.yaml", text, &[("s.yaml", SCENE)]);
        load_task(path, &builtin_robot().unwrap()).map(drop)
    });
}

const OBJ: &str = "v 0 0 0\nv 200 0 0\nv 0 200 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";

fn png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
    drop(writer);
    file
}

fn drawn(visuals: &str, scenery: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "objects:\n  - {{id: box, kind: box, half_extents: [0.1, 0.1, 0.1], mass_kg: 1, \
         position: [0.5, 0, 0.1], mass_center: [0, 0, 0.01], inertia: [0.1, 0.2, 0.2],\n     \
         visuals: {visuals}}}\nscenery: {scenery}\n"
    );
    let files = [("open.obj", OBJ.into()), ("two.png", png())];
    scene(&files, &text)
}

#[test]
fn an_open_mesh_with_an_image_is_drawn_in_the_place_of_a_shape() {
    let visuals = "[{file: open.obj, scale: 0.001, texture: two.png, position: [0, 0, 0.1]}]";
    let plane = "[{kind: plane, size: [4, 4], color: grey, two_sided: true}]";
    let found = drawn(visuals, plane).unwrap();
    let visual = &found.objects[0].visuals[0];
    assert_eq!(visual.surface.positions[1], [0.2, 0.0, 0.0]);
    // Texture coordinates count upwards in files, downwards in images.
    assert_eq!(visual.surface.texcoords[0], [0.0, 1.0]);
    let image = visual.texture.as_ref().unwrap();
    assert_eq!(image.rgb().unwrap(), [255, 0, 0, 0, 0, 255]);
    let untinted = "an image must not be tinted unless the file gives a colour";
    assert_eq!(visual.rgba, [1.0; 4], "{untinted}");
    assert_eq!(visual.frame_from_visual.translation.z, 0.1);
    let n_triangles = found.scenery[0].surface.triangles.len();
    assert_eq!(n_triangles, 4, "two triangles on each side of the plane");
    let inertial = found.objects[0].inertial.unwrap();
    assert_eq!(inertial.mass_center[2], 0.01);
    assert_eq!(inertial.inertia[1][1], 0.2);
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), found);
}

#[test]
fn what_is_wrong_is_refused_with_the_line_and_what_would_be_right() {
    for [visuals, expected] in rows(include_str!("../data/refused/drawn.txt")) {
        let error = drawn(&visuals, "[]").expect_err(&visuals);
        let message = error.to_string();
        assert!(message.contains(&expected), "{visuals}: {message}");
        assert_eq!(error.line(), Some(3), "{visuals}");
    }
}

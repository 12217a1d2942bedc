//! Ways to do something else than was said, each of which was seen in a planner: none is taken.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use crate::common::{corpus, scenes};
use regrasp_api::{Reason, Viewpoint};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use serde::Deserialize;

pub(super) fn heard(
    scene: &str,
    text: &str,
    viewpoint: Viewpoint,
) -> Result<String, Misunderstanding> {
    let scenes = scenes();
    let context = ParseContext {
        percept: scenes.get(scene).expect("a scene of the corpus"),
        held: None,
        base: [0.0, 0.0],
        viewpoint,
        answers: &[],
    };
    understand(text, &context).map(|understood| understood.goal())
}

fn goal(scene: &str, text: &str) -> String {
    match heard(scene, text, Viewpoint::Robot) {
        Ok(goal) => goal,
        Err(Misunderstanding::Ambiguous { reason, .. }) => format!("asked: {reason}"),
        Err(_) => "refused".to_owned(),
    }
}

/// A sentence about a scene, and what it means there.
#[derive(Deserialize)]
struct Row {
    scene: String,
    say: String,
    goal: String,
}

/// Texts about a scene, and what they mean there.
fn mean(scene: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(goal(scene, text), *expected, "{text}");
    }
}

#[test]
fn sentences_mean_what_stands_beside_them() {
    let rows: Vec<Row> = serde_saphyr::from_str(&corpus("misreadings.yaml")).expect("rows");
    let wrong = rows.iter().filter_map(
        |Row {
             scene,
             say,
             goal: expected,
         }| {
            let got = goal(scene, say);
            (got != *expected).then(|| format!("{say}: {got}, not {expected}"))
        },
    );
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn conjunctions_are_split_where_they_join() {
    mean(
        "table",
        &[(
            "put the red cube on the plate and the green cube in the bowl",
            "on(red_cube, plate) then in(green_cube, bowl)",
        )],
    );
    let red_and_white = goal("blocks", "put the ball on the red and white plate");
    assert!(
        red_and_white == "refused" || red_and_white.starts_with("asked"),
        "{red_and_white}"
    );
}

#[test]
fn an_unknown_target_is_found_before_the_first_thing_is_moved() {
    let why = heard(
        "table",
        "put the red cube on the plate and the green cube in the blorp",
        Viewpoint::Robot,
    );
    let Err(Misunderstanding::Unseen { name, known, .. }) = why else {
        panic!("{why:?}");
    };
    assert_eq!(name, "blorp");
    assert!(known.contains(&"plate".to_owned()), "{known:?}");
}

#[test]
fn a_length_is_no_part_of_a_name_and_a_strange_word_is_marked() {
    assert!(goal("table", "lift the apple 10 cm").starts_with("holding(apple, 0.6"));
    let why = heard("table", "frobnicate the apple", Viewpoint::Robot);
    let Err(Misunderstanding::Unknown { marked, nearest }) = why else {
        panic!("{why:?}");
    };
    assert!(marked.contains(">frobnicate<"), "{marked}");
    assert!(!nearest.is_empty());
}

#[test]
fn whose_left_is_said() {
    let text = "put the red cube to the left of the plate";
    let facing = Viewpoint::From {
        position: [1.3, 0.0],
        look_at: [0.5, 0.0],
    };
    assert_eq!(goal("table", text), "left_of(red_cube, plate)");
    let mirrored = heard("table", text, facing);
    assert_eq!(mirrored, Ok("right_of(red_cube, plate)".to_owned()));
    // Nobody knows where a person is that says "my".
    assert_eq!(
        goal("table", "move the red cube to my left"),
        "asked: ambiguous_command"
    );
}

#[test]
fn what_several_things_fit_is_asked_with_all_of_them() {
    let why = heard("table", "pick up the mug", Viewpoint::Robot);
    let Err(Misunderstanding::Ambiguous {
        reason,
        candidates,
        question,
        ..
    }) = why
    else {
        panic!("{why:?}");
    };
    assert_eq!(reason, Reason::AmbiguousObject);
    assert_eq!(candidates, ["blue_mug", "red_mug"]);
    assert!(
        question.contains("blue_mug") && question.contains("red_mug"),
        "{question}"
    );
}

#[test]
fn goals_are_read_as_they_are_printed() {
    for text in [
        "on(red_cube, plate) and not on(apple, bowl)",
        "on(red_cube, plate) then home",
        "2 of (on(red_cube, plate), on(green_cube, plate), on(blue_cube, plate))",
        "(on(red_cube, plate) and in(apple, tray)) or holding(blue_mug)",
        "on(red_cube, plate); untouched(apple); slowly",
        "on(red_cube, plate); never(on(red_cube, table))",
        "shiny(red_cube)",
    ] {
        assert_eq!(goal("table", text), text);
    }
}

#[test]
fn what_is_wrong_with_a_goal_is_said() {
    for (text, why) in [
        ("on(red_cube)", "is said of 2"),
        ("on(red_cube, plate", "not closed"),
        ("at(red_cube, here, there)", "there"),
        ("goal: put it there", "is not a fact"),
        ("on(red_cube, plate.lid)", "no place called lid"),
        ("goal: 3 of (home, home)", "from 1 to 2"),
        ("on(red_cube, plate); quietly", "after `;` comes"),
    ] {
        let error = heard("table", text, Viewpoint::Robot).expect_err(text);
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn a_fact_of_a_thing_with_itself_is_no_goal() {
    for predicate in [
        "on", "in", "beside", "against", "inserted", "poured", "swapped", "tower", "left_of",
        "behind", "polished",
    ] {
        for text in [
            format!("{predicate}(red_cube, red_cube)"),
            format!("goal: {predicate}(red_cube, the red cube)"),
            format!("goal: on(apple, plate) and {predicate}(red_cube, red_cube)"),
            format!("goal: not {predicate}(red_cube, red_cube)"),
            format!("goal: on(apple, plate); never({predicate}(red_cube, red_cube))"),
        ] {
            let error = heard("table", &text, Viewpoint::Robot).expect_err(&text);
            assert!(error.to_string().contains("itself"), "{text}: {error}");
        }
    }
    for text in [
        "goal: on(plate, plate.left)",
        "goal: between(red_cube, plate, plate)",
        "goal: on(all plates, plate)",
        "goal: 0 of (home, home)",
        "goal: tower(red_cube)",
        "goal: on(red_cube, 0.3)",
        "goal: at(red_cube, plate)",
        "goal: ",
    ] {
        assert_eq!(goal("table", text), "refused", "{text}");
    }
    mean(
        "table",
        &[
            ("On(red_cube, plate);", "on(red_cube, plate)"),
            (
                "goal: ON(red_cube, plate) AND NOT on(apple, bowl)",
                "on(red_cube, plate) and not on(apple, bowl)",
            ),
            (
                "goal: on(all cubes, yellow_cube)",
                "on(red_cube, yellow_cube) and on(green_cube, yellow_cube) and on(blue_cube, yellow_cube)",
            ),
        ],
    );
}

#[test]
fn other_notations_are_named() {
    for (text, why) in [
        (
            "goal: (and (on red_cube green_cube) (on green_cube plate))",
            "this is PDDL: write for example `on(red_cube, green_cube)`",
        ),
        (
            "goal: (:goal (and (on red_cube plate) (not (on green_cube plate))))",
            "this is PDDL",
        ),
        (
            "goal: on red_cube plate",
            "write for example `on(red_cube, plate)`",
        ),
        (
            "goal: on(red_cube, plate) & on(green_cube, plate)",
            "write `and`",
        ),
        ("goal: forall(x, on(x, plate))", "on(all red cubes, plate)"),
    ] {
        let error = heard("table", text, Viewpoint::Robot).expect_err(text);
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn a_thing_is_not_brought_to_itself() {
    for text in [
        "put the red cube on the red cube",
        "put the red cube on itself",
        "put the red cube on top of itself",
        "pick up the red cube and put it on itself",
        "stack the red cube on the red cube",
        "put the red cube next to the red cube",
        "push the red cube towards the red cube",
        "lege den roten Würfel auf den roten Würfel",
    ] {
        let error = heard("table", text, Viewpoint::Robot).expect_err(text);
        let said = error.to_string();
        assert!(
            said.contains("to itself: name another thing"),
            "{text}: {said}"
        );
    }
    let error = heard("table", " ", Viewpoint::Robot).expect_err("no words");
    assert!(error.to_string().contains("has no words"), "{error}");
}

#[test]
fn of_a_list_the_clause_is_named_that_makes_no_sense() {
    for (text, why) in [
        (
            "put the red cube on the plate\nplace the green cube on top\nopen the drawer",
            "called `drawer`",
        ),
        (
            "put the red cube on the plate, then put the mug on the plate, then go home",
            "which is `the mug`",
        ),
    ] {
        let error = heard("table", text, Viewpoint::Robot).expect_err(text);
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn what_is_far_too_long_or_strange_is_refused_in_no_time() {
    let long = "put the red cube on the plate and ".repeat(1000);
    let nested = "(".repeat(3000) + "home" + &")".repeat(900);
    for text in [
        &*long,
        &nested,
        "",
        "\u{0}\u{200b}",
        "goal:",
        "((",
        "not not not",
        ";;;",
        "2 of (",
    ] {
        assert_eq!(
            goal("table", text),
            "refused",
            "{}",
            text.chars().take(40).collect::<String>()
        );
    }
    // As long as a command may be, and read in every way there is.
    let list = "the red cube and ".repeat(50);
    let _ = goal("table", &format!("put {list} the apple on the plate"));
}

#[test]
fn things_of_different_heights_are_no_bridge() {
    let across = goal(
        "table",
        "put the red cube on the plate and the yellow one too",
    );
    assert!(!across.contains("across"), "{across}");
    mean(
        "table",
        &[(
            "put the plate on the red cube and the green cube",
            "across(plate, red_cube, green_cube)",
        )],
    );
}

#[test]
fn what_is_fixed_is_called_so_however_it_should_be_moved() {
    for text in [
        "put the stove on the plate",
        "put the stove next to the ramekin",
        "push the stove to the left",
        "slide the stove towards the plate",
        "put the butter on the plate, then the stove",
    ] {
        let why = heard("kitchen", text, Viewpoint::Robot)
            .expect_err(text)
            .to_string();
        assert_eq!(why, "stove is fixed and cannot be moved", "{text}");
    }
}

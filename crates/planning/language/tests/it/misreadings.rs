//! Ways to do something else than was said, each of which was seen in a planner: none is taken.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use crate::common::scenes;
use regrasp_api::{Reason, Viewpoint};
use regrasp_language::{Misunderstanding, ParseContext, understand};

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

/// Texts about a scene, and what they mean there.
fn mean(scene: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(goal(scene, text), *expected, "{text}");
    }
}

#[test]
fn a_relation_inside_a_noun_phrase_is_no_target() {
    mean(
        "table",
        &[
            ("pick up the mug next to the bowl", "holding(blue_mug)"),
            ("take the mug left of the blue cube", "holding(blue_mug)"),
            ("pick up the fruit in the bowl", "holding(apple)"),
        ],
    );
}

#[test]
fn a_part_is_not_the_whole() {
    mean(
        "kitchen",
        &[
            (
                "put the cookie box in the top drawer of the cabinet",
                "in(cookie_box, top_drawer)",
            ),
            (
                "put the ramekin on the front burner",
                "on(ramekin, stove.front_burner)",
            ),
        ],
    );
    mean(
        "table",
        &[(
            "put the apple on the left side of the plate",
            "on(apple, plate.left)",
        )],
    );
}

#[test]
fn all_words_that_choose_count() {
    mean(
        "blocks",
        &[
            ("pick up the back right cube", "holding(blue_1)"),
            ("pick up the largest cube on the left", "holding(red_3)"),
            ("pick up the leftmost of the front cubes", "holding(red_1)"),
        ],
    );
}

#[test]
fn in_front_of_is_not_in_and_on_the_left_of_is_not_on() {
    mean(
        "table",
        &[
            // Two stand there; the one in the bowl does not.
            (
                "pick up the block in front of the bowl",
                "asked: ambiguous_object",
            ),
            (
                "put the red cube on the left of the plate",
                "left_of(red_cube, plate)",
            ),
            // The tray is the left one of what was named, but not "of the tray".
            (
                "put the blue mug in the tray and put the green cube to the left of the tray",
                "in(blue_mug, tray) then left_of(green_cube, tray)",
            ),
        ],
    );
}

#[test]
fn verbs_and_prepositions_mean_what_they_mean_together() {
    mean(
        "table",
        &[
            ("push the red cube off the table", "refused"),
            ("move the red cube to the plate", "on(red_cube, plate)"),
            ("move the red cube to the bowl", "in(red_cube, bowl)"),
            (
                "put the red cube on the left side of the plate",
                "on(red_cube, plate.left)",
            ),
        ],
    );
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
fn which_is_meant_by_a_side_is_the_near_one_or_is_asked() {
    mean(
        "table",
        &[
            (
                "pick up the apple to the left of the green cube",
                "holding(apple)",
            ),
            (
                "pick up the apple to the left of the blue cube",
                "holding(apple)",
            ),
            ("grab the apple left of the blue cube", "holding(apple)"),
            (
                "move the apple to the left of the green cube",
                "left_of(apple, green_cube)",
            ),
            (
                "put the red cube 5 cm to the left of the green cube",
                "at(red_cube, 0.400, 0.090)",
            ),
            (
                "put the red cube 2 inches to the right of the green cube",
                "at(red_cube, 0.400, -0.091)",
            ),
            (
                "place the red cube 10 cm behind the green cube",
                "at(red_cube, 0.540, 0.000)",
            ),
            (
                "stelle den roten Würfel 5 cm links von dem grünen Würfel",
                "at(red_cube, 0.400, 0.090)",
            ),
        ],
    );
}

#[test]
fn on_top_is_on_what_was_moved_last() {
    mean(
        "table",
        &[
            (
                "put the green cube on the plate and place the red cube on top",
                "on(green_cube, plate) then on(red_cube, green_cube)",
            ),
            (
                "put the apple in the tray. Put the blue cube on the plate, then set the red cube on top",
                "in(apple, tray) then on(blue_cube, plate) then on(red_cube, blue_cube)",
            ),
            ("put the mug on top", "asked: ambiguous_object"),
            ("put the red cube on top", "asked: ambiguous_command"),
        ],
    );
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
fn the_whole_is_meant_unless_a_part_is_named() {
    mean(
        "study",
        &[
            ("put the white mug on the shelf", "on(white_mug, shelf)"),
            (
                "put the white mug on the top shelf",
                "on(white_mug, shelf.top_shelf)",
            ),
        ],
    );
    mean(
        "cooking",
        &[(
            "put the frying pan under the cabinet shelf",
            "on(chefmate_8_frypan_1, wooden_two_layer_shelf_1.bottom_shelf)",
        )],
    );
    mean(
        "kitchen",
        &[(
            "close the top drawer and put the wine bottle on top",
            "closed(top_drawer) then on(wine_bottle, cabinet)",
        )],
    );
}

#[test]
fn pictures_and_words_for_colours_are_read() {
    mean(
        "table",
        &[
            (
                "put the red cube on the plate \u{1f37d}\u{fe0f}",
                "on(red_cube, plate)",
            ),
            (
                "put the red cube on the plate\u{1f37d}",
                "on(red_cube, plate)",
            ),
            (
                "\u{1f916} put the red\u{fe0f} cube on the plate \u{1f468}\u{200d}\u{1f373}",
                "on(red_cube, plate)",
            ),
            (
                "1\u{fe0f}\u{20e3} put the red cube on the plate",
                "on(red_cube, plate)",
            ),
            ("put the red\u{200b} cube on the plate", "refused"),
            (
                "grab the crimson block and set it down on top of the emerald one",
                "on(red_cube, green_cube)",
            ),
            ("pick up the azure cube", "holding(blue_cube)"),
        ],
    );
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
fn what_is_told_besides_is_set_aside_and_nothing_else_is() {
    // What is not known is no aside: it may be a command.
    mean(
        "table",
        &[
            (
                "put the red cube on the plate, then frobnicate the widget",
                "refused",
            ),
            ("pick red_cube, place_at", "refused"),
            // A duty that is not understood is no aside either.
            (
                "put the red cube on the plate, then you should water the plants",
                "refused",
            ),
            (
                "put the red cube on the plate, the robot has to sing afterwards",
                "refused",
            ),
            (
                "put the red cube on the plate, and he wants you to fry an egg",
                "refused",
            ),
            (
                "put the red cube on the plate, today the window needs to be cleaned",
                "refused",
            ),
        ],
    );
    mean(
        "groceries",
        &[
            (
                "I'm rather hungry, so could you put the apple in the basket, because I want it later?",
                "in(apple, basket)",
            ),
            // A request inside a clause is none of what is told besides.
            (
                "I don't suppose you'd be able to take the lemon, which I see has ended up in the basket, and put it beside the orange?",
                "refused",
            ),
            (
                "It's getting late, and we'd need the milk moved into the basket.",
                "in(milk, basket)",
            ),
        ],
    );
    mean(
        "kitchen",
        &[
            (
                "It does tend to stick, I'm afraid, so would you open the bottom drawer for me, oh hang on, it's the middle one that I need.",
                "open(middle_drawer)",
            ),
            (
                "I'd be glad if you opened the bottom drawer, unless it is open",
                "refused",
            ),
        ],
    );
}

#[test]
fn corrections_replace_what_they_stand_for_and_no_more() {
    mean(
        "groceries",
        &[
            (
                "Put the banana and the apple in the basket. Sorry, not the banana, the orange.",
                "in(orange, basket) then in(apple, basket)",
            ),
            (
                "put the banana to the left of the apple, I meant to the right",
                "asked: ambiguous_command",
            ),
        ],
    );
    mean(
        "study",
        &[(
            "red book on the top shelf, sorry, I meant the blue book",
            "on(blue_book, shelf.top_shelf)",
        )],
    );
}

#[test]
fn exceptions_are_taken_from_what_was_said_and_from_nothing_else() {
    mean(
        "kitchen",
        &[(
            "grab a black bowl, just not the one by the plate",
            "holding(black_bowl_2)",
        )],
    );
    mean(
        "table",
        &[(
            "with the exception of the yellow one, put all the cubes in the tray",
            "in(red_cube, tray) then in(green_cube, tray) then in(blue_cube, tray)",
        )],
    );
}

#[test]
fn adjectives_before_a_noun_are_no_verbs_of_another_command() {
    mean(
        "kitchen",
        &[(
            "open middle drawer, put butter inside, close middle drawer",
            "open(middle_drawer) then in(butter, middle_drawer) then closed(middle_drawer)",
        )],
    );
}

#[test]
fn what_should_not_be_is_not_brought_about() {
    mean(
        "table",
        &[
            ("the red cube should not go on the plate", "refused"),
            ("the red cube must not be put on the plate", "refused"),
            ("I don't want the red cube on the plate", "refused"),
            (
                "we must wash the apple first, then put it on the plate",
                "refused",
            ),
        ],
    );
    // What names a thing and has no verb is not told besides.
    mean(
        "workshop",
        &[(
            "The screwdriver's in the toolbox but I'd rather have it in the red bin, and the wrench in there with it.",
            "refused",
        )],
    );
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
fn sides_of_the_same_thing_are_told_one_after_the_other() {
    mean(
        "table",
        &[
            (
                "put the red mug to the right of the bowl and the blue mug to the left of it",
                "right_of(red_mug, bowl) then left_of(blue_mug, bowl)",
            ),
            (
                "put the red mug to the right of the bowl. put the blue mug behind it",
                "right_of(red_mug, bowl) then behind(blue_mug, bowl)",
            ),
            // In a row, each follows the last one.
            (
                "put the red mug to the left of the bowl and the blue mug to the left of it",
                "left_of(red_mug, bowl) then left_of(blue_mug, red_mug)",
            ),
        ],
    );
}

#[test]
fn what_cannot_be_done_to_a_thing_is_not_done_otherwise() {
    mean(
        "table",
        &[
            // It stands already: to lay it down is not to put it down.
            ("lay the red mug down", "refused"),
            ("lay down the red mug", "refused"),
            // No thing is called `bowl upside`.
            ("put the bowl upside down", "refused"),
            ("set the red mug sideways on the plate", "refused"),
        ],
    );
    mean(
        "kitchen",
        &[(
            "close everything",
            "closed(top_drawer) then closed(middle_drawer) then closed(bottom_drawer)",
        )],
    );
}

#[test]
fn what_comes_in_its_turn_is_read_after_the_clause_before_it() {
    mean(
        "table",
        &[
            (
                "put the red cube in the bowl, then take it out again",
                "in(red_cube, bowl) then not on(red_cube, bowl)",
            ),
            (
                "put the apple in the tray, then take it out of the bowl",
                "refused",
            ),
            (
                "lift the red cube, then put it down",
                "holding(red_cube) then on(red_cube, table)",
            ),
            (
                "pick up the apple, then put it in the bowl",
                "holding(apple) then in(apple, bowl)",
            ),
            (
                "pick up the red cube and put it back where it was",
                "holding(red_cube) then at(red_cube, 0.400, 0.200)",
            ),
            (
                "pick up the red cube, then put it on the plate",
                "on(red_cube, plate)",
            ),
            (
                "put the red cube on the plate, then the green cube, then the apple",
                "on(red_cube, plate) then on(green_cube, plate) then on(apple, plate)",
            ),
            (
                "put the red cube in the bowl, and then the green one",
                "in(red_cube, bowl) then in(green_cube, bowl)",
            ),
            (
                "put the red cube on the plate, followed by the apple, then put the green cube in the bowl",
                "on(red_cube, plate) then on(apple, plate) then in(green_cube, bowl)",
            ),
            (
                "stack the red cube on the blue cube, then the green cube, then the yellow cube",
                "on(red_cube, blue_cube) then on(green_cube, red_cube) then on(yellow_cube, green_cube)",
            ),
            (
                "put the red cube on the plate, then the big one",
                "on(red_cube, plate) then on(yellow_cube, plate)",
            ),
            (
                "swap the red cube and the green cube, then the apple",
                "refused",
            ),
            (
                "put the red cube on the plate, then the apple, and finally the green cube",
                "on(red_cube, plate) then on(apple, plate) then on(green_cube, plate)",
            ),
            (
                "put the red cube on the plate, then the green cube in the bowl",
                "on(red_cube, plate) then in(green_cube, bowl)",
            ),
            (
                "leg den roten Würfel auf den Teller, dann den grünen Würfel",
                "on(red_cube, plate) then on(green_cube, plate)",
            ),
        ],
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

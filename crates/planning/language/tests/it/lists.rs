//! Lists of steps, drawn at random: each is read as it was made, however long it is and however
//! its steps are joined.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use crate::common::scenes;
use regrasp_api::{Percept, Viewpoint};
use regrasp_language::{ParseContext, understand};

/// Movable things of the scene `table`: id, English, German behind a verb.
const THINGS: [[&str; 3]; 7] = [
    ["red_cube", "the red cube", "den roten Würfel"],
    ["green_cube", "the green cube", "den grünen Würfel"],
    ["blue_cube", "the blue cube", "den blauen Würfel"],
    ["yellow_cube", "the yellow cube", "den gelben Würfel"],
    ["blue_mug", "the blue mug", "die blaue Tasse"],
    ["red_mug", "the red mug", "die rote Tasse"],
    ["apple", "the apple", "den Apfel"],
];

/// A pseudo-random sequence (Knuth's linear congruence).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.below(all.len())]
    }
}

#[derive(Clone, Copy, Debug)]
enum Tongue {
    English,
    German,
}

/// A step in words, and the goal that it is.
fn step(draw: &mut Draw, tongue: Tongue, not: usize) -> (String, String, usize) {
    let idx = (0..).map(|_| draw.below(THINGS.len())).find(|i| *i != not);
    let idx = idx.expect("there are several");
    let other = (0..).map(|_| draw.below(4)).find(|i| *i != idx);
    let other = other.expect("there are several");
    let [x, y] = [THINGS[idx], THINGS[other]];
    let is_english = matches!(tongue, Tongue::English);
    let words = |thing: [&'static str; 3]| thing[if is_english { 1 } else { 2 }];
    let (a, b) = (words(x), words(y));
    let say = |english: String, german: String| if is_english { english } else { german };
    let put = draw.of(&["put", "place", "set", "move"]);
    let (said, goal) = match draw.below(6) {
        0 => {
            let take = draw.of(&["pick up", "grab", "lift"]);
            let said = say(format!("{take} {a}"), format!("nimm {a}"));
            (said, format!("holding({})", x[0]))
        }
        1 => {
            let said = say(
                format!("{put} {a} on the plate"),
                format!("lege {a} auf den Teller"),
            );
            (said, format!("on({}, plate)", x[0]))
        }
        2 => {
            let said = say(
                format!("{put} {a} in the bowl"),
                format!("lege {a} in die Schüssel"),
            );
            (said, format!("in({}, bowl)", x[0]))
        }
        3 => {
            let said = say(
                format!("{put} {a} next to {b}"),
                format!("stelle {a} neben {b}"),
            );
            (said, format!("beside({}, {})", x[0], y[0]))
        }
        4 => {
            let side = draw.below(2);
            let (english, german) = (["left", "right"][side], ["links", "rechts"][side]);
            let said = say(
                format!("push {a} to the {english}"),
                format!("schiebe {a} nach {german}"),
            );
            (said, format!("at({})", x[0]))
        }
        _ => {
            let said = say(format!("stack {a} on {b}"), format!("staple {a} auf {b}"));
            (said, format!("on({}, {})", x[0], y[0]))
        }
    };
    (said, goal, idx)
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// The steps as one text, in each of the forms that lists have.
fn forms(draw: &mut Draw, tongue: Tongue, steps: &[String]) -> Vec<String> {
    let joints: &[&str] = match tongue {
        Tongue::English => &[
            ", then ",
            " and then ",
            " then ",
            ", ",
            "; ",
            ". Then ",
            ", and then ",
        ],
        Tongue::German => &[", dann ", " und dann ", " dann ", ", ", "; ", ". Dann "],
    };
    let mut sentence = steps[0].clone();
    for step in &steps[1..] {
        sentence += draw.of(joints);
        sentence += step;
    }
    let sentences: Vec<_> = steps.iter().map(|step| capitalized(step) + ".").collect();
    let numbered = steps.iter().enumerate();
    let numbered: Vec<_> = numbered
        .map(|(i, step)| format!("{}. {step}", i + 1))
        .collect();
    vec![
        sentence,
        sentences.join(" "),
        numbered.join("\n"),
        steps.join("\n"),
    ]
}

/// A step without the coordinates of where something is pushed.
fn without_point(step: &str) -> String {
    let object = step
        .strip_prefix("at(")
        .and_then(|rest| rest.split_once(','));
    object.map_or_else(|| step.to_owned(), |(object, _)| format!("at({object})"))
}

fn goal(percept: &Percept, text: &str) -> String {
    let context = ParseContext {
        percept,
        held: None,
        base: [0.0, 0.0],
        viewpoint: Viewpoint::Robot,
        answers: &[],
    };
    match understand(text, &context) {
        Ok(understood) => {
            let goal = understood.goal();
            let steps: Vec<_> = goal.split(" then ").map(without_point).collect();
            steps.join(" then ")
        }
        Err(why) => format!("refused: {why}"),
    }
}

#[test]
fn drawn_lists_are_read_as_they_were_made() {
    let scenes = scenes();
    let percept = scenes.get("table").expect("a scene of the corpus");
    let mut wrong = vec![];
    for n in [4, 8, 20] {
        for seed in 0..20 {
            let tongue = if seed % 4 == 3 {
                Tongue::German
            } else {
                Tongue::English
            };
            let mut draw = Draw(1000 * n + seed);
            let (mut steps, mut goals, mut last) = (vec![], vec![], THINGS.len());
            for _ in 0..n {
                let (said, goal, idx) = step(&mut draw, tongue, last);
                steps.push(said);
                goals.push(goal);
                last = idx;
            }
            let expected = goals.join(" then ");
            for text in forms(&mut draw, tongue, &steps) {
                let got = goal(percept, &text);
                if got != expected {
                    wrong.push(format!("{text}\n  expected {expected}\n  got {got}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 240:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_referred_to_passes_on_from_step_to_step() {
    let scenes = scenes();
    for (text, expected) in [
        (
            "put the red cube on the plate, then put the green cube on the plate, then put the \
             apple in the tray, then put the red cube in the bowl",
            "on(red_cube, plate) then on(green_cube, plate) then in(apple, tray) then \
             in(red_cube, bowl)",
        ),
        (
            "pick up the red mug, then put it in the tray, then put the apple there, then put the \
             green cube on the plate, then put it in the bowl",
            "in(red_mug, tray) then in(apple, tray) then on(green_cube, plate) then \
             in(green_cube, bowl)",
        ),
        (
            "put the red mug on the plate. Push the blue cube to the left. Put the other mug \
             in the tray. Go home.",
            "on(red_mug, plate) then at(blue_cube) then in(blue_mug, tray) then home",
        ),
        (
            "- put the red cube on the plate\n- put the green cube\n  in the bowl",
            "on(red_cube, plate) then in(green_cube, bowl)",
        ),
        (
            "put the red cube\non the plate and the green cube\nin the bowl",
            "on(red_cube, plate) then in(green_cube, bowl)",
        ),
        (
            "Step 1: put the red cube on the plate\nStep 2: put the green cube in the bowl",
            "on(red_cube, plate) then in(green_cube, bowl)",
        ),
        (
            "put the red cube on the plate, the green cube in the bowl, the blue cube in the tray, \
             the apple on the plate, the red mug in the tray and the blue mug in the bowl",
            "on(red_cube, plate) then in(green_cube, bowl) then in(blue_cube, tray) then \
             on(apple, plate) then in(red_mug, tray) then in(blue_mug, bowl)",
        ),
        (
            "push the red cube to the left;put the apple on the plate",
            "at(red_cube) then on(apple, plate)",
        ),
        (
            "(1) put the red cube on the plate (2) put the green cube in the bowl",
            "on(red_cube, plate) then in(green_cube, bowl)",
        ),
    ] {
        let percept = scenes.get("table").expect("a scene of the corpus");
        assert_eq!(goal(percept, text), expected, "{text}");
    }
}

/// A text that is too involved is refused with the place.
#[test]
fn a_limit_that_is_hit_is_said() {
    let scenes = scenes();
    let percept = scenes.get("table").expect("a scene of the corpus");
    let list = "the red cube and ".repeat(200);
    let said = goal(percept, &format!("put {list} the apple on the plate"));
    assert!(said.contains("too involved"), "{said}");
    let long = "put the red cube on the plate. ".repeat(200);
    let said = goal(percept, &long);
    assert!(said.contains("at most 4000 can be read"), "{said}");
}

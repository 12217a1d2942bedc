//! Random lists of steps: each is read as it was generated, whatever its length and connecting
//! words.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use crate::common::goal;
use regrasp_api::Viewpoint;

/// Movable objects of the scene `table`: id, English, German in the accusative.
const THINGS: [[&str; 3]; 7] = [
    ["red_cube", "the red cube", "den roten Würfel"],
    ["green_cube", "the green cube", "den grünen Würfel"],
    ["blue_cube", "the blue cube", "den blauen Würfel"],
    ["yellow_cube", "the yellow cube", "den gelben Würfel"],
    ["blue_mug", "the blue mug", "die blaue Tasse"],
    ["red_mug", "the red mug", "die rote Tasse"],
    ["apple", "the apple", "den Apfel"],
];

/// Pseudo-random numbers from Knuth's linear congruential generator.
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

fn step(draw: &mut Draw, tongue: Tongue, not: usize) -> (String, String, usize) {
    let idx = (0..).map(|_| draw.below(THINGS.len())).find(|i| *i != not);
    let idx = idx.expect("there are several");
    let other = (0..).map(|_| draw.below(4)).find(|i| *i != idx);
    let other = other.expect("there are several");
    let [x, y] = [THINGS[idx], THINGS[other]];
    let put = draw.of(&["put", "place", "set", "move"]);
    let mut take = "";
    let [english, german, goal] = match draw.below(6) {
        0 => {
            take = draw.of(&["pick up", "grab", "lift"]);
            ["{take} {a}", "nimm {a}", "holding({a})"]
        }
        1 => [
            "{put} {a} on the plate",
            "lege {a} auf den Teller",
            "on({a}, plate)",
        ],
        2 => [
            "{put} {a} in the bowl",
            "lege {a} in die Schüssel",
            "in({a}, bowl)",
        ],
        3 => [
            "{put} {a} next to {b}",
            "stelle {a} neben {b}",
            "beside({a}, {b})",
        ],
        4 => match draw.below(2) {
            0 => ["push {a} to the left", "schiebe {a} nach links", "at({a})"],
            _ => [
                "push {a} to the right",
                "schiebe {a} nach rechts",
                "at({a})",
            ],
        },
        _ => ["stack {a} on {b}", "staple {a} auf {b}", "on({a}, {b})"],
    };
    let filled = |pattern: &str, language: usize| {
        let verbs = pattern.replace("{put}", put).replace("{take}", take);
        let [a, b] = [x, y].map(|thing| thing[language]);
        verbs.replace("{a}", a).replace("{b}", b)
    };
    let said = match tongue {
        Tongue::English => filled(english, 1),
        Tongue::German => filled(german, 2),
    };
    (said, filled(goal, 0), idx)
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// Formats the steps as a text, in each common form of a list.
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
        numbered.join(" "),
        steps.join("\n"),
    ]
}

fn without_point(step: &str) -> String {
    let object = step
        .strip_prefix("at(")
        .and_then(|rest| rest.split_once(','));
    object.map_or_else(|| step.to_owned(), |(object, _)| format!("at({object})"))
}

fn meaning(text: &str) -> String {
    match goal("table", text, Viewpoint::Robot) {
        Ok(goal) => {
            let steps: Vec<_> = goal.split(" then ").map(without_point).collect();
            steps.join(" then ")
        }
        Err(why) => format!("refused: {why}"),
    }
}

#[test]
fn drawn_lists_are_read_as_they_were_made() {
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
                let got = meaning(&text);
                if got != expected {
                    wrong.push(format!("{text}\n  expected {expected}\n  got {got}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 300:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_limit_that_is_hit_is_said() {
    let list = "the red cube and ".repeat(200);
    let said = meaning(&format!("put {list} the apple on the plate"));
    assert!(said.contains("too complicated"), "{said}");
    let long = "put the red cube on the plate. ".repeat(200);
    let said = meaning(&long);
    assert!(said.contains("at most 4000 can be read"), "{said}");
}

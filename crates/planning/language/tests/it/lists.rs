//! Random lists of steps: each is read as it was generated, whatever its length and connecting
//! words.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use std::sync::LazyLock;

use crate::common::{corpus, goal};
use serde::Deserialize;

/// Parts of lists. Each array has the goal or id, and the text in English and in German.
#[derive(Deserialize)]
struct Parts {
    things: Vec<[String; 3]>,
    steps: Vec<[String; 3]>,
    put: Vec<String>,
    take: Vec<String>,
    joints: [Vec<String>; 3],
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| corpus("lists.yaml"));

/// Pseudo-random numbers from Knuth's linear congruential generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'s>(&mut self, choices: &'s [String]) -> &'s str {
        &choices[self.below(choices.len())]
    }

    /// Draws a number below `n`, but not `other`.
    fn but(&mut self, n: usize, other: usize) -> usize {
        let drawn = (0..).map(|_| self.below(n)).find(|i| *i != other);
        drawn.expect("there are other choices")
    }
}

/// Draws a step about another object than the last step, as its goal and its text in a language.
/// No step pushes `put` objects, which earlier steps put somewhere: their start is not known.
fn step(draw: &mut Draw, language: usize, last: &mut usize, put: &mut Vec<usize>) -> [String; 2] {
    let Parts { things, steps, .. } = &*PARTS;
    let a = draw.but(things.len(), *last);
    let b = draw.but(4, a);
    *last = a;
    let drawn = (0..).map(|_| &steps[draw.below(steps.len())]);
    let is_known = |step: &&[String; 3]| !step[0].starts_with("at(") || !put.contains(&a);
    let step = drawn.into_iter().find(is_known).expect("other steps");
    let mut kept = ["at(", "holding("].into_iter();
    if !kept.any(|goal| step[0].starts_with(goal)) {
        put.push(a);
    }
    let [put, take] = [&PARTS.put, &PARTS.take].map(|verbs| draw.of(verbs));
    [0, language].map(|language| {
        let text = step[language].replace("{put}", put).replace("{take}", take);
        let text = text.replace("{a}", &things[a][language]);
        text.replace("{b}", &things[b][language])
    })
}

/// Formats the steps as a text, in each common form of a list.
fn forms(draw: &mut Draw, language: usize, steps: &[String]) -> [String; 5] {
    let mut sentence = steps[0].clone();
    for step in &steps[1..] {
        sentence += draw.of(&PARTS.joints[language]);
        sentence += step;
    }
    let capital = |step: &String| format!("{}{}.", step[..1].to_uppercase(), &step[1..]);
    let sentences: Vec<_> = steps.iter().map(capital).collect();
    let numbered = (1..).zip(steps).map(|(n, step)| format!("{n}. {step}"));
    let numbered: Vec<_> = numbered.collect();
    let [lines, words] = [numbered.join("\n"), numbered.join(" ")];
    let [sentences, steps] = [sentences.join(" "), steps.join("\n")];
    [sentence, sentences, lines, words, steps]
}

fn meaning(text: &str) -> String {
    let without_point = |step: &str| match step.split_once(',') {
        Some((at, _)) if at.starts_with("at(") => format!("{at})"),
        _ => step.to_owned(),
    };
    let goal = goal("table", text).unwrap_or_else(|why| format!("refused: {why}"));
    let steps: Vec<_> = goal.split(" then ").map(without_point).collect();
    steps.join(" then ")
}

#[test]
fn drawn_lists_are_read_as_they_were_made() {
    let mut wrong = vec![];
    let lengths = [4, 8, 20].into_iter();
    for (n, seed) in lengths.flat_map(|n| (0..20).map(move |seed| (n, seed))) {
        let language = if seed % 4 == 3 { 2 } else { 1 };
        let mut draw = Draw(1000 * n + seed);
        let (mut last, mut put) = (usize::MAX, vec![]);
        let drawn = (0..n).map(|_| step(&mut draw, language, &mut last, &mut put));
        let (goals, steps): (Vec<_>, Vec<_>) = drawn.map(|[goal, said]| (goal, said)).unzip();
        let expected = goals.join(" then ");
        for text in forms(&mut draw, language, &steps) {
            let got = meaning(&text);
            if got != expected {
                wrong.push(format!("{text}\n  expected {expected}\n  got {got}"));
            }
        }
    }
    let (n, wrong) = (wrong.len(), wrong.join("\n"));
    assert!(n == 0, "{n} of 300 lists are misread:\n{wrong}");
}

//! Measures how sentences are understood. `cargo test -p regrasp-language --test it corpus --
//! --nocapture` prints the table, `CORPUS=tuned` also each wrong sentence, and
//! `CORPUS=/some/file.yaml` measures that file alone.

#![expect(clippy::print_stdout, reason = "the test prints a table")]
#![expect(clippy::expect_used, reason = "a goal that is wrong fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Sentence, corpus, scene};
use regrasp_api::{ObjectId, Percept};
use regrasp_language::{
    Formula, Intent, Misunderstanding, ParseContext, Step, Task, Untouched, understand,
};

const OUTCOMES: [&str; 4] = ["right", "asked", "refused", "wrong"];
type Tally = [usize; 4];
/// Alternatives, each a set of facts that hold together.
type Ways = BTreeSet<BTreeSet<String>>;

/// Returns the parts of all steps that have to hold, in their order.
fn stages(task: &Task, percept: &Percept) -> Vec<Ways> {
    let fact = |text: &dyn ToString| fact(&text.to_string(), percept);
    let of_step = |step: &Step| match step {
        Step::Goal(Formula::All(of)) => of.iter().map(|part| ways(part, &fact)).collect(),
        Step::Goal(formula) => vec![ways(formula, &fact)],
        other => vec![[[fact(other)].into()].into()],
    };
    let stages = task.steps.iter().flat_map(of_step);
    let is_nothing = |ways: &Ways| ways.iter().flatten().any(|fact| fact == "nothing");
    stages.filter(|ways| !is_nothing(ways)).collect()
}

fn ways(formula: &Formula, fact: &dyn Fn(&dyn ToString) -> String) -> Ways {
    let fact = |(intent, so): &(&Intent, bool)| match so {
        true => fact(intent),
        false => fact(&format!("not {intent}")),
    };
    let ways = formula.alternatives().expect("few alternatives");
    let facts = ways.iter().map(|way| way.iter().map(fact).collect());
    facts.collect()
}

/// Normalises a fact: "on the tray" is "in the tray" if the tray is hollow.
fn fact(text: &str, percept: &Percept) -> String {
    let Some((head, inside)) = text.split_once('(') else {
        return text.to_owned();
    };
    let number = |word: &str| match word.parse::<f64>() {
        Ok(x) => format!("{:.2}", x + 0.0),
        Err(_) => word.to_owned(),
    };
    let inside = inside.replace(" of ", ",");
    let words = inside.split([',', ')']).map(str::trim);
    let words = words.filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(number).collect();
    let target = words.get(1).map_or("", String::as_str);
    let whole = percept.object(&ObjectId::new(target));
    let head = match head {
        _ if target.contains('.') && target.parse::<f64>().is_err() => "within",
        "not in" => "not on",
        "on" if whole.is_some_and(|whole| whole.shape.cavity().is_some()) => "in",
        head => head,
    };
    match head {
        "swapped" | "against" | "tower" => words.sort(),
        "between" | "across" => words[1..].sort(),
        _ => {}
    }
    format!("{head}({})", words.join(","))
}

/// Returns true if a task is as expected. The order counts only if the expected goal has one.
fn is_right(expected: &str, got: &Task, scene: &ParseContext<'_>) -> bool {
    let goal = understand(&format!("goal: {expected}"), scene);
    let goal = goal.expect(expected).task;
    let [mut wanted, mut steps] = [&goal, got].map(|task| stages(task, scene.percept));
    if !expected.contains(" then ") {
        // Compare only the steps that hold at the end, and those that are expected.
        let object = |ways: &Ways| {
            let fact = ways.iter().flatten().next().cloned().unwrap_or_default();
            let object = fact.split(['(', ',', ')']).nth(1).unwrap_or_default();
            object.to_owned()
        };
        let lasts = |(i, own): &(usize, &Ways)| {
            let undone = |later: &Ways| object(later) == object(own) && own.len() == 1;
            !steps[i + 1..].iter().any(undone) || wanted.contains(own)
        };
        let last = steps.iter().enumerate().filter(lasts);
        steps = last.map(|(_, own)| own.clone()).collect();
        wanted.sort();
        steps.sort();
    }
    let rules = |task: &Task| {
        let untouched = match &task.untouched {
            Untouched::These(ids) => {
                Untouched::These(BTreeSet::from_iter(ids).into_iter().cloned().collect())
            }
            other => other.clone(),
        };
        let never = task.never.iter();
        let never = never.map(|never| fact(&never.to_string(), scene.percept));
        (untouched, never.collect::<BTreeSet<_>>(), task.manner)
    };
    // Without steps, constraints do not matter.
    wanted == steps && (rules(&goal) == rules(got) || steps.is_empty())
}

fn measure(file: &str, shown: bool) -> BTreeMap<String, Tally> {
    let sentences: Vec<Sentence> = corpus(file);
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for sentence in &sentences {
        let scene = ParseContext::of(scene(&sentence.scene));
        let outcome = sentence.meaning();
        let what = match (&outcome, sentence.goal.as_str()) {
            (Ok(_), "ask" | "refuse") => "wrong",
            (Ok(meant), goal) if is_right(goal, &meant.task, &scene) => "right",
            (Ok(_), _) => "wrong",
            (Err(Misunderstanding::Ambiguous { .. }), "ask") => "right",
            (Err(Misunderstanding::Ambiguous { .. }), _) => "asked",
            (Err(_), "refuse") => "right",
            (Err(_), _) => "refused",
        };
        let tally = table.entry(sentence.kind.clone()).or_default();
        let counts = tally.iter_mut().zip(OUTCOMES);
        counts.for_each(|(n, name)| *n += usize::from(name == what));
        if shown && what != "right" {
            let got = outcome.map_or_else(|why| why.to_string(), |meant| meant.goal());
            let Sentence { scene, say, .. } = sentence;
            println!("{what:8} {:12} {scene}: {say}", sentence.kind);
            println!("         wanted {}\n         got    {got}", sentence.goal);
        }
    }
    table
}

/// Prints a table, and returns its sums and the number of sentences.
fn print(file: &str, table: &BTreeMap<String, Tally>) -> (Tally, usize) {
    let line = |kind: &str, [right, asked, refused, wrong]: [String; 4]| {
        println!("{kind:14} {right:>5} {asked:>5} {refused:>7} {wrong:>5}");
    };
    println!("\n{file}");
    line("kind", OUTCOMES.map(str::to_owned));
    let mut all = Tally::default();
    for (kind, tally) in table {
        line(kind, tally.map(|n| n.to_string()));
        all = std::array::from_fn(|i| all[i] + tally[i]);
    }
    let n = all.iter().sum();
    line(&format!("all of {n}"), all.map(|n| n.to_string()));
    (all, n)
}

/// Checks that at least `right` percent of a file are right, and not too many wrong.
fn check(file: &str, right: usize, is_too_wrong: impl Fn(usize, usize) -> bool) {
    let name = file.split('.').next().unwrap_or_default();
    let shown = std::env::var("CORPUS").is_ok_and(|shown| shown == name);
    let (all, n) = print(file, &measure(file, shown));
    assert!(
        !is_too_wrong(all[3], n),
        "sentences of {file} are misread: {all:?}"
    );
    assert!(all[0] * 100 >= right * n, "{file}: {all:?}");
}

#[test]
fn nothing_else_than_was_said_is_done() {
    let own = std::env::var("CORPUS").unwrap_or_default();
    if own.ends_with(".yaml") {
        let ([.., wrong], _) = print(&own, &measure(&own, true));
        return assert_eq!(wrong, 0, "a sentence of {own} is misread");
    }
    let any = |wrong, _| wrong > 0;
    check("tuned.yaml", 82, any);
    check("suites.yaml", 95, any);
    check("held_out.yaml", 80, |wrong, n| wrong * 100 >= n);
}

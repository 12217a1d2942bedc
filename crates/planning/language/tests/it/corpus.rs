//! Measures how sentences are understood. `cargo test -p regrasp-language --test it corpus --
//! --nocapture` prints the table, `CORPUS=tuned` also each wrong sentence, and
//! `CORPUS=/some/file.yaml` measures that file alone.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Sentence, corpus, scene};
use regrasp_api::Percept;
use regrasp_language::Misunderstanding;

const OUTCOMES: [&str; 4] = ["right", "asked", "refused", "wrong"];
type Tally = [usize; 4];

/// Normalises a goal: its steps in order, and the set of its rules.
fn parts(goal: &str) -> (Vec<String>, BTreeSet<String>) {
    let mut pieces = goal.split(';').map(str::trim);
    let steps = split(pieces.next().unwrap_or_default(), " then ").into_iter();
    let steps = steps
        .flat_map(|step| split(step, " and "))
        .map(alternatives);
    let steps = steps.filter(|s| s != "nothing").collect();
    (steps, pieces.map(sorted).collect())
}

fn split<'t>(text: &'t str, by: &str) -> Vec<&'t str> {
    let (mut pieces, mut depth, mut from) = (vec![], 0_i32, 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && at >= from && text[at..].starts_with(by) {
            pieces.push(&text[from..at]);
            from = at + by.len();
        }
    }
    pieces.push(&text[from..]);
    pieces
}

fn joined(parts: impl IntoIterator<Item = String>, by: &str) -> String {
    let parts: BTreeSet<String> = parts.into_iter().collect();
    parts.into_iter().collect::<Vec<_>>().join(by)
}

fn alternatives(text: &str) -> String {
    let any = split(text.trim(), " or ").into_iter().flat_map(together);
    joined(any, " or ")
}

/// Normalises "(a and b)", or expands "2 of (a, b, c)" to all its combinations.
fn together(text: &str) -> Vec<String> {
    let text = text.trim();
    let counted = text.split_once(" of (");
    let counted = counted.and_then(|(n, of)| Some((n.parse::<u32>().ok()?, of)));
    if let Some((n, of)) = counted {
        let all: Vec<_> = split(of.trim_end_matches(')'), ", ");
        let fits = (0_u32..1 << all.len()).filter(|set| set.count_ones() == n);
        let chosen = |set: u32| {
            let own = all.iter().enumerate().filter(|(i, _)| set & (1 << i) != 0);
            joined(own.map(|(_, s)| atom(s)), " and ")
        };
        return fits.map(chosen).collect();
    }
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let inner = inner.unwrap_or(text);
    let own = split(inner, " and ").into_iter();
    let own = own.flat_map(|s| split(s, " or ")).map(atom);
    let by = [" and ", " or "][usize::from(inner.contains(" or "))];
    vec![joined(own, by)]
}

fn atom(text: &str) -> String {
    let text = text.trim();
    let Some((head, inside)) = text.split_once('(') else {
        return text.to_owned();
    };
    let inside = inside.trim_end_matches(')');
    let mut words: Vec<String> = inside.split(',').map(|w| number(w.trim())).collect();
    let head = match words
        .get(1)
        .is_some_and(|w| w.contains('.') && w.parse::<f64>().is_err())
    {
        true => "within",
        false => head.trim(),
    };
    let head = if head == "not in" { "not on" } else { head };
    match head {
        "swapped" => words.sort(),
        "tower" => return format!("tower({})", sorted(&inside.replace(" of ", ","))),
        "against" => words.sort(),
        "between" | "across" => words[1..].sort(),
        _ => {}
    }
    format!("{head}({})", words.join(","))
}

fn number(word: &str) -> String {
    word.parse::<f64>()
        .map_or_else(|_| word.to_owned(), |x| format!("{:.2}", x + 0.0))
}

fn sorted(text: &str) -> String {
    let mut words: Vec<&str> = text
        .split([',', '(', ')'])
        .map(str::trim)
        .filter(|w| !w.is_empty())
        .collect();
    words.sort_unstable();
    words.join(",")
}

/// Treats "on the tray" as "in the tray" if the tray is hollow.
fn level(goals: &str, percept: &Percept) -> String {
    let hollow = percept
        .objects
        .iter()
        .filter(|o| o.shape.cavity().is_some());
    let hollow: BTreeSet<&str> = hollow.map(|o| o.id.as_str()).collect();
    let mut parts = goals.split("on(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let target = part
            .split_once(')')
            .and_then(|(own, _)| own.rsplit_once(", "));
        let is_hollow = target.is_some_and(|(_, target)| hollow.contains(target));
        out += if is_hollow { "in(" } else { "on(" };
        out += part;
    }
    out
}

/// Returns true if a task is as expected. The order counts only if the expected goal has one.
fn is_right(expected: &str, got: &str) -> bool {
    let (mut wanted, wanted_tail) = parts(expected);
    let (mut steps, tail) = parts(got);
    if !expected.contains(" then ") {
        // Compare only the steps that hold at the end.
        let object = |s: &str| {
            s.split(['(', ',', ')'])
                .nth(1)
                .unwrap_or_default()
                .to_owned()
        };
        let last: Vec<String> = steps
            .iter()
            .enumerate()
            .filter(|(i, s)| {
                let later = &steps[i + 1..];
                let undone = |l: &String| object(l) == object(s) && !s.contains(" or ");
                !later.iter().any(undone) || wanted.contains(s)
            })
            .map(|(_, s)| s.clone())
            .collect();
        steps = last;
        wanted.sort();
        steps.sort();
    }
    // Without steps, constraints do not matter.
    wanted == steps && (wanted_tail == tail || steps.is_empty())
}

fn measure(file: &str, shown: bool) -> BTreeMap<String, Tally> {
    let sentences: Vec<Sentence> = corpus(file);
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for sentence in &sentences {
        let percept = scene(&sentence.scene);
        let outcome = sentence.meaning();
        let what = match (&outcome, sentence.goal.as_str()) {
            (Ok(_), "ask" | "refuse") => "wrong",
            (Ok(task), goal) => match is_right(&level(goal, percept), &level(task, percept)) {
                true => "right",
                false => "wrong",
            },
            (Err(Misunderstanding::Ambiguous { .. }), "ask") => "right",
            (Err(Misunderstanding::Ambiguous { .. }), _) => "asked",
            (Err(_), "refuse") => "right",
            (Err(_), _) => "refused",
        };
        let tally = table.entry(sentence.kind.clone()).or_default();
        let counts = tally.iter_mut().zip(OUTCOMES);
        counts.for_each(|(n, name)| *n += usize::from(name == what));
        if shown && what != "right" {
            let got = outcome.unwrap_or_else(|why| why.to_string());
            println!(
                "{what:8} {:12} {}: {}\n         wanted {}\n         got    {got}",
                sentence.kind, sentence.scene, sentence.say, sentence.goal
            );
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

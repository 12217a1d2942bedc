//! German commands come to the same goals as English ones: a second language is data alone.

#![expect(clippy::expect_used, reason = "a scene that is missing fails the test")]

use crate::common::scenes;
use regrasp_api::Viewpoint;
use regrasp_language::{Misunderstanding, ParseContext, understand};

fn goal(scene: &str, text: &str) -> String {
    let scenes = scenes();
    let context = ParseContext {
        percept: scenes.get(scene).expect("a scene of the corpus"),
        held: None,
        base: [0.0, 0.0],
        viewpoint: Viewpoint::Robot,
        answers: &[],
    };
    match understand(text, &context) {
        Ok(understood) => understood.goal(),
        Err(Misunderstanding::Ambiguous { question, .. }) => format!("ask: {question}"),
        Err(other) => format!("refuse: {other}"),
    }
}

#[test]
fn german_commands_are_understood() {
    let cases = [
        ("table", "Nimm den roten Würfel", "holding(red_cube)"),
        (
            "table",
            "Heb bitte den Becher neben der Schüssel auf",
            "holding(blue_mug)",
        ),
        (
            "table",
            "Nimm den roten Würfel und lege ihn in die Schüssel",
            "in(red_cube, bowl)",
        ),
        ("table", "Leg den Apfel auf den Teller", "on(apple, plate)"),
        (
            "table",
            "Kannst du bitte den grünen Würfel auf den Teller legen?",
            "on(green_cube, plate)",
        ),
        (
            "table",
            "Leg alle Würfel auf das Tablett",
            "on(red_cube, tray) then on(green_cube, tray) then on(blue_cube, tray) then on(yellow_cube, tray)",
        ),
        (
            "table",
            "Leg den roten Würfel auf den Teller und den grünen in die Schüssel",
            "on(red_cube, plate) then in(green_cube, bowl)",
        ),
        (
            "table",
            "Leg den größten Würfel auf die linke Seite des Tellers",
            "on(yellow_cube, plate.left)",
        ),
        (
            "table",
            "Schieb den blauen Würfel 5 cm nach links",
            "at(blue_cube, 0.550, -0.150)",
        ),
        (
            "table",
            "Vertausche den roten und den grünen Würfel",
            "swapped(red_cube, green_cube)",
        ),
        (
            "table",
            "Stell den roten Becher links neben den Teller",
            "left_of(red_mug, plate)",
        ),
        (
            "table",
            "Leg den gelben Würfel auf den Teller, nein, in die Schüssel",
            "in(yellow_cube, bowl)",
        ),
        (
            "table",
            "Nimm vorsichtig den roten Becher",
            "holding(red_mug); gently",
        ),
        (
            "table",
            "Leg den grünen Würfel in die Schüssel, ohne den Apfel zu berühren",
            "in(green_cube, bowl); untouched(apple)",
        ),
        (
            "kitchen",
            "Öffne die mittlere Schublade",
            "open(middle_drawer)",
        ),
        (
            "kitchen",
            "Mach die oberste Schublade zu",
            "closed(top_drawer)",
        ),
        (
            "kitchen",
            "Leg die Butter in die mittlere Schublade des Schranks",
            "in(butter, middle_drawer)",
        ),
        (
            "groceries",
            "Die Milch soll in den Korb",
            "in(milk, basket)",
        ),
        (
            "groceries",
            "Leg den Apfel zwischen die Milch und den Ketchup",
            "between(apple, milk, ketchup)",
        ),
        (
            "blocks",
            "Bau einen Turm aus drei roten Würfeln",
            "tower(red_1, red_2, red_3)",
        ),
        (
            "blocks",
            "Nimm den Würfel ganz hinten rechts",
            "holding(blue_1)",
        ),
        ("study", "Drück den Knopf", "pressed(lamp_button)"),
        (
            "kitchen",
            "Öffne die untere Schublade halb",
            "open(bottom_drawer, 0.070)",
        ),
        (
            "kitchen",
            "Zieh die untere Schublade 5 cm auf",
            "open(bottom_drawer, 0.050)",
        ),
        (
            "kitchen",
            "Schließ die obere Schublade zur Hälfte",
            "open(top_drawer, 0.070)",
        ),
        (
            "kitchen",
            "Halte die Butter über den Teller",
            "holding(butter, 0.360, 0.210, 0.135)",
        ),
        ("study", "Fahr in die Grundstellung zurück", "home"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|(scene, text, expected)| (text, expected, goal(scene, text)))
        .filter(|(_, expected, got)| got != *expected)
        .map(|(text, expected, got)| format!("{text}\n  expected {expected}\n  got      {got}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_unclear_in_german_is_asked_or_refused() {
    assert!(goal("table", "Nimm den Becher").starts_with("ask: "));
    assert!(goal("table", "Nimm die Teekanne").starts_with("refuse: "));
    assert!(goal("table", "Nimm den blorpigen Würfel").starts_with("refuse: "));
    assert!(goal("table", "Leg den roten Würfel").starts_with("ask: "));
}

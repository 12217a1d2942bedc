//! Colours by name.

/// Name with red, green, blue in 0..1: saturated for a camera to tell apart, dark enough for
/// shading.
const COLORS: [(&str, [f32; 3]); 14] = [
    ("red", [0.80, 0.12, 0.12]),
    ("green", [0.13, 0.62, 0.20]),
    ("blue", [0.12, 0.28, 0.80]),
    ("yellow", [0.92, 0.80, 0.10]),
    ("orange", [0.93, 0.50, 0.08]),
    ("purple", [0.50, 0.18, 0.62]),
    ("pink", [0.93, 0.50, 0.66]),
    ("cyan", [0.10, 0.70, 0.76]),
    ("brown", [0.45, 0.29, 0.15]),
    ("black", [0.06, 0.06, 0.06]),
    ("white", [0.94, 0.94, 0.92]),
    ("grey", [0.50, 0.50, 0.50]),
    ("beige", [0.83, 0.76, 0.63]),
    ("silver", [0.72, 0.73, 0.76]),
];

/// Default colour: light wood.
pub(crate) const DEFAULT_RGBA: [f32; 4] = [0.76, 0.68, 0.57, 1.0];

/// Returns the colour of a name (red, green, blue, opacity in 0..1), or light wood by default.
pub fn rgba(color: Option<&str>) -> [f32; 4] {
    color
        .and_then(by_name)
        .map_or(DEFAULT_RGBA, |(_, rgba)| rgba)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COLORS.iter().map(|(name, _)| *name)
}

/// Returns the canonical name (`gray` is `grey`) and its red, green, blue.
pub(crate) fn by_name(word: &str) -> Option<(&'static str, [f32; 4])> {
    let word = if word == "gray" { "grey" } else { word };
    let &(name, [r, g, b]) = COLORS.iter().find(|(name, _)| *name == word)?;
    Some((name, [r, g, b, 1.0]))
}

/// Returns the canonical name of a colour word, or `None` if the word is not a colour.
pub fn color_word(word: &str) -> Option<&'static str> {
    by_name(word).map(|(name, _)| name)
}

/// The smallest parts of a text that mean something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    /// Two or three finite numbers.
    Point(Vec<f64>),
    /// A clause ends here.
    Break,
}

impl Token {
    /// The word in lower case.
    pub(super) fn lower(&self) -> Option<String> {
        match self {
            Self::Word(word) => Some(word.to_lowercase()),
            Self::Point(_) | Self::Break => None,
        }
    }

    fn is(&self, words: &[&str]) -> bool {
        self.lower().is_some_and(|w| words.contains(&w.as_str()))
    }
}

/// Cuts a text into tokens. `None` if parentheses hold numbers that are no point.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = vec![];
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let (before, inside) = (&rest[..open], &rest[open + 1..]);
        push_words(&mut tokens, before);
        let close = inside.find([')', ']']);
        let (inside, after) = match close {
            Some(close) => (&inside[..close], &inside[close + 1..]),
            None => (inside, ""),
        };
        push_parenthesis(&mut tokens, inside)?;
        rest = after;
    }
    push_words(&mut tokens, rest);
    Some(tokens)
}

/// A point, or a remark such as "(the red one)".
fn push_parenthesis(tokens: &mut Vec<Token>, inside: &str) -> Option<()> {
    let parts = inside.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let numbers: Vec<_> = parts.iter().map(|part| number(part)).collect();
    if numbers.iter().all(Option::is_none) {
        tokens.push(Token::Break);
        push_words(tokens, inside);
        tokens.push(Token::Break);
        return Some(());
    }
    let point = numbers.into_iter().collect::<Option<Vec<f64>>>()?;
    let is_point = (2..=3).contains(&point.len()) && point.iter().all(|x| x.is_finite());
    is_point.then(|| tokens.push(Token::Point(point)))
}

/// A number, as "0.4", "x=0.4" or "0.4m".
fn number(text: &str) -> Option<f64> {
    let text = text.to_lowercase();
    let named = ["x=", "y=", "z="];
    let bare = named.iter().find_map(|name| text.strip_prefix(name));
    let bare = bare.unwrap_or(&text);
    bare.strip_suffix('m').unwrap_or(bare).parse().ok()
}

fn push_words(tokens: &mut Vec<Token>, text: &str) {
    const BREAKS: [char; 6] = [',', ';', '.', '!', '?', ':'];
    for part in text.split_whitespace() {
        // Breaks count at the end of a word only: "v1.2" is one word.
        for piece in part.split_inclusive([',', ';']) {
            let word = piece.trim_end_matches(BREAKS);
            if !word.is_empty() {
                tokens.push(Token::Word(word.to_owned()));
            }
            if word.len() < piece.len() {
                tokens.push(Token::Break);
            }
        }
    }
}

/// Words that may begin a clause after "and".
const VERBS: [&str; 38] = [
    "pick", "grab", "take", "lift", "grasp", "get", "hold", "put", "place", "move", "set", "drop",
    "carry", "bring", "stack", "open", "close", "shut", "go", "return", "home", "then", "finally",
    "also", "insert", "plug", "stand", "turn", "push", "shove", "nudge", "pull", "drag", "press",
    "tap", "pour", "empty", "tip",
];

/// Cuts at breaks, at "then", and at an "and" that a verb follows. May be empty.
pub(super) fn clauses(tokens: &[Token]) -> Vec<&[Token]> {
    let mut clauses = vec![];
    let mut start = 0;
    for (idx, token) in tokens.iter().enumerate() {
        let next_is_verb = tokens.get(idx + 1).is_some_and(|next| next.is(&VERBS));
        let cuts =
            *token == Token::Break || token.is(&["then"]) || (token.is(&["and"]) && next_is_verb);
        if cuts {
            clauses.push(&tokens[start..idx]);
            start = idx + 1;
        }
    }
    clauses.push(&tokens[start..]);
    clauses
}

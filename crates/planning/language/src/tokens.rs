//! Splits a text into words, points and pauses, and lists into their elements.

use std::borrow::Cow;

/// Smallest unit of a text with a meaning, in lower case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Word(String),
    /// Two or three finite numbers in parentheses.
    Point(Vec<f64>),
    /// A comma or a dash within a sentence.
    Comma,
    Stop,
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns true for a comma or the end of a sentence.
    pub(crate) fn is_pause(&self) -> bool {
        matches!(self, Self::Comma | Self::Stop)
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Point(p) => format!("({})", joined(p, ", ")),
            Self::Comma => ",".into(),
            Self::Stop => ".".into(),
        }
    }
}

/// Text of tokens, with a blank between them.
pub(crate) fn shown(tokens: &[Token]) -> String {
    joined(tokens.iter().map(Token::shown), " ")
}

/// Removes emoji and variation selectors, which have no meaning.
pub(crate) fn without_pictures(text: &str) -> Cow<'_, str> {
    let selects = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let is_picture = |c: char| {
        matches!(c, '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}')
    };
    if !text.contains(|c| selects(c) || is_picture(c)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut is_behind_picture = false;
    for c in text.chars() {
        let joins = is_behind_picture && c == '\u{200d}';
        match c {
            '\u{20e3}' => plain.push('.'),
            _ if selects(c) || joins => {}
            _ if is_picture(c) => plain.push(' '),
            _ => plain.push(c),
        }
        is_behind_picture = is_picture(c) || (is_behind_picture && (selects(c) || joins));
    }
    Cow::Owned(plain)
}

/// Returns the text with each line as a sentence; `None` for a single line.
pub(crate) fn lines_as_sentences(text: &str) -> Option<String> {
    let text = text.trim();
    text.contains('\n').then(|| text.replace('\n', " ;\n"))
}

/// Splits a text. Text in parentheses that is not a point counts as an insertion between commas.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let text = text.to_lowercase();
    let text = text.replace(['\u{2019}', '\u{2018}', '`'], "'");
    let mut tokens = vec![];
    let mut n_items = 0;
    let mut rest = text.as_str();
    while let Some(open) = rest.find(['(', '[']) {
        let (before, inside) = (&rest[..open], &rest[open + 1..]);
        push_words(&mut tokens, before, &mut n_items);
        let (inside, after) = inside.split_once([')', ']']).unwrap_or((inside, ""));
        match point(inside) {
            Some(point) => tokens.push(Token::Point(point)),
            None if is_number_of_step(inside) => tokens.push(Token::Stop),
            None => {
                tokens.push(Token::Comma);
                push_words(&mut tokens, inside, &mut n_items);
                tokens.push(Token::Comma);
            }
        }
        rest = after;
    }
    push_words(&mut tokens, rest, &mut n_items);
    tidy(tokens)
}

/// Drops pauses at the ends, and keeps the strongest of several in a row.
pub(crate) fn tidy(tokens: Vec<Token>) -> Vec<Token> {
    let mut tidy: Vec<Token> = vec![];
    for token in tokens {
        match (tidy.last(), &token) {
            (None | Some(Token::Stop), Token::Comma | Token::Stop) => {}
            (Some(Token::Comma), Token::Comma) => {}
            (Some(Token::Comma), Token::Stop) => {
                tidy.pop();
                tidy.push(token);
            }
            _ => tidy.push(token),
        }
    }
    let last = tidy.iter().rposition(|token| !token.is_pause());
    tidy.truncate(last.map_or(0, |last| last + 1));
    tidy
}

fn point(inside: &str) -> Option<Vec<f64>> {
    let parts = inside.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    let parts = parts.filter(|part| !part.is_empty());
    let point: Vec<f64> = parts.map(coordinate).collect::<Option<_>>()?;
    ((2..=3).contains(&point.len()) && point.iter().all(|x| x.is_finite())).then_some(point)
}

/// Parses a number such as "0.4", "x=0.4" or "0.4m".
fn coordinate(text: &str) -> Option<f64> {
    let named = ["x=", "y=", "z="];
    let bare = named.iter().find_map(|name| text.strip_prefix(name));
    let bare = bare.unwrap_or(text);
    bare.strip_suffix('m').unwrap_or(bare).parse().ok()
}

/// Dashes and the signs before the items of a list.
const DASHES: [char; 6] = ['-', '\u{2013}', '\u{2014}', '*', '\u{2022}', '\u{b7}'];

/// Adds the words of a text. `n_items` is the number of the last item of a list.
fn push_words(tokens: &mut Vec<Token>, text: &str, n_items: &mut usize) {
    for part in text.split_whitespace() {
        if part.trim_matches(DASHES).is_empty() {
            tokens.push(Token::Comma);
            continue;
        }
        if let Some(number) = item_number(tokens, part, *n_items) {
            *n_items = number;
            tokens.push(Token::Stop);
            continue;
        }
        let word = part.trim_start_matches(['"', '\'', ',', '\u{201c}', '\u{201e}']);
        let (word, end) = split_end(word);
        push_word(tokens, word);
        if let Some(end) = end {
            tokens.push(end);
        }
    }
}

/// Returns the number of the list item that begins at `part`, such as "1)", "a)", "1." or "1:". The
/// forms "1." and "1:" count only where a sentence may begin, or if the number follows the last
/// one.
fn item_number(tokens: &[Token], part: &str, last: usize) -> Option<usize> {
    let begins = tokens.last().is_none_or(Token::is_pause);
    let is_marked = part.strip_suffix(')').is_some_and(is_number_of_step);
    let number = part.strip_suffix(['.', ':']).filter(|text| is_number(text));
    let number = number.and_then(|text| text.parse().ok());
    let number = number.filter(|number| begins || *number == last + 1 && last > 0);
    number.or(is_marked.then_some(last))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// Returns true for a whole number or a single letter.
fn is_number_of_step(text: &str) -> bool {
    is_number(text) || (text.len() == 1 && text.chars().all(|c| c.is_ascii_lowercase()))
}

/// Splits a word from the pause after it.
fn split_end(part: &str) -> (&str, Option<Token>) {
    let word = part.trim_end_matches(|c: char| ",;.!?:\"'\u{201c}\u{201d}\u{2026}".contains(c));
    let end = &part[word.len()..];
    let pause = match end {
        _ if end.contains(['.', '!', '?', ';', '\u{2026}']) => Some(Token::Stop),
        _ if end.contains([',', ':']) => Some(Token::Comma),
        _ => None,
    };
    (word, pause)
}

/// Splits a word into several: "10cm", "90°", "back-left", "a,b", "cabinet's".
fn push_word(tokens: &mut Vec<Token>, word: &str) {
    if word.is_empty() {
        return;
    }
    let is_number = word.parse::<f64>().is_ok();
    let equals = Token::Word("=".into());
    let signs = [(',', Token::Comma), (';', Token::Stop), ('=', equals)];
    for (sign, token) in signs {
        if let Some((left, right)) = word.split_once(sign).filter(|_| !is_number) {
            push_word(tokens, left);
            tokens.push(token);
            return push_word(tokens, right);
        }
    }
    let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.');
    let digits = digits.unwrap_or(word.len());
    let starts_as_number = digits > 0 && word[..digits].parse::<f64>().is_ok();
    let is_unit = |c: char| c.is_alphabetic() || c == '\u{b0}';
    if starts_as_number && digits < word.len() && word[digits..].chars().all(is_unit) {
        let (number, unit) = word.split_at(digits);
        return tokens.extend([number, unit].map(|part| Token::Word(part.to_owned())));
    }
    if is_number {
        return tokens.push(Token::Word(word.to_owned()));
    }
    let pieces = word.split(['-', '\u{2013}']);
    let pieces = pieces.filter(|piece| !piece.is_empty());
    tokens.extend(pieces.map(|piece| Token::Word(piece.to_owned())));
}

/// Returns true if words stand at a position. `,` and `.` are pauses.
pub(crate) fn begins_with(tokens: &[Token], at: usize, words: &[String]) -> bool {
    let mut words = words.iter().enumerate();
    words.all(|(i, word)| match (word.as_str(), tokens.get(at + i)) {
        (",", token) => token == Some(&Token::Comma),
        (".", token) => token == Some(&Token::Stop),
        (_, token) => token.and_then(Token::word) == Some(word),
    })
}

/// Splits at a symbol or word outside of parentheses, ignoring case.
pub(crate) fn split<'t>(text: &'t str, by: &str) -> Vec<&'t str> {
    let (mut pieces, mut depth, mut from) = (vec![], 0_i32, 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let here = text.get(at..at + by.len());
        if depth == 0 && at >= from && here.is_some_and(|s| s.eq_ignore_ascii_case(by)) {
            pieces.push(&text[from..at]);
            from = at + by.len();
        }
    }
    pieces.push(&text[from..]);
    pieces
}

pub(crate) fn joined<T: ToString>(of: impl IntoIterator<Item = T>, by: &str) -> String {
    let texts: Vec<String> = of.into_iter().map(|one| one.to_string()).collect();
    texts.join(by)
}

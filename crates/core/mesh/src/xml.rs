//! Reading of XML as leniently as the programs that define its formats, and messages for invalid
//! XML.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use roxmltree::{Document, Error};

/// Largest depth of nested elements: more than in any known file, and safe on a small stack.
const MAX_DEPTH: usize = 200;

/// Returns the text of an XML file as strict XML. Line numbers do not change.
///
/// TinyXML, which MuJoCo and ROS use, accepts more than XML allows: `--` in comments, no blank
/// between attributes, a stray `&` or `<` in a value, undeclared prefixes, blanks before the
/// declaration. A file that is not valid UTF-8 is read as Windows-1252, which contains Latin-1, the
/// encoding that most such files declare.
pub fn xml_text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // `decode` prefers a byte order mark; without one, zeros beside the first `<` show UTF-16.
    let encoding = match (bytes, std::str::from_utf8(bytes)) {
        ([b'<', 0, ..], _) => UTF_16LE,
        ([0, b'<', ..], _) => UTF_16BE,
        (_, Ok(_)) => UTF_8,
        (_, Err(_)) => WINDOWS_1252,
    };
    let (decoded, ..) = encoding.decode(bytes);
    // TinyXML stops at a zero byte, the end of a C string.
    let text = decoded.split('\0').next().unwrap_or_default();
    let mut strict = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        escape(&rest[..start], &mut strict);
        rest = &rest[start..];
        // A document type may contain declarations in brackets.
        let doctype = match rest.split_once('>') {
            Some((head, _)) if head.contains('[') => "]>",
            _ => ">",
        };
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("<!DOCTYPE", doctype)];
        let skipped = skipped.into_iter().find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = skipped {
            let Some(end) = rest.find(close) else { break };
            strict.extend(rest[..end].chars().filter(|c| *c == '\n'));
            rest = &rest[end + close.len()..];
        } else if let Some(literal) = rest.strip_prefix("<![CDATA[") {
            let Some((literal, after)) = literal.split_once("]]>") else {
                break;
            };
            escape(&literal.replace('&', "&amp;"), &mut strict);
            rest = after;
        } else {
            rest = tag(rest, text, &mut strict);
        }
    }
    strict.push_str(rest);
    strict
}

/// Parses the text that [`xml_text`] returns.
///
/// # Errors
///
/// The line of a mistake, and a message for the user.
pub fn xml_document(text: &str) -> Result<Document<'_>, (u32, String)> {
    // The depth is checked first, since the parser recurses into nested elements. `xml_text` has
    // escaped every `<` and `>` that does not belong to a tag.
    let n_lines = |piece: &str| u32::try_from(piece.matches('\n').count()).unwrap_or(0);
    let mut pieces = text.split('<');
    let mut line = 1 + pieces.next().map_or(0, n_lines);
    let mut depth = 0_usize;
    for piece in pieces {
        let tag = piece.split('>').next().unwrap_or_default();
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else {
            check_xml_depth(depth).map_err(|why| (line, why))?;
            depth += usize::from(!tag.ends_with('/'));
        }
        line += n_lines(piece);
    }
    Document::parse(text).map_err(|error| flaw(&error, text))
}

/// Checks that an element, inside `n_around` others, is not nested too deeply.
///
/// # Errors
///
/// A message for the user.
pub fn check_xml_depth(n_around: usize) -> Result<(), String> {
    let too_deep = || format!("elements are nested more than {MAX_DEPTH} deep");
    (n_around < MAX_DEPTH).then_some(()).ok_or_else(too_deep)
}

/// Returns the line of an XML error, and a message for the user.
fn flaw(error: &Error, text: &str) -> (u32, String) {
    let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let why = match error {
        Error::NoRootNode if text.trim().is_empty() => return (1, "the file is empty".to_owned()),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream | Error::NoRootNode => {
            let why = "this is not valid XML: the file ends before its first element is closed";
            return (last.max(1), why.to_owned());
        }
        Error::UnexpectedCloseTag(open, close, _) => {
            format!("<{open}> is not closed before </{close}>")
        }
        Error::DuplicatedAttribute(name, _) => format!("the attribute `{name}` is given twice"),
        Error::UnknownToken(_) => "it does not begin with an element".to_owned(),
        other => other.to_string(),
    };
    let at = error.pos();
    let column = at.col;
    let message = format!("this is not valid XML, at column {column}: {why}");
    (at.row, message)
}

/// Writes a tag, and returns the text after it.
fn tag<'a>(text: &'a str, whole: &str, strict: &mut String) -> &'a str {
    let mut rest = text;
    loop {
        let Some(at) = rest.find(['"', '\'', '>']) else {
            strict.push_str(rest);
            return "";
        };
        names(&rest[..at], whole, strict);
        let quote = &rest[at..=at];
        strict.push_str(quote);
        rest = &rest[at + 1..];
        if quote == ">" {
            return rest;
        }
        let Some(end) = rest.find(quote) else {
            strict.push_str(rest);
            return "";
        };
        escape(&rest[..end], strict);
        strict.push_str(quote);
        rest = &rest[end + 1..];
        if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            strict.push(' ');
        }
    }
}

/// Writes the names in a tag. The colon of an undeclared prefix becomes a dot, which is valid.
fn names(text: &str, whole: &str, strict: &mut String) {
    for (i, word) in text.split(':').enumerate() {
        if i > 0 {
            let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
            let start = strict.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
            let prefix = &strict[start..];
            let is_declared =
                ["xml", "xmlns"].contains(&prefix) || whole.contains(&format!("xmlns:{prefix}"));
            strict.push(if is_declared { ':' } else { '.' });
        }
        strict.push_str(word);
    }
}

/// Writes text or the value of an attribute, and escapes `<`, `>` and stray `&`.
fn escape(text: &str, strict: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        strict.push_str(&rest[..at]);
        let is_entity = |(name, _): (&str, &str)| match name[1..].strip_prefix('#') {
            Some(code) => code
                .trim_start_matches('x')
                .bytes()
                .all(|b| b.is_ascii_hexdigit()),
            None => ["amp", "lt", "gt", "quot", "apos"].contains(&&name[1..]),
        };
        strict.push_str(match &rest[at..=at] {
            "<" => "&lt;",
            ">" => "&gt;",
            _ if rest[at..].split_once(';').is_some_and(is_entity) => "&",
            _ => "&amp;",
        });
        rest = &rest[at + 1..];
    }
    strict.push_str(rest);
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    #[test]
    fn what_lenient_readers_take_is_parsed_with_its_lines() {
        let bodies: [&[u8]; 14] = [
            b"<a b='1'/>",
            b"\xef\xbb\xbf<?xml version='1.0'?>\r\n<a b='1'/>",
            b"\n <?xml version='1.0' encoding='ISO-8859-1'?><a b='1' c='\xfc\x80'/>",
            b"<!-- ---- a ---- -->\n<a b='1'><!-- <c --> d/> --></a>",
            b"<a b='1'c=\"2\"d='3'/>",
            b"<a b='1' c='x & y &amp; z < w &#38; &#x26; &other;'> & </a>",
            b"<a b='1'><xacro:if value='1'/><c sensor:d='2'/></a>",
            b"<a xmlns:x='y' b='1'><x:if x:value='1' xml:id='i'/></a>",
            b"<!DOCTYPE a>\n<a b='1'/>",
            b"<a b='1'><![CDATA[ a & b <c> ]]></a>",
            "\u{feff}<a b='1' c='\u{fc}'/>".as_bytes(),
            b"<\0a\0 \0b\0=\0'\x001\0'\0/\0>\0",
            b"\0<\0a\0 \0b\0=\0'\x001\0'\0/\0>",
            b"\xff\xfe<\0a\0 \0b\0=\0'\x001\0'\0/\0>\0",
        ];
        for bytes in bodies {
            let text = xml_text(bytes);
            let document = Document::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(document.root_element().attribute("b"), Some("1"), "{text}");
        }
        let text = xml_text(b"<a><!-- 1\n-- 2\n-->\n<b/></a>");
        let document = Document::parse(&text).unwrap();
        let b = document.root_element().first_element_child().unwrap();
        assert_eq!(document.text_pos_at(b.range().start).row, 4);
        let text = xml_text(b"<a b='\xfc\x80 & 1'/>");
        let document = Document::parse(&text).unwrap();
        assert_eq!(document.root_element().attribute("b"), Some("ü€ & 1"));
    }

    #[test]
    fn elements_are_nested_to_a_limit() {
        let nested =
            |n: usize| format!("<a b='>'>\n{}{}<d/></a>", "<c>".repeat(n), "</c>".repeat(n));
        let literal = format!("<a><![CDATA[{}]]></a>", "<c>".repeat(1000));
        for (text, line) in [
            (nested(MAX_DEPTH - 1), None),
            (nested(MAX_DEPTH), Some(2)),
            (nested(100_000), Some(2)),
            ("<a>\n".repeat(100_000), Some(201)),
            (literal, None),
            (format!("<a>{}</a>", "<c/><c></c>".repeat(1000)), None),
        ] {
            let text = xml_text(text.as_bytes());
            let flaw = xml_document(&text).err();
            assert_eq!(flaw.as_ref().map(|(line, _)| *line), line, "{flaw:?}");
            assert!(flaw.is_none_or(|(_, why)| why.contains("nested more than 200 deep")));
        }
    }

    #[test]
    fn what_is_not_xml_stays_so() {
        for text in [
            "<a",
            "<a><!-- b",
            "<a b='1",
            "<a></b>",
            "a",
            "<a b=1/>",
            "",
            "<a/><![CDATA[",
        ] {
            let strict = xml_text(text.as_bytes());
            assert!(Document::parse(&strict).is_err(), "{text} became {strict}");
        }
    }
}

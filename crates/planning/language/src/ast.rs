//! Typed syntax tree of a sentence. Grammar rules name these constructors and are checked against
//! them when a grammar is loaded. A quoted text at a constructor is an example.

use std::rc::Rc;
use std::sync::LazyLock;

use crate::tokens::{Token, shown};
use crate::tree::{Kind, Label, Many, Signature, Tree};

pub(crate) fn signatures() -> &'static [Signature] {
    static ALL: LazyLock<Vec<Signature>> = LazyLock::new(all_signatures);
    &ALL
}

/// Tokens of the leaves of a tree, and their meanings.
pub(crate) struct Source<'a> {
    pub(crate) tokens: &'a [Token],
    /// Returns the meaning of a token sequence in a word class.
    pub(crate) meaning: &'a dyn Fn(&str, &[Token]) -> Option<String>,
}

#[derive(Debug)]
pub(crate) struct Node<T> {
    pub(crate) tree: Rc<Tree>,
    pub(crate) is: T,
}

#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) tree: Rc<Tree>,
    pub(crate) means: String,
}

pub(crate) trait Field: Sized {
    const KIND: Kind<'static>;
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self;
}

/// A set of interchangeable constructors, such as clauses or noun phrases.
pub(crate) trait Sort: Sized {
    const NAME: &'static str;
    fn make(tree: &Tree, source: &Source<'_>) -> Self;
}

const fn kind(sort: &'static str, many: Many) -> Kind<'static> {
    Kind { sort, many }
}

impl<T: Sort> Field for Rc<Node<T>> {
    const KIND: Kind<'static> = kind(T::NAME, Many::One);
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        let is = T::make(tree, source);
        let tree = tree.clone();
        Self::new(Node { tree, is })
    }
}

impl Field for Word {
    const KIND: Kind<'static> = kind("Word", Many::One);
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        let tokens = &source.tokens[tree.from..tree.to];
        let means = match &tree.label {
            Label::Word(word) => Some(word.clone()),
            Label::Class(class) => (source.meaning)(class, tokens),
            _ => None,
        };
        Self {
            tree: tree.clone(),
            means: means.unwrap_or_else(|| shown(tokens)),
        }
    }
}

impl<F: Field> Field for Option<F> {
    const KIND: Kind<'static> = kind(F::KIND.sort, Many::Optional);
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        (tree.label != Label::Nothing).then(|| F::read(tree, source))
    }
}

impl<F: Field> Field for Vec<F> {
    const KIND: Kind<'static> = kind(F::KIND.sort, Many::Any);
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        match tree.label {
            Label::List => tree.parts.iter().map(|t| F::read(t, source)).collect(),
            Label::Nothing => vec![],
            _ => vec![F::read(tree, source)],
        }
    }
}

macro_rules! sorts {
    ($($(#[$meta:meta])* $sort:ident {
        $($(#[$about:meta])* $name:ident $({ $($field:ident: $ty:ty),* })?,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug)]
            pub(crate) enum $sort {
                $($(#[$about])* $name $({ $($field: $ty),* })?,)*
            }

            impl Sort for $sort {
                const NAME: &'static str = stringify!($sort);
                fn make(tree: &Tree, source: &Source<'_>) -> Self {
                    let mut parts = tree.parts.iter();
                    let mut part = || parts.next().expect("the grammar was checked");
                    let _ = (&mut part, source);
                    match tree.name() {
                        $(stringify!($name) => Self::$name $({
                            $($field: <$ty as Field>::read(part(), source)),*
                        })?,)*
                        other => unreachable!("the grammar was checked: {other}"),
                    }
                }
            }
        )*

        fn all_signatures() -> Vec<Signature> {
            vec![$($(Signature {
                sort: stringify!($sort),
                name: stringify!($name),
                fields: vec![$($(<$ty as Field>::KIND),*)?],
            },)*)*]
        }
    };
}

pub(crate) type Np = Rc<Node<NounPhrase>>;
pub(crate) type LocationNode = Rc<Node<Location>>;
pub(crate) type Action = Rc<Node<Clause>>;
pub(crate) type Modified = Rc<Node<Modifier>>;
pub(crate) type Far = Rc<Node<Length>>;
pub(crate) type HeadingNode = Rc<Node<Heading>>;
pub(crate) type Det = Rc<Node<Determiner>>;

sorts! {
    Sentence {
        /// A clause with its manner.
        Said { before: Vec<Rc<Node<Aside>>>, clause: Action, after: Vec<Rc<Node<Aside>>> },
        /// "before you do the last, do the first".
        Before { last: Action, first: Action },
        /// Two clauses, the second of which is done first.
        Reversed { last: Action, first: Action },
        /// "the red cube: put it on the plate".
        Topic { np: Np, clause: Action },
        /// A fact and a clause about it: "the lemon is in the basket, take it out".
        Given { condition: Rc<Node<Condition>>, clause: Action },
        /// A correction of the last clause: "no, the blue one".
        RatherThing { np: Np },
        RatherPlace { place: LocationNode },
        RatherWay { heading: HeadingNode },
        RatherFar { length: Far },
        /// "not the red one, the blue one".
        RatherSecond { wrong: Np, right: Np },
        /// A sentence that replaces the last one.
        Instead { sentence: Rc<Node<Sentence>> },
        /// "or on the plate", alternatives to the last clause.
        OrElse { clauses: Vec<Action> },
        Cancel,
        /// "the same with the apple".
        Same { np: Np },
        /// "then 5 cm to the right" or "then another 5 cm": the last clause with another length,
        /// and perhaps another direction.
        SameWay { length: Far, heading: Option<HeadingNode> },
        /// "except the red one", after or before the clause.
        ButFor { np: Np, clause: Option<Action> },
    }

    /// A manner, a viewpoint, or objects that must not be touched.
    Aside {
        Manner { manner: Word },
        Without { np: Np },
        View { whose: Word },
        /// "first" and "last", whatever the order of the clauses.
        Turn { when: Word },
        Polite,
    }

    /// An action, perhaps with a condition.
    Clause {
        Pick { np: Np },
        /// Picks an object up and does not let go of it.
        Hold { np: Np },
        Put { np: Np, place: LocationNode },
        /// Puts objects at a place, and names another place where they must not be: "not …".
        PutNot { np: Np, place: LocationNode, not: LocationNode },
        /// Puts objects at a place instead of others, which leave it.
        PutFor { np: Np, place: LocationNode, other: Np },
        /// Puts objects somewhere so that the predicate `is` is true for them, too.
        PutSo { np: Np, is: Word, place: LocationNode },
        /// "the apple on the plate", without a verb.
        Verbless { np: Np, place: LocationNode },
        /// Takes objects off or out of another, perhaps to a place.
        TakeFrom { np: Np, from: Np, place: Option<LocationNode> },
        /// Takes objects off or out of whatever carries them.
        TakeAway { np: Np, from: Word },
        Clear { np: Np },
        /// "no cube should be on the plate".
        NoneThere { np: Np, at: Word, other: Np },
        PutDown { np: Np },
        /// Puts objects without saying where.
        Nowhere { np: Np },
        /// Makes the predicate `is` true for objects, perhaps with another object.
        Make { np: Np, is: Word, other: Option<Np> },
        /// Puts objects in a row, each in a relation to the next, with some of them at an end
        /// ("left") or in the "middle".
        Row { np: Np, relation: Word, ends: Vec<Rc<Node<End>>> },
        /// Pushes, pulls or moves objects, perhaps by a length or in a direction.
        Push { how: Word, np: Np, length: Option<Far>, heading: Option<HeadingNode> },
        PushToPlace { np: Np, place: LocationNode },
        /// An action that this arm does not do, with the reason.
        Refused { np: Np, why: Word },
        Lift { np: Np, length: Option<Far> },
        HoldAt { np: Np, point: Word },
        HoldOver { np: Np, length: Option<Far>, target: Np },
        /// Opens or closes an articulated object, or turns a device with a knob on or off; perhaps
        /// only partly.
        Slide { np: Np, open: Word, extent: Option<Rc<Node<Extent>>> },
        /// Turns a knob, perhaps "back" or in a direction of the "clock".
        TurnBy { np: Np, degrees: Word, back: Option<Word> },
        Press { np: Np },
        /// Leaves an articulated object open or closed, or a device on or off.
        Keep { np: Np, is: Word },
        /// Stacks an object on another, or several on each other, with some of them at an end
        /// ("top") or in the "middle".
        Stack { np: Np, on: Option<Np>, ends: Vec<Rc<Node<End>>> },
        Swap { np: Np, with: Option<Np> },
        Home,
        Nothing,
        InManner { manner: Word, clause: Action },
        /// An action on several objects, one after the other.
        Sorted { clause: Action, order: Rc<Node<Order>> },
        /// The last moved object goes to this place, too.
        GoOnTo { place: LocationNode },
        InOrder { first: Action, second: Action },
        /// Acts only if the condition holds or, with `not`, if it does not. With `after`, the
        /// condition stands after the action, which may then define what "it" means.
        If {
            not: Option<Word>,
            condition: Rc<Node<Condition>>,
            then: Action,
            otherwise: Option<Action>,
            after: Option<Word>
        },
        Never { clause: Action },
        Forbid { np: Np },
        ForbidRest,
    }

    /// A fact that can be checked in the scene after the previous steps.
    Condition {
        Is { np: Np, not: Option<Word>, quality: Modified },
        Exists { np: Np, not: Option<Word> },
    }

    Location {
        /// A relation to objects: on, in, to, beside, between, across, or a row of the table of
        /// relations.
        At { relation: Word, np: Np },
        /// "5 cm to the left of the plate", or "5 cm from the plate" on the side where the object
        /// is now.
        Off { length: Far, side: Option<Word>, np: Np },
        Point { point: Word },
        Numbers { x: Word, y: Word },
        There,
        /// The place where another object is, or was "before".
        PlaceOf { np: Np, before: Option<Word> },
        /// The object's current place.
        BackAgain,
        /// On or in an object, and in a relation to something there: "on the tray, left of it".
        Both { on: LocationNode, beside: LocationNode },
        /// Several places, each for an object of its own.
        Places { all: Vec<LocationNode> },
    }

    /// An object at a place in a row or stack.
    End {
        AtEnd { one: Np, end: Word },
    }

    /// Order of several objects.
    Order {
        /// "from the smallest to the largest", or "largest first".
        FromTo { first: Word, last: Option<Word> },
        /// "by size", from either end.
        By { what: Word },
    }

    Length {
        Figure { number: Word, unit: Word, half: Option<Word> },
        /// At "most" or at "least" a length.
        Bounded { bound: Word, length: Far },
    }

    /// Extent of opening or closing: by an amount, by an amount "more", or "to" a position.
    Extent {
        Stretch { length: Far, how: Option<Word> },
        /// A number of degrees, or of fractions of the whole range.
        Measure { number: Word, unit: Word, how: Option<Word> },
    }

    /// Motion in a direction, towards an object or away from it, or to a point.
    Heading {
        /// One direction, or the bisector of two.
        Along { direction: Word, other: Option<Word> },
        /// "up" to an object, "toward" it, or "closer" or a "little" closer to it.
        Nearer { how: Word, np: Np },
        Farther { np: Np },
        AsFarAs { point: Word },
    }

    NounPhrase {
        /// "the blue cube", "the blue one" or, without a name, "the blue".
        Noun {
            det: Option<Det>,
            quals: Vec<Modified>,
            name: Option<Rc<Node<Name>>>,
            posts: Vec<Modified>
        },
        And { first: Np, second: Np },
        Or { first: Np, second: Np },
        Except { all: Np, but: Np },
        /// "all but the red cube", without a noun before it.
        AllOthers { but: Np },
        /// "only the red cube". A wish for them excludes other objects, an action does not.
        Only { np: Np },
        /// "the red cube, no, the blue one".
        Corrected { wrong: Np, right: Np },
        Pronoun { word: Word },
        Everything { some: Option<Word>, rest: Option<Word>, posts: Vec<Modified> },
        /// "all of them", or another quantity of them.
        SomeOf { det: Det, np: Np },
        /// The objects of a set that a phrase means.
        Among { set: Np, np: Np },
        /// "the left side of the plate", or of the table if no whole is named.
        Part { sides: Vec<Word>, noun: Word, whole: Option<Np> },
    }

    /// A word for the quantity or the choice of objects.
    Determiner {
        The,
        A,
        All { n: Option<Word> },
        Number { n: Word },
        /// "exactly two".
        Exactly { n: Word },
        Just { n: Word },
        Other { n: Option<Word> },
        Another,
        /// A quantity that no goal states, with the reason.
        Unstated { why: Word },
        /// "half", a part of the number of all.
        Share { part: Word },
    }

    Name {
        Words { first: Word, more: Vec<Word> },
        /// "the box of biscuits", which is a biscuit box.
        Of { first: Word, of: Word, more: Vec<Word> },
        /// "one", for a noun that was mentioned before.
        One { word: Word },
    }

    /// A word or clause beside a noun that restricts its meaning.
    Modifier {
        Color { word: Word },
        Shape { word: Word },
        Material { word: Word },
        State { word: Word },
        Most { word: Word },
        NthMost { n: Word, word: Word },
        Nth { n: Word },
        Count { n: Word },
        Size { length: Far },
        AtSide { side: Word, table: Option<Word> },
        CountedFrom { side: Word, table: Option<Word> },
        /// A positive or negated modifier.
        Such { not: Option<Word>, of: Modified },
        /// "left and right of the board", "red and white": one object that fits both, or several
        /// that fit either.
        Two { first: Modified, second: Modified },
        /// "red or blue": one object or several, each of which fits either.
        Either { first: Modified, second: Modified },
        Related { relation: Word, np: Np },
        Has { np: Np },
        InBetween { np: Np },
        Belonging { np: Np },
        IsA { np: Np },
        MoreThan { word: Word, np: Np },
        LargerThan { word: Word, length: Far },
        SameColor { np: Np },
        Nearest { how: Word, np: Np },
        NearestTo { how: Word, whom: Word },
        /// The viewpoint for left and right.
        SeenFrom { whose: Word },
    }
}

impl Location {
    /// Returns the relation to an object, or an empty string if there is none.
    pub(crate) fn relation(&self) -> &str {
        match self {
            Self::At { relation, .. } => &relation.means,
            _ => "",
        }
    }
}

impl NounPhrase {
    /// Modifiers before and after a noun.
    pub(crate) fn modifiers(&self) -> [&[Modified]; 2] {
        match self {
            Self::Noun { quals, posts, .. } => [quals, posts],
            _ => [&[]; 2],
        }
    }

    pub(crate) fn det(&self) -> Option<&Determiner> {
        match self {
            Self::Noun { det, .. } => det.as_ref().map(|det| &det.is),
            _ => None,
        }
    }

    /// Returns true for "the blue", without a noun and without "one".
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self, Self::Noun { name: None, .. })
    }

    /// Returns true for "the blue one" and "the blue", whose noun was mentioned before.
    pub(crate) fn is_without_noun(&self) -> bool {
        let one = |name: &Name| matches!(name, Name::One { .. });
        matches!(self, Self::Noun { name, .. } if name.as_ref().is_none_or(|name| one(&name.is)))
    }

    /// Returns true for a noun without a determiner.
    pub(crate) fn is_noun_alone(&self) -> bool {
        matches!(self, Self::Noun { det: None, .. }) && !self.is_without_noun()
    }
}

impl Modifier {
    /// Returns the modifier without [`Self::Such`] around it.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Such { of, .. } => of.is.plain(),
            own => own,
        }
    }

    pub(crate) fn colors(&self) -> Vec<String> {
        match self {
            Self::Color { word } => vec![word.means.clone()],
            Self::Two { first, second } | Self::Either { first, second } => {
                [first.is.colors(), second.is.colors()].concat()
            }
            _ => vec![],
        }
    }
}

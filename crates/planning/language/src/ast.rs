//! Parts of a sentence, by type. The rules of a language name these constructors, and are
//! checked against them when they are loaded.

use std::rc::Rc;
use std::sync::LazyLock;

use crate::signature::{Kind, Many, Signature};
use crate::tokens::Token;
use crate::tree::{Label, Tree};

/// All constructors.
pub(crate) fn signatures() -> &'static [Signature] {
    static ALL: LazyLock<Vec<Signature>> = LazyLock::new(all_signatures);
    &ALL
}

/// Words that the leaves of a tree stand for, and their meanings.
pub(crate) struct Source<'a> {
    pub(crate) tokens: &'a [Token],
    /// The meaning of words of a class.
    pub(crate) meaning: &'a dyn Fn(&str, &[Token]) -> Option<String>,
}

/// Something that a tree is, with the tree.
#[derive(Debug)]
pub(crate) struct Node<T> {
    pub(crate) tree: Rc<Tree>,
    pub(crate) is: T,
}

/// A word, or several, by what they mean.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) tree: Rc<Tree>,
    pub(crate) means: String,
}

/// An argument of a constructor.
pub(crate) trait Field: Sized {
    const KIND: Kind<'static>;
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self;
}

/// A sort of things that constructors make.
pub(crate) trait Sort: Sized {
    const NAME: &'static str;
    fn make(tree: &Tree, source: &Source<'_>) -> Self;
}

const fn one(sort: &'static str) -> Kind<'static> {
    let many = Many::One;
    Kind { sort, many }
}

impl<T: Sort> Field for Rc<Node<T>> {
    const KIND: Kind<'static> = one(T::NAME);
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        let is = T::make(tree, source);
        let tree = tree.clone();
        Self::new(Node { tree, is })
    }
}

impl Field for Word {
    const KIND: Kind<'static> = one("Word");
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        let said = &source.tokens[tree.from..tree.to];
        let means = match &tree.label {
            Label::Word(word) => Some(word.clone()),
            Label::Class(class) => (source.meaning)(class, said),
            _ => None,
        };
        let phrase = || said.iter().map(Token::shown).collect::<Vec<_>>().join(" ");
        Self {
            tree: tree.clone(),
            means: means.unwrap_or_else(phrase),
        }
    }
}

impl<F: Field> Field for Option<F> {
    const KIND: Kind<'static> = Kind {
        sort: F::KIND.sort,
        many: Many::Optional,
    };
    fn read(tree: &Rc<Tree>, source: &Source<'_>) -> Self {
        (tree.label != Label::Nothing).then(|| F::read(tree, source))
    }
}

impl<F: Field> Field for Vec<F> {
    const KIND: Kind<'static> = Kind {
        sort: F::KIND.sort,
        many: Many::Any,
    };
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
    /// A piece of a text.
    Sentence {
        /// A clause, and how it is to be done.
        Said { before: Vec<Rc<Node<Aside>>>, clause: Action, after: Vec<Rc<Node<Aside>>> },
        /// A clause that is done after all others, and one that is not.
        Before { last: Action, first: Action },
        /// Two clauses of which the second is done first.
        Reversed { last: Action, first: Action },
        /// "the red cube: put it on the plate".
        Topic { np: Np, clause: Action },
        /// A fact, and something to be done with it: "the lemon is in the basket, take it out".
        Given { condition: Rc<Node<Condition>>, clause: Action },
        /// "no, the blue one", and what else takes the place of something in the last clause.
        RatherThing { np: Np },
        RatherPlace { place: LocationNode },
        RatherWay { heading: HeadingNode },
        RatherFar { length: Far },
        /// "not the red one, the blue one".
        RatherSecond { wrong: Np, right: Np },
        /// Another sentence instead.
        Instead { sentence: Rc<Node<Sentence>> },
        /// "never mind".
        Cancel,
        /// "the same with the apple".
        Same { np: Np },
        /// ", then 5 cm to the right", or ", then another 5 cm": the same so far, maybe another way.
        SameWay { length: Far, heading: Option<HeadingNode> },
        /// "except the red one", behind what it is an exception from, or before it.
        ButFor { np: Np, clause: Option<Action> },
    }

    /// A manner, a view, or something that may not be touched.
    Aside {
        Manner { manner: Word },
        Without { np: Np },
        View { whose: Word },
        /// Mere politeness.
        Polite,
    }

    /// Something to be done, and in which case.
    Clause {
        Pick { np: Np },
        Put { np: Np, place: LocationNode },
        /// "the apple on the plate", without a verb.
        Verbless { np: Np, place: LocationNode },
        /// "take the cube and put it there".
        TakePut { np: Np, pronoun: Np, place: LocationNode },
        /// Off or out of something, and maybe to a place.
        TakeFrom { np: Np, from: Np, place: Option<LocationNode> },
        /// Off or out of whatever it is on or in.
        TakeAway { np: Np, from: Word },
        Clear { np: Np },
        /// "no cube should be on the plate", or open.
        NoneThere { np: Np, at: Word, other: Np },
        NoneOpen { np: Np },
        PutDown { np: Np },
        LetGo { np: Np },
        /// To be put nobody says where.
        Nowhere { np: Np },
        /// To be so, by the predicate of a goal of it, and maybe of something else.
        Make { np: Np, is: Word, other: Option<Np> },
        SideBySide { np: Np },
        Insert { np: Np, into: Np },
        /// To be pushed, pulled or moved some way, and so far.
        Push { how: Word, np: Np, length: Option<Far>, heading: Option<HeadingNode> },
        PushToPlace { np: Np, place: LocationNode },
        PushOff { np: Np },
        Lift { np: Np, length: Option<Far> },
        HoldAt { np: Np, point: Word },
        HoldOver { np: Np, length: Option<Far>, target: Np },
        /// Something that opens is opened or closed, or something with a knob is set on or off.
        /// Maybe only so far.
        Slide { np: Np, open: Word, extent: Option<Rc<Node<Extent>>> },
        TurnBy { np: Np, degrees: Word, back: Option<Word> },
        Press { np: Np },
        /// One on something, or several on each other.
        Stack { np: Np, on: Option<Np> },
        /// Several on each other, and one of them at the "top" or the "bottom".
        StackWith { np: Np, one: Np, end: Word },
        Swap { np: Np, with: Option<Np> },
        Home,
        Nothing,
        /// Done in a manner.
        InManner { manner: Word, clause: Action },
        /// The last thing that was moved goes there, too.
        GoOnTo { place: LocationNode },
        InOrder { first: Action, second: Action },
        /// In the case that something is so, or is not; of what is said "after" the action, that may say what
        /// "it" is.
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

    /// A fact that can be looked at now.
    Condition {
        Is { np: Np, not: Option<Word>, quality: Modified },
        Exists { np: Np, not: Option<Word> },
        /// "there is something on the plate".
        Carries { relation: Word, np: Np, not: Option<Word> },
    }

    /// A place where things go.
    Location {
        /// On, on top of, in, to, beside it, on a side of it, between them, across them, or as a row of
        /// the table of relations says.
        At { relation: Word, np: Np },
        /// "5 cm to the left of the plate".
        Off { length: Far, side: Word, np: Np },
        Point { point: Word },
        Numbers { x: Word, y: Word },
        There,
        /// "to the left side": of what it stands on.
        FreeSide { side: Word },
        /// "at the left of the tray": on it.
        OwnSide { side: Word, np: Np },
        /// The place where something else is, or was "before".
        PlaceOf { np: Np, before: Option<Word> },
        /// The place where it is now.
        BackAgain,
    }

    /// A length.
    Length {
        Figure { number: Word, unit: Word, half: Option<Word> },
    }

    /// Extent of opening or closing: by so much, "more" than it is, or "to" there.
    Extent {
        Stretch { length: Far, how: Option<Word> },
        Angle { degrees: Word, how: Option<Word> },
        /// A part of all the way.
        Share { part: Word, how: Option<Word> },
        Percent { percent: Word, how: Option<Word> },
    }

    /// The way that something goes: in a direction, towards something, or to a point.
    Heading {
        /// One way, or between two.
        Along { way: Word, other: Option<Word> },
        Nearer { np: Np },
        AsFarAs { point: Word },
    }

    /// A phrase for things.
    NounPhrase {
        Noun {
            det: Option<Det>,
            quals: Vec<Modified>,
            name: Rc<Node<Name>>,
            after: Vec<Modified>,
            posts: Vec<Modified>
        },
        Owned { owner: Np, quals: Vec<Modified>, name: Rc<Node<Name>>, posts: Vec<Modified> },
        /// "the blue one".
        One {
            det: Option<Det>,
            quals: Vec<Modified>,
            one: Word,
            posts: Vec<Modified>
        },
        /// "the blue".
        Bare { det: Option<Det>, quals: Vec<Modified>, posts: Vec<Modified> },
        And { first: Np, second: Np },
        Or { first: Np, second: Np },
        Except { all: Np, but: Np },
        /// "the red cube, no, the blue one".
        Corrected { wrong: Np, right: Np },
        Pronoun { word: Word },
        Everything { rest: Option<Word>, posts: Vec<Modified> },
        Something { posts: Vec<Modified> },
        /// "all of them", and how many of them else.
        SomeOf { det: Det, np: Np },
        RestOf { np: Np },
        /// "the leftmost of the cubes".
        OfSet { det: Option<Det>, quals: Vec<Modified>, set: Np },
        /// Of some things, those that a phrase means.
        Among { set: Np, np: Np },
        /// Everything in or on something.
        Contents { relation: Word, np: Np },
        /// "the left side of the plate"; of the table, if nothing is said.
        Part { sides: Vec<Word>, noun: Word, whole: Option<Np> },
        OtherOne,
    }

    /// A word for how many, and which.
    Determiner {
        The,
        A,
        All { n: Option<Word> },
        Both,
        Number { n: Word },
        Just { n: Word },
        Other { n: Option<Word> },
        Another,
        No,
    }

    /// The words for a thing.
    Name {
        Words { first: Word, more: Vec<Word> },
        /// "the box of biscuits" is a biscuit box.
        Of { first: Word, of: Word, more: Vec<Word> },
    }

    /// Words and clauses beside a noun that tell of things.
    Modifier {
        Color { word: Word },
        Colors { first: Word, second: Word },
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
        /// The same as another modifier, or its contrary.
        Such { not: Option<Word>, of: Modified },
        Neither { first: Modified, second: Modified },
        Related { relation: Word, np: Np },
        Has { np: Np },
        InBetween { np: Np },
        Belonging { np: Np },
        For { np: Np },
        IsA { np: Np },
        MoreThan { word: Word, np: Np },
        LargerThan { word: Word, length: Far },
        SameColor { np: Np },
        Nearest { how: Word, np: Np },
        NearestTo { how: Word, whom: Word },
        Held,
        /// Seen from where left and right are meant.
        SeenFrom { whose: Word },
    }
}

impl Location {
    /// The relation that it tells of, if it does.
    pub(crate) fn relation(&self) -> &str {
        match self {
            Self::At { relation, .. } => &relation.means,
            _ => "",
        }
    }
}

impl Modifier {
    /// Itself, or what it is the same as or the contrary of.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Such { of, .. } => of.is.plain(),
            own => own,
        }
    }
}

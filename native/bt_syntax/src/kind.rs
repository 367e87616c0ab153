//! The closed vocabulary of tokens and nodes.
//!
//! A unit's tokens tile its text: trivia are tokens like any other. Nodes are
//! laid out in post-order (see [`crate::tree`]).

/// What a token is. Every byte of a unit belongs to exactly one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// Byte order mark at offset 0 (trivia).
    Bom,
    /// Blanks, tabs and carriage returns without a line feed (trivia).
    Space,
    /// White space that holds at least one line feed (trivia).
    Newline,
    /// `//…` up to, not including, the line feed (trivia).
    LineComment,
    /// `///…`, exactly three slashes (trivia).
    DocComment,
    /// `/*…*/`, not nested (trivia).
    BlockComment,
    /// `[A-Za-z_][A-Za-z0-9_]*`.
    Ident,
    /// An identifier glued to its colon: `at:`.
    Keyword,
    /// A maximal run of operator characters that is none of the ones below.
    Op,
    /// `->`.
    Arrow,
    /// `=>`.
    FatArrow,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `:=`.
    Assign,
    /// `::`.
    ColonColon,
    /// `:`.
    Colon,
    /// `^`.
    Caret,
    /// `;`.
    Semicolon,
    /// `.`.
    Dot,
    /// `...`.
    Ellipsis,
    /// `!`.
    Bang,
    /// `|`.
    Pipe,
    /// `,` alone (the lexer's one-character comma; `,,` and `,-` are [`TokenKind::Op`]).
    Comma,
    /// `(`.
    LParen,
    /// `)`.
    RParen,
    /// `[`.
    LBracket,
    /// `]`.
    RBracket,
    /// `{` (tuple patterns).
    LBrace,
    /// `}`.
    RBrace,
    /// `#(`.
    HashParen,
    /// `#[`.
    HashBracket,
    /// `#{`.
    HashBrace,
    /// A bare `#`.
    Hash,
    /// `@` glued to an identifier before it: `pkg@Class`.
    At,
    /// Integer, radix form and glued minus included.
    Integer,
    /// Float, glued minus included.
    Float,
    /// `$c`, `$\n`.
    Char,
    /// A string without interpolation, quotes included.
    String,
    /// `"…` up to, not including, the first `{`.
    StringStart,
    /// Text strictly between `}` and `{` of an interpolated string (may be empty: then absent).
    StringPart,
    /// Text after the last `}` with the closing quote.
    StringEnd,
    /// `{` of an interpolation.
    InterpOpen,
    /// `}` of an interpolation.
    InterpClose,
    /// `#name`, `#at:put:`, `#+`.
    Symbol,
    /// `#'any text'`.
    QuotedSymbol,
    /// `@primitive`, `@intrinsic`, `@expect`.
    Directive,
    /// Bytes that form no token.
    Error,
}

impl TokenKind {
    /// White space, comments and the byte order mark.
    #[must_use]
    pub const fn is_trivia(self) -> bool {
        (self as u8) <= (Self::BlockComment as u8)
    }
}

/// What a node is. The comment gives its children in order (`?` optional, `*` repeated) and its own
/// tokens: the significant tokens of the node that are in none of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeKind {
    // ---- declarations
    /// `(Class | Protocol | Alias | Extension | statement)*`; own: statement separators.
    File,
    /// `Superclass? DeclName TypeParam* Native? HandleScope? (Field | Method | Directive)*`;
    /// own: modifiers, `nil` for a root class, `subclass:`, parentheses and commas, stray dots.
    Class,
    /// `ClassName type*` (the types are superclass arguments); own: parentheses, commas.
    Superclass,
    /// A declared name of class, protocol, alias or field; own: the name.
    DeclName,
    /// `ClassName?` (the bound); own: the name, `::`.
    TypeParam,
    /// own: `native:` and the Erlang module's name.
    Native,
    /// own: `handleScope:` and a symbol.
    HandleScope,
    /// `DeclName type? default?`; own: `state:`/`field:`/`classState:`, `::`, `=`.
    Field,
    /// `Header type? Body`; own: `->`, `::`, `=>`.
    Method,
    /// `Param*`; own: modifiers, then the selector's tokens (see [`crate::ast::Header`]).
    Header,
    /// `type?`; own: the name, `::` (or a legacy `:`).
    Param,
    /// `statement*`; own: separators `.`.
    Body,
    /// `ClassName Method`; own: `class`?, `>>`.
    Extension,
    /// `DeclName TypeParam* Extending? Requirement*`; own: `Protocol`, `define:`, parentheses.
    Protocol,
    /// `ClassName`; own: `extending:`.
    Extending,
    /// `Header type?`; own: `->`, `::`.
    Requirement,
    /// `DeclName type`; own: `internal`?, `type`, `=`.
    Alias,
    /// `ClassName*`; own: everything else in a `beamtalk.toml` (see [`crate::parse_manifest`]).
    Manifest,

    // ---- names and types
    /// A class (or protocol, or alias) name, not in an expression; own: `[package @] name`.
    ClassName,
    /// `ClassName type*` (generic arguments); own: parentheses, commas. Also `nil`, `true`, `false`
    /// and type parameters (the name decides).
    TypeName,
    /// `ClassName`; own: `class`. A metatype.
    TypeMeta,
    /// own: `Self` and `class`?.
    TypeSelf,
    /// own: a symbol. A singleton type.
    TypeSymbol,
    /// `type type+`; own: `|`.
    TypeUnion,
    /// `type type`; own: `&`.
    TypeIntersection,
    /// `type type`; own: `\`.
    TypeDifference,
    /// `type`; own: parentheses.
    TypeParen,

    // ---- expressions
    /// own: an integer.
    Integer,
    /// own: a float.
    Float,
    /// own: a character.
    Character,
    /// own: a string without interpolation.
    String,
    /// `expr*`, one for each `{…}`; own: the pieces and braces.
    Interpolation,
    /// own: a symbol.
    Symbol,
    /// own: a lower-case (or `_`) identifier that is none of the five below.
    Variable,
    /// own: `self`.
    SelfRef,
    /// own: `super`.
    SuperRef,
    /// own: `nil`.
    NilLit,
    /// own: `true`.
    TrueLit,
    /// own: `false`.
    FalseLit,
    /// A class name in primary position; own: `[package @] name`.
    ClassRef,
    /// `expr`; own: `.`, the field's name.
    FieldAccess,
    /// `expr` (receiver); own: the selector.
    UnarySend,
    /// `expr expr` (receiver, argument); own: the operator.
    BinarySend,
    /// `expr expr+` (receiver, arguments); own: the keywords.
    KeywordSend,
    /// `head part+`; own: `;`. The parts go to the receiver of the head when the head is a send,
    /// otherwise to the head itself.
    Cascade,
    /// no child; own: the selector.
    UnaryPart,
    /// `expr`; own: the operator.
    BinaryPart,
    /// `expr+`; own: the keywords.
    KeywordPart,
    /// `send`; own: `!`. An asynchronous send; statement level only.
    Cast,
    /// `BlockParam* statement*`; own: brackets, `|`, separators.
    Block,
    /// `type?`; own: `:`, the name, `::`.
    BlockParam,
    /// `expr`; own: parentheses.
    Paren,
    /// `expr* ListTail?`; own: `#(`, commas, `)`.
    List,
    /// `expr`; own: `|`.
    ListTail,
    /// `expr*`; own: `#[`, commas, `]`.
    Array,
    /// `MapEntry*`; own: `#{`, commas, `}`.
    Map,
    /// `key value`; own: `=>`.
    MapEntry,
    /// `target value`; own: `:=`. The target is a `Variable`, a `FieldAccess` or a pattern.
    Assign,
    /// `Variable type value`; own: `::`, `:=`.
    TypedAssign,
    /// `expr`; own: `^`.
    Return,
    /// `scrutinee Arm*`; own: `match:` or `matchExhaustive:`, brackets, `;`.
    Match,
    /// `pattern Guard? expr`; own: `->`. The last child may be `Return` or `Assign`.
    Arm,
    /// `expr`; own: `when:`, brackets.
    Guard,
    /// own: a directive and its arguments. As a statement, or before a member.
    Directive,

    // ---- patterns
    /// own: `_`.
    WildcardPattern,
    /// own: an identifier (of any case) that is bound.
    VariablePattern,
    /// `ClassName`; own: the bound identifier, `::`.
    TypePattern,
    /// own: `nil`, a number (perhaps with a spaced `-`), a string, a character or a symbol.
    LiteralPattern,
    /// `ClassName pattern+`; own: the keywords.
    ConstructorPattern,
    /// `pattern*`; own: `{`, commas, `}`.
    TuplePattern,
    /// `pattern* RestPattern?`; own: `#[`, commas, `]`.
    ArrayPattern,
    /// `pattern* ListTailPattern?`; own: `#(`, commas, `)`.
    ListPattern,
    /// own: `...`, the name.
    RestPattern,
    /// `pattern`; own: `|`.
    ListTailPattern,
    /// `MapPatternEntry*`; own: `#{`, commas, `}`.
    MapPattern,
    /// `key pattern`, the key a `Symbol` or `String`; own: `=>`.
    MapPatternEntry,
    /// `BinarySegment*`; own: `<<`, commas, `>>`.
    BinaryPattern,
    /// own: the name, `:`, size, `/`, specifiers.
    BinarySegment,

    // ---- trouble
    /// Skipped or missing input; own: the tokens skipped (perhaps none).
    Error,
}

impl NodeKind {
    /// Whether nodes of this kind are types (`TypeName` … `TypeParen`).
    #[must_use]
    pub const fn is_type(self) -> bool {
        let k = self as u8;
        k >= Self::TypeName as u8 && k <= Self::TypeParen as u8
    }

    /// Whether nodes of this kind are expressions or statements (`Integer` … `Directive`).
    #[must_use]
    pub const fn is_expression(self) -> bool {
        let k = self as u8;
        k >= Self::Integer as u8 && k <= Self::Directive as u8
    }

    /// Whether nodes of this kind are patterns.
    #[must_use]
    pub const fn is_pattern(self) -> bool {
        let k = self as u8;
        k >= Self::WildcardPattern as u8 && k <= Self::BinarySegment as u8
    }

    /// Whether nodes of this kind are sends (`UnarySend`, `BinarySend`, `KeywordSend`).
    #[must_use]
    pub const fn is_send(self) -> bool {
        matches!(self, Self::UnarySend | Self::BinarySend | Self::KeywordSend)
    }

    /// Whether nodes of this kind are cascade parts.
    #[must_use]
    pub const fn is_cascade_part(self) -> bool {
        matches!(self, Self::UnaryPart | Self::BinaryPart | Self::KeywordPart)
    }
}

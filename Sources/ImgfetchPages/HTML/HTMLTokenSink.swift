/// The content that follows a start tag, as far as the tokenizer reads it in another way.
package enum HTMLContent: Sendable {
  /// Markup, text and character references.
  case data
  /// Text and character references up to the end tag (`title`, `textarea`).
  case rcdata
  /// Text up to the end tag (`style`, `iframe`, `noframes`, `xmp`).
  case rawText
  /// A script, which may hide its end tag in a comment.
  case script
  /// Text to the end of the page.
  case plainText
  /// A section of text inside SVG or MathML, up to `]]>`.
  case cdata
}

/// The receiver of what an ``HTMLTokenizer`` reads. All text is UTF-8.
package protocol HTMLTokenSink {
  /// True if text and comments are handed over. Without them the tokenizer skips text at the speed of a search.
  var wantsText: Bool { get }

  /// True if the innermost open element is one of SVG or MathML, where `<![CDATA[` begins text.
  var isInForeignContent: Bool { get }

  /// Takes a start tag, and returns the content that follows it.
  mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent

  /// Takes an end tag.
  mutating func endTag(_ tag: borrowing HTMLTag)

  /// Takes a piece of text; pieces between two tags belong together.
  mutating func text(_ bytes: Span<UInt8>)

  /// Takes a comment, of a long one the beginning.
  mutating func comment(_ bytes: Span<UInt8>)

  /// Takes the document's type.
  mutating func doctype(_ doctype: HTMLDoctype)
}

/// The document's type, as a page declares it.
package struct HTMLDoctype: Sendable, Equatable {
  package var name: [UInt8]?
  package var publicIdentifier: [UInt8]?
  package var systemIdentifier: [UInt8]?
  /// True if browsers fall back to their oldest rules, because the declaration is broken.
  package var forcesQuirks = false
}

/// The receiver of the tokens of an ``HTMLTokenizer``. All text is UTF-8.
package protocol HTMLTokenSink {
  /// True if text and comments are passed on. Without them the tokenizer skips text at the speed of a search.
  var wantsText: Bool { get }

  /// True where `<![CDATA[` begins text: in an element of SVG or MathML, and in XML.
  var hasSections: Bool { get }

  mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent

  mutating func endTag(_ tag: borrowing HTMLTag)

  /// Takes a piece of text; pieces between two tags belong together.
  mutating func text(_ bytes: Span<UInt8>)

  /// Takes a comment, or the beginning of a long one.
  mutating func comment(_ bytes: Span<UInt8>)

  /// Takes the document's type.
  mutating func doctype(_ doctype: HTMLDoctype)
}

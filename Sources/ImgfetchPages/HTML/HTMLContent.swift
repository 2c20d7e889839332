/// The kind of content that follows a start tag. It decides how the tokenizer reads on.
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

/// The kind of a command's operands, from which completions follow.
enum OperandKind: Sendable {
  case none
  case url
  case urls
  /// Patterns of URLs.
  case patterns
  /// Files or folders, where URLs may stand as well.
  case files
  case urlAndFile
  case shell
  case topic
}

extension String {
  /// Whether another text stands anywhere in it. (The library's own search brings the engine for regular expressions along.)
  package func holds(_ part: String) -> Bool {
    var rest = utf8[...]
    while !rest.isEmpty {
      if rest.starts(with: part.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

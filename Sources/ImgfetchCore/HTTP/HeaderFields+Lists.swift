extension HeaderFields {
  /// Fields that are read member by member, and that several times for an answer.
  private static let lists = ["cache-control", "connection", "vary", "www-authenticate"]
  /// No server has a use for a list of so many words, and of two thousand names each look costs a millisecond.
  static let listLimit = 4 * 1024

  /// Whether a field that is a list has members without number.
  package var hasEndlessList: Bool {
    // Nearly every header is shorter as a whole.
    guard buffer.count > Self.listLimit else { return false }
    return Self.lists.contains { name in
      var size = 0
      forEach(name) { size += $0.count }
      return size > Self.listLimit
    }
  }
}

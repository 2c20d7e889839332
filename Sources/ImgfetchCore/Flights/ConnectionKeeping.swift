/// The rule by which connections are kept when their requests are answered. A pure value.
package struct ConnectionKeeping {
  /// The most connections that may be open while their origins have requests ahead.
  let most: Int
  /// The most connections that may be open in any case: another request may come.
  private static let usual = 128

  package init(most: Int) { self.most = most }

  /// Returns true if a connection is kept.
  ///
  /// - Parameters:
  ///   - open: the number of open connections.
  ///   - hasAhead: true if requests to the origin are known to follow.
  package func keeps(open: Int, hasAhead: Bool) -> Bool { open <= (hasAhead ? most : min(most, Self.usual)) }
}

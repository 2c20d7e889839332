/// Paths and names as the kernel reads them: bytes, separated by the byte `/`.
///
/// A slash that a combining mark, a joiner or a variation selector follows is one `Character` other than "/", and so it
/// is for `split`, `hasPrefix` and `lastIndex(of:)`. A name that is checked by characters can leave its folder.
extension Substring {
  /// True if both have the same bytes. `==` takes differently composed letters for equal.
  package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The parts between slashes.
  ///
  /// - Parameter omittingEmpty: true if empty ones are left out.
  package func pathParts(omittingEmpty: Bool = true) -> [Substring] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: omittingEmpty).map { Substring($0) }
  }
}

extension String {
  /// True if the path begins at the root.
  package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

  /// True if the path ends as a folder's.
  package var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }

  /// True if the path ends in a dot, whatever its last `Character` is.
  package var endsInDot: Bool { utf8.last == UInt8(ascii: ".") }

  /// True if both have the same bytes. `==` takes differently composed letters for equal.
  package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The parts between slashes.
  ///
  /// - Parameter omittingEmpty: true if empty ones are left out.
  package func pathParts(omittingEmpty: Bool = true) -> [Substring] {
    self[...].pathParts(omittingEmpty: omittingEmpty)
  }

  /// True if a part of the path leads out of its folder.
  package var climbs: Bool { pathParts().contains { $0.hasBytes(of: "..") } }

  /// The folder's path (`/` for the root) and the name behind the last slash; without a slash there is no folder.
  package var pathSplit: (folder: Substring?, name: Substring) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (nil, self[...]) }
    let name = self[utf8.index(after: slash)...]
    return (slash == startIndex ? self[...slash] : self[..<slash], name)
  }

  /// The text without its last byte, an ASCII character.
  package var withoutLastByte: Substring { Substring(utf8.dropLast()) }
}

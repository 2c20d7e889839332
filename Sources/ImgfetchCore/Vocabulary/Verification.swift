/// The thoroughness of verification.
public enum Verification: UInt8, CaseIterable, Comparable, Sendable {
  /// No verification: any body is accepted.
  case none = 0
  /// The container is walked to its end: markers, chunks with their checksums, sizes, end mark.
  case structure = 1
  /// Every pixel is decoded.
  case decode = 2

  /// Compares two levels: a less thorough one is less.
  public static func < (left: Verification, right: Verification) -> Bool { left.rawValue < right.rawValue }

  /// The level's name as users write it.
  public var name: String {
    switch self {
    case .none: "none"
    case .structure: "structure"
    case .decode: "decode"
    }
  }
}

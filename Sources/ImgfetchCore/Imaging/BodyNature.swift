/// The nature of a body by its first bytes: an image, text, or something else.
package enum BodyNature: Sendable, Equatable {
  case image(ImageFormat)
  case text
  /// Neither, with its name for people.
  case other(String)

  /// The number of bytes that are enough to tell.
  package static let wanted = 512

  /// - Parameter beginning: The first ``wanted`` bytes, or all of them if there are fewer.
  package init(_ beginning: [UInt8]) {
    var sniffer = FormatSniffer()
    var format: ImageFormat?
    var failure: InspectionFailure?
    do throws(InspectionFailure) {
      format = try sniffer.take(beginning.span).format
      if format == nil { failure = sniffer.finish() }
    } catch { failure = error }
    // An XML document is one of many kinds; only its root tells.
    if format == .svg, MarkupRoot.name(of: beginning[...]) != Array("svg".utf8) { format = nil }
    if let format {
      self = .image(format)
    } else if beginning.allSatisfy(Self.isText) || Self.hasMark(beginning) || ForeignBody.isPage(beginning) {
      self = .text
    } else {
      switch failure {
      case .truncated(let format, _)?, .damaged(let format, _, _)?: self = .image(format)
      case .unsupported(let name)?, .notImage(let name)?: self = .other(name)
      default: self = .other("data of an unknown kind")
      }
    }
  }

  private static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D || byte == 0x1B
  }

  /// The marks of UTF-16, whose text has bytes that are no characters by themselves.
  private static func hasMark(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
  }
}

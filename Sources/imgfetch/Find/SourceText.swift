import ImgfetchCore
import ImgfetchPages

/// One source while it is read: unpacked, told apart by its first bytes, and parsed.
struct SourceText {
  let page: PageAddress
  /// The URL that the source was given as, or nil for a file.
  let itself: WebURL?
  private let limit: Int64
  /// Servers may add a line end to a site map, and its pictures are those of the compressed text.
  private var unpacking = ListUnpacking(passesRest: true)
  private var length: Int64 = 0
  /// The first bytes, until they tell whether this is a text.
  private var beginning: [UInt8]? = []
  private var reader: SourceReader
  /// True if the source is an image itself.
  private(set) var isImage = false

  /// - Parameters:
  ///   - limit: The most bytes that it may have, unpacked too.
  ///   - label: The encoding that a header names.
  ///   - ending: The ending of its name, which decides between kinds of plain text.
  ///   - column: The column of a table that holds the addresses.
  init(
    _ page: PageAddress, itself: WebURL? = nil, limit: Int64, label: [UInt8]? = nil, ending: String? = nil,
    column: [UInt8]? = nil
  ) {
    self.page = page
    self.itself = itself
    self.limit = limit
    reader = SourceReader(label: label, ending: ending, column: column)
  }

  var fault: String? { reader.fault }
  /// The number of pictures whose addresses are of an encoding that is not read.
  var unreadable: Int { reader.unreadable }
  /// The number of definitions and references in Markdown for which there was no room.
  var passedOver: Int { reader.passedOver }
  var isFilledByScripts: Bool { reader.isFilledByScripts }
  var isMessage: Bool { reader.isMessage }
  var tableFlaw: TableFlaw? { reader.tableFlaw }
  /// True for JSON Lines.
  var isOfRecords: Bool { reader.nature == .records }

  mutating func takeFound() -> [SourceFinding] { reader.takeFound() }

  mutating func take(_ piece: [UInt8]) throws(FetchError) {
    let plain: [UInt8]
    do throws(ListUnpacking.Damage) { plain = try unpacking.add(piece) } catch { throw damaged(error) }
    try feed(plain)
    while !isImage {
      let text: [UInt8]?
      do throws(ListUnpacking.Damage) { text = try unpacking.next() } catch { throw damaged(error) }
      guard let text else { return }
      try feed(text)
    }
  }

  mutating func finish() throws(FetchError) {
    let plain: [UInt8]
    do throws(ListUnpacking.Damage) { plain = try unpacking.end() } catch { throw damaged(error) }
    try feed(plain)
    try begin()
    if !isImage { reader.finish() }
  }

  private func damaged(_ damage: ListUnpacking.Damage) -> FetchError { FetchError(.damaged, page.name, damage.reason) }

  private mutating func feed(_ text: [UInt8]) throws(FetchError) {
    // An image has a limit of its own.
    if isImage { return }
    length += Int64(text.count)
    guard length <= limit else {
      throw FetchError(.limit, page.name, "the page is longer than \(limit) bytes; --max-page allows more")
    }
    guard beginning != nil else { return reader.feed(text.span) }
    beginning? += text
    if beginning.map({ $0.count >= BodyNature.wanted }) ?? false { try begin() }
  }

  /// Finds out from the first bytes what the source is.
  private mutating func begin() throws(FetchError) {
    guard let text = beginning else { return }
    beginning = nil
    switch BodyNature(Array(text.prefix(BodyNature.wanted))) {
    case .image: isImage = true
    case .text: reader.feed(text.span)
    case .other where reader.isWide: reader.feed(text.span)
    case .other(let name): throw FetchError(.notImage, page.name, "it is \(name), which names no images")
    }
  }
}

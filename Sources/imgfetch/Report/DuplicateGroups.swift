import ImgfetchCore
import ImgfetchReport

/// Prints groups of images that are the same: a line for each image, or an object for each group.
///
/// Used by one thread.
final class DuplicateGroups {
  private let isJSON: Bool
  private let isForPerson: Bool
  private let printer: Printer
  private var count = 0

  init(_ settings: Settings, _ printer: Printer) {
    isJSON = settings.report.isJSON
    isForPerson = ProcessEnvironment.isTerminal(1)
    self.printer = printer
  }

  func print(_ group: [Sample]) {
    count += 1
    let number = count
    if isJSON { return printer.print { Self.append(number, group, to: &$0) } }
    for sample in group {
      printer.print { isForPerson ? append(forPerson: sample, number, to: &$0) : append(number, sample, to: &$0) }
    }
    if isForPerson { printer.print("") }
  }

  /// Ends the printing. No output at all would leave a person to wonder; a program reads none as none.
  func end(comparing images: Int, _ messages: Messages) {
    if count == 0, images > 0, !isJSON { messages.note("no duplicates among \(Amount.count(images, "image"))") }
  }

  /// `group  bytes  WxH  image`.
  private func append(_ number: Int, _ sample: Sample, to buffer: inout [UInt8]) {
    buffer.append(number: number)
    buffer.append(UInt8(ascii: "\t"))
    if let bytes = sample.bytes { buffer.append(number: bytes) } else { buffer.append(UInt8(ascii: "-")) }
    buffer.append(text: "\t\(Self.size(sample))\t")
    SafeText.append(sample.url, to: &buffer, for: .program)
    buffer.append(UInt8(ascii: "\n"))
  }

  private func append(forPerson sample: Sample, _ number: Int, to buffer: inout [UInt8]) {
    let columns = [
      Cells.rightAligned(Amount.grouped(number), in: 5),
      Cells.rightAligned(sample.bytes.map { Amount.size($0) } ?? "-", in: 8),
      Cells.rightAligned(Self.size(sample), in: 11), SafeText.text(sample.url),
    ]
    buffer.append(text: columns.joined(separator: "  ") + "\n")
  }

  private static func size(_ sample: Sample) -> String {
    guard let width = sample.width, let height = sample.height else { return "-" }
    return "\(width)x\(height)"
  }

  private static func append(_ number: Int, _ group: [Sample], to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { object in
      object.number("group", number)
      object.samples("images", group)
    }
  }
}

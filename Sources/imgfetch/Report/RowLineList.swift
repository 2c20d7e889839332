import ImgfetchCore
import ImgfetchReport

/// Prints the lines of rows, as `get -i` reads them. Used by one thread.
final class RowLineList {
  private let printer: Printer
  /// The rows whose URL had a password, without which no line can be made.
  private var masked = 0
  private var scanner = RowScanner()

  init(_ printer: Printer) { self.printer = printer }

  func add(_ bytes: [UInt8]) {
    var row = Row()
    if scanner.scan(bytes.span, &row) { add(row, bytes.span) }
  }

  func add(_ row: Row, _ bytes: Span<UInt8>) {
    // No other run could do more with a line that made no sense.
    if row.address.isEmpty { return }
    let url = row.address.string(in: bytes, most: 1 << 20)
    if url.holds("://***@") || url.holds("://***:***@") {
      masked += 1
      return
    }
    printer.print { buffer in
      SafeText.append(url, to: &buffer, for: .program)
      func field(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        buffer.append(text: "\t\(name)=")
        SafeText.append(text, to: &buffer, for: .program)
      }
      field("id", row.id.string(in: bytes, most: 1 << 16))
      if row.hasFailed { field("was", row.cause(in: bytes)) }
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  /// Tells of rows for which there is no line.
  func warn(_ messages: Messages) {
    guard masked > 0 else { return }
    messages.warn(
      "\(Amount.count(masked, "row")) had a password in the URL, which rows do not keep: \(masked == 1 ? "it is" : "they are") not listed"
    )
  }
}

import ImgfetchCore

/// A picture as iTerm2 takes it, and with it WezTerm, Konsole and others: a PNG.
enum ITermPicture {
  static func text(_ picture: PixelBuffer, columns: Int, rows: Int) -> [UInt8] {
    guard let file = try? picture.encoded(as: .png) else { return [] }
    var text: [UInt8] = []
    text.append(
      contentsOf: "\u{1B}]1337;File=inline=1;size=\(file.count);width=\(columns);height=\(rows);preserveAspectRatio=0:"
        .utf8)
    text += Base64.bytes(file)
    text.append(0x07)
    return text
  }
}

import ImgfetchCore

/// A picture as kitty's graphics protocol has it: its pixels, in chunks.
enum KittyPicture {
  /// The protocol's most characters of a chunk.
  private static let chunk = 4096

  static func text(_ picture: ShownPicture, columns: Int, rows: Int, number: Int, staysAtCursor: Bool) -> [UInt8] {
    let isOpaque = picture.isOpaque
    let coded = Base64.bytes(isOpaque ? picture.opaquePixels : picture.pixels)
    // q=2: it answers nothing, not even that it failed.
    let head =
      "a=T,q=2,i=\(number),f=\(isOpaque ? 24 : 32),s=\(picture.size.width),v=\(picture.size.height),c=\(columns),r=\(rows)"
      + (staysAtCursor ? ",C=1" : "")
    var text: [UInt8] = []
    text.reserveCapacity(coded.count + coded.count / chunk * 16 + 128)
    var at = 0
    repeat {
      let end = min(coded.count, at + chunk)
      text.append(contentsOf: ("\u{1B}_G" + (at == 0 ? head + "," : "") + "m=\(end < coded.count ? 1 : 0);").utf8)
      text += coded[at..<end]
      text.append(contentsOf: "\u{1B}\\".utf8)
      at = end
    } while at < coded.count
    return text
  }

  /// Takes the picture away and frees its pixels.
  static func removal(of number: Int) -> [UInt8] { Array("\u{1B}_Ga=d,q=2,d=I,i=\(number)\u{1B}\\".utf8) }
}

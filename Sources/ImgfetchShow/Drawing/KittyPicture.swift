import ImgfetchCore

/// A picture as kitty's graphics protocol has it: its pixels, in chunks.
enum KittyPicture {
  /// The protocol's most characters of a chunk.
  private static let chunk = 4096

  /// - Parameters:
  ///   - staysAtCursor: True if the cursor stays where it is.
  ///   - isPassedOn: True for the terminal outside of tmux, which draws the picture where its placeholders are.
  static func text(
    _ picture: PixelBuffer, columns: Int, rows: Int, number: Int, staysAtCursor: Bool = false, isPassedOn: Bool = false
  ) -> [UInt8] {
    let isOpaque = picture.isOpaque
    let coded = Base64.bytes(isOpaque ? picture.colours : picture.bytes)
    // q=2: it answers nothing, not even that it failed.
    let head =
      "a=T,q=2,i=\(number),f=\(isOpaque ? 24 : 32),s=\(picture.size.width),v=\(picture.size.height),c=\(columns),r=\(rows)"
      + (staysAtCursor ? ",C=1" : "") + (isPassedOn ? ",U=1" : "")
    let (begin, end) = isPassedOn ? (passedBegin, passedEnd) : (usualBegin, usualEnd)
    var text: [UInt8] = []
    text.reserveCapacity(coded.count + coded.count / chunk * 16 + 128)
    var at = 0
    repeat {
      let next = min(coded.count, at + chunk)
      text.append(contentsOf: (begin + (at == 0 ? head + "," : "") + "m=\(next < coded.count ? 1 : 0);").utf8)
      text += coded[at..<next]
      text.append(contentsOf: end.utf8)
      at = next
    } while at < coded.count
    return text
  }

  /// Takes the picture away and frees its pixels.
  static func removal(of number: Int, isPassedOn: Bool = false) -> [UInt8] {
    let (begin, end) = isPassedOn ? (passedBegin, passedEnd) : (usualBegin, usualEnd)
    return Array((begin + "a=d,q=2,d=I,i=\(number)" + end).utf8)
  }

  /// Ends a chunk that was cut at any place, and with it the picture: a terminal waits for its last chunk.
  static func cutEnd(isPassedOn: Bool = false) -> [UInt8] {
    let (begin, end) = isPassedOn ? (passedBegin, passedEnd) : (usualBegin, usualEnd)
    return Array((end + begin + "q=2,m=0;" + end).utf8)
  }

  private static let usualBegin = "\u{1B}_G"
  private static let usualEnd = "\u{1B}\\"
  /// Each escape is there twice in text that tmux passes on to the terminal outside.
  private static let passedBegin = "\u{1B}Ptmux;\u{1B}\u{1B}_G"
  private static let passedEnd = "\u{1B}\u{1B}\\\u{1B}\\"
}

import CImageShim

/// The image libraries that this was built with.
package enum CodecVersions {
  /// Names and versions, as one line of text.
  package static var text: String {
    var bytes = [UInt8](repeating: 0, count: 256)
    // Proof: the text is written into as many bytes as there are, and ends with a zero.
    unsafe bytes.withUnsafeMutableBytes { room in
      guard let base = unsafe room.bindMemory(to: CChar.self).baseAddress else { return }
      unsafe imgfetch_codec_versions(base, room.count)
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// The maker of a picture and the terms on which it is given: the part of an image's metadata that is kept unless
/// another is asked for. Places, devices and times stay with the original.
enum Authorship {
  /// The authorship in these blocks, without anything else.
  ///
  /// - Parameter orientation: the turn of the pixels, 1 to 8.
  static func of(_ metadata: MetadataBlocks, orientation: Int) -> MetadataBlocks {
    var kept = MetadataBlocks()
    kept.exif = ExifBlock.authorship(metadata.exif, orientation: orientation)
    kept.iptc = iptc(metadata.iptc)
    kept.xmp = XMPPacket.authorship(metadata.xmp, metadata.iptc)
    return kept
  }

  /// The creator, the credit, the copyright, and what the texts are coded in.
  private static func iptc(_ datasets: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var hasText = false
    IPTCBlock.each(datasets) { record, number, _, bytes in
      let isText = record == 2 && [80, 110, 116].contains(number)
      guard isText || record == 1 && number == 90 else { return }
      hasText = hasText || isText
      kept += bytes
    }
    return hasText ? kept : []
  }
}

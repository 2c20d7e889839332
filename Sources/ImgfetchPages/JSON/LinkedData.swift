/// Finds the pictures in JSON-LD: what stands under `image` and its kin, as a text, in a list, or as
/// an object with an address.
package struct LinkedData: Sendable {
  /// The addresses that have been found.
  private(set) var references: [[UInt8]] = []

  private var reader = JSONReader()
  /// The open objects and arrays, with true for one under a key of a picture.
  private var open: [Bool] = []
  private var key: [UInt8]?

  private static let pictureKeys: Set<String> = [
    "image", "images", "photo", "photos", "primaryImageOfPage", "thumbnail", "thumbnailUrl", "logo", "screenshot",
  ]
  /// The keys of an object that stands for a picture.
  private static let addressKeys: Set<String> = ["url", "contentUrl", "@id", "thumbnailUrl"]

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    // The reader is taken out, since it calls back into this value.
    var reader = reader
    reader.feed(bytes) { take($0) }
    self.reader = reader
  }

  private mutating func take(_ event: JSONEvent) {
    let isPicture = open.last ?? false
    let named = key.map { String(decoding: $0, as: UTF8.self) }
    switch event {
    case .key(let name): key = name
    case .beginObject, .beginArray:
      open.append(named.map { Self.pictureKeys.contains($0) } ?? isPicture)
      key = nil
    case .endObject, .endArray:
      open.removeLast()
      key = nil
    case .string(let text):
      let isAddress =
        named.map { Self.pictureKeys.contains($0) || isPicture && Self.addressKeys.contains($0) } ?? isPicture
      // An `@id` may name a thing in the page (`#logo`), which is no address.
      if isAddress, !text.isEmpty, text.first != UInt8(ascii: "#") { references.append(text) }
      key = nil
    case .literal: key = nil
    }
  }

  /// Takes the pictures found so far.
  mutating func takeFound() -> [PageImage] {
    defer { references = [] }
    return references.map { PageImage(.meta, $0[...]) }
  }
}

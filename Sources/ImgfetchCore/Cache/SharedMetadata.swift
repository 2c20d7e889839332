/// An entry's metadata as one reference, which all copies of the entry share.
final class SharedMetadata: Sendable {
  let value: EntryMetadata

  init(_ value: EntryMetadata) { self.value = value }
}

/// An entry's metadata as one reference for all that have the entry.
final class SharedMetadata: Sendable {
  let value: EntryMetadata

  init(_ value: EntryMetadata) { self.value = value }
}

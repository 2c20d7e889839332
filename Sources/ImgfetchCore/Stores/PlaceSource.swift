/// The body of a conversation's request.
enum PlaceSource: Sendable {
  case file(SharedDescriptor)
  case bytes([UInt8])
}

/// A walk through the structure of one format, chunk by chunk.
protocol ImageWalk: Sendable {
  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure)
}

extension OutputSpan where Element == UInt8 {
  /// Appends all of these at once: byte by byte each is asked whether there is room for it, which for the fields of an answer's
  /// header came to a third of what reading them cost. There must be room.
  package mutating func append(copying bytes: borrowing Span<UInt8>) {
    // Proof: so many bytes are read from the source as it has, and as many written behind those that are initialised, where
    // the check has seen that there is room. The two do not overlap: one is being written by its only owner.
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe withUnsafeMutableBufferPointer { target, count in
        precondition(source.count <= target.count - count)
        guard let from = source.baseAddress, let start = target.baseAddress else { return }
        unsafe (start + count).initialize(from: from, count: source.count)
        count += source.count
      }
    }
  }
}

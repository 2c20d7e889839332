import ImgfetchCore

extension Shard {
  /// Whether a key falls into this part. All machines that work on one list agree, whatever the order of its lines, and each key
  /// is in one part.
  func contains(_ keyHash: ContentHash) -> Bool {
    // The low half: the high one names the entry's folder, and a part should fill all folders evenly.
    count <= 1 || Int(keyHash.low % UInt64(count)) == index - 1
  }
}

extension CacheKey {
  /// How many answers of one URL are kept beside the first, for requests that differ in what Vary names. Each has a place
  /// of its own by the hash of those fields, and another of the same place takes it over: so their number is bounded
  /// without anybody counting them. So many that the few which one user's requests make almost never meet: of four, two
  /// share a place once in ten thousand URLs (of 64 places it was once in eleven).
  static let variantPlaces: UInt64 = 1 << 16

  /// Marks a variant as Vary's; whatever else makes variants takes all 64 bits from a hash.
  private static let varyMark: UInt64 = 0x7661_7279 << 32

  /// Where an answer is kept whose request has these selecting fields, if the first answer of its URL had others.
  ///
  /// - Parameter selecting: the fields in their normal form (`Variance.selecting(from:)`).
  package func variant(selecting: HeaderFields) -> CacheKey {
    let hash = ContentHash(of: selecting.encoded().span)
    return CacheKey(url: url, salt: salt, variant: Self.varyMark | hash.low % Self.variantPlaces)
  }

  /// Marks a part of an answer: kept beside the whole, one of each variant, the latest that came.
  private static let partMark: UInt64 = 0x7061_7274 << 32

  /// Where bytes are kept that were asked for by a range.
  package var ofPart: CacheKey {
    // One more than the variant's place, which leaves 0 to the first answer.
    let place = variant.map { $0 % Self.variantPlaces + 1 } ?? 0
    return CacheKey(url: url, salt: salt, variant: Self.partMark | place)
  }
}

/// What is stored with an image besides its bytes.
///
/// A pure value. The header fields stay in their stored form until somebody asks for them: most answers from the cache
/// need the few facts in front of them only.
package struct EntryMetadata: Sendable {
  package var key: CacheKey
  /// The URL that answered, after redirects.
  package var finalURL: String
  package var status: Int
  /// The type of the bytes.
  package var mime: String
  /// What the image is; nil where nobody looked.
  package var facts: ImageFacts?
  /// How closely it was looked at.
  package var verification: Verification
  package var requestTime: WallTime
  package var responseTime: WallTime
  /// The request's fields that the answer's Vary names.
  package var varyFields: [(String, String)]
  /// The hash of the image that this one was made of; nil for one as it came. What was made of other bytes than those that
  /// the answer now has, is no answer.
  package var origin: ContentHash?
  /// Which way the bytes came.
  package var provenance: Provenance
  /// The response's fields as they are stored.
  var storedFields: [UInt8]

  package init(
    key: CacheKey, finalURL: String, status: Int, fields: HeaderFields, varyFields: [(String, String)] = [],
    requestTime: WallTime, responseTime: WallTime, facts: ImageFacts?, mime: String, verification: Verification,
    origin: ContentHash? = nil, provenance: Provenance = Provenance()
  ) {
    self.key = key
    self.finalURL = finalURL
    self.status = status
    self.mime = mime
    self.facts = facts
    self.verification = verification
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.varyFields = varyFields
    self.origin = origin
    self.provenance = provenance
    storedFields = Self.encode(fields)
  }

  /// All response fields in order, with repeats. Decoded at each asking.
  package var fields: HeaderFields {
    get { Self.decodeFields(storedFields) }
    set { storedFields = Self.encode(newValue) }
  }
}

/// The stored answer that a request selects among those of a URL (RFC 9111 §4.1).
///
/// The first answer is kept under the URL's key, and its Vary names the fields by which the answers vary. If a request
/// does not select the first answer, its values of those fields give the key of another.
struct Selection {
  private(set) var found: StoredCopy?
  private(set) var first: StoredCopy?
  /// The key under which an answer to the request would be kept.
  private(set) var entryKey: CacheKey
  private(set) var variedBy: [String] = []
  /// The copy under `entryKey`, selected or not.
  private(set) var present: StoredCopy?

  /// - Parameter request: the fields that select. With nil, the one answer under the key is for all requests.
  init(_ key: CacheKey, by request: HeaderFields?, lookup: (CacheKey) -> StoredCopy?) {
    entryKey = key
    guard let first = lookup(key) else { return }
    self.first = first
    present = first
    guard let request else {
      found = first
      return
    }
    if first.answer.isSelected(by: request) {
      found = first
      if case .fields(let names) = Variance(first.answer.fields) { variedBy = names }
      return
    }
    guard case .fields(let names) = Variance(first.answer.fields) else { return }
    variedBy = names
    entryKey = key.variant(selecting: Variance.fields(names).selecting(from: request))
    present = lookup(entryKey)
    if let other = present, other.answer.isSelected(by: request) { found = other }
  }
}

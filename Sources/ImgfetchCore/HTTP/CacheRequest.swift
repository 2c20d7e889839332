/// A request as a cache looks at it: its fields but for the conditions that the cache itself adds, and what they mean.
package struct CacheRequest: Sendable {
  package let fields: HeaderFields
  package let directives: RequestDirectives
  package let preconditions: Preconditions

  /// - Parameter now: for dates with years of two digits.
  package init(_ fields: HeaderFields, now: WallTime) {
    self.fields = fields
    directives = RequestDirectives(fields)
    preconditions = Preconditions(fields, now: now)
  }

  /// What asks the origin whether a stored answer with these validators is still right, in place of the asker's own
  /// fields of those names. The asker's own tags are asked about together with it (RFC 9111 §4.3.2).
  package func conditions(on validators: Validators) -> HeaderFields {
    var asking = HeaderFields()
    var tags: [EntityTag] = []
    switch preconditions.noneMatch {
    case .any: return asking
    case .tags(let own): tags = own
    case nil: break
    }
    if let tag = validators.etag {
      if !tags.contains(tag) { tags.append(tag) }
      asking.append("If-None-Match", bytes: [UInt8](tags.map(\.bytes).joined(separator: Array(", ".utf8))).span)
    }
    if let date = validators.lastModified, preconditions.noneMatch == nil {
      asking.append("If-Modified-Since", date)
    }
    return asking
  }
}

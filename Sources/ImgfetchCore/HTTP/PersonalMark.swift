/// The marks in an answer that say that it is for one user.
enum PersonalMark {
  /// The mark of an answer, or nil if it has none. A redirect with one is for one user, and so is all that it leads to.
  static func first(in fields: HeaderFields) -> String? {
    var isForbidden = false
    // Also where it names fields only: other users would get the answer without them.
    CacheControl.forEach(in: fields) { name, _ in isForbidden = isForbidden || name == "private" || name == "no-store" }
    if isForbidden { return "Cache-Control forbids it" }
    return fields.contains("set-cookie") ? "Set-Cookie says that it is for one user" : nil
  }
}

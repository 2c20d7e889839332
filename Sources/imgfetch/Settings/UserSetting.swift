import ImgfetchCore

/// A name, with a password if one was given.
struct UserSetting: Hashable, Sendable {
  var name: String
  /// The password; nil to ask the user.
  var password: String?
}

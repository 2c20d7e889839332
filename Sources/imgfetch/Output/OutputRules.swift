import ImgfetchCore

/// The rules for writing outputs, beside those for their names.
struct OutputRules: Sendable {
  /// True if files get the time of Last-Modified.
  var setsTime = false
  /// True if existing files are kept, even with other bytes (`--no-clobber`).
  var keepsExisting = false
  /// True if any file that has the name is replaced (`--overwrite`).
  var overwrites = false
  /// True if files that have the bytes already become this program's (`--adopt`).
  var adopts = false
  /// True if files get attributes with their origin (`--xattr`).
  var setsAttributes = false
  /// True if a file gets the name that the server suggests (`--content-disposition`).
  var takesServersName = false
}

extension OutputRules {
  init(_ settings: OutputSettings) {
    setsTime = settings.remoteTime
    keepsExisting = !settings.clobber
    overwrites = settings.overwrite
    adopts = settings.adopts
    setsAttributes = settings.setsAttributes
    takesServersName = settings.takesServersName
  }
}

import ImgfetchCore

/// The outputs of images, and the handling of failures.
struct OutputSettings: Sendable {
  /// The value of `-o`.
  enum Destination: Hashable, Sendable {
    case standardOutput
    case file(String)

    init(_ path: String) { self = ProcessEnvironment.stream(named: path) == 1 ? .standardOutput : .file(path) }
  }

  /// The output folder; nil for the working directory.
  var folder: String?
  /// The place of the outputs if the folder is a URL, once the account is known: a folder of a web server, or of a
  /// bucket.
  var place: WebURL?
  var single: Destination?
  /// The checked template of `--name`.
  var nameTemplate: String?
  /// True if existing files may be replaced. If not, no request is made for them.
  var clobber = true
  /// True if files of other images, from earlier runs, are replaced.
  var overwrite = false
  /// True if files that have the wanted bytes already become this program's.
  var adopts = false
  var placeholder: String?
  var remoteTime = false
  /// True if files get attributes with their origin (`--xattr`).
  var setsAttributes = false
  /// True if a file gets the name that the server suggests (`--content-disposition`).
  var takesServersName = false
  /// The limit on removing files that no line wants; nil if none is removed.
  var prune: Choices.PruneLimit?
  var failedList: String?
  var failFast = false
}

extension OutputSettings {
  /// True if all images go to standard output, each behind its row.
  func isFramed(_ report: ReportSettings) -> Bool { report.isFramed && single == .standardOutput }
}

/// What is printed about the images.
struct ReportSettings: Hashable, Sendable {
  var ordered: Bool
  var isJSON: Bool
  var jsonHeaders: Bool
  var checksum: Bool
  /// The template of `--write-out`, its fields known to exist.
  var writeOut: String?
  /// Where `--report` has the rows written.
  var file: String?
  var printing: Choices.Printing
  /// Whether images that failed leave the exit code alone.
  var exitsZero: Bool
  var progress: Choices.Progress
}

extension ReportSettings {
  init(_ reader: SettingsReader) throws(UsageError) {
    ordered = reader.isOn(.ordered)
    jsonHeaders = reader.isOn(.jsonHeaders)
    isJSON = reader.isOn(.json) || jsonHeaders
    checksum = reader.isOn(.checksum)
    writeOut = try reader.value(.writeOut) { (text) throws(Values.Wanted) in
      try Values.template(text, fields: Flag.reportFields, numbers: Flag.reportNumbers)
    }
    file = try reader.text(.report)
    exitsZero = reader.isOn(.exitZero)
    printing = try reader.choice(.print, or: .all)
    progress = try reader.choice(.progress, or: .auto)
  }
}

extension ReportSettings {
  /// Whether standard error is a stream of objects: who reads progress as JSON could make nothing of other lines between.
  var hasJSONMessages: Bool { progress == .json }
}

extension Invocation {
  /// The same of whatever is to be done.
  var hasJSONMessages: Bool {
    switch self {
    case .get(let settings), .prefetch(let settings): settings.report.hasJSONMessages
    default: false
    }
  }
}

/// How much is said beside the results; every command takes it.
struct MessageSettings: Hashable, Sendable {
  var quiet: Bool
  /// How often `-v` was given.
  var verbosity: Int
  var color: Choices.Color
}

extension MessageSettings {
  init(_ reader: SettingsReader) throws(UsageError) {
    quiet = reader.isOn(.quiet)
    verbosity = reader.counted(.verbose)
    color = try reader.choice(.color, or: .auto)
  }
}

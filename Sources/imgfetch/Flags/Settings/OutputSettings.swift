/// Where images go, and what becomes of those that cannot be had.
struct OutputSettings: Hashable, Sendable {
  /// What `-o` names.
  enum Destination: Hashable, Sendable {
    case standardOutput
    case file(String)
  }

  /// Nil: the working directory.
  var folder: String?
  var single: Destination?
  /// The template of `--name`, checked.
  var nameTemplate: String?
  /// False: what is there stays, and no request is made.
  var clobber: Bool
  /// Whether files of other images, from earlier runs, are replaced.
  var overwrite: Bool
  var placeholder: String?
  var remoteTime: Bool
  var failedList: String?
  var failFast: Bool
}

extension OutputSettings {
  /// The stream by its other names too: opened anew by name it would have a place of its own in a file, and be no socket.
  private static let standardOutput = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

  init(_ reader: SettingsReader) throws(UsageError) {
    folder = try reader.text(.outputDir)
    single = try reader.text(.output).map { Self.standardOutput.contains($0) ? .standardOutput : .file($0) }
    nameTemplate = try reader.value(.name, Values.nameTemplate)
    clobber = reader.isOn(.clobber)
    overwrite = reader.isOn(.overwrite)
    if overwrite, !clobber {
      // Two of one source are a mistake, which is told where options are looked at together.
      let (keeps, replaces) = (reader.strength(.clobber), reader.strength(.overwrite))
      if keeps > replaces { overwrite = false } else if keeps < replaces { clobber = true }
    }
    placeholder = try reader.text(.placeholder)
    remoteTime = reader.isOn(.remoteTime)
    failedList = try reader.text(.failedList)
    failFast = reader.isOn(.failFast)
  }
}

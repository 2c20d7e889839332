/// All that `inspect` was told.
struct InspectSettings: Hashable, Sendable {
  /// `-` is standard input.
  var files: [String]
  var verification: Choices.Verification
  var sandbox: Bool
  var maxPixels: Int
  var maxBytes: Int
  var isJSON: Bool
  var messages: MessageSettings
}

extension InspectSettings {
  init(_ reader: SettingsReader, operands: [String]) throws(UsageError) {
    guard !operands.isEmpty else {
      throw UsageError("there is nothing to inspect: give a file, or - for standard input", of: .inspect)
    }
    guard !operands.contains("") else { throw UsageError("a file has a name, and '' is none", of: .inspect) }
    files = operands
    verification = try reader.choice(.verify, or: .structure)
    sandbox = reader.isOn(.sandbox)
    maxPixels = try reader.size(.maxPixels) ?? 0
    maxBytes = try reader.size(.maxBytes) ?? 0
    isJSON = reader.isOn(.json)
    messages = try MessageSettings(reader)
  }
}

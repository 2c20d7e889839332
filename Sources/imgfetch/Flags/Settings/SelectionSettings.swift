import ImgfetchCore

/// Which images.
struct SelectionSettings: Hashable, Sendable {
  /// The operands, as typed.
  var urls: [String]
  /// Lists, read after the operands in this order; `-` is standard input.
  var inputs: [String]
  var nullEnded: Bool
  var shard: Shard?
  /// Lower-case globs; empty allows every host.
  var allowHosts: [String]
  var denyHosts: [String]
  var denyPrivate: Bool
}

extension SelectionSettings {
  init(_ reader: SettingsReader, operands: [String]) throws(UsageError) {
    for operand in operands {
      do { _ = try Values.url(operand) } catch {
        throw UsageError("'\(WebURL.masked(operand))' is no URL: \(error.text)", of: reader.command)
      }
    }
    urls = operands
    inputs = try reader.texts(.input)
    nullEnded = reader.isOn(.null)
    shard = try reader.value(.shard, Values.shard)
    allowHosts = try reader.values(.allowHost, Values.hostPattern)
    denyHosts = try reader.values(.denyHost, Values.hostPattern)
    denyPrivate = reader.isOn(.denyPrivate)
  }
}

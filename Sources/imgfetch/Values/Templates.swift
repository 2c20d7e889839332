import ImgfetchCore

/// The templates of options, checked.
enum Templates {
  /// The fields of `--name`. The index may have leading zeros.
  static let nameFields =
    [
      "name", "ext", "host", "path", "query", "key", "index", "line", "id", "date", "width", "height", "format",
      "sha256",
    ] + fingerprints

  /// The fields of both that are fingerprints.
  private static let fingerprints = ImageDetail.fingerprints.map(\.name)

  /// The fields of `--write-out`: those of a `--json` object, and the fingerprints one by one.
  static let reportFields =
    [
      "url", "time", "final_url", "key", "cache", "written", "duplicate_of", "revalidated", "shared", "stale", "status",
      "mime", "format", "width", "height", "frames", "bytes", "downloaded", "elapsed_ms", "attempts", "line", "id",
      "started_ms", "queued_ms", "source", "flaws", "fingerprints", "exif", "output", "fresh_until", "error", "sha256",
    ] + fingerprints + ["host", "name", "error_kind"]
  /// The fields that are whole numbers, and may have leading zeros.
  static let reportNumbers = ["status", "width", "height", "frames", "bytes", "downloaded", "attempts", "line"]

  /// A template for the names of outputs, which must stay in the output folder.
  static func name(_ text: String) throws(ValueError) -> String {
    var text = try check(text, fields: nameFields, numbers: ["index", "line"])
    if text.isAbsolutePath { throw ValueError("it begins with '/'; the folder is given with --output-dir") }
    if text.climbs { throw ValueError("it leads out of the output folder; give that folder with --output-dir") }
    if text.endsInSlash { throw ValueError("it names a folder; end it with '/{name}.{ext}'") }
    // The folders of a URL alone would name each image after its folder, without an extension.
    if text.pathSplit.name.hasBytes(of: "{path}") { text += "/{name}.{ext}" }
    if !NameRoom.suffices(for: text) {
      throw ValueError("its fields are too long for one file name; leave some out, or put a '/' between them")
    }
    return text
  }

  /// A template for result lines.
  static func report(_ text: String) throws(ValueError) -> String {
    try check(text, fields: reportFields, numbers: reportNumbers)
  }

  /// True if a template has any field in braces.
  static func hasField(_ template: String) -> Bool {
    template.indices.contains { template[$0] == "{" && TemplateField(at: template[$0...]) != nil }
  }

  /// Checks that the fields in braces are known and that only numbers are padded. Other braces stand for themselves.
  static func check(_ text: String, fields: [String], numbers: [String] = []) throws(ValueError) -> String {
    var rest = try Values.text(text)[...]
    while let open = rest.firstIndex(of: "{") {
      guard let field = TemplateField(at: rest[open...]) else {
        rest = rest[rest.index(after: open)...]
        continue
      }
      rest = field.rest
      let name = String(field.name)
      guard fields.contains(name) else {
        throw ValueError(
          "there is no field {\(name)}" + Suggestion.question(for: name, among: fields) + "; there are "
            + fields.joined(separator: ", "))
      }
      guard let format = field.format else { continue }
      guard numbers.contains(name) else {
        let example = numbers.first.map { ", as in {\($0):04}" } ?? ""
        throw ValueError("{\(name)} takes no digits; \(numbers.joined(separator: ", ")) may have them\(example)")
      }
      guard field.digits != nil else {
        throw ValueError("{\(name):\(format)} is not understood; {\(name):04} is a number with at least four digits")
      }
    }
    return text
  }
}

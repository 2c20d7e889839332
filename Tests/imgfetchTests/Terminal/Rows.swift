@testable import ImgfetchCore
@testable import imgfetch

/// Results for the tests of reports.
enum Rows {
  static func good(_ change: (inout FetchResult) -> Void = { _ in }) -> ResultRow {
    var result = FetchResult(tag: 1, url: "https://example.org/cat.png", key: "https://example.org/cat.png")
    result.finalURL = "https://cdn.example.org/cat.png"
    result.cache = CacheType.network
    result.status = 200
    result.mime = "image/png"
    result.facts = ImageFacts(format: .png, width: 640, height: 480)
    result.bytes = 4567
    result.downloaded = 4567
    result.elapsedMilliseconds = 12.3456
    result.queuedMilliseconds = 0.5
    result.attempts = 1
    result.output = "cat.png"
    result.isOutputNew = true
    change(&result)
    return ResultRow(result)
  }

  static func failed(_ kind: FetchError.Kind = .http, _ reason: String = "the server answers 404") -> ResultRow {
    var result = FetchResult(tag: 2, url: "https://example.org/dog.png", key: "https://example.org/dog.png")
    result.error = FetchError(kind, "https://example.org/dog.png", reason, status: kind == .http ? 404 : nil)
    result.elapsedMilliseconds = 5
    result.attempts = 1
    return ResultRow(result)
  }

  static func text(_ append: (inout [UInt8]) -> Void) -> String {
    var buffer: [UInt8] = []
    append(&buffer)
    return String(decoding: buffer, as: UTF8.self)
  }
}

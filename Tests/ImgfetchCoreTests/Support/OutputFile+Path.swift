@testable import ImgfetchCore

extension OutputFile {
  /// Writes under the one name, whatever has it, as for `-o`.
  func write(_ body: ImageBody, to path: String, modified: WallTime? = nil) throws(OutputFailure) -> Outcome {
    var options = OutputOptions()
    options.modified = modified
    return try write(body, options) { _ in path }.outcome
  }
}

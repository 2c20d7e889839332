import ImgfetchCore
import ImgfetchDataSet

extension ShardFailure {
  /// The exit code of a run that ends with it.
  ///
  /// - Parameter foreign: The code if a file is no shard.
  func exitCode(ofForeign foreign: Int32 = ExitCode.file) -> Int32 {
    switch self {
    case .place(let error): ExitCode.code(of: error.kind)
    case .foreign: foreign
    case .file, .stopped: ExitCode.file
    }
  }
}

import ImgfetchCore
import ImgfetchDataSet

extension ShardFailure {
  /// The exit code of a run that ends with it.
  ///
  /// - Parameter file: The code if the failure is a file's.
  func exitCode(ofFile file: Int32) -> Int32 {
    if case .place(let error) = self { return ExitCode.code(of: error.kind) }
    return file
  }
}

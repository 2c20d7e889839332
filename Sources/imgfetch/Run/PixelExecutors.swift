import ImgfetchCore

/// Chooses where this run decodes pixels.
enum PixelExecutors {
  /// - Parameters:
  ///   - isUsed: whether anything will be decoded; if not, no warning is needed.
  ///   - isSandboxed: the value of `--sandbox`.
  static func make(_ isUsed: Bool, isSandboxed: Bool, _ messages: Messages) -> any PixelExecutor {
    guard isUsed else { return InProcessExecutor() }
    if isSandboxed { return SandboxedExecutor { messages.warn($0) } }
    messages.warn("images are decoded with all rights of this user (--no-sandbox)")
    return InProcessExecutor()
  }
}

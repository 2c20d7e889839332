import ImgfetchCore

/// Chooses where this run decodes pixels.
enum PixelExecutors {
  /// - Parameters:
  ///   - isUsed: True if something will be decoded for certain; if not, no warning is needed.
  ///   - isSandboxed: The value of `--sandbox`.
  static func make(_ isUsed: Bool, isSandboxed: Bool, _ messages: Messages) -> any PixelExecutor {
    // It starts no helper before there is work for one, which a doubtful image is.
    if isSandboxed { return SandboxedExecutor { messages.warn($0) } }
    guard isUsed else { return InProcessExecutor() }
    messages.warn("images are decoded with all rights of this user (--no-sandbox)")
    return InProcessExecutor()
  }
}

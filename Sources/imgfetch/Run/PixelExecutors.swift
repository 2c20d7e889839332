import ImgfetchCore

/// Where this run decodes pixels.
enum PixelExecutors {
  /// - Parameters:
  ///   - isUsed: Whether anything will be decoded; if not, there is nothing to warn of.
  ///   - isSandboxed: What `--sandbox` says.
  static func make(_ isUsed: Bool, isSandboxed: Bool, _ messages: Messages) -> any PixelExecutor {
    guard isUsed else { return InProcessExecutor() }
    if isSandboxed { return SandboxedExecutor { messages.warn($0) } }
    messages.warn("images are decoded with all rights of this user (--no-sandbox)")
    return InProcessExecutor()
  }
}

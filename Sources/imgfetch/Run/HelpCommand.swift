import ImgfetchCore

/// Everything that explains the program: to a person, to a shell, to a manual's reader.
enum HelpCommand {
  static func run(_ topic: Invocation.HelpTopic) -> Int32 {
    let status = write(Help.text(topic))
    // Nothing was asked for, so nothing was done: a script that forgot its arguments should notice.
    if case .bare = topic { return ExitCode.usage }
    return status
  }

  static func completions(_ shell: Choices.Shell) -> Int32 { write(Completions.text(shell)) }

  static func version() -> Int32 {
    write(
      """
      imgfetch \(ImgfetchVersion.number)
      reads: jpeg png apng gif webp
      writes: jpeg png apng gif webp
      built with: libcurl \(BuildVersions.libcurl) (loaded when needed), zlib \(BuildVersions.zlib), libdeflate \(BuildVersions.libdeflate), \
      libidn2 \(BuildVersions.libidn2), xxHash \(BuildVersions.xxHash), \(CodecVersions.text), \
      Little CMS (loaded when needed)

      """)
  }

  private static func write(_ text: String) -> Int32 {
    let printer = Printer(.standardOutput, flushing: .whenFull)
    printer.print { $0.append(text: text) }
    printer.flush()
    if let failure = printer.failure, failure.code != .brokenPipe {
      Messages().say("standard output: \(failure.code)")
      return ExitCode.file
    }
    return ExitCode.success
  }
}

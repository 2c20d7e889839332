import ImgfetchCore

// `cache size` and `cache path`.
extension CacheRun {
  func size(isExact: Bool) throws -> Int32 {
    let usage = try isExact ? cache.exactSize() : cache.size()
    switch report.form {
    case .words: report.print("\(Amount.size(usage.bytes)) in \(Amount.count(Int(clamping: usage.entries), "image"))")
    case .lines: report.print("\(usage.bytes)\t\(usage.entries)")
    case .json: report.print(usage.json)
    }
    return ExitCode.success
  }

  func path(_ text: String?) throws -> Int32 {
    guard let text else {
      print(path: cache.path)
      return ExitCode.success
    }
    guard let path = try keys(meantBy: text).lazy.compactMap({ cache.path(of: $0) }).first else {
      messages.say("\(WebURL.masked(text)): not in the cache")
      return ExitCode.notCached
    }
    print(path: path)
    return ExitCode.success
  }

  /// As it is: whoever asks wants to open that very file.
  private func print(path: String) {
    guard report.form == .json else { return report.print(path) }
    report.print { buffer in
      buffer.append(text: "{\"path\":")
      buffer.append(json: path)
      buffer.append(text: "}\n")
    }
  }
}

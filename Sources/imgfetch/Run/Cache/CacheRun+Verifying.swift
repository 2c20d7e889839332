import ImgfetchCore

// `cache verify`.
extension CacheRun {
  /// Ends with 5 if an entry is damaged, whether or not it was removed: the image in it is lost either way.
  func verify(repairing: Bool) throws -> Int32 {
    let found = try cache.verify(repairing: repairing)
    for damaged in found.damaged {
      messages.say("\(damaged.url ?? damaged.path): the cached image is damaged\(repairing ? " and was removed" : "")")
    }
    if found.newer > 0 {
      messages.warn(
        "\(Amount.count(found.newer, "image")) of a format that a newer imgfetch wrote: not looked at, and left alone")
    }
    report.tell(
      words: found.damaged.isEmpty
        ? "\(found.sound.words): all of them right"
        : "\(found.sound.words) right, \(found.damaged.count) damaged\(repairing ? " and removed" : "; --repair removes")",
      lines: found.damaged.map { damaged in
        var line: [UInt8] = []
        Harmless.append(damaged.url ?? "-", to: &line, for: .program)
        line.append(UInt8(ascii: "\t"))
        Harmless.append(path: damaged.path, to: &line)
        return String(decoding: line, as: UTF8.self)
      },
      json: json(found, repairing))
    return found.damaged.isEmpty ? ExitCode.success : ExitCode.image
  }

  private func json(_ found: DiskCache.VerifyReport, _ repairing: Bool) -> String {
    var buffer: [UInt8] = []
    buffer.append(text: "{\"sound\":\(found.sound.json),\"damaged\":[")
    for (place, damaged) in found.damaged.enumerated() {
      buffer.append(text: place == 0 ? "{\"url\":" : ",{\"url\":")
      if let url = damaged.url { buffer.append(json: url) } else { buffer.append(text: "null") }
      buffer.append(text: ",\"path\":")
      buffer.append(json: damaged.path)
      buffer.append(text: "}")
    }
    buffer.append(text: "],\"newer\":\(found.newer),\"repaired\":\(repairing)}")
    return String(decoding: buffer, as: UTF8.self)
  }
}

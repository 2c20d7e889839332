import ImgfetchCore
import ImgfetchReport

/// `inspect --duplicates`: groups files that are the same image.
enum InspectedDuplicates {
  static func run(
    _ rule: DuplicateRule, _ settings: Settings, _ limits: PixelLimits, _ messages: Messages, _ printer: Printer
  ) -> Int32 {
    let settings = settings.comparing(by: rule)
    var code = ExitCode()
    var samples: [Sample] = []
    var checksums = ChecksumTable()
    var looks = LooksRows(rule.looks ?? LooksRule())
    // A file that is named twice, or has two names, is no copy of itself: who removes the copies would lose it.
    var seen: Set<FileStatus.Identity> = []
    InspectedFiles.forEach(settings) { found in
      if let status = try? Descriptor.status(ofFile: found.name), status.kind == .regular,
        !seen.insert(status.identity).inserted
      {
        return true
      }
      var file = InspectedFile(name: found.name)
      do throws(FetchError) {
        if let error = found.error { throw error }
        try file.inspect(settings, limits)
      } catch {
        if !found.isNamed, error.kind == .notImage { return true }
        let error = Advice.completing(error)
        code.add(error)
        messages.error(error.message)
        return true
      }
      let place = UInt64(samples.count)
      let digest = file.sha256 ?? []
      if rule == .bytes {
        checksums.add(sha256: digest, place: place, line: samples.count, key: UInt32(truncatingIfNeeded: place))
      } else if let look = Looks(file) {
        looks.add(look, sha256: digest, place: place, line: samples.count)
      }
      samples.append(Sample(file))
      return true
    }
    var groups: [[UInt64]] = []
    if rule == .bytes { checksums.forEachGroup { groups.append($0) } } else { looks.forEachGroup { groups.append($0) } }
    let printed = DuplicateGroups(settings, printer)
    // In the order of the files.
    for group in groups.sorted(by: { $0[0] < $1[0] }) {
      printed.print(settings.rows.kept.sorted(group.map { samples[Int($0)] }))
    }
    printed.end(comparing: samples.count, messages)
    return printer.end(code, messages)
  }
}

/// `inspect A B --same`: compares two files.
enum SameImages {
  static func run(
    _ rule: DuplicateRule, _ settings: Settings, _ limits: PixelLimits, _ messages: Messages, _ printer: Printer
  ) -> Int32 {
    let settings = settings.comparing(by: rule)
    var code = ExitCode()
    var files: [InspectedFile] = []
    for name in settings.operands {
      var file = InspectedFile(name: name)
      do throws(FetchError) { try file.inspect(settings, limits) } catch {
        let error = Advice.completing(error)
        code.add(error)
        messages.error(error.message)
      }
      files.append(file)
    }
    guard code.value == ExitCode.success else { return printer.end(code, messages) }
    let isSame = isSame(files[0], files[1], rule)
    if !isSame { code.add(ExitCode.image) }
    if settings.report.isJSON {
      printer.print { buffer in
        ObjectWriter.appendLine(to: &buffer) { object in
          object.flag("same", isSame)
          object.text("rule", rule.text)
          object.texts("files", files.map(\.name))
        }
      }
    } else if !settings.messages.quiet {
      printer.print { buffer in
        buffer.append(text: "\(isSame ? "same" : "different")\t\(rule.text)\t")
        SafeText.append(path: files[0].name, to: &buffer)
        buffer.append(UInt8(ascii: "\t"))
        SafeText.append(path: files[1].name, to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
      }
    }
    return printer.end(code, messages)
  }

  private static func isSame(_ one: InspectedFile, _ other: InspectedFile, _ rule: DuplicateRule) -> Bool {
    if let digest = one.sha256, digest == other.sha256 { return true }
    guard let looks = rule.looks, let first = Looks(one), let second = Looks(other) else { return false }
    return looks.areAlike(first, second)
  }
}

extension KeptDuplicate {
  /// The images of a group, the one that counts first.
  func sorted(_ group: [Sample]) -> [Sample] {
    guard self == .largest else { return group }
    let largest = group.indices.max {
      (group[$0].pixels, group[$0].bytes ?? 0, $1) < (group[$1].pixels, group[$1].bytes ?? 0, $0)
    }
    guard let largest else { return group }
    return [group[largest]] + group[..<largest] + group[(largest + 1)...]
  }
}

extension Settings {
  fileprivate func comparing(by rule: DuplicateRule) -> Settings {
    var settings = self
    settings.report.checksum = true
    settings.fetch.details = rule.details
    return settings
  }
}

extension Sample {
  fileprivate init(_ file: InspectedFile) {
    self.init()
    (url, place) = (file.name, file.name)
    (format, width, height, bytes) = (
      file.facts?.format.rawValue ?? "", file.facts?.width, file.facts?.height, file.bytes
    )
  }
}

import ImgfetchCore

// `cache list`, and `cache add`, which tells of the new entry in the same forms.
extension CacheRun {
  func list(keysOnly: Bool) throws -> Int32 {
    try cache.list { entry in
      if keysOnly {
        // What was made of an image has its key, and keys are there to be asked for again.
        if entry.metadata.key.derivation != nil { return true }
        report.print { buffer in
          buffer.append(text: entry.metadata.key.url)
          buffer.append(0)
        }
      } else {
        print(entry)
      }
      return !report.isUnheard
    }
    return ExitCode.success
  }

  func add(_ text: String, _ file: String, _ verification: Verification, _ limits: PixelLimits) throws -> Int32 {
    let url = try url(text)
    let source: SharedDescriptor
    do { source = try file == "-" ? .standardInput : SharedDescriptor(.open(file, .read)) } catch {
      throw FetchError(.file, file, "cannot be opened: \(error.code)")
    }
    do throws(AddingFailure) {
      let entry = try cache.add(
        source.file, as: key(url), from: url.display, verification: verification,
        limits: InspectionLimits(maxPixels: limits.maxPixels),
        decode: { body, facts throws(FetchError) in
          do throws(PixelFailure) { try PixelCheck.verify(body, facts, limits) } catch {
            throw error.fetchError(of: file)
          }
        })
      if report.tellsDeeds { print(entry) }
      return ExitCode.success
    } catch {
      switch error {
      case .unreadable(let error): throw FetchError(.file, file, "cannot be read: \(error.code)")
      case .refused(let failure): throw failure.fetchError(of: file)
      case .damaged(let error): throw error
      case .cache(let failure): throw failure
      }
    }
  }

  private func print(_ entry: DiskCache.Listed) {
    report.print { buffer in
      switch report.form {
      case .words: EntryReport.append(forPerson: entry, to: &buffer)
      case .lines: EntryReport.append(fields: entry, to: &buffer)
      case .json: EntryReport.append(json: entry, to: &buffer)
      }
    }
  }
}

/// An entry of the cache in the forms in which it is listed.
enum EntryReport {
  /// `key  bytes  stored  last used  type  width  height`.
  static func append(fields entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let tab = UInt8(ascii: "\t")
    Harmless.append(entry.metadata.key.url, to: &buffer, for: .program)
    buffer.append(tab)
    buffer.append(number: entry.bytes)
    for time in [entry.stored, entry.lastUsed] {
      buffer.append(tab)
      buffer.append(text: time.timestamp)
    }
    buffer.append(tab)
    Harmless.append(entry.metadata.mime, to: &buffer, for: .program)
    for number in [entry.metadata.facts?.width, entry.metadata.facts?.height] {
      buffer.append(tab)
      if let number { buffer.append(number: number) } else { buffer.append(UInt8(ascii: "-")) }
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  static func append(json entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let metadata = entry.metadata
    func field(_ name: String, _ text: String) {
      buffer.append(text: ",\"\(name)\":")
      buffer.append(json: text)
    }
    func field(_ name: String, _ number: Int?) {
      buffer.append(text: ",\"\(name)\":")
      if let number { buffer.append(number: number) } else { buffer.append(text: "null") }
    }
    buffer.append(text: "{\"key\":")
    buffer.append(json: metadata.key.url)
    field("final_url", metadata.finalURL)
    field("status", metadata.status)
    field("mime", metadata.mime)
    field("width", metadata.facts?.width)
    field("height", metadata.facts?.height)
    field("frames", metadata.facts?.frames)
    field("bytes", Int(entry.bytes))
    field("stored", entry.stored.timestamp)
    field("last_used", entry.lastUsed.timestamp)
    field("path", entry.path)
    buffer.append(text: ",\"derived\":\(metadata.key.derivation != nil)}\n")
  }

  /// In columns, the key last: it is as long as it likes.
  static func append(forPerson entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let facts = entry.metadata.facts
    let columns = [
      minute(entry.stored),
      minute(entry.lastUsed),
      Cells.rightAligned(Amount.size(entry.bytes), in: 7),
      Cells.rightAligned(facts.map { "\($0.width)x\($0.height)" } ?? "-", in: 9),
      Cells.padded(facts?.format.rawValue ?? "-", to: 4),
      Harmless.text(entry.metadata.key.url),
    ]
    buffer.append(text: columns.joined(separator: "  "))
    buffer.append(UInt8(ascii: "\n"))
  }

  /// To the minute, without the letters that only a program wants.
  private static func minute(_ time: WallTime) -> String {
    let text = time.timestamp
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }
}

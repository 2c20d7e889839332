import ImgfetchDataSet

/// The options in which the job of a shard differs from that of a run.
enum JobDifference {
  /// Their names as they are typed, such as `--checksum`; empty if the list makes the difference.
  ///
  /// A shard is material: of its text only what has the name of an option is looked at.
  ///
  /// - Parameters:
  ///   - shard: The part of a shard's job that options decide.
  ///   - run: The same part of the run's. Options that it does not have make no difference: --again has no list.
  static func names(of shard: Substring, _ run: Substring) -> [String] {
    let (theirs, ours) = (entries(of: shard), entries(of: run))
    var names: [String] = []
    for flag in (JobText.membership + JobText.options).map(\.id.flag) {
      guard let own = value(of: flag.long, in: ours), own != value(of: flag.long, in: theirs) else { continue }
      names.append(flag.id == .fingerprint ? "--fingerprint or --exif" : "--\(flag.long)")
    }
    if steps(of: theirs) != steps(of: ours) { names.append("--resize, --crop and their kin") }
    return names
  }

  private static func entries(of text: Substring) -> [[UInt8]] {
    let object = Array("{".utf8) + text.utf8.dropFirst()
    return (JSONMembers.read(object[...]) ?? []).flatMap { member in
      (JSONMembers.elements(member.value) ?? []).compactMap { JSONMembers.text(of: $0).map { Array($0.utf8) } }
    }
  }

  private static func value(of name: String, in entries: [[UInt8]]) -> ArraySlice<UInt8>? {
    let mark = Array("\(name)=".utf8)
    return entries.first { $0.starts(with: mark) }?.dropFirst(mark.count)
  }

  /// The entries of a transform, which have no name.
  private static func steps(of entries: [[UInt8]]) -> [[UInt8]] { entries.filter { !$0.contains(UInt8(ascii: "=")) } }
}

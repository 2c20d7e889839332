import ImgfetchCore
import ImgfetchReport

/// Says which images of a run were delivered already. Used by one thread.
struct UniqueImages {
  /// The marks by which an image is known.
  struct Marks {
    let sha256: [UInt8]
    /// The looks; nil if bytes decide.
    let looks: Looks?
  }

  private var digests: [Digest: Int] = [:]
  private var looks: LooksIndex
  /// The numbers of the pictures in ``looks``.
  private var numbers: [UInt32] = []
  private var names: UniqueNames

  /// Half of a SHA-256.
  private struct Digest: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ bytes: [UInt8]) {
      func half(_ start: Int) -> UInt64 { bytes.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
      (high, low) = (half(0), half(8))
    }
  }

  init(_ rule: DuplicateRule, temporaryFolder: String) {
    looks = LooksIndex(rule.looks ?? LooksRule())
    names = UniqueNames(folder: temporaryFolder)
  }

  /// The URL of the first image that is the same, or nil if there is none.
  func first(_ marks: Marks) -> String? {
    var number = digests[Digest(marks.sha256)]
    if let look = marks.looks, look.areTelling, let alike = looks.first(look) {
      number = min(number ?? .max, Int(numbers[alike]))
    }
    return number.map { names.name(at: $0) }
  }

  mutating func add(_ marks: Marks, url: String) {
    let number = names.add(url)
    let digest = Digest(marks.sha256)
    if digests[digest] == nil { digests[digest] = number }
    guard let look = marks.looks, look.areTelling else { return }
    looks.add(look)
    numbers.append(UInt32(clamping: number))
  }
}

/// The URLs of the images that were delivered, in a file without a name, so that a million of them take little memory.
struct UniqueNames {
  private let folder: String
  private var file: SharedDescriptor?
  private var length: Int64 = 0
  private var ends: [Int64] = []
  /// The names that could not be written.
  private var kept: [Int: String] = [:]

  init(folder: String) { self.folder = folder }

  mutating func add(_ name: String) -> Int {
    let bytes = Array(name.utf8)
    do throws(SystemError) {
      let file = if let file { file } else { SharedDescriptor(try TemporaryFile.anonymous(in: folder)) }
      self.file = file
      try file.file.write(bytes.span, at: length)
      length += Int64(bytes.count)
    } catch { kept[ends.count] = name }
    ends.append(length)
    return ends.count - 1
  }

  func name(at number: Int) -> String {
    if let name = kept[number] { return name }
    let start = number == 0 ? 0 : ends[number - 1]
    var bytes: [UInt8] = []
    _ = try? file?.file.read(into: &bytes, count: Int(ends[number] - start), at: start)
    return String(decoding: bytes, as: UTF8.self)
  }
}

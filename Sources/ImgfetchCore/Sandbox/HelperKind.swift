/// A kind of helper: which libraries it loads before it gives up the right to.
package struct HelperKind: Sendable, Hashable {
  /// The formats whose libraries are loaded late, or none for everything that is linked.
  let formats: Set<ImageFormat>

  /// The kind for work on these formats.
  init(for formats: Set<ImageFormat>) { self.formats = formats.filter { $0.lateLibrary != nil } }

  /// The kind of a process with this name, or nil if it is no helper.
  package init?(processName: String) {
    guard processName.hasPrefix(Self.prefix) else { return nil }
    let words = processName.dropFirst(Self.prefix.count).split(separator: "-")
    formats = Set(words.compactMap { ImageFormat(rawValue: String($0)) })
  }

  /// The process name by which the program recognises that it is a helper, and of which kind.
  package var processName: String { formats.map(\.rawValue).sorted().reduce(Self.prefix) { "\($0)-\($1)" } }

  private static let prefix = "imgfetch-pixels"

  /// True if a library decodes on a thread of its own, and cannot do without.
  var needsThreads: Bool {
    formats.contains { format in
      if case .late(_, usesThreads: true) = format.traits.library { true } else { false }
    }
  }

  /// Loads the libraries and decodes a sample with each. A failure is that of the image to
  /// come, which will meet it too.
  func prepare() {
    for format in formats { format.prepareDecoder() }
  }
}

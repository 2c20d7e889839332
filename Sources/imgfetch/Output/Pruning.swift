import ImgfetchCore
import Synchronization

/// `--prune`: removes the files of the output folder that this program wrote and that no line of the list wants.
///
/// The lines are noted by the reading thread; the end of the run, on whichever thread, asks for the files to remove.
final class Pruning: Sendable {
  enum Outcome {
    /// - Parameter left: The files that could not be removed.
    case removed([String], left: [String] = [])
    /// No file was removed, for this reason.
    case refused(String)
  }

  private let folder: OutputPruning
  /// The folder as it is named in messages.
  private let name: String
  private let list: String
  private let limit: Choices.PruneLimit
  private struct Wanted {
    var keys: Set<OutputKey> = []
    /// The number of images, each with the keys of both schemes.
    var images = 0
  }

  private let wanted = Guarded(Wanted())
  private let objection = Guarded<String?>(nil)

  /// - Parameter list: The name of the run's list, in words.
  init(_ folder: String, list: String, limit: Choices.PruneLimit) {
    self.folder = OutputPruning(folder)
    name = folder.isEmpty ? "the working directory" : folder
    self.list = list
    self.limit = limit
  }

  /// Nil if nothing is to be removed.
  convenience init?(_ settings: Settings) {
    guard let limit = settings.output.prune, settings.output.place == nil else { return nil }
    self.init(settings.output.folder ?? "", list: Self.name(of: settings), limit: limit)
  }

  /// The run's list: its lists, and its sources as they were given, files by their absolute paths.
  private static func name(of settings: Settings) -> String {
    // A source without a scheme may be a host.
    let sources = settings.find.sources.map { ProcessEnvironment.exists($0) ? absolute($0) : WebURL.masked($0) }
    let inputs = settings.list.inputs.map(absolute) + sources
    let names = (inputs.isEmpty ? ["operands"] : inputs).joined(separator: " ")
    return names.utf8.count <= mostOfName ? names : ContentHash(of: names).hex
  }

  /// The path of a file, however it was spelt: without the `.` of `./list`, and with the folder that `..` leads to. A
  /// link keeps its name: a list that is a link to that of the day is the same list each day.
  private static func absolute(_ input: String) -> String {
    if input == "-" || StoreAddress.isURL(input) { return WebURL.masked(input) }
    let path = input.isAbsolutePath ? input : (ProcessEnvironment.workingFolder ?? "") + "/" + input
    var parts = path.pathParts().filter { !$0.hasBytes(of: ".") }
    // The folder above a link is not the one that the text shows, so only the system can tell it.
    if let last = parts.lastIndex(where: { $0.hasBytes(of: "..") }),
      let folder = ProcessEnvironment.resolved("/" + parts[...last].joined(separator: "/"))
    {
      parts.replaceSubrange(...last, with: folder.pathParts())
    }
    return "/" + parts.joined(separator: "/")
  }

  /// An attribute has little room.
  private static let mostOfName = 500

  /// The first of some paths.
  static func shown(_ paths: [String]) -> String {
    SafeText.text(paths.prefix(3).joined(separator: ", ")) + (paths.count > 3 ? ", …" : "")
  }

  /// The reason why the folder cannot be pruned by this list; nil if it can.
  var obstacle: String? {
    guard let earlier = folder.lists.first(where: { !$0.hasBytes(of: list) }) else { return nil }
    return
      "--prune: \(name) is pruned by another list (\(SafeText.text(earlier))), whose files would be removed; take a folder for each list"
  }

  /// Notes that a line wants this image, by either scheme. It is kept even if this run cannot fetch it.
  func want(_ key: String) {
    let keys = [OutputKey(of: key)] + (OutputKey.otherScheme(of: key).map { [OutputKey(of: $0)] } ?? [])
    wanted.withLock { wanted in
      if !wanted.keys.contains(keys[0]) { wanted.images += 1 }
      wanted.keys.formUnion(keys)
    }
  }

  /// Forbids removing anything from now on. The first reason is printed.
  func forbid(_ reason: String) { objection.withLock { $0 = $0 ?? reason } }

  /// The files to remove, or the reason why none may be removed.
  private func candidates(isTrial: Bool) -> Result<[OutputPruning.Found], Refusal> {
    if let reason = objection.withLock({ $0 }) { return .failure(Refusal(reason: reason)) }
    let wanted = wanted.withLock { $0 }
    if wanted.keys.isEmpty { return .failure(Refusal(reason: "the list names no image")) }
    let all = folder.files(of: list)
    let void = all.filter { !wanted.keys.contains($0.key) }
    // A run has written a file for each image by now, and a dry run has not.
    let count = isTrial ? max(all.count, void.count + wanted.images) : all.count
    if limit != .all, void.count > count / 2 {
      return .failure(
        Refusal(
          reason:
            "\(Amount.grouped(void.count)) of the \(Amount.grouped(count)) files of imgfetch's there would go, which is more than half; --prune=all removes them"
        ))
    }
    return .success(void)
  }

  private struct Refusal: Error { let reason: String }

  /// Removes the files.
  ///
  /// - Parameter isTrial: true if the files are only named, and stay.
  func run(isTrial: Bool = false) -> Outcome {
    switch candidates(isTrial: isTrial) {
    case .failure(let refusal): return .refused("nothing in \(name) is pruned: \(refusal.reason)")
    case .success(let void):
      if isTrial { return .removed(void.map(\.path).sorted()) }
      // Before anything goes: without this note another list could take its place.
      do throws(SystemError) { try folder.note(list: list) } catch {
        let reason =
          error.code == .notSupported
          ? "it takes no attributes, which would say by which list, and whose its files are"
          : "it cannot be noted there by which list: \(error.code)"
        return .refused("nothing in \(name) is pruned: \(reason)")
      }
      let paths = void.map(\.path).sorted()
      let removed = Set(void.filter(folder.remove).map(\.path))
      return .removed(paths.filter(removed.contains), left: paths.filter { !removed.contains($0) })
    }
  }
}

/// The page of `-h`: at most 60 lines, ordered by what people want to do. `--help` has everything.
enum ShortPage {
  /// Fits a terminal's window, or two.
  static let mostLines = 60

  /// `imgfetch -h`.
  static func program() -> String {
    var text = "imgfetch fetches images: from a cache if it can, over the network if it must.\n"
    for task in Examples.tasks {
      text += "\n\(task.title)\n"
      for example in task.examples {
        text += TextLayout.padded("  " + example.line, to: column) + example.meaning + "\n"
      }
    }
    text += """

      Learn more
        imgfetch COMMAND -h         the main options of a command; --help: all
        imgfetch help caches        what the rows say, and when servers are asked
        imgfetch help names         how files are named, and what is never replaced
        imgfetch help lists         lists, tables, and the fields of a line
        imgfetch help retry         what is tried again, and for how long
        imgfetch help exit          what the exit codes mean
        imgfetch help options       each option, its default, and where it was set
        imgfetch completions SHELL  completions for bash, zsh or fish
        imgfetch --version          the version, and what it can read
        man imgfetch                the manual

      """
    return text
  }

  private static let column = 48

  /// `imgfetch COMMAND -h`.
  static func text(_ command: Command) -> String {
    var head = "Usage: " + command.usage + "\n"
    head += TextLayout.wrapped(command.sentence, width: Help.width)
    head += "\nExamples:\n" + Help.examples(Array(Examples.of(command).prefix(5)))
    let flags = Flag.taken(by: command)
    let foot =
      "\n"
      + TextLayout.wrapped(
        """
        imgfetch \(command.words) --help explains every option. imgfetch help TOPIC explains what they share: caches, \
        names, lists, retry, exit, options.
        """, width: Help.width)
    let all = head + "\n" + byCategory(flags) + foot
    if all.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= mostLines { return all }
    return head + "\n" + byTask(flags, of: command) + foot
  }

  /// Every option, if there are few.
  private static func byCategory(_ flags: [Flag]) -> String {
    Flag.Category.allCases.map { category in
      let group = flags.filter { $0.category == category }
      return group.isEmpty ? "" : "\(category.rawValue):\n" + Help.summaries(group)
    }.joined()
  }

  /// The options that are needed first, task by task.
  private static func byTask(_ flags: [Flag], of command: Command) -> String {
    let taken = Set(flags.map(\.id))
    return ((command == .find ? [ofFind] : []) + tasks).map { task in
      let group = task.options.filter(taken.contains).map(\.flag)
      return group.isEmpty ? "" : "\(task.title):\n" + Help.summaries(group)
    }.joined()
  }

  private typealias Task = (title: String, options: [FlagID])

  /// The choices of `find`, which other commands need less often.
  private static let ofFind: Task = ("Which images", [.kind, .allSizes, .sameHost, .base, .maxPages])

  private static let tasks: [Task] = [
    ("The data set", [.perShard, .shardBy, .again, .rows]),
    ("The picture", [.picture, .grid, .size, .still]),
    ("Many images", [.input, .listFormat, .from, .jobs, .rate]),
    ("Where they go", [.outputDir, .output, .name, .clobber, .overwrite, .failedList]),
    ("When a server is asked again", [.cache, .maxAge, .offline, .maxSize]),
    ("When something fails", [.retry, .timeout, .maxTime, .failFast]),
    ("Who asks", [.header, .user, .contact, .proxy, .insecure]),
    ("What is accepted", [.verify, .maxBytes, .minSize, .onlyFormat]),
    ("Other sizes and formats", [.resize, .convert, .quality, .strip]),
    ("What is printed", [.json, .table, .writeOut, .report, .progress, .quiet, .verbose]),
  ]
}

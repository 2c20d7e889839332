/// Common uses of each command, the most common first. Help begins with them.
enum Examples {
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  static let program = [
    Example(line: "imgfetch get https://example.org/cat.jpg", meaning: "fetch an image, once"),
    Example(line: "imgfetch get -d pictures -i list.txt", meaning: "fetch a list into a folder"),
    Example(line: "imgfetch inspect cat.jpg", meaning: "what is it, is it complete?"),
    Example(line: "imgfetch cache size", meaning: "how much the cache holds"),
  ]

  /// The examples of the program as a whole, by task.
  static let tasks: [(title: String, examples: [Example])] = [
    (
      "Fetch images",
      [
        Example(line: "imgfetch get https://example.org/cat.jpg", meaning: "one, into this folder"),
        Example(line: "imgfetch get -o cat.jpg example.org/cat", meaning: "under this name"),
        Example(line: "imgfetch get -d pictures -i list.txt", meaning: "a list, one URL a line"),
        Example(line: "imgfetch get -i list.txt --failed-list again", meaning: "and keep what failed"),
        Example(line: "imgfetch get -i t.csv --list-format csv", meaning: "a table's URLs"),
        Example(line: "imgfetch get --from example.org/gallery", meaning: "all that a page shows"),
        Example(line: "imgfetch find example.org/feed.xml", meaning: "list what a feed has"),
        Example(line: "imgfetch get --cache refresh -i list.txt", meaning: "what has changed (cron)"),
        Example(line: "imgfetch get --offline example.org/cat", meaning: "from the cache alone"),
        Example(line: "imgfetch get --resize 256x -i list.txt", meaning: "as thumbnails"),
        Example(line: "imgfetch get --json -i list.txt", meaning: "rows for a program"),
        Example(line: "imgfetch prefetch -i list.txt", meaning: "into the cache only"),
      ]
    ),
    (
      "Look at images",
      [
        Example(line: "imgfetch show https://example.org/cat.jpg", meaning: "in this terminal"),
        Example(line: "imgfetch inspect cat.jpg", meaning: "what is it, is it whole?"),
        Example(line: "imgfetch inspect -r pictures", meaning: "all of a folder"),
        Example(line: "imgfetch report run.jsonl", meaning: "what a run did (get --report)"),
      ]
    ),
    (
      "Make a data set",
      [Example(line: "imgfetch pack -i list.txt -d set", meaning: "tar files, with facts")]
    ),
    (
      "Look after the cache",
      [
        Example(line: "imgfetch cache size", meaning: "how much it holds"),
        Example(line: "imgfetch cache list", meaning: "what is in it"),
        Example(line: "imgfetch cache clean", meaning: "make room"),
        Example(line: "imgfetch cache clear", meaning: "remove everything"),
        Example(line: "imgfetch cache -h", meaning: "the rest of it"),
      ]
    ),
  ]

  static func of(_ command: Command) -> [Example] {
    switch command {
    case .get: get
    case .prefetch: prefetch
    case .show: show
    case .pack: pack
    case .find: find
    case .report: report
    case .inspect: inspect
    case .cacheSize: [Example(line: "imgfetch cache size", meaning: "bytes and images")]
    case .cacheClean: cacheClean
    case .cacheClear: [Example(line: "imgfetch cache clear --namespace test", meaning: "empty one namespace")]
    case .cacheRemove: cacheRemove
    case .cacheInfo:
      [Example(line: "imgfetch cache info https://example.org/cat.jpg", meaning: "since when, until when, and why")]
    case .cachePath: [Example(line: "imgfetch cache path https://example.org/cat.jpg", meaning: "its file")]
    case .cacheList: cacheList
    case .cacheAdd:
      [Example(line: "imgfetch cache add https://example.org/cat.jpg cat.jpg", meaning: "serve a file for this URL")]
    case .cacheVerify: [Example(line: "imgfetch cache verify --repair", meaning: "remove damaged entries")]
    case .completions: completions
    case .help: help
    }
  }
}

// The commands that have several.
extension Examples {
  private static let get = [
    Example(line: "imgfetch get https://example.org/cat.jpg", meaning: "into this folder"),
    Example(line: "imgfetch get -o cat.jpg https://example.org/cat", meaning: "under this name"),
    Example(line: "imgfetch get -d pictures -i list.txt", meaning: "a list, into a folder"),
    Example(line: "imgfetch get --json -i list.txt", meaning: "report to a program"),
    Example(line: "imgfetch get --offline https://example.org/cat.jpg", meaning: "from the cache"),
    Example(line: "imgfetch get --resize 256x https://example.org/cat.jpg", meaning: "as a thumbnail"),
  ]

  private static let prefetch = [
    Example(line: "imgfetch prefetch -i list.txt", meaning: "fill the cache from a list"),
    Example(line: "imgfetch prefetch --rate 2/s -i list.txt", meaning: "slowly, to spare the server"),
  ]

  private static let show = [
    Example(line: "imgfetch show https://example.org/cat.jpg", meaning: "in the terminal"),
    Example(line: "imgfetch show --size 40x12 cat.jpg dog.png", meaning: "files, smaller"),
    Example(line: "imgfetch show --grid cat.jpg dog.png", meaning: "side by side"),
  ]

  private static let pack = [
    Example(line: "imgfetch pack -i list.txt -d set", meaning: "tar files of 10,000 lines each"),
    Example(line: "imgfetch pack -i list.txt -d set --shard 1/2", meaning: "every second of them"),
  ]

  private static let find = [
    Example(line: "imgfetch find https://example.org/gallery.html", meaning: "the images of a page"),
    Example(line: "imgfetch find --json https://example.org/feed.xml", meaning: "of a feed, with texts"),
    Example(line: "imgfetch find --kind link --same-host page.html", meaning: "linked, on its host"),
    Example(line: "imgfetch find URL | grep jpg | imgfetch get -i -", meaning: "fetch some of them"),
  ]

  private static let report = [
    Example(line: "imgfetch get --report run.jsonl -i list.txt", meaning: "write the rows of a run"),
    Example(line: "imgfetch report run.jsonl", meaning: "failures by host, the largest"),
    Example(line: "imgfetch report today.jsonl --against old.jsonl", meaning: "what changed since"),
    Example(line: "imgfetch report --list failed run.jsonl", meaning: "lines for another run"),
    Example(line: "imgfetch report --html report.html run.jsonl", meaning: "as a page"),
  ]

  private static let inspect = [
    Example(line: "imgfetch inspect cat.jpg dog.png", meaning: "look at files"),
    Example(line: "imgfetch inspect --verify decode --json *.png", meaning: "thoroughly, for a program"),
    Example(line: "imgfetch get -o - example.org/a.png | imgfetch inspect -", meaning: "look at a stream"),
  ]

  private static let cacheClean = [
    Example(line: "imgfetch cache clean", meaning: "as after every run"),
    Example(line: "imgfetch cache clean --max-size 1G --dry-run", meaning: "what would be removed"),
  ]

  private static let cacheRemove = [
    Example(line: "imgfetch cache remove https://example.org/cat.jpg", meaning: "forget an image"),
    Example(line: "imgfetch cache remove --dry-run 'https://example.org/*'", meaning: "what of a site would go"),
  ]

  private static let cacheList = [
    Example(line: "imgfetch cache list", meaning: "key, bytes, stored, used, type …"),
    Example(line: "imgfetch cache list --sort size '*.gif'", meaning: "the largest first, of some"),
    Example(line: "imgfetch cache list --json", meaning: "an object for each image"),
  ]

  private static let completions = [
    Example(line: "source <(imgfetch completions bash)", meaning: "in ~/.bashrc"),
    Example(line: "imgfetch completions zsh > ~/.zfunc/_imgfetch", meaning: "in a folder of $fpath"),
    Example(line: "imgfetch completions fish | source", meaning: "in config.fish"),
  ]

  private static let help = [
    Example(line: "imgfetch help get", meaning: "every option of get"),
    Example(line: "imgfetch help options", meaning: "what is set, and where from"),
    Example(line: "imgfetch help caches", meaning: "what the rows say"),
    Example(line: "imgfetch help exit", meaning: "what the exit codes mean"),
  ]
}

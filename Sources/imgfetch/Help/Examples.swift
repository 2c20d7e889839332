/// Common uses of each command, the most common first. Help begins with them.
enum Examples {
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  /// For the program as a whole.
  static let program = [
    Example(line: "imgfetch get https://example.org/cat.jpg", meaning: "fetch an image, once"),
    Example(line: "imgfetch get -d pictures -i list.txt", meaning: "fetch a list into a folder"),
    Example(line: "imgfetch inspect cat.jpg", meaning: "what is it, is it whole?"),
    Example(line: "imgfetch cache size", meaning: "how much the cache holds"),
  ]

  static func of(_ command: Command) -> [Example] {
    switch command {
    case .get:
      [
        Example(line: "imgfetch get https://example.org/cat.jpg", meaning: "into this folder"),
        Example(line: "imgfetch get -o cat.jpg https://example.org/cat", meaning: "under this name"),
        Example(line: "imgfetch get -d pictures -i list.txt", meaning: "a list, into a folder"),
        Example(line: "imgfetch get --json -i list.txt", meaning: "report to a program"),
        Example(line: "imgfetch get --offline https://example.org/cat.jpg", meaning: "from the cache"),
        Example(line: "imgfetch get --resize 256x https://example.org/cat.jpg", meaning: "as a thumbnail"),
      ]
    case .prefetch:
      [
        Example(line: "imgfetch prefetch -i list.txt", meaning: "fill the cache from a list"),
        Example(line: "imgfetch prefetch --rate 2/s -i list.txt", meaning: "slowly, to be kind to the server"),
      ]
    case .inspect:
      [
        Example(line: "imgfetch inspect cat.jpg dog.png", meaning: "look at files"),
        Example(line: "imgfetch inspect --verify decode --json *.png", meaning: "closely, for a program"),
        Example(line: "imgfetch get -o - example.org/a.png | imgfetch inspect -", meaning: "look at a stream"),
      ]
    case .cacheSize: [Example(line: "imgfetch cache size", meaning: "bytes and images")]
    case .cacheClean:
      [
        Example(line: "imgfetch cache clean", meaning: "as after every run"),
        Example(line: "imgfetch cache clean --max-size 1G --dry-run", meaning: "what would go"),
      ]
    case .cacheClear: [Example(line: "imgfetch cache clear --namespace test", meaning: "empty one namespace")]
    case .cacheRemove: [Example(line: "imgfetch cache remove https://example.org/cat.jpg", meaning: "forget an image")]
    case .cachePath: [Example(line: "imgfetch cache path https://example.org/cat.jpg", meaning: "where its bytes lie")]
    case .cacheList:
      [
        Example(line: "imgfetch cache list", meaning: "a line for each image"),
        Example(line: "imgfetch cache list --json", meaning: "an object for each image"),
      ]
    case .cacheAdd:
      [Example(line: "imgfetch cache add https://example.org/cat.jpg cat.jpg", meaning: "answer this URL with a file")]
    case .cacheVerify: [Example(line: "imgfetch cache verify --repair", meaning: "throw out what is damaged")]
    case .completions:
      [
        Example(line: "source <(imgfetch completions bash)", meaning: "in ~/.bashrc"),
        Example(line: "imgfetch completions zsh > ~/.zfunc/_imgfetch", meaning: "in a folder of $fpath"),
        Example(line: "imgfetch completions fish | source", meaning: "in config.fish"),
      ]
    case .help:
      [
        Example(line: "imgfetch help get", meaning: "every option of get"),
        Example(line: "imgfetch help options", meaning: "what is set, and where"),
        Example(line: "imgfetch help exit-codes", meaning: "what the exit codes mean"),
      ]
    }
  }
}

/// What the exit codes mean, for help and the manual.
enum ExitCodes {
  static let meanings: [(code: String, meaning: String)] = [
    ("0", "Every image was had."),
    ("1", "Several kinds of failure in one run, or one that has no code of its own."),
    ("2", "The command line, environment or configuration is wrong; nothing was done."),
    ("3", "Network: name, connection, TLS, time-out, broken off."),
    ("4", "The server said no: a status that is not accepted, 400 and up."),
    ("5", "Not an image, damaged, over a limit, or not what was asked for (checksum, filter)."),
    ("6", "With --offline, or cache path: not in the cache."),
    ("7", "A file could not be written or read here: disk full, no permission."),
    ("8", "Refused by policy: host, private address, scheme, redirect; or a line of a list that makes no sense."),
    ("130, 143", "Interrupted by SIGINT or SIGTERM."),
    ("141", "The reader of the results has gone: the pipe was closed. The rest was not done."),
  ]
}

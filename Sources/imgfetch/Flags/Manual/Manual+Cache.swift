extension Manual {
  /// imgfetch-cache(1).
  static func cache() -> String {
    let commands = Command.allCases.filter { $0.cacheWord != nil }
    var page = ".Sh NAME\n.Nm imgfetch-cache\n.Nd look after the cache of imgfetch\n.Sh SYNOPSIS\n"
    for command in commands {
      page += ".Nm \"imgfetch \(command.words)\"\n.Op Ar options\n"
      if !command.operands.isEmpty { page += ".Ar \(Roff.argument(command.operands))\n" }
    }
    page += ".Sh DESCRIPTION\n"
    page += Roff.text(
      """
      The cache is a folder that any number of runs use at the same time, without a daemon. All of these commands are \
      safe beside running fetches. An entry is one file: the image's bytes from its beginning, so that a viewer can \
      open it, and behind them what is known of it.
      """)
    page += Roff.list(
      commands.map { command in
        let operands = command.operands.isEmpty ? "" : " Ar " + Roff.argument(command.operands)
        return ("Cm " + (command.cacheWord ?? "") + operands, Roff.text(told(command)))
      })
    page += forms()
    return page
      + options(Flag.all.filter { !$0.commands.isDisjoint(with: .cache) }, of: .cache)
      + environment([.cacheHome, .configHome, .terminal])
      + files([cacheFolder, configFile])
      + exitStatus()
      + examples([
        ("How much it holds, for a script:", "imgfetch cache size | cut -f1"),
        ("Keep it small, once a week, from cron:", "0 4 * * 0 imgfetch cache clean --max-age 30d --max-size 1G"),
        ("Open the cached file in a viewer:", "xdg-open \"$(imgfetch cache path https://example.org/cat.jpg)\""),
        (
          "Ask again for everything that is there:",
          "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"
        ),
      ])
      + seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-config", 5)])
  }

  private static func told(_ command: Command) -> String {
    switch command {
    case .cacheSize:
      "How much the cache holds: words on a terminal, elsewhere bytes, a TAB and the number of entries."
    case .cacheClean:
      "Removes what is older than --max-age and was not used for as long; if what is left is over --max-size, then the "
        + "least recently used until it is at half of that. Prints what went and what is left, elsewhere than on a "
        + "terminal as two lines of entries, a TAB and bytes. While another process cleans nothing is done, and the exit "
        + "code is 1."
    case .cacheClear:
      "Removes everything in the namespace but what a running fetch is writing. Prints what went, elsewhere than on a "
        + "terminal as entries, a TAB and bytes."
    case .cacheRemove:
      "Removes the images of these URLs, with everything that was derived from them; what is not there is passed over. "
        + "Prints what went, as clear does."
    case .cachePath:
      "Prints the path of the file that holds the image of URL, and ends with 6 if there is none. Without a URL: the "
        + "path of the cache."
    case .cacheList:
      "Prints a line for each entry, elsewhere than on a terminal separated by TABs: key, size in bytes, when it was "
        + "stored, when it was last used, media type, width, height; a dash where there is none. The times are those of "
        + "UTC, as 2026-11-21T10:44:55Z. With --json an object for each."
    case .cacheAdd:
      "Puts FILE (- for standard input) into the cache as the image of URL, once it was looked at as a fetched one is. "
        + "Prints the new entry as list does."
    case .cacheVerify:
      "Reads every entry. Ends with 5 if one is damaged; --repair removes such entries. Prints, elsewhere than on a "
        + "terminal, a line for each damaged one: its URL (a dash where that cannot be read either), a TAB and its file."
    default: ""
    }
  }

  /// What programs read.
  private static func forms() -> String {
    func list(_ fields: [ReportFields.Field]) -> String {
      Roff.list(fields.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    }
    return ".Ss What is printed with \\-\\-json\n"
      + Roff.text("list prints an object for each entry, and add one for the new entry:") + list(CacheFields.entry)
      + Roff.text("size prints an object of the first two of these fields, path one of the last:")
      + list(CacheFields.measure)
      + Roff.text("clean, clear and remove print an object of:") + list(CacheFields.removal)
      + Roff.text("verify prints an object of:") + list(CacheFields.verification)
  }
}

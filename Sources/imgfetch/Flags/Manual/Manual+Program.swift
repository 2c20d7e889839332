extension Manual {
  /// imgfetch(1): what there is, and where to read on.
  static func program() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch
      .Nd fetch images, with a cache that all runs share
      .Sh SYNOPSIS
      .Nm
      .Ar command
      .Op Ar options
      .Op Ar operands
      .Nm
      .Fl h | Fl \\-help | Fl V | Fl \\-version
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch fetches images for people, scripts and cron jobs. An image is answered from memory or from a cache on \
        disk where it can be, and over the network where it must be; each answer says which. What is no image, or not \
        a whole one, reaches neither the cache nor a file. Any number of runs use one cache at the same time, and one \
        image that many ask for is fetched once.
        """)
      + ".Pp\nThe commands are:\n"
      + Roff.list(
        Command.allCases.map { command in
          let words = command.words.split(separator: " ").map { "Cm " + Roff.argument($0) }.joined(separator: " ")
          let operands = command.operands.isEmpty ? "" : " Ar " + Roff.argument(command.operands)
          return (words + operands, Roff.text(command.sentence))
        })
      + ".Pp\n"
      + Roff.text(
        """
        Options are of the form --name value or --name=value; short ones may be joined, as in -qj8. They may follow \
        the operands, -- ends them. A switch, a repeatable option and one that is not set by default are undone by \
        --no-name. A name is never abbreviated. Sizes take K, M, G and T (steps of 1024), times ms, s, m, h, d and w; \
        a time without a unit is in seconds.
        """)
      + ".Pp\n"
      + Roff.text("Options are also taken from the environment and a configuration file, see imgfetch-config(5).")
      + ".Pp\n" + Roff.text("The options of every command:")
      + list(Flag.general)
      + environment([.cacheHome, .configHome, .proxies, .terminal])
      + files([cacheFolder, configFile])
      + exitStatus()
      + examples([
        ("Fetch an image, a second time from the cache:", "imgfetch get https://example.org/cat.jpg"),
        ("Fetch a list into a folder:", "imgfetch get -d pictures -i list.txt"),
        ("See what is set, and where:", "imgfetch help options"),
      ])
      + seeAlso([
        ("curl", 1), ("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1), ("imgfetch-config", 5),
      ])
      + security()
  }
}

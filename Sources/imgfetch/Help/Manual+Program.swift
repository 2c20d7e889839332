extension Manual {
  /// imgfetch(1): the commands, and where to read on.
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

extension Manual {
  /// SECURITY CONSIDERATIONS of imgfetch(1): what is trusted, what is not, and what each limit protects from.
  static func security() -> String {
    ".Sh SECURITY CONSIDERATIONS\n"
      + Roff.text(
        """
        Trusted are the command line, the environment, the configuration file and the user whom the cache belongs to. A \
        cache that others may write to is not used. Nothing is read from the working directory.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        Not trusted is what comes from a server: bytes, header fields, redirects, names. Names of files are stripped of all \
        that is not safe and never lead out of the output folder; neither do the names in a list. Text is stripped of what \
        would change what a terminal shows. A file of a wrong type, a page of HTML or a half image never gets the name that \
        was asked for. Bytes are looked at by code that is safe by its language; the libraries that decode pixels are called \
        only for --verify decode and for transforms, in helper processes that have nothing but a channel to this one: the \
        kernel (seccomp, Landlock, limits of memory and processor time) keeps them from files, the network and other \
        processes, and ends them with this one. What they send back is looked at like what a server sends. One that crashes \
        takes its image with it, and exit code 5. An image that has taken a helper over can do this: read the file that it \
        lies in, where it is larger than 4 MB (in the cache that holds its URL and header fields too); spoil the pixels of \
        the images that the helper works on next; take 1.5 GB of memory, and 300 seconds of a processor; read clocks. \
        Where the kernel has no seccomp nothing is decoded (exit code 7). --no-sandbox decodes without all this.
        """)
      + ".Pp\n"
      + Roff.text("Nor need the URLs of a list be trusted, if these are set for them:")
      + Roff.list([
        limit(
          "deny-private",
          "A URL, a redirect or a name in the DNS that leads into the network at home: services on this machine, routers, "
            + "the metadata of a cloud. Without it a redirect from a public address to such a one is refused all the same."
        ),
        limit(
          "allow-host",
          "Everything but the hosts that are meant, also as the target of a redirect; deny-host for a few."),
        limit("max-bytes", "A body that never ends, or fills the disk."),
        limit(
          "max-pixels",
          "A small file that would take gigabytes once it is decoded. It is checked before memory is taken."),
        limit("max-time", "A server that sends a byte now and then: --timeout ends only those that send nothing."),
        limit("max-redirects", "Circles."),
        limit("max-size", "A cache that fills the disk; it holds for runs, not at each moment."),
        limit("rate", "Trouble for the server, and for one's own address there; so does per-host."),
        limit("verify", "With decode: what only looks whole."),
      ])
      + ".Pp\n"
      + Roff.text(
        """
        What --user, --bearer-file, --cookie and the header fields Authorization and Cookie say goes to the origin of the \
        first URL, and to no other; user info in a URL belongs to that URL, and --netrc has a login for each host. None of \
        it is shown in a report, or stored: the cache tells askers apart by a keyed hash. What stands on a command line is seen by other users of the machine; \
        --netrc, --bearer-file, --cookie-jar, or --user without a password, which is asked for, keep it to oneself. \
        --insecure answers are kept apart from all others.
        """)
  }

  private static func limit(_ name: String, _ meaning: String) -> (tag: String, body: String) {
    ("Fl " + Roff.argument("-" + name), Roff.text(meaning))
  }
}

extension Manual {
  private static let configExamples: [(text: String, lines: String)] = [
    (
      "A file for a slow line and a small disk:",
      """
      # ~/.config/imgfetch/config
      jobs = 8
      limit-rate = 2M
      max-size = 500M
      user-agent = my-crawler/1.0 (me@example.org)
      deny-host = *.ads.example
      deny-host = tracker.example
      clobber = no
      """
    ),
    (
      "The same for one run, from the environment:",
      "IMGFETCH_JOBS=8 IMGFETCH_LIMIT_RATE=2M imgfetch get -i list.txt"
    ),
  ]

  /// imgfetch-config(5): the file and the variables.
  static func config() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-config
      .Nd configuration file and variables of imgfetch
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        An option is taken from the command line, else from the environment, else from the configuration file, else \
        it has its default. imgfetch help options lists each with its value and where that came from. Nothing is ever \
        read from the working directory.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        The file is $XDG_CONFIG_HOME/imgfetch/config, or ~/.config/imgfetch/config where that variable is not set; \
        --config or the variable IMGFETCH_CONFIG names another one, --no-config (or an empty variable) reads none. A \
        line is of the form name = value, with the long name of an option. Blanks around both do not count, a value is \
        never quoted. A line that begins with # is a comment. A path may begin with ~/ for the home folder. A line that \
        is not understood is an error that tells its number, and nothing is done.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        The variable of an option is IMGFETCH_ and its long name in capitals, with _ for every other character. A \
        variable of that form that belongs to no option is told in a warning.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A switch is set by 1, true or yes and unset by 0, false or no; no-name, and IMGFETCH_NO_NAME, undo an option \
        with 1, true or yes. A repeatable option adds up over file, environment and command line: in the file it stands \
        on several lines, in a variable its values are separated by newlines. --no-name empties it. Of two options that \
        exclude each other the one from the stronger place counts.
        """)
      + ".Pp\n" + Roff.text("These options can be set in the file and by a variable:")
      + Roff.list(
        Flag.all.filter { $0.sources == .anywhere }.map { flag in
          let standard = flag.takesValue ? flag.defaultValue ?? flag.unset : flag.isOnByDefault ? "yes" : "no"
          return (
            "Cm " + Roff.argument(flag.long) + " , Ev " + flag.variable,
            Roff.text("Default: \(standard). See \(flag.isOnByDefault ? "--no-" + flag.long : flag.spelling).")
          )
        }, compact: true)
      + environment([.configHome])
      + files([configFile])
      + examples(configExamples)
      + seeAlso([("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1)])
  }
}

enum ProgramPages {
  /// imgfetch(1): the commands, and where to read on.
  static func program() -> String {
    Manual.head(
      .imgfetch, "fetch images, with a cache that all runs share",
      synopsis: """
        .Nm
        .Ar command
        .Op Ar options
        .Op Ar operands
        .Nm
        .Fl h | Fl \\-help | Fl V | Fl \\-version

        """)
      + Roff.paragraphs(prose)
      + Manual.list(Flag.general, on: .imgfetch)
      + Manual.environment([.cacheHome, .configHome, .proxies, .terminal])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus()
      + Manual.examples([
        ("Fetch an image; the second time it is in the cache:", "imgfetch get https://example.org/cat.jpg"),
        ("Fetch a list into a folder:", "imgfetch get -d pictures -i list.txt"),
        ("List the settings and where they come from:", "imgfetch help options"),
      ])
      + CompatibilityPage.text
      + Manual.seeAlso([("curl", 1)] + otherPages)
      + security
  }

  private static let prose = """
    imgfetch fetches images for people, scripts and cron jobs. An image is served from memory or from a cache on \
    disk if possible, and fetched over the network if necessary; each result says which. Something that is not an \
    image, or an incomplete one, reaches neither the cache nor a file. Any number of runs can use one cache at the \
    same time, and they fetch an image that several of them need once.

    The commands are:
    \(commands)

    Options have the form --name value or --name=value. Short ones may be joined, as in -qj8. They may follow the \
    operands; -- ends them. --no-name undoes a switch, a repeatable option and an option that is not set by \
    default. Names cannot be abbreviated. Sizes take K, M, G and T (steps of 1024), times ms, s, m, h, d and w; a \
    time without a unit is in seconds.

    Each command has a page of its own. These pages explain what several commands share:
    + Xr imgfetch-caching 7 | The caches, the moments at which a server is asked again, and the keys.
    + Xr imgfetch-config 5 | The configuration file and the variables.
    + Xr imgfetch-files 7 | The names of files, and the files that are replaced or kept.
    + Xr imgfetch-fleet 7 | Data sets that many machines make together.
    + Xr imgfetch-lists 5 | Lists of images: lines, tables, and lists of failures.
    + Xr imgfetch-network 7 | Requests, retries, slow and dead hosts, credentials, and their options.
    + Xr imgfetch-python 7 | The Python module of the wheel.
    + Xr imgfetch-recipes 7 | Common tasks, and imgfetch with systemd, xargs, bash, GNU parallel and Slurm.
    + Xr imgfetch-remote 7 | A cache that machines share, and lists, images and data sets at URLs.
    + Xr imgfetch-rows 5 | The rows, the fields of JSON, and the messages.
    + Xr imgfetch-transforms 7 | Other sizes, shapes and formats, and their options.
    + Xr imgfetch-upgrading 7 | The changes since 1.0.

    Options can also be set in the environment and in a configuration file, see imgfetch-config(5).

    The options of every command:
    """

  private static var commands: String {
    Command.allCases.map { command in
      let words = command.words.split(separator: " ").map { "Cm " + Roff.argument($0) }.joined(separator: " ")
      return "* \(words)\(Manual.operands(of: command, after: " ")) | \(command.sentence)"
    }.joined(separator: "\n")
  }

  /// All pages but the program's own, by section.
  private static var otherPages: [(name: String, section: Int)] {
    ManualPage.allCases.filter { $0 != .imgfetch }.map(\.reference)
      .sorted { ($0.section, $0.name) < ($1.section, $1.name) }
  }
}

extension ProgramPages {
  /// SECURITY CONSIDERATIONS of imgfetch(1): the trusted and untrusted inputs, and the purpose of each limit.
  static let security = Roff.paragraphs(
    """
    # SECURITY CONSIDERATIONS
    The command line, the environment, the configuration file and the owner of the cache are trusted. A cache that \
    others may write to is not used. Nothing is read from the working directory.

    Nothing that a server sends is trusted: bytes, header fields, redirects, names. Unsafe characters are \
    removed from file names, and neither these nor the names in a list lead out of the output folder. Characters \
    that would change the display of a terminal are removed from text. A file of a wrong type, an HTML page or \
    an incomplete image never gets the requested name. Bytes are inspected by code in a memory-safe language. \
    The libraries that decode pixels are called only for --verify decode, transforms, fingerprints and imgfetch \
    show, in helper processes that have nothing but a channel to this one: the kernel (seccomp, Landlock, limits \
    of memory and processor time) keeps them from files, the network and other processes, and ends them with \
    this one. Their results are inspected like the answers of a server. If a helper crashes, its image fails \
    with exit code 5. An image that has taken control of a helper can read the image file that the helper was \
    given, if it is larger than 4 MB (in the cache that file also has the URL and the header fields); change the \
    pixels of later images of that helper; use 1.5 GB of memory and the processor for as long as decoding may \
    take; and read clocks. If the kernel has no seccomp, nothing is decoded (exit code 7). --no-sandbox decodes \
    without this protection.

    The URLs of a list need not be trusted either, with these options:
    * Fl "\\-deny\\-private" | Prevents access to internal networks by a URL, a redirect or a DNS name: services on \
    this machine, routers, cloud metadata. Even without it, a redirect from a public address to an internal one is \
    refused.
    * Fl "\\-allow\\-host" | Prevents requests to other hosts, also by redirects; --deny-host excludes single hosts.
    * Fl "\\-max\\-bytes" | Stops a body that never ends or fills the disk.
    * Fl "\\-max\\-pixels" | Refuses a small file that would take gigabytes when decoded, before memory is allocated.
    * Fl "\\-least\\-speed" | Keeps a server that sends a byte now and then from holding up the others, and stops it \
    in the end.
    * Fl "\\-max\\-time" | Stops downloads that take too long. --timeout only stops a silent server.
    * Fl "\\-max\\-redirects" | Stops redirect loops.
    * Fl "\\-max\\-size" | Keeps the cache from filling the disk. It is enforced at the end of each run.
    * Fl "\\-rate" | Protects the server from overload, and your address from being blocked; so does --per-host.
    * Fl "\\-verify" | With decode: rejects an image that only looks complete.

    --user, --bearer-file, --cookie and the header fields Authorization and Cookie are sent to the origin of the \
    first URL, and to no other. User info in a URL belongs to that URL, and --netrc has a login for each host. \
    None of it is shown in a report or stored: the cache distinguishes requesters by a keyed hash. Other users of \
    the machine can see a command line. --netrc, --bearer-file, --cookie-jar, or --user without a password, which \
    is then asked for, keep credentials out of it. Answers fetched with --insecure are kept apart from all others.
    """)

  private static let configExamples: [(text: String, lines: String)] = [
    (
      "A file for a slow connection and a small disk:",
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

  private static var commandLineOnly: String {
    Flag.all.filter { $0.sources == .commandLine }.map { "--\($0.isOnByDefault ? "no-" : "")\($0.long)" }
      .joined(separator: ", ")
  }

  /// imgfetch-config(5): the file and the variables.
  static func config() -> String {
    Manual.head(.config, "configuration file and variables of imgfetch")
      + Roff.paragraphs(
        """
        The value of an option is taken from the command line, else from the environment, else from the configuration \
        file, else it is the default. imgfetch help options lists each option with its value and where that comes \
        from. Nothing is ever read from the working directory.

        The file is $XDG_CONFIG_HOME/imgfetch/config, or ~/.config/imgfetch/config if that variable is not set. \
        --config or the variable IMGFETCH_CONFIG names another one; --no-config (or an empty variable) reads none. A \
        line has the form name = value, with the long name of an option. Blanks around both are ignored, and values \
        are never quoted. A line that begins with # is a comment. A path may begin with ~/ for the home folder. An \
        invalid line is an error that names its number, and nothing is done.

        The variable of an option is IMGFETCH_ and its long name in capitals, with _ for every other character. A \
        variable of that form that belongs to no option causes a warning.

        A switch is set by 1, true or yes and unset by 0, false or no, and so is an option that may stand without its \
        value, such as prune. no-name and IMGFETCH_NO_NAME undo an option, with 1, true or yes. The values of a \
        repeatable option from file, environment and command line are combined: in the file it is on several lines, in \
        a variable its values are separated by newlines. --no-name removes them all. Of two options that exclude each \
        other, the one from the source with higher precedence is used.

        Every option can be set in both, but these, which are for the command line only: \(commandLineOnly). \
        --config has a variable, and no line in the file.
        """)
      + Manual.environment([.configHome])
      + Manual.files([(path: Manual.configFile.path, meaning: "The configuration, if there is one.")])
      + Manual.examples(configExamples)
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1)])
  }
}

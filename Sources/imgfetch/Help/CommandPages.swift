import ImgfetchCore

enum CommandPages {
  /// imgfetch-get(1), which also describes `prefetch`.
  static func get() -> String {
    let synopsis = Manual.usage("get", ".Ar URL ...") + Manual.usage("prefetch", ".Ar URL ...")
    return Manual.head(
      .get, and: "imgfetch-prefetch", "fetch images into files, or into the cache only", synopsis: synopsis)
      + Roff.paragraphs(
        """
        imgfetch get fetches each URL once, checks that the answer is a complete image, keeps it in the cache and \
        writes it to a file in the working directory. imgfetch prefetch does the same but writes no file; it takes \
        all options except those for outputs and transforms.

        A URL without :// begins with the host, and https is used. s3://BUCKET/KEY is an object in a bucket. With \
        --input, the images of a list are fetched: see imgfetch-lists(5).

        An image that is in the cache and recent enough is served from there, without a request: see \
        imgfetch-caching(7). Any other is requested from its origin (the scheme, host and port of its URL), many at \
        once, and failures that may pass are retried: see imgfetch-network(7).

        A file is named after the last segment of its URL, with the extension that fits its bytes. It appears \
        complete or not at all. A file that has the right bytes already is left untouched, and one that imgfetch did \
        not write is never replaced: see imgfetch-files(7).

        One row is printed for each image, as soon as it is done: the cache that it came from, its media type, size \
        in pixels, size in bytes, the milliseconds it took, its file, and its URL. With --json it is an object: see \
        imgfetch-rows(5).
        """)
      + Manual.options(Flag.taken(by: .get), on: .get)
      + Manual.environment([.cacheHome, .configHome, .proxies, .certificates, .libcurl, .terminal])
      + Manual.files([
        Manual.cacheFolder, Manual.configFile, (path: "~/.netrc", meaning: "Names and passwords for --netrc."),
      ])
      + Manual.exitStatus()
      + Manual.examples(getExamples)
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-inspect", 1), ("imgfetch-config", 5), ("imgfetch-lists", 5),
        ("imgfetch-rows", 5), ("imgfetch-caching", 7), ("imgfetch-files", 7), ("imgfetch-network", 7),
        ("imgfetch-recipes", 7), ("imgfetch-remote", 7), ("imgfetch-transforms", 7), ("imgfetch-upgrading", 7),
      ])
  }
}

extension CommandPages {
  /// EXAMPLES of imgfetch-get(1). A test runs each of them.
  private static let getExamples: [(text: String, lines: String)] = [
    ("Fetch an image; the second time it comes from the cache:", "imgfetch get https://example.org/cat.jpg"),
    (
      "A list with names:",
      """
      printf '%s\\t%s\\n' https://example.org/a.jpg first > list.txt
      imgfetch get -i list.txt -d pictures
      """
    ),
    (
      "From cron, every night. Changed images are fetched again, and the mail names only those that are new, changed, or failed for the first time:",
      "15 3 * * * /usr/local/bin/imgfetch get --print new --cache refresh -d $HOME/pictures -i $HOME/list.txt --failed-list $HOME/again.txt"
    ),
    (
      "Retry the failed lines in a second run; a run without failures removes the list:",
      """
      imgfetch get -i list.txt --failed-list again.txt
      [ ! -s again.txt ] || imgfetch get -i again.txt --failed-list again.txt
      """
    ),
    (
      "In a script, by the exit code:",
      """
      if imgfetch get -q -o cat.jpg https://example.org/cat.jpg; then
          echo "there it is"
      elif [ $? -eq 3 ]; then
          echo "no network; the next run may succeed" >&2
      fi
      """
    ),
    (
      "Thumbnails of a fixed size:",
      "imgfetch get --resize 256x256 --fit cover --convert jpeg -i list.txt"
    ),
  ]

  /// imgfetch-cache(1).
  static func cache() -> String {
    let commands = Command.allCases.filter { $0.cacheWord != nil }
    let items = commands.map { command in
      "* Cm \(command.cacheWord ?? "")\(Manual.operands(of: command, after: " ")) | \(description(of: command))"
    }
    return Manual.head(
      .cache, "look after the cache of imgfetch",
      synopsis: commands.map { Manual.usage($0.words, Manual.operands(of: $0, after: ".")) }.joined())
      + Roff.paragraphs(
        """
        The cache is a folder that any number of runs use at the same time, without a daemon. All of these commands \
        are safe while other runs fetch. An entry is one file: it begins with the image's bytes, so that a viewer \
        can open it, and the metadata follows them.
        \(items.joined(separator: "\n"))
        """)
      + forms
      + Manual.options(Flag.all.filter { !$0.commands.isDisjoint(with: .cache) }, on: .cache, of: .cache)
      + Manual.environment([.cacheHome, .configHome, .terminal])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus(ExitCodes.ofCache)
      + Manual.examples([
        ("The size of the cache, for a script:", "imgfetch cache size | cut -f1"),
        ("Keep it small, once a week, from cron:", "0 4 * * 0 imgfetch cache clean --max-age 30d --max-size 1G"),
        ("Open the cached file in a viewer:", "xdg-open \"$(imgfetch cache path https://example.org/cat.jpg)\""),
        (
          "Revalidate every cached image:",
          "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"
        ),
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-config", 5), ("imgfetch-caching", 7)])
  }

  private static func description(of command: Command) -> String {
    switch command {
    case .cacheSize:
      "Prints the size of the cache: in words on a terminal, otherwise as bytes, a TAB and the number of entries."
    case .cacheClean:
      """
      Removes images that are older than --max-age and were not used for as long. If the rest is over --max-size, \
      the least recently used images are removed until the cache has half of that size. Prints the removed and the \
      remaining entries; if not on a terminal, as two lines of entries, a TAB and bytes. With --dry-run, lists the \
      entries that would go before that. While another process is cleaning, nothing is done.
      """
    case .cacheClear:
      """
      Removes everything in the namespace except downloads in progress. Prints the removed entries; if not on a \
      terminal, as entries, a TAB and bytes.
      """
    case .cacheRemove:
      """
      Removes images, with everything that was derived from them. A PATTERN without * is the URL of an image, with \
      https if it has no scheme, and so is one with * under which an image is cached. In any other, * stands for any \
      text, and without a scheme it is compared with the part of a key after the scheme. An image that is not in the \
      cache is ignored. Prints the removed entries, as clear does; with --dry-run, lists the entries that would go.
      """
    case .cacheInfo:
      """
      Prints all that is known of the cached image of a URL: its origin, the times at which it was stored, confirmed \
      and used, the time until which it is served without asking, with the rule for that, and what get would do now \
      under --cache and --max-age. Each line is a name and a value, as in --json but in words; if not on a terminal, \
      with a TAB between them.
      """
    case .cachePath:
      """
      Prints the path of the file that contains the image of URL. Without a URL, prints the path of the cache.
      """
    case .cacheList:
      """
      Prints a line for each entry, or for those that match a PATTERN (as in remove): key, size in bytes, times at \
      which it was stored and last used, media type, width, height; a dash marks a missing value. On a terminal \
      there are headings, the key comes last, and times are local, with their distance from UTC. Elsewhere TABs \
      separate the fields, and times are in UTC, as 2026-11-21T10:44:55Z. With --json, prints an object for each.
      """
    case .cacheAdd:
      """
      Puts FILE (- for standard input) into the cache as the image of URL, after inspecting it like a fetched one. \
      Prints the new entry as list does.
      """
    case .cacheVerify:
      """
      Reads every entry. --repair removes those that are damaged; those that cannot be read now stay. If not on a \
      terminal, prints a line for each damaged entry: its URL (a dash if that cannot be read either), a TAB and its \
      file.
      """
    default: ""
    }
  }

  /// The JSON forms of the commands' output.
  private static let forms =
    ".Ss Output with \\-\\-json\n"
    + [
      ("list prints an object for each entry, and add one for the new entry:", CacheFields.entry),
      ("info prints an object for each URL:", CacheFields.info),
      ("size prints an object with the first two of these fields, path one with the last:", CacheFields.measure),
      ("clean, clear and remove print an object of:", CacheFields.removal),
      ("verify prints an object of:", CacheFields.verification),
    ].map { Roff.paragraphs("\($0)\n\(ReportFields.items($1))") }.joined()

  /// imgfetch-inspect(1).
  static func inspect() -> String {
    Manual.head(
      .inspect, "print the format and size of image files, and whether they are complete",
      synopsis: Manual.usage("inspect", ".Ar"))
      + Roff.paragraphs(
        """
        imgfetch inspect reads files, standard input (-), the files in folders (-r) and the files that a list names \
        (-i), and checks them as imgfetch get checks its downloads: the bytes decide the format, and the file is \
        followed to its end. The formats are \(ImageFormat.namesInWords); PNG includes APNG. Pixels of some are \
        decoded by libraries that are loaded only for them, if they are installed: \
        \(ImageFormat.lateLibrariesInWords).

        A line is printed for each file, with TABs between its fields: the verdict, the media type, width and height, \
        frames, bytes, and the name. A dash stands for a missing value. The verdict is one of:
        + Cm whole | Nothing is wrong.
        + Cm flawed | Every pixel is there, but the file breaks a rule of its format; see --strict.
        + Cm damaged , truncated | Pixels are wrong or missing.
        + Cm unknown | A JPEG XL that does not tell where it ends, unless --verify decode has decoded all of it.
        + Cm too-large | It exceeds --max-pixels or --max-bytes.
        + Cm no-image | It is something else.
        + Cm unread | It cannot be read.

        \(inspectedFields)
        """)
      + Manual.options(Flag.taken(by: .inspect), on: .inspect)
      + Manual.environment([.configHome, .terminal])
      + Manual.files([Manual.configFile])
      + Manual.exitStatus(ExitCodes.ofInspect)
      + Manual.examples([
        ("Look at files:", "imgfetch inspect cat.jpg dog.png"),
        (
          "The names of damaged files:", "imgfetch inspect --json *.jpg | jq -r 'select(.whole | not) | .file'"
        ),
        ("Check all images of a folder:", "imgfetch inspect -r pictures | awk '$1 != \"whole\"'"),
        ("Look at a stream:", "curl -s https://example.org/cat.jpg | imgfetch inspect -"),
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-config", 5)])
  }

  /// The fields of `inspect --json`.
  private static let inspectedFields = """
    With --json one object is printed for each file, on one line, with these fields:
    * Cm file | The file as given.
    * Cm format | One of \(ImageFormat.allCases.map(\.rawValue).joined(separator: ", ")); null for anything else.
    * Cm mime | The media type.
    * Cm width , Cm height | In pixels, as stored.
    * Cm frames | The number of frames; 1 for a still image.
    * Cm bits | Bits of one channel.
    * Cm alpha | True if pixels may be transparent.
    * Cm orientation | The Exif orientation, 1 to 8; 1 (upright) if the file has none, null if it is not an image.
    * Cm bytes | The size of the file.
    * Cm whole | True if every pixel is there, as far as was inspected.
    * Cm flaws | The rules of its format that it breaks although every pixel is there; missing if there are none: \
    \(ReportFields.flaws)
    * Cm pixels | With --verify decode: a checksum of the pixels, the same for the same picture in another lossless \
    format.
    * Cm sha256 | With --checksum: the SHA-256 of the file.
    * Cm fingerprints , Cm exif | With --fingerprint and --exif: as imgfetch-get(1) has them; exif is missing if there \
    is none.
    * Cm error | Null, or what is wrong with it.
    """
}

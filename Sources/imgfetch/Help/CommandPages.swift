import ImgfetchCore

enum CommandPages {
  /// imgfetch-get(1), which also describes `prefetch`.
  static func get() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-get ,
      .Nm imgfetch-prefetch
      .Nd fetch images into files, or into the cache only
      .Sh SYNOPSIS
      .Nm "imgfetch get"
      .Op Ar options
      .Ar URL ...
      .Nm "imgfetch prefetch"
      .Op Ar options
      .Ar URL ...
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch get fetches each URL once, checks that the body is a complete image, keeps it in the cache and writes \
        it to a file in the working directory. A URL without :// begins with the host, and https is used; \
        s3://BUCKET/KEY is an object in a bucket, whose account imgfetch-remote(7) explains. An image that is in the cache and recent enough is served from there, without a request. imgfetch prefetch does the \
        same but writes no file; it takes all options except those for outputs and transforms.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A file is named after the last segment of its URL, made safe, with the extension that fits its bytes. If two \
        images want one name, the second one gets a dash and eight hex digits. A file appears complete or not at all.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        Names made from URLs are kept across runs. An extended attribute of a written file, user.imgfetch.key, \
        identifies its image: 16 bytes of the SHA-256 of the cache key, the hash (XXH3-128), size and time of \
        what was written, and whether that is an image, what a transform made of it, or a placeholder. It is trusted on the \
        user's own files, as long as size and time match. A file that belongs \
        to another URL is not replaced: this image gets the name with digits, now and in later runs. URLs that differ in http \
        and https alone have one file. A file that \
        belongs to this URL and has the hash is left as it is, without being read. When a URL's image changes its format, its \
        file under the old extension is removed.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A file without a valid attribute is not imgfetch's: it was there before, was copied without its attributes, or was \
        changed since. Whatever name is wanted, it is never replaced, except by --output and --overwrite; the image gets the \
        name with digits, and where what has that is not imgfetch's either, it fails (7). If it has the bytes of the image \
        already it is left as it is; --adopt makes it imgfetch's. Copy such folders with their attributes (cp -a, rsync -X, \
        tar --xattrs). Where a file system keeps no attributes, a file is imgfetch's if it has the bytes that the cache has, or \
        has had in one of the last eight versions.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A device, pipe or socket of that name is written to if it is the user's or root's, and not waited for; \
        --output writes to any. Folders below the output folder are not entered by other users' symbolic links.
        """)
      + Manual.options(Flag.taken(by: .get), of: .answering)
      + output()
      + Manual.environment([.cacheHome, .configHome, .proxies, .certificates, .terminal])
      + Manual.files([
        Manual.cacheFolder, Manual.configFile, (path: "~/.netrc", meaning: "Names and passwords for --netrc."),
      ])
      + Manual.exitStatus()
      + Manual.examples(getExamples)
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-inspect", 1), ("imgfetch-config", 5), ("imgfetch-remote", 7),
      ])
  }

  /// The result line, the JSON object and the summary, field by field.
  private static func output() -> String {
    var text = ".Ss The result line\n"
    text += Roff.text(
      """
      One line is printed for each URL, on standard output, as soon as it is done. On a terminal its columns are \
      aligned; elsewhere they are separated by one TAB, and - marks a missing value. A TAB, newline or backslash \
      within a field is written as \\t, \\n or \\\\. The columns are:
      """)
    text += Roff.list(ReportFields.line.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text(
      """
      To a pipe, lines are written in pieces of at most 4096 bytes that end with a line, so several processes can \
      share a pipe. If its reader goes away, which is checked each second, the run ends as after an interrupt, without \
      a message and with exit code 141: what was received is kept, and a script cannot mistake the list for done. Where \
      standard output was closed from the beginning, rows are not wanted, and the images are fetched all the same.
      """)
    text += ".Ss The end of a run\n"
    text += Roff.text(
      """
      After a list, on a terminal or if something failed, standard error has at most eight lines: how many images there \
      were, which hosts the failures are of, the five with the most, and what helps. Equal messages of a run are one line with \
      a count. SIGINT, SIGTERM and SIGHUP break off what is under way, keep its parts, print the summary and write the \
      report and the list of failures; a second signal ends the run at once, unless it comes within a tenth of a second. A \
      full disk ends the run, too.
      """)
    text += ".Ss JSON\n"
    text += Roff.text(
      "With --json one object is printed for each URL, on one line. It always has all of these fields, except those that may be missing, in this order:"
    )
    text += Roff.list(ReportFields.object.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("These fields are added on request:")
    text += Roff.list(ReportFields.extra.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("--write-out has these fields, too:")
    text += Roff.list(ReportFields.templates.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("The field error is null, or an object of:")
    text += Roff.list(ReportFields.error.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("The last object has one field, summary, an object of:")
    text += Roff.list(ReportFields.summary.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    return text
  }
}

extension CommandPages {
  /// EXAMPLES of imgfetch-get(1). A test runs each of them.
  private static let getExamples: [(text: String, lines: String)] = [
    ("Fetch an image; the second time it comes from the cache:", "imgfetch get https://example.org/cat.jpg"),
    (
      "A list with names, one image with a checksum:",
      """
      printf '%s\\t%s\\n' https://example.org/a.jpg first > list.txt
      imgfetch get -i list.txt -d pictures
      """
    ),
    (
      "From cron, every night: what changed is fetched anew, and the mail has only what is new, changed, or failed for the first time:",
      "15 3 * * * /usr/local/bin/imgfetch get --print new --cache refresh -d $HOME/pictures -i $HOME/list.txt --failed-list $HOME/again.txt"
    ),
    (
      "As a systemd service with a timer:",
      """
      # systemctl --user enable --now pictures.timer

      # ~/.config/systemd/user/pictures.service
      [Service]
      Type=oneshot
      ExecStart=/usr/local/bin/imgfetch get -q --cache refresh -d %h/pictures -i %h/list.txt

      # ~/.config/systemd/user/pictures.timer
      [Timer]
      OnCalendar=daily
      RandomizedDelaySec=1h
      Persistent=true

      [Install]
      WantedBy=timers.target
      """
    ),
    (
      "With xargs, although -i - does the same in one run:",
      "xargs -a list.txt imgfetch get -d pictures --"
    ),
    (
      "As a co-process in bash: one run that answers many requests, from memory if possible:",
      """
      coproc FETCH { imgfetch get -i - --json; }
      printf '%s\\n' https://example.org/cat.jpg >&"${FETCH[1]}"
      read -r answer <&"${FETCH[0]}"
      printf '%s\\n' "$answer" | jq -r .output
      """
    ),
    (
      "With GNU parallel, many machines and one list:",
      "parallel -S one,two,three imgfetch get -i list.txt --shard {}/3 ::: 1 2 3"
    ),
    (
      "As an array job of Slurm:",
      """
      #!/bin/sh
      #SBATCH --array=1-8
      exec imgfetch prefetch -q -i list.txt --shard "$SLURM_ARRAY_TASK_ID/8"
      """
    ),
    (
      "Retry what failed, three times at most; a run without failures removes the list:",
      """
      imgfetch get -i list.txt --failed-list again.txt
      for pause in 60 600 3600; do
          [ -s again.txt ] || break
          sleep "$pause"
          imgfetch get -i again.txt --failed-list again.txt
      done
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
}

extension CommandPages {
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
      safe while other runs fetch. An entry is one file: it begins with the image's bytes, so that a viewer can open \
      it, and the metadata follows them.
      """)
    page += Roff.list(
      commands.map { command in
        let operands = command.operands.isEmpty ? "" : " Ar " + Roff.argument(command.operands)
        return ("Cm " + (command.cacheWord ?? "") + operands, Roff.text(description(of: command)))
      })
    page += forms()
    return page
      + Manual.options(Flag.all.filter { !$0.commands.isDisjoint(with: .cache) }, of: .cache)
      + Manual.environment([.cacheHome, .configHome, .terminal])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus()
      + Manual.examples([
        ("How much it holds, for a script:", "imgfetch cache size | cut -f1"),
        ("Keep it small, once a week, from cron:", "0 4 * * 0 imgfetch cache clean --max-age 30d --max-size 1G"),
        ("Open the cached file in a viewer:", "xdg-open \"$(imgfetch cache path https://example.org/cat.jpg)\""),
        (
          "Revalidate every cached image:",
          "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"
        ),
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-config", 5)])
  }

  private static func description(of command: Command) -> String {
    switch command {
    case .cacheSize:
      "Prints how much the cache holds: in words on a terminal, otherwise as bytes, a TAB and the number of entries."
    case .cacheClean:
      "Removes images that are older than --max-age and were not used for as long. If the rest is over --max-size, the "
        + "least recently used images are removed until the cache has half of that size. Prints what was removed and what "
        + "is left; if not on a terminal, as two lines of entries, a TAB and bytes. While another process is cleaning, "
        + "nothing is done, and the exit code is 1."
    case .cacheClear:
      "Removes everything in the namespace except downloads in progress. Prints what was removed; if not on a terminal, "
        + "as entries, a TAB and bytes."
    case .cacheRemove:
      "Removes images, with everything that was derived from them. A PATTERN that is the URL of a cached image means that "
        + "one; otherwise a * in it stands for any text, and without a scheme it is compared with what follows that of a key. "
        + "What is not in the cache is ignored. Prints what was removed, as clear does; with --dry-run, what would go, as "
        + "list does."
    case .cacheInfo:
      "Prints all that is known of the cached image of a URL: from where, since when, until when it is served without "
        + "asking its origin and by which rule, whether its origin has it no more, and what get would do now, under "
        + "--cache and --max-age. A name and a value a line; if not on a terminal, with a TAB between. Exits with 6 if it "
        + "is not in the cache."
    case .cachePath:
      "Prints the path of the file that contains the image of URL; exits with 6 if there is none. Without a URL, prints "
        + "the path of the cache."
    case .cacheList:
      "Prints a line for each entry, or for those that a PATTERN means, as remove has it: key, size in bytes, when it was stored, when it was last used, media type, width, "
        + "height; a dash marks a missing value. On a terminal times are local, with their distance from UTC. If not on a "
        + "terminal, the fields are separated by TABs, and times are in UTC, as 2026-11-21T10:44:55Z. With --json, prints an object for each."
    case .cacheAdd:
      "Puts FILE (- for standard input) into the cache as the image of URL, after inspecting it like a fetched one. "
        + "Prints the new entry as list does."
    case .cacheVerify:
      "Reads every entry. Exits with 5 if one is damaged; --repair removes such entries. If not on a terminal, prints a "
        + "line for each damaged entry: its URL (a dash if that cannot be read either), a TAB and its file."
    default: ""
    }
  }

  /// The JSON forms of the commands' output.
  private static func forms() -> String {
    func list(_ fields: [ReportFields.Field]) -> String {
      Roff.list(fields.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    }
    return ".Ss What is printed with \\-\\-json\n"
      + Roff.text("list prints an object for each entry, and add one for the new entry:")
      + list(CacheFields.entry)
      + Roff.text("info prints an object for each URL:") + list(CacheFields.info)
      + Roff.text("size prints an object with the first two of these fields, path one with the last:")
      + list(CacheFields.measure)
      + Roff.text("clean, clear and remove print an object of:") + list(CacheFields.removal)
      + Roff.text("verify prints an object of:") + list(CacheFields.verification)
  }
}

extension CommandPages {
  /// imgfetch-inspect(1).
  static func inspect() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-inspect
      .Nd print the format and size of image files, and whether they are complete
      .Sh SYNOPSIS
      .Nm "imgfetch inspect"
      .Op Ar options
      .Ar
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch inspect reads each file, or standard input for -, with -r what is in folders, and with -i the files that a \
        list names, and inspects it as imgfetch get inspects what it fetches: the bytes decide the format, and the container is walked to its end. A line begins with whole, flawed \
        (every pixel is there, but a rule of the format is broken), damaged, truncated, unknown (a JPEG XL that does not tell \
        where it ends, unless --verify decode has seen all of it), too-large, no-image or unread. \
        The formats are \(ImageFormat.namesInWords); PNG includes APNG. Pixels of some are decoded by libraries that are \
        loaded for that alone, where they are installed: \(ImageFormat.lateLibrariesInWords).
        """)
      + ".Pp\n"
      + Roff.text("With --json one object is printed for each file, on one line, with these fields:")
      + Roff.list([
        (tag: "Cm file", body: Roff.text("The file as given.")),
        (
          tag: "Cm format",
          body: Roff.text(
            "One of \(ImageFormat.allCases.map(\.rawValue).joined(separator: ", ")); null for anything else.")
        ),
        (tag: "Cm mime", body: Roff.text("The media type.")),
        (tag: "Cm width , Cm height", body: Roff.text("In pixels, as stored.")),
        (tag: "Cm frames", body: Roff.text("The number of frames; 1 for a still image.")),
        (tag: "Cm bits", body: Roff.text("Bits of one channel.")),
        (tag: "Cm alpha", body: Roff.text("Whether pixels may be transparent.")),
        (
          tag: "Cm orientation",
          body: Roff.text("The Exif orientation, 1 to 8; 1 (upright) if the file has none, null if it is not an image.")
        ),
        (tag: "Cm bytes", body: Roff.text("The size of the file.")),
        (tag: "Cm whole", body: Roff.text("Whether every pixel is there, as far as was inspected.")),
        (
          tag: "Cm flaws",
          body: Roff.text(
            "The rules of its format that it breaks although every pixel is there; missing if there are none: "
              + ReportFields.flaws)
        ),
        (
          tag: "Cm pixels",
          body: Roff.text(
            "With --verify decode: a checksum of the pixels, the same for the same picture in another lossless format."
          )
        ),
        (tag: "Cm sha256", body: Roff.text("With --checksum: the SHA-256 of the file.")),
        (
          tag: "Cm fingerprints , Cm exif",
          body: Roff.text(
            "With --fingerprint and --exif: as imgfetch-get(1) has them; exif is missing if there is none.")
        ),
        (tag: "Cm error", body: Roff.text("Null, or what is wrong with it.")),
      ])
      + Manual.options(Flag.taken(by: .inspect), of: .inspect)
      + Manual.environment([.configHome, .terminal])
      + Manual.files([Manual.configFile])
      + Manual.exitStatus()
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
}

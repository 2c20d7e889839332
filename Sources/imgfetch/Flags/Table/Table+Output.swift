extension Flag {
  /// The fields of `--name`.
  static let nameFields = ["name", "ext", "host", "path", "key", "index", "width", "height", "format"]

  /// Those that may have zeros in front.
  static let nameNumbers = ["index"]

  /// Where images go, and what becomes of those that cannot be had.
  static let output: [Flag] = [
    Flag(
      .outputDir, "output-dir", short: "d", .value(placeholder: "DIR", kind: .folder),
      unset: "the working directory", on: .get, .output,
      help: "write into DIR, made if missing",
      more: "Images are written into DIR, which is made if it is missing. Without it they go to the working directory.",
      example: "imgfetch get -d pictures https://example.org/cat.jpg"),
    Flag(
      .output, "output", short: "o", .value(placeholder: "FILE", kind: .file), unset: "named after the URL", on: .get,
      .output, excludes: [.outputDir, .name, .input],
      help: "write the one image to FILE (-: stdout)",
      more: """
        Writes the image to FILE; for one URL. The name is taken as it is, whatever the format. With - the bytes go to \
        standard output; there is then no result line, and errors go to standard error. A device, pipe or socket is \
        written straight; anything else appears whole or not at all.
        """,
      example: "imgfetch get -o - https://example.org/cat.jpg | identify -"),
    Flag(
      .name, "name", .value(placeholder: "TEMPLATE", kind: .template(fields: nameFields)),
      unset: "the URL's last segment", on: .get, .output,
      help: "name files by fields in braces ({host}/{name})",
      more: """
        Names the files: {name} and {ext} are the name's stem and the extension that fits the bytes, {host} and {path} \
        come from the URL, {key} is the hash of the cache key in hex, {index} counts from 1 ({index:04} with at \
        least four digits), {width}, {height} and {format} are the image's. The result may hold / and never climbs out of the output folder.
        """,
      example: "imgfetch get --name '{host}/{key}.{ext}' -i list.txt"),
    Flag(
      .clobber, "clobber", standard: "true", on: .get, .output,
      help: "keep files that are there, make no request",
      more: """
        By default a file that is there is replaced, unless it holds the same bytes already: then it is left untouched, \
        so that make and rsync see nothing new. With --no-clobber a file of that stem with any accepted extension is \
        kept and no request is made. In either case another URL's image, written by an earlier run under a name that was \
        made of its URL, is left to it: this image gets a name with digits.
        """),
    Flag(
      .overwrite, "overwrite", on: .get, .output,
      help: "replace other URLs' files of earlier runs",
      more: """
        A written file carries the key of its image, in an extended attribute. Where a file that an earlier run or \
        another process wrote for another URL has the name that a URL's image would get, the image gets a name with \
        digits, and keeps it in later runs. With --overwrite it replaces that file. Files that were named by -o, by a \
        line of the list, or by a --name without {name}, {path} and {key} are replaced anyhow.
        """,
      example: "imgfetch get --overwrite -d today -i list.txt"),
    Flag(
      .placeholder, "placeholder", .value(placeholder: "FILE", kind: .file), unset: "none", on: .get, .output,
      help: "write FILE where an image cannot be had",
      more: """
        FILE is written in the place of an image that could not be had, unless a file of that stem with any accepted \
        extension is there already. The exit code still tells of the failure.
        """),
    Flag(
      .remoteTime, "remote-time", on: .get, .output,
      help: "set file times from Last-Modified",
      more: "Sets the time of a written file to the Last-Modified of the response, where it has one."),
    Flag(
      .failedList, "failed-list", .value(placeholder: "FILE", kind: .file), unset: "none", on: .fetching, .output,
      help: "write lines that failed or were not tried",
      more: """
        The lines that failed are written to FILE as they were given, and after an interrupt or --fail-fast those that \
        were not tried: of a file all that is left, of a pipe what still comes within a second. FILE is meant to be the \
        next run's --input. It is readable by its owner alone and begins with a comment, by which a later run knows it: \
        a run that has had every line removes such a FILE, and leaves any other alone, with a warning. FILE takes its \
        name at the end of the run, so it may be the list that is read, though not together with --shard.
        """,
      example: "imgfetch get -i list.txt --failed-list again.txt"),
    Flag(
      .failFast, "fail-fast", on: .fetching, .output,
      help: "stop at the first failure",
      more: "Stops at the first image that cannot be had; running downloads are broken off and keep what they have."),
  ]
}

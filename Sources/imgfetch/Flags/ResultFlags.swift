import ImgfetchCore

enum ResultFlags {
  /// Which images to fetch: the list, and which hosts may be asked.
  static let selection: [Flag] = [
    Flag(
      .input, "input", short: "i", .file { $0.list.inputs.append($1) }, unset: "none", repeatable: true,
      on: .fetching, from: .commandLine, .selection,
      help: "read URLs from FILE, one a line (-: stdin)",
      details: """
        Reads the images to fetch from FILE, one a line, after those on the command line; - is standard input. The list \
        is read as a stream: a line is fetched when it arrives, so a script can keep one imgfetch running and feed it. \
        A line is a URL, or a URL, a TAB and the name to write; further TAB-separated fields may follow: priority=high \
        or priority=low, sha256=HEX (checked), mirror=URL, id=TEXT (comes back in the row), stem=TEXT (the name without \
        its extension, which follows the bytes). Blank lines and lines that begin with # are passed over, and so is a \
        carriage return at the end of a line. A line that makes no sense fails like an image that cannot be had, as \
        refused, and the others are fetched.
        """,
      example: "imgfetch get -i list.txt -d pictures"),
    Flag(
      .null, "null", short: "0", .toggle { $0.list.isNullEnded = $1 }, on: .fetching, .selection,
      help: "records of --input end in NUL, not newline",
      details: """
        The records of --input end in a NUL byte, as find -print0 and imgfetch cache list --print0 write \
        them; those of --failed-list too.
        """),
    Flag(
      .shard, "shard", .value("K/N", Values.shard) { $0.list.shard = $1 }, unset: "all", on: .fetching, .selection,
      help: "only part K of N of the list",
      details: """
        Fetches only the images whose key falls into part K of N, counted from 1. The parts are decided by the key \
        alone: many machines that run one list with 1/N to N/N fetch every image once.
        """,
      example: "imgfetch get -i list.txt --shard 3/8"),
    Flag(
      .allowHost, "allow-host", .value("PATTERN", Values.hostPattern) { $0.fetch.allowedHosts.append($1) },
      unset: "every host", repeatable: true, on: .fetching, .selection,
      help: "ask only hosts that match (*.example.org)",
      details: """
        Only hosts that match one of the patterns are asked; any other is refused with exit code 8. In a pattern * \
        stands for any characters and ? for one. Asked before each request and before each redirect, and of each host \
        by way of which an image in the cache came.
        """,
      example: "imgfetch get --allow-host example.org --allow-host '*.example.org' -i list.txt"),
    Flag(
      .denyHost, "deny-host", .value("PATTERN", Values.hostPattern) { $0.fetch.deniedHosts.append($1) },
      unset: "no host", repeatable: true, on: .fetching, .selection,
      help: "never ask hosts that match",
      details: """
        Hosts that match one of the patterns are refused with exit code 8, also where --allow-host allows them. Asked \
        before each request and before each redirect, and of each host by way of which an image in the cache came.
        """),
    Flag(
      .denyPrivate, "deny-private", .toggle { $0.fetch.publicAddressesOnly = $1 }, on: .fetching, .selection,
      help: "refuse addresses that are not public",
      details: """
        Refuses every address that is not globally reachable by IANA's special-purpose registries (loopback, private \
        and link-local networks, and IPv6 addresses that wrap such a one), judged when the connection opens and again \
        when it is reused. For lists that come from strangers. It cannot be kept through a proxy, so the two together \
        are an error. What the cache holds from such an address is not delivered, and what it does not know the address \
        of (it came through a proxy, or an older version stored it) is asked about again. Without it, a redirect may \
        still not lead from a public address to one that is not.
        """),
  ]

  /// Where images go, and what is done when one fails.
  static let output: [Flag] = [
    Flag(
      .outputDir, "output-dir", short: "d", .folder { $0.output.folder = $1 },
      unset: "the working directory", on: .get, .output,
      help: "write into DIR, made if missing",
      details:
        "Images are written into DIR, which is made if it is missing. Without it they go to the working directory.",
      example: "imgfetch get -d pictures https://example.org/cat.jpg"),
    Flag(
      .output, "output", short: "o", .file { $0.output.single = OutputSettings.Destination($1) },
      unset: "named after the URL", on: .get, .output, excludes: [.outputDir, .name, .input],
      help: "write the one image to FILE (-: stdout)",
      details: """
        Writes the image to FILE; for one URL. The name is taken as it is, whatever the format. With - the bytes go to \
        standard output; there is then no result line, and errors go to standard error. A device, pipe or socket is \
        written straight; anything else appears whole or not at all.
        """,
      example: "imgfetch get -o - https://example.org/cat.jpg | identify -"),
    Flag(
      .name, "name", .value("TEMPLATE", Templates.name) { $0.output.nameTemplate = $1 },
      unset: "the URL's last segment", on: .get, .output,
      help: "name files by fields in braces ({host}/{name})",
      details: """
        Names the files: {name} and {ext} are the name's stem and the extension that fits the bytes, {host} and {path} \
        come from the URL, {key} is the hash of the cache key in hex, {index} counts from 1 ({index:04} with at \
        least four digits), {width}, {height} and {format} are the image's. The result may hold / and never climbs out of the output folder.
        """,
      example: "imgfetch get --name '{host}/{key}.{ext}' -i list.txt"),
    Flag(
      .clobber, "clobber", .toggle { $0.output.clobber = $1 }, default: "true", on: .get, .output,
      help: "keep files that are there, make no request",
      details: """
        By default a file that is there is replaced, unless it holds the same bytes already: then it is left untouched, \
        so that make and rsync see nothing new. With --no-clobber a file of that stem with any accepted extension is \
        kept and no request is made. In either case another URL's image, written by an earlier run under a name that was \
        made of its URL, is left to it: this image gets a name with digits.
        """),
    Flag(
      .overwrite, "overwrite", .toggle { $0.output.overwrite = $1 }, on: .get, .output,
      help: "replace other URLs' files of earlier runs",
      details: """
        A written file carries the key of its image, in an extended attribute. Where a file that an earlier run or \
        another process wrote for another URL has the name that a URL's image would get, the image gets a name with \
        digits, and keeps it in later runs. With --overwrite it replaces that file. Files that were named by -o, by a \
        line of the list, or by a --name without {name}, {path} and {key} are replaced anyhow.
        """,
      example: "imgfetch get --overwrite -d today -i list.txt"),
    Flag(
      .placeholder, "placeholder", .file { $0.output.placeholder = $1 }, unset: "none", on: .get, .output,
      help: "write FILE where an image cannot be had",
      details: """
        FILE is written in the place of an image that could not be had, unless a file of that stem with any accepted \
        extension is there already. The exit code still tells of the failure.
        """),
    Flag(
      .remoteTime, "remote-time", .toggle { $0.output.remoteTime = $1 }, on: .get, .output,
      help: "set file times from Last-Modified",
      details: "Sets the time of a written file to the Last-Modified of the response, where it has one."),
    Flag(
      .failedList, "failed-list", .file { $0.output.failedList = $1 }, unset: "none", on: .fetching, .output,
      help: "write lines that failed or were not tried",
      details: """
        The lines that failed are written to FILE as they were given, and after an interrupt or --fail-fast those that \
        were not tried: of a file all that is left, of a pipe what still comes within a second. FILE is meant to be the \
        next run's --input. It is readable by its owner alone and begins with a comment, by which a later run knows it: \
        a run that has had every line removes such a FILE, and leaves any other alone, with a warning. FILE takes its \
        name at the end of the run, so it may be the list that is read, though not together with --shard.
        """,
      example: "imgfetch get -i list.txt --failed-list again.txt"),
    Flag(
      .failFast, "fail-fast", .toggle { $0.output.failFast = $1 }, on: .fetching, .output,
      help: "stop at the first failure",
      details: "Stops at the first image that cannot be had; running downloads are broken off and keep what they have."),
  ]

  /// Which images are accepted.
  static let image: [Flag] = [
    Flag(
      .verify, "verify", .choice("LEVEL", Verification.self) { $0.fetch.verification = $1 },
      default: "structure", on: [.fetching, .inspect, .cacheAdd], .image,
      help: "none, structure or decode",
      details: """
        How closely a body is looked at before it is believed. structure walks the container to its end mark: a \
        truncated image, or a web page under an image's name, never reaches the cache or a file. decode decodes every \
        pixel. none takes any body. Cached images are held to it too.
        """),
    Flag(
      .sandbox, "sandbox", .toggle { $0.isSandboxed = $1 }, default: "true", on: [.fetching, .inspect, .cacheAdd],
      .image,
      help: "decode in this process, without protection",
      details: """
        Where pixels are decoded, under --verify decode and for transforms, that is done in helper processes that reach no \
        file, no network and no other process: a flaw in a codec is then a failure of that one image. Where the kernel cannot \
        shut them in, nothing is decoded (exit code 7). --no-sandbox decodes in this process, with a warning.
        """),
    Flag(
      .maxPixels, "max-pixels", .value("COUNT", Values.size) { $0.fetch.maximumPixels = Int64($1) }, default: "256M",
      on: [.fetching, .inspect, .cacheAdd], .image,
      help: "refuse larger images (pixels x frames)",
      details:
        "Images of more pixels, over all frames, are refused as soon as their header shows it, before anything is allocated."
    ),
    Flag(
      .minSize, "min-size",
      .value("WxH", Values.dimensions) {
        ($0.fetch.filter.minimumWidth, $0.fetch.filter.minimumHeight) = ($1.width, $1.height)
      }, unset: "any", on: .fetching, .image,
      help: "refuse smaller images",
      details: "Images that are narrower or lower are refused with exit code 5.",
      example: "imgfetch get --min-size 320x240 -i list.txt"),
    Flag(
      .maxAspect, "max-aspect", .value("RATIO", Values.ratio) { $0.fetch.filter.maximumAspect = $1 }, unset: "any",
      on: .fetching, .image,
      help: "refuse longer shapes (3, or 16:9)",
      details: "Images whose longer side is more than RATIO times the shorter one are refused with exit code 5."),
    Flag(
      .onlyFormat, "only-format",
      .choices("LIST", Choices.Format.self) { $0.fetch.filter.formats = Set($1.map(\.format)) }, unset: "all",
      on: .fetching, .image,
      help: "jpeg, png, apng, gif, webp",
      details: "Images of other formats are refused with exit code 5. The bytes decide, not the name.",
      example: "imgfetch get --only-format jpeg,png -i list.txt"),
  ]

  /// What is done to the pixels of an output, in the order given. From the command line only.
  static let transform: [Flag] = [
    Flag(
      .resize, "resize", .value("SIZE", Values.resizing) { $0.transform.steps.append(.resize(Resize($1))) },
      unset: "as it is", step: true, on: .get, from: .commandLine, .transform,
      help: "WxH, Wx, xH or N%",
      details: "Resizes the image to a box (see --fit), to a width, to a height, or by a percentage.",
      example: "imgfetch get --resize 256x256 --convert jpeg https://example.org/cat.png"),
    Flag(
      .fit, "fit", .choice("HOW", Resize.Fit.self) { $0.fit = $1 }, default: "inside", on: .get,
      from: .commandLine, .transform,
      help: "inside, cover, fill or down",
      details: """
        How the image meets the box of --resize. inside: as large as fits. cover: the box is covered, what juts out is \
        cut off. fill: both sides exactly, the shape may change. down: as inside, but only ever smaller.
        """),
    Flag(
      .crop, "crop", .value("AREA", Values.cropping) { $0.transform.steps.append(.crop($1)) }, unset: "none",
      step: true, on: .get,
      from: .commandLine, .transform,
      help: "cut out WxH or WxH+X+Y",
      details: "Cuts out an area of WxH: from the middle, or with +X+Y from that corner."),
    Flag(
      .autoOrient, "auto-orient", .toggle { if $1 { $0.transform.steps.append(.autoOrient) } }, step: true, on: .get,
      from: .commandLine, .transform,
      help: "turn the pixels as the Exif tag says",
      details:
        "Turns the pixels as the image's Exif orientation says. Without it they are not turned, and the tag stays."),
    Flag(
      .flip, "flip", .choice("AXIS", Choices.Flip.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .get, from: .commandLine, .transform,
      help: "h (left to right) or v (top to bottom)",
      details: "Mirrors the image: h swaps left and right, v top and bottom."),
    Flag(
      .rotate, "rotate", .choice("DEGREES", Choices.Rotation.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .get, from: .commandLine, .transform,
      help: "90, 180 or 270, clockwise",
      details: "Turns the image clockwise."),
    Flag(
      .convert, "convert", .choice("FORMAT", Choices.Target.self) { $0.transform.target = $1.target }, default: "same",
      on: .get, from: .commandLine, .transform,
      help: "jpeg, png, webp or same",
      details: """
        The format that is written. same keeps the one that came. Animations stay what they are in PNG (as APNG), WebP and GIF, and \
        become their first frame in JPEG. A lossless WebP stays lossless unless --quality is given.
        """),
    Flag(
      .quality, "quality", .value("N", Values.count(1...100)) { $0.transform.quality = $1 }, unset: "85, WebP 80",
      on: .get, from: .commandLine, .transform,
      help: "quality of JPEG and WebP, 1 to 100",
      details: "The quality of JPEG and lossy WebP, from 1 to 100. From 90 on, JPEG keeps colours at full size."),
    Flag(
      .background, "background", .value("COLOUR", Values.colour) { $0.transform.background = $1 }, default: "white",
      on: .get, from: .commandLine, .transform,
      help: "under alpha that becomes JPEG (#rrggbb)",
      details:
        "What shows through where an image with transparency becomes a JPEG: #rrggbb, #rgb or one of the basic names."),
    Flag(
      .strip, "strip", .toggle { $0.transform.strips = $1 }, on: .get, from: .commandLine, .transform,
      help: "drop metadata; colours become sRGB",
      details: """
        Drops the metadata; colours are converted to sRGB first. Otherwise Exif and colour profile go along with what is made, where \
        its format can hold them.
        """),
    Flag(
      .firstFrame, "first-frame", .toggle { $0.transform.takesFirstFrame = $1 }, on: .get, from: .commandLine,
      .transform,
      help: "take only the first frame",
      details: "Takes only the first frame of an animation."),
  ]

  /// What is printed about each image, and the progress display.
  static let report: [Flag] = [
    Flag(
      .ordered, "ordered", .toggle { $0.report.ordered = $1 }, on: .fetching, .report,
      help: "results in the order of the input",
      details: "Prints results in the order of the input. By default each is printed as soon as it is done."),
    Flag(
      .json, "json", .toggle { $0.report.isJSON = $1 }, on: [.fetching, .inspect, .cache], .report,
      help: "print JSON, one object a line",
      details: "Prints one JSON object a line, and as a last one, for get and prefetch, the summary of the run.",
      example: "imgfetch get --json -i list.txt | jq -r 'select(.error) | .url'"),
    Flag(
      .jsonHeaders, "json-headers",
      .toggle { ($0.report.jsonHeaders, $0.report.isJSON) = ($1, $1 || $0.report.isJSON) }, on: .fetching, .report,
      help: "with the response's header fields",
      details:
        "Adds to each --json object the header fields of the response, as pairs of name and value. Implies --json."),
    Flag(
      .checksum, "checksum", .toggle { $0.report.checksum = $1 }, on: .fetching, .report,
      help: "with the SHA-256 of what was delivered",
      details: "Adds the SHA-256 of the delivered bytes to each --json object, and as {sha256} to --write-out."),
    Flag(
      .writeOut, "write-out", short: "w", .value("TEMPLATE", Templates.report) { $0.report.writeOut = $1 },
      unset: "the result line", on: .fetching, .report, excludes: [.json, .jsonHeaders],
      help: "print fields in braces for each image",
      details: """
        Prints TEMPLATE for each image, in place of the result line: the field names of --json in braces, \\n for a \
        newline and \\t for a TAB. {width:04} is a number with at least four digits. Nothing is added at the end.
        """,
      example: "imgfetch get -w '{cache} {url}\\n' -i list.txt"),
    Flag(
      .report, "report", .file { $0.report.file = $1 }, unset: "none", on: .fetching, .report,
      help: "write all rows to FILE too, as JSON",
      details: """
        Writes the rows and the summary to FILE, as --json prints them, whatever standard output shows. The file takes \
        its name at the end of the run, also of one that is interrupted: then its summary has complete as false. A FILE \
        that cannot be written is exit code 7, before anything is fetched where that can be seen.
        """,
      example: "imgfetch get -q -d pictures -i list.txt --report rows.jsonl"),
    Flag(
      .print, "print", .choice("WHICH", Choices.Printing.self) { $0.report.printing = $1 }, default: "all",
      on: .fetching, .report,
      help: "all, or new: only what changed",
      details: "new prints only what was downloaded or changed, and failures: cron then mails only when there is news."),
    Flag(
      .exitZero, "exit-zero", .toggle { $0.report.exitsZero = $1 }, on: .fetching, .report,
      help: "images that fail are rows, not the exit code",
      details: """
        Images that fail do not change the exit code, for programs that read the rows. What kept the list from being \
        done still does: a list that cannot be read, an interrupt, results that cannot be written, and with --fail-fast \
        the failure that ended the run.
        """,
      example: "imgfetch prefetch --json --exit-zero -i list.txt"),
    Flag(
      .progress, "progress", .choice("HOW", Choices.Progress.self) { $0.report.progress = $1 }, default: "auto",
      on: .fetching, .report,
      help: "auto, bar, plain, json or none",
      details: """
        Progress on standard error. auto: bars on a terminal, else none. bar: one for each download and one for all. \
        plain: a line every few seconds. json: for a program, an object a line: each second and at the end progress, an object \
        of done, failed, total, bytes, bytes_per_second, seconds_left and flights; between them each message as error, warning \
        or note, which is a text.
        """),
  ]

  /// Options of single `cache` commands. They cannot be configured: a forgotten line must neither repair a cache nor spare one.
  static let maintenance: [Flag] = [
    Flag(
      .exact, "exact", .toggle { $0.cache.isExact = $1 }, on: .cacheSize, from: .commandLine, .maintenance,
      help: "count by walking the cache",
      details: "Counts by walking the cache, and puts the ledger right. By default the ledger answers at once."),
    Flag(
      .dryRun, "dry-run", .toggle { $0.cache.isDryRun = $1 }, on: .cacheClean, from: .commandLine, .maintenance,
      help: "say what would go, remove nothing",
      details: "Says what would be removed, and removes nothing."),
    Flag(
      .repair, "repair", .toggle { $0.cache.repairs = $1 }, on: .cacheVerify, from: .commandLine, .maintenance,
      help: "remove what is damaged",
      details: "Removes the entries that are damaged."),
    Flag(
      .print0, "print0", .toggle { $0.cache.printsKeysOnly = $1 }, on: .cacheList, from: .commandLine, .maintenance,
      help: "keys only, each ended by NUL",
      details: "Prints the keys alone, each ended by a NUL byte, for xargs -0 and imgfetch get -0 -i -.",
      example: "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"),
  ]

  /// The options of every command.
  static let general: [Flag] = [
    Flag(
      .quiet, "quiet", short: "q", .toggle { $0.messages.quiet = $1 }, on: .everywhere, .general, replaces: [.verbose],
      help: "print errors only",
      details: """
        Prints errors only, and a line for each of what the owner of the cache must know: that old images were served, that there \
        is no cache where one was meant, that it cannot be written. Rows that --json or --write-out asks for are printed all the \
        same; with --json what a row tells is not said on standard error.
        """),
    Flag(
      .verbose, "verbose", short: "v", .counter { $0.messages.verbosity = $1 }, on: .everywhere, .general,
      replaces: [.quiet],
      help: "say why; twice: with header fields",
      details: "Says why each decision about a cache fell as it did; -vv adds the header fields. Secrets are masked."),
    Flag(
      .color, "color", .choice("WHEN", Choices.Color.self) { $0.messages.color = $1 }, default: "auto",
      on: .everywhere, .general,
      help: "auto, always or never",
      details: "Colour in what is printed. auto: on a terminal, unless NO_COLOR is set or TERM is dumb."),
    Flag(
      .config, "config", .file { _, _ in }, unset: "$XDG_CONFIG_HOME/imgfetch/config",
      on: .everywhere, from: .environment, .general,
      help: "read this configuration file",
      details: """
        Reads the configuration from FILE, which must be there. By default it is $XDG_CONFIG_HOME/imgfetch/config, or \
        ~/.config/imgfetch/config where that variable is not set, if there is such a file. With --no-config none is \
        read.
        """),
    Flag(
      .help, "help", short: "h", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "-h: this summary; --help: everything",
      details: "-h prints a summary, --help explains every option."),
    Flag(
      .version, "version", short: "V", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "print the version",
      details: "Prints the version, the formats it reads and writes, and the libraries it was built with."),
  ]
}

import ImgfetchCore

enum ResultFlags {
  /// Output files, and the handling of failures.
  static let output: [Flag] = [
    Flag(
      .outputDir, "output-dir", short: "d",
      .value("DIR|URL", Values.place, completing: .folders) { $0.output.folder = $1 },
      unset: "the working directory", on: .writing, .output, secret: .url,
      help: "write into DIR, which is made if missing",
      details: """
        Writes images into DIR, which is made if it is missing. DIR may also be a place: s3://BUCKET/PREFIX, or an \
        http or https URL of a web server that takes PUT and MOVE; see imgfetch-remote(7).
        """,
      example: "imgfetch get -d pictures https://example.org/cat.jpg"),
    Flag(
      .output, "output", short: "o", .file { $0.output.single = OutputSettings.Destination($1) },
      unset: "named after the URL", on: .get, .output, excludes: [.outputDir, .name],
      help: "write the one image to FILE (-: stdout)",
      details: """
        Writes the image of a single URL to FILE, whose name is not changed. Missing folders are made, and an existing \
        FILE is replaced. With -, the bytes go to standard output, without a row; --framed takes any number of URLs \
        there. A device, pipe or socket is written directly; any other file appears complete or not at all.
        """,
      example: "imgfetch get -o cat.jpg https://example.org/cat"),
    Flag(
      .name, "name", .value("TEMPLATE", Templates.name) { $0.output.nameTemplate = $1 },
      unset: "the URL's last segment", on: .get, .output,
      help: "name files by a template ({host}/{name})",
      details: """
        Names the files by a template. {name} and {ext} are the URL's last segment without its extension, and the \
        extension that fits the bytes. {host}, {path} (its folders) and {query} are parts of the URL, and {key} is the \
        hash of the cache key in hex. A template that ends in a folder {path} goes on with /{name}.{ext}. {index} \
        counts from 1 ({index:04} with at least four digits), {line} is the line's number in its list, {id} the text \
        of its field id=, and {date} the day on which the run began (2026-11-26). {width}, {height} and {format} are \
        the image's, {sha256} is the checksum of the written bytes, and {thumbhash}, {blurhash}, {dhash} and {phash} \
        are its fingerprints, with - and _ for + and / in a thumbhash. The result may contain / and never leads out of \
        the output folder.
        """,
      example: "imgfetch get --name '{host}/{key}.{ext}' -i list.txt"),
    Flag(
      .clobber, "clobber", .toggle { $0.output.clobber = $1 }, default: "true", on: .get, .output,
      help: "keep existing files, without a request",
      details: """
        Keeps an existing file of an image's name, with the extension of any format, and makes no request for the \
        image. A placeholder does not count. By default imgfetch replaces its own files whose images have changed, \
        leaves those alone that have the same bytes, and never replaces a file that it did not write: see \
        imgfetch-files(7).
        """,
      example: "imgfetch get --no-clobber -d pictures -i list.txt"),
    Flag(
      .adopt, "adopt", .toggle { $0.output.adopts = $1 }, on: .get, .output, excludes: [.output],
      help: "take over files that have the same bytes already",
      details: """
        Marks existing files that have the bytes of their images as imgfetch's, so that later runs update them. Use it \
        for folders that were copied without their attributes, as by cp -r, zip or git. By default such files are left \
        as they are.
        """,
      example: "imgfetch get --adopt -d pictures -i list.txt"),
    Flag(
      .overwrite, "overwrite", .toggle { $0.output.overwrite = $1 }, on: .get, .output,
      help: "replace any file that has the name",
      details: """
        Replaces any file that has the name of an image: another image's from an earlier run, one that imgfetch did \
        not write, and one that was edited. By default the file is kept, and the image gets a name with digits. The \
        bytes of existing files are compared even if their marks say that they are unchanged.
        """,
      example: "imgfetch get --overwrite -d today -i list.txt"),
    Flag(
      .placeholder, "placeholder", .file { $0.output.placeholder = $1 }, unset: "none", on: .get, .output,
      help: "write FILE in place of an image that failed",
      details: """
        Writes a copy of FILE in place of an image that could not be fetched, unless a file of that name exists with \
        the extension of any format. The exit code still reports the failure. A later run that gets the image replaces \
        the copy.
        """),
    Flag(
      .remoteTime, "remote-time", .toggle { $0.output.remoteTime = $1 }, on: .get, .output,
      help: "set file times from Last-Modified",
      details: "Sets a file's time to its Last-Modified, where that can be done. By default it is that of writing."),
    Flag(
      .xattr, "xattr", .toggle { $0.output.setsAttributes = $1 }, on: .get, .output,
      help: "note origin and type in extended attributes",
      details: """
        Writes the origin of a file into its extended attributes, as curl and wget do: the URL that answered, without \
        user info, as user.xdg.origin.url, and the media type as user.mime_type. On a file system without attributes \
        nothing is written, without an error.
        """),
    Flag(
      .contentDisposition, "content-disposition", .toggle { $0.output.takesServersName = $1 }, on: .get, .output,
      excludes: [.output, .name],
      help: "take the name that the server gives",
      details: """
        Names a file as the server does in Content-Disposition. The name is made safe like one from a URL: a single \
        component, with the extension of its bytes. Names from lines of the list come first. Since the name is known \
        only when the answer comes, --no-clobber makes the request.
        """,
      example: "imgfetch get --content-disposition 'https://example.org/download?id=7'"),
    Flag(
      .prune, "prune", .choice("WHICH", Choices.PruneLimit.self) { $0.output.prune = $1 }, unset: "nothing is removed",
      implied: "half", on: .get, .output, excludes: [.output, .shard], respects: [.shard],
      help: "remove files that no line of the list wants",
      details: """
        Removes, after a complete run, the files of the output folder and of those below it that imgfetch wrote and \
        whose images no line of the list names. Other files stay. --prune alone is --prune=half: nothing is removed if \
        more than half of imgfetch's files there would go, as when a list was cut short; --prune=all removes any \
        number. The folder remembers which list prunes it, and another list is an error (2). Nothing is removed after \
        an interrupt, an invalid line, --fail-fast, a list that could not be read to its end or names no image, or a \
        limit such as --max-pages that left out a part of what --from names. --dry-run shows what would go.
        """,
      example: "imgfetch get -i list.txt -d mirror --prune"),
    Flag(
      .failedList, "failed-list", .file { $0.output.failedList = $1 }, unset: "none", on: .answering, .output,
      help: "save lines that failed or were not tried",
      details: """
        Writes the lines that failed to FILE, in the form that --input reads, with the reason in a field \
        was=KIND:STATUS. After an interrupt or --fail-fast it also has the lines that were not tried. A run without \
        failures removes FILE, if it is such a list; any other file is kept, and the list goes to FILE.1. FILE may be \
        the list that is read, but not together with --shard. - is standard output. See imgfetch-lists(5).
        """,
      example: "imgfetch get -i list.txt --failed-list again.txt"),
    Flag(
      .failFast, "fail-fast", .toggle { ($0.output.failFast, $0.fetcher.holdsPlaces) = ($1, $1) }, on: .answering,
      .output,
      help: "stop at the first failure",
      details: "Stops at the first image that fails. Downloads in progress are cancelled, and their parts are kept."),
  ]

  /// Checks of images.
  static let image: [Flag] = [
    Flag(
      .verify, "verify", .choice("LEVEL", Verification.self) { $0.fetch.verification = $1 },
      default: "structure", on: [.fetching, .inspect, .cacheAdd], .image,
      help: "none, structure or decode",
      details: """
        Sets how thoroughly images are checked. structure: the file is followed to its end, so that a truncated image, \
        or a web page under an image's name, never reaches the cache or a file. decode: every pixel is decoded, too. \
        none: any body is accepted. Images from the cache are checked alike.
        """,
      example: "imgfetch get --verify decode -i list.txt"),
    Flag(
      .strict, "strict", .toggle { $0.fetch.filter.refusesFlaws = $1 }, on: [.fetching, .inspect], .image,
      help: "refuse flawed images, too",
      details: """
        Refuses images that break a rule of their format with exit code 5, even if every pixel is there. By default \
        they are accepted, as browsers show them, and their flaws are reported in JSON, by imgfetch inspect and with \
        --verbose.
        """,
      example: "imgfetch inspect --strict *.png"),
    Flag(
      .sandbox, "sandbox", .toggle { $0.isSandboxed = $1 }, default: "true", on: [.fetching, .inspect, .cacheAdd],
      .image,
      help: "decode in this process, without protection",
      details: """
        Decodes pixels in this process, with a warning. By default they are decoded (for --verify decode, transforms, \
        fingerprints) in helper processes without access to files, the network and other processes, so that a flaw in \
        a codec is a failure of that one image. If the kernel does not support that, nothing is decoded (exit code 7).
        """),
    Flag(
      .maxPixels, "max-pixels", .value("COUNT", Values.limit) { $0.fetch.maximumPixels = $1 }, default: "256M",
      on: [.fetching, .inspect, .cacheAdd], .image,
      help: "refuse images of more pixels (0: any)",
      details: """
        Refuses an image with more pixels, with exit code 5, as soon as its header shows that, before memory is \
        allocated. Of an animation, the screen and each frame count by themselves; if it is decoded, all frames count \
        together. 0 is no limit.
        """),
    Flag(
      .minSize, "min-size",
      .value("WxH", Values.dimensions) {
        ($0.fetch.filter.minimumWidth, $0.fetch.filter.minimumHeight) = ($1.width, $1.height)
      }, unset: "any", on: .fetching, .image,
      help: "refuse smaller images",
      details: "Refuses an image with a smaller width or height than these, with exit code 5.",
      example: "imgfetch get --min-size 320x240 -i list.txt"),
    Flag(
      .maxAspect, "max-aspect", .value("RATIO", Values.ratio) { $0.fetch.filter.maximumAspect = $1 }, unset: "any",
      on: .fetching, .image,
      help: "refuse longer shapes (3, or 16:9)",
      details: "Refuses an image whose longer side is more than RATIO times the shorter one, with exit code 5.",
      example: "imgfetch get --max-aspect 3 -i list.txt"),
    Flag(
      .onlyFormat, "only-format",
      .choices("LIST", Choices.Format.self) { $0.fetch.filter.formats = Set($1.map(\.format)) }, unset: "all",
      on: .fetching, .image,
      help: "only images of these formats (jpeg,png)",
      details: """
        Refuses images of other formats, with exit code 5. The bytes decide, not the name. The formats are those of \
        format in --json; apng is another word for png.
        """,
      example: "imgfetch get --only-format jpeg,png -i list.txt"),
  ]

  /// Changes to the pixels of an output, in the order given. They come from the command line only.
  static let transform: [Flag] = [
    Flag(
      .resize, "resize", .value("SIZE", Values.resizing) { $0.transform.steps.append(.resize(Resize($1))) },
      unset: "as it is", step: true, on: .writing, from: .commandLine, .transform,
      help: "WxH, Wx, xH or N%",
      details: """
        Resizes the image: into a box (256x256, see --fit), to a width (256x), to a height (x256), or by a percentage \
        (50%). A smaller image is not enlarged, unless by --fit or a percentage over 100.
        """,
      example: "imgfetch get --resize 256x256 --convert jpeg https://example.org/cat.png"),
    Flag(
      .fit, "fit", .choice("HOW", Resize.Fit.self) { $0.fit = $1 }, default: "down", on: .writing,
      from: .commandLine, .transform,
      help: "down, inside, cover, fill or outside",
      details: """
        Sets how the image fits the box of --resize. down: as large as possible within the box, but never enlarged; a \
        percentage over 100 enlarges. inside: like down, but also enlarged. cover: fills the box, and cuts off what is \
        outside it. fill: exactly the box, even if the proportions change. outside: as small as possible around the \
        box, with nothing cut off.
        """,
      example: "imgfetch get --resize 256x256 --fit cover https://example.org/cat.jpg"),
    Flag(
      .pad, "pad", .toggle { $0.pads = $1 }, on: .writing, from: .commandLine, .transform,
      help: "fill the box of --resize with --background",
      details: """
        Fills the rest of the box of --resize with --background, with the image in the middle. By default the result \
        is as large as the image.
        """,
      example: "imgfetch get --resize 256x256 --pad --background black https://example.org/cat.png"),
    Flag(
      .crop, "crop", .value("AREA", Values.cropping) { $0.transform.steps.append(.crop($1)) }, unset: "none",
      step: true, on: .writing,
      from: .commandLine, .transform,
      help: "cut out WxH or WxH+X+Y",
      details: "Cuts out an area of WxH, as far as the image reaches: from the middle, or from the corner +X+Y.",
      example: "imgfetch get --crop 100x100+10+20 https://example.org/cat.jpg"),
    Flag(
      .autoOrient, "auto-orient",
      .toggle { $0.transform.keepsOrientation = !$1 }, default: "true", on: .writing, from: .commandLine, .transform,
      help: "leave the pixels turned as they are stored",
      details: """
        Leaves the pixels as they are stored, and the Exif orientation with them. By default the pixels are turned \
        upright before all other steps.
        """),
    Flag(
      .flip, "flip", .choice("AXIS", Choices.Flip.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .writing, from: .commandLine, .transform,
      help: "h (left to right) or v (top to bottom)",
      details: "Mirrors the image: h swaps left and right, v top and bottom."),
    Flag(
      .rotate, "rotate", .choice("DEGREES", Choices.Rotation.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .writing, from: .commandLine, .transform,
      help: "90, 180 or 270, clockwise",
      details: "Rotates the image clockwise, by 90, 180 or 270 degrees."),
    Flag(
      .convert, "convert", .choice("FORMAT", Choices.Target.self) { $0.transform.target = $1.target }, default: "same",
      on: .writing, from: .commandLine, .transform,
      help: ImageFormat.inWords(Choices.Target.words, end: ", "),
      details: """
        Writes the image in this format. same keeps the image's format; \(ImageFormat.unwrittenInWords) are not \
        written, and become PNG. Animations remain animations in PNG (as APNG), WebP, AVIF and GIF, and become their \
        first frame in JPEG. A lossless WebP stays lossless unless --quality is given.
        """),
    Flag(
      .quality, "quality", .value("N", Values.count(1...100)) { $0.transform.quality = $1 },
      unset: "85, WebP 80, AVIF 60",
      on: .writing, from: .commandLine, .transform,
      help: "quality of JPEG, WebP and AVIF, 1 to 100",
      details: """
        Sets the quality of JPEG, lossy WebP and AVIF, from 1 to 100. An image is then written anew, even if nothing \
        else changes. From 90 on, JPEG and AVIF keep colours at full resolution.
        """),
    Flag(
      .speed, "speed", .value("N", Values.count(0...10)) { $0.transform.speed = $1 }, unset: "6",
      on: .writing, from: .commandLine, .transform,
      help: "speed of writing AVIF, 0 to 10",
      details: "Sets the speed of writing AVIF, from 0 (slow, the smallest file) to 10 (fast)."),
    Flag(
      .background, "background", .value("COLOUR", Values.colour) { $0.transform.background = $1 }, default: "white",
      on: [.writing, .show], from: .commandLine, .transform,
      help: "background under alpha, of --pad and show",
      details: """
        Sets the background of an image with transparency that becomes a JPEG, and the border of --pad: #rrggbb, #rgb \
        or one of HTML's sixteen names, such as black. imgfetch show draws it under transparent pixels; by default it \
        leaves the terminal's own background.
        """),
    Flag(
      .strip, "strip", .toggle { $0.transform.strips = $1 }, on: .writing, from: .commandLine, .transform,
      help: "remove metadata; colours become sRGB",
      details: """
        Removes all metadata and the colour profile, after converting the colours to sRGB. By default a transform \
        keeps the profile, and of the metadata the creator and the terms of use: copyright, artist, IPTC's creator, \
        credit and data-mining field. Places, devices and times stay with the original.
        """),
    Flag(
      .keepMetadata, "keep-metadata", .toggle { $0.transform.keepsMetadata = $1 }, on: .writing, from: .commandLine,
      .transform,
      help: "take all of Exif, XMP and IPTC along",
      details: """
        Keeps all of Exif, XMP and, in JPEG, IPTC in a transformed image, as far as its format has a place for it. The \
        orientation is set to upright if the pixels are.
        """),
    Flag(
      .firstFrame, "first-frame", .toggle { $0.transform.takesFirstFrame = $1 }, on: .writing, from: .commandLine,
      .transform,
      help: "use only the first frame",
      details: "Uses only the first frame of an animation."),
  ]

  /// Rows, messages and the progress display.
  static let report: [Flag] = [
    Flag(
      .ordered, "ordered", .toggle { $0.report.ordered = $1 }, on: .answering, .report,
      help: "print rows in the order of the input",
      details: "Prints rows in the order of the input. By default each is printed as soon as it is done."),
    Flag(
      .json, "json", .toggle { $0.report.isJSON = $1 }, on: [.listing, .find, .report, .inspect, .cache], .report,
      help: "print JSON, one object a line",
      details: """
        Prints one JSON object a line. The last one of get, prefetch and pack is the summary of the run. The fields \
        are in imgfetch-rows(5), and those of other commands on their pages.
        """,
      example: "imgfetch get --json -i list.txt | jq -r 'select(.error) | .url'"),
    Flag(
      .framed, "framed", .toggle { $0.report.isFramed = $1 }, on: .get, .report,
      excludes: [.ordered, .writeOut, .print],
      help: "with -o -: each row, then its image's bytes",
      details: """
        Writes any number of images to standard output, with --output -: for each a JSON object in one line, as \
        --json prints it, then as many bytes as its field bytes says, and then the next line. If bytes is null, none \
        follow: the image failed, or was not delivered. The summary is the last line. For programs that keep one \
        imgfetch get -i - and want the images in memory: each is written as soon as it is complete, in the order in \
        which they are done, and the fields line and id tell which one it is. The bytes are checked before the row is \
        written.
        """,
      example: "imgfetch get -o - --framed -i list.txt"),
    Flag(
      .jsonHeaders, "json-headers",
      .toggle { ($0.report.jsonHeaders, $0.report.isJSON) = ($1, $1 || $0.report.isJSON) }, on: .answering, .report,
      help: "include the response's header fields",
      details: """
        Adds the header fields of the response to each --json object, as pairs of name and value. Implies --json.
        """),
    Flag(
      .checksum, "checksum", .toggle { $0.report.checksum = $1 }, on: [.listing, .inspect], .report,
      help: "include the SHA-256 of the delivered bytes",
      details: "Adds the SHA-256 of the delivered bytes to each --json object, and as {sha256} to --write-out."),
    Flag(
      .fingerprint, "fingerprint",
      .choices("LIST", Choices.Fingerprint.self) {
        for fingerprint in $1 { $0.fetch.details.insert(fingerprint.detail) }
      }, unset: "none", on: [.listing, .inspect], .report,
      help: "thumbhash, blurhash, dhash, phash",
      details: """
        Adds fingerprints of the image, as it was fetched, to each --json object, and to --write-out. thumbhash (in \
        base64) and blurhash (4 by 3) are small placeholders for a page, of the picture upright. dhash and phash are \
        64 bits in hex, of the pixels as stored; those of similar pictures differ in few bits. Of an animation, the \
        first frame counts. Fingerprints are kept in the cache with the image. A template that names one asks for it.
        """,
      example: "imgfetch get --json --fingerprint thumbhash,phash -i list.txt"),
    Flag(
      .exif, "exif", .toggle { if $1 { $0.fetch.details.insert(.exif) } }, on: [.listing, .inspect], .report,
      help: "include what the camera wrote down",
      details: """
        Adds exif to each --json object, if the image as it was fetched has Exif: an object of camera, lens, time (ISO \
        8601), orientation, exposure (seconds, f_number, iso, focal_length_mm) and position (latitude, longitude, \
        altitude), as far as they are there. It is read by libexif (libexif12 in Debian); without that, an image that \
        has Exif fails with exit code 5.
        """,
      example: "imgfetch get --json --exif -i list.txt | jq .exif.camera"),
    Flag(
      .writeOut, "write-out", short: "w", .value("TEMPLATE", Templates.report) { $0.report.writeOut = $1 },
      unset: "the result line", on: .listing, .report, excludes: [.json, .jsonHeaders],
      help: "print a template for each image",
      details: """
        Prints TEMPLATE for each image instead of the row: field names of --json in braces, \\n for a newline and \\t \
        for a TAB. A missing value is -. imgfetch-rows(5) has the details.
        """,
      example: "imgfetch get -w '{cache} {url}\\n' -i list.txt"),
    Flag(
      .report, "report", .file { $0.report.file = $1 }, unset: "none", on: .listing, .report,
      help: "also write all rows to FILE, as JSON",
      details: """
        Writes all rows and the summary to FILE as JSON, besides what standard output shows. The rows are written to \
        FILE.part as they come, which is renamed to FILE at the end of the run, even of an interrupted one. If FILE \
        cannot be written, the exit code is 7. - is standard output, where the other rows may not go: add -q. See \
        imgfetch-rows(5).
        """,
      example: "imgfetch get -q -d pictures -i list.txt --report rows.jsonl"),
    Flag(
      .print, "print", .choice("WHICH", Choices.Printing.self) { $0.report.printing = $1 }, default: "all",
      on: .answering, .report,
      help: "all, or new: only what changed",
      details: """
        Selects the rows that are printed. new: only images that are new or changed, so that cron sends mail only if \
        there is news. A failure is then printed once, on standard error at the end of the run, and not again while \
        the file of --failed-list has it.
        """,
      example: "imgfetch get --print new --cache refresh -i list.txt --failed-list again.txt"),
    Flag(
      .exitZero, "exit-zero", .toggle { $0.report.exitsZero = $1 }, on: .answering, .report,
      help: "failed images do not affect the exit code",
      details: """
        Keeps failed images from affecting the exit code, for programs that read the rows. Other failures still do: a \
        list that cannot be read, an interrupt, results that cannot be written, and with --fail-fast the failure that \
        ended the run.
        """,
      example: "imgfetch prefetch --json --exit-zero -i list.txt"),
    Flag(
      .progress, "progress", .choice("HOW", Choices.Progress.self) { $0.report.progress = $1 }, default: "auto",
      on: .listing, .report,
      help: "auto, bar, plain, json or none",
      details: """
        Sets how progress is shown on standard error. auto: bars on a terminal while no other job has it (timeout in \
        scripts needs --foreground), else none; if standard output is a pipe, whose reader may print on the same \
        terminal, a line every ten seconds. none: nothing. bar: one bar for each download, with its speed, and one for \
        all. plain: a line every few seconds. json: objects for programs, one a line. Each second and at the end there \
        is one with the member progress, an object of done, failed, total, bytes, bytes_per_second, seconds_left and \
        flights; each message is one with the member error, warning or note, a text.
        """),
  ]

  /// Options of single `cache` commands. They cannot be set in the file: a forgotten line must not repair a cache.
  /// `--dry-run` can, since it does no harm.
  static let maintenance: [Flag] = [
    Flag(
      .exact, "exact", .toggle { $0.cache.isExact = $1 }, on: .cacheSize, from: .commandLine, .maintenance,
      help: "count by walking the cache",
      details: """
        Counts the entries by walking the cache, and corrects the ledger. By default the ledger answers at once. On a \
        terminal and with --json, the space that the disk has allocated is printed, too.
        """),
    Flag(
      .dryRun, "dry-run", .toggle { $0.cache.isDryRun = $1 }, on: [.cacheClean, .cacheRemove, .get], .report,
      help: "report what would be done, do nothing",
      details: """
        Reports what would be done, and does nothing. For cache clean and remove, it lists what would be removed. For \
        get, no server is asked (except for lists) and no image is written: each row says where its image would come \
        from (none: its origin would be asked), until when that is fresh, its file and what would become of it, as far \
        as that is known, in the order of the input; with --prune, it lists what would go.
        """,
      example: "imgfetch get --dry-run -i list.txt"),
    Flag(
      .repair, "repair", .toggle { $0.cache.repairs = $1 }, on: .cacheVerify, from: .commandLine, .maintenance,
      help: "remove damaged entries",
      details: "Removes damaged entries. By default they are only reported."),
    Flag(
      .sort, "sort", .choice("WHAT", Choices.EntryOrder.self) { $0.cache.order = $1 }, unset: "as they are found",
      on: .cacheList, from: .commandLine, .maintenance,
      help: "key, size, stored or used",
      details: """
        Sorts the entries: by key; by size, the largest first; by the time they were stored or used, the latest first.
        """,
      example: "imgfetch cache list --sort size | head"),
    Flag(
      .print0, "print0", .toggle { $0.cache.printsKeysOnly = $1 }, on: .cacheList, from: .commandLine, .maintenance,
      excludes: [.json], help: "print only keys, each followed by NUL",
      details: "Prints only the keys, each followed by a NUL byte, for xargs -0 and imgfetch get -0 -i -.",
      example: "imgfetch cache list --print0 | imgfetch prefetch --cache refresh -0 -i -"),
  ]

  /// The options of every command.
  static let general: [Flag] = [
    Flag(
      .quiet, "quiet", short: "q", .toggle { $0.messages.quiet = $1 }, on: .everywhere, .general, replaces: [.verbose],
      help: "print errors only",
      details: """
        Prints only errors, and one line for each problem of the cache: old images were served, there is no cache, or \
        it cannot be written. Rows are printed only with --json or --write-out; those of --json are not repeated on \
        standard error. The answers of find, cache list, cache info and the like are printed all the same.
        """),
    Flag(
      .verbose, "verbose", short: "v", .counter { $0.messages.verbosity = $1 }, on: .everywhere, .general,
      replaces: [.quiet],
      help: "print reasons; twice: also header fields",
      details: """
        Prints the reason for each decision about the cache, on standard error, with the URL on each line. -vv adds \
        the header fields. Secrets are masked.
        """),
    Flag(
      .color, "color", .choice("WHEN", Choices.Color.self) { $0.messages.color = $1 }, default: "auto",
      on: .everywhere, .general,
      help: "auto, always or never",
      details: """
        Sets when rows for a terminal, reports and progress bars are coloured. auto: on a terminal, unless NO_COLOR is \
        set or TERM is dumb. always: in a file or pipe, too, where rows stay without colour. never: nowhere.
        """),
    Flag(
      .config, "config", .file { _, _ in }, unset: "$XDG_CONFIG_HOME/imgfetch/config",
      on: .everywhere, from: .environment, .general,
      help: "read this configuration file",
      details: """
        Reads the configuration from FILE, which must exist. By default it is $XDG_CONFIG_HOME/imgfetch/config, or \
        ~/.config/imgfetch/config if that variable is not set, and need not exist. --no-config reads none. See \
        imgfetch-config(5).
        """),
    Flag(
      .help, "help", short: "h", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "-h: this summary; --help: everything",
      details: "Prints help: -h a summary, --help an explanation of every option."),
    Flag(
      .version, "version", short: "V", .toggle { _, _ in }, on: .everywhere, from: .commandLine, .general,
      help: "print the version",
      details: "Prints the version, the supported formats, and the libraries that it was built with."),
  ]
}

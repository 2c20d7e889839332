import ImgfetchCore

enum DataSetFlags {
  /// The contents and the makers of a data set.
  static let all: [Flag] = [
    Flag(
      .perShard, "per-shard", .value("N", Values.count(1...10_000_000)) { $0.dataSet.perShard = $1 }, default: "10000",
      on: .pack, .dataSet,
      help: "lines of a shard",
      details:
        "A shard is a run of so many lines, numbered from 00000 by their place in the list, whichever process makes it."
    ),
    Flag(
      .shardBy, "shard-by", .choice("WHAT", Choices.Sharding.self) { $0.dataSet.shardBy = $1 }, default: "lines",
      on: .pack, .dataSet,
      help: "what --shard divides: lines, or host",
      details: """
        lines: --shard K/N makes every Nth shard. host: it takes the lines of its own hosts, in shards that are numbered \
        K-00000 and so on: each origin is asked by one machine, so that --per-host and --rate hold for all of them \
        together. Hosts count as the lines name them; where they redirect to is bounded for each machine only.
        """,
      example: "imgfetch pack -i list.txt -d set --shard 3/8 --shard-by host"),
    Flag(
      .splitHost, "split-host", .value("PATTERN", Values.hostPattern) { $0.dataSet.splitHosts.append($1) },
      unset: "none", repeatable: true, on: .pack, .dataSet,
      help: "hosts so large that several machines share them",
      details: """
        Under --shard-by host, the images of a host that matches (a glob, as of --allow-host) are divided among several \
        parts: at most as many as --per-host allows connections. Each of them asks it over one connection at a time, and at an equal part of \
        --rate, so that both hold for all of them together.
        """,
      example: "imgfetch pack -i list.txt -d set --shard 3/8 --shard-by host --split-host '*.cdn.example'"),
    Flag(
      .again, "again", .toggle { $0.dataSet.isAgain = $1 }, on: .pack, from: .commandLine, .dataSet,
      help: "try the failed lines of finished shards again",
      details: """
        Reads the rows of lines that failed in the shards that are there, and makes NUMBER.r1.tar, then .r2.tar and so on, \
        of those that can be had now. These hold images only: the newest row of a KEY counts. The list is not read, and need \
        not be given. Of several processes, --shard K/N divides the shards.
        """,
      example: "imgfetch pack --again -d set"),
    Flag(
      .maxTransient, "max-transient", .value("N%", Values.percent) { $0.dataSet.mostTransient = $1 }, default: "5%",
      on: .pack, .dataSet,
      help: "failures that may pass, in a shard",
      details: """
        A shard in which more than one line and more lines than this failed for a reason that may pass (no connection, a \
        time-out, 503) is not made, and the exit code is 3: an outage is no data. So it is where no name could be looked up, or \
        no proxy reached. Hosts that never answered while others did do not count, as long as they are at most a fifth of the \
        shard's hosts: a list has its dead hosts. With 0% no line may fail so.
        """),
    Flag(
      .ignoreRobotsTag, "ignore-robots-tag", .toggle { $0.dataSet.obeysRobotsTag = !$1 }, on: .pack, .dataSet,
      help: "take images that say noai or noimageai",
      details: """
        By default an image whose answer has X-Robots-Tag with noai or noimageai, for all robots or for imgfetch, is left \
        out, and its row says refused. With this it is taken.
        """),
    Flag(
      .rows, "rows", .toggle { $0.dataSet.printsRows = $1 }, on: .pack, .dataSet,
      help: "print each shard's rows, too",
      details: """
        Prints the rows of each shard once it is there, as JSON, before the line or object that tells of it: those of its \
        images in the order of the list, then those of the lines that failed. For a shard that was there before, or that \
        another attempt has finished first, the rows are those that stand in it.
        """),
    Flag(
      .maxInvalid, "max-invalid", .value("N%", Values.percent) { $0.dataSet.mostInvalid = $1 }, default: "1%",
      on: .pack, .dataSet,
      help: "lines that make no sense, in a list",
      details: """
        A line that makes no sense has a row with its text and whatever could be read of it. Where more than one and more \
        than this part of the lines read so far make none, the list is not what it was said to be: the exit code is 7, the shards \
        that are open are not made, and those that stand stay. So it is with a list that is something else by its bytes (Parquet, \
        JSON read as lines, a page), and with a table without its column.
        """),
    Flag(
      .memberExt, "member-ext", .value("EXT", Values.memberExtension) { $0.dataSet.memberExtension = $1 },
      unset: "that of each image's format", on: .pack, .dataSet,
      help: "the extension of all images in shards",
      details: """
        Readers of WebDataset take the extension for the name of a column: with --member-ext jpg (or with --convert jpeg, which \
        makes them all one format) each image is in the same one. What it is its bytes and its row say.
        """,
      example: "imgfetch pack -i list.txt -d set --member-ext img"),
    Flag(
      .without, "without",
      .choices("FORMAT,...", Choices.Format.self) { $0.fetch.filter.refusedFormats = Set($1.map(\.format)) },
      unset: "none", on: .pack, .dataSet,
      help: "leave out images of these formats",
      details: """
        An image that takes a library which this machine lacks ends the run with 7, so that no machine puts a failure into the \
        set where another one would put an image. With --without tiff,svg such images are left out on every machine alike: \
        their rows say limit, and the shards say that they are made so.
        """,
      example: "imgfetch pack -i list.txt -d set --resize 512x --without svg"),
    Flag(
      .purpose, "purpose", .choice("WHAT", UsePurpose.self) { $0.dataSet.purpose = $1 }, default: "any", on: .pack,
      .dataSet,
      help: "what the images are for: train-ai, search or any",
      details: """
        Each row says in consent what the image's owner says of its use: a verdict (no, yes or silent), its source, and the text. \
        With a purpose, what its owner forbids for that is left out, and its row says refused: before the image is asked for \
        wherever that can be known. For that each origin is asked once for its robots.txt (its rules for imgfetch, Content-Signal, \
        Content-Usage) and for /.well-known/tdmrep.json; then come the answer's Content-Usage, tdm-reservation and X-Robots-Tag; \
        and in the image IPTC's data-mining field and C2PA's training assertion. Any no wins over any yes. Where one of the two \
        files cannot be had (5xx, silence), that is a no for this attempt: such a failure may pass, counts for --max-transient, \
        and --again tries it. Addresses of policies are not followed. any: nothing is asked for, what comes anyway is told, and \
        noai and noimageai are refused.
        """,
      example: "imgfetch pack -i list.txt -d set --purpose train-ai --contact https://example.org/robot"),
    Flag(
      .refuseNoindex, "refuse-noindex", .toggle { $0.dataSet.refusesNoIndex = $1 }, on: .pack, .dataSet,
      help: "leave out images that say noindex",
      details: """
        Leaves out an image whose answer has X-Robots-Tag with noindex or noimageindex, for all robots or for imgfetch, whatever it \
        is for.
        """),
    Flag(
      .extend, "extend", .toggle { $0.dataSet.extends = $1 }, on: .pack, from: .commandLine, .dataSet,
      help: "make the last shard anew if the list has grown",
      details: """
        Where lines were added at the end of the list, its last shard, which had fewer than --per-shard, is made anew with them, and \
        takes the place of the former one when it is whole. Its images come from the cache where that still has them. All other \
        shards must be of the same lines as before. The list is a file, which is read twice, and the data set is in a folder.
        """,
      example: "imgfetch pack -i grown.txt -d set --extend"),
    Flag(
      .stats, "stats", .toggle { $0.dataSet.hasStatistics = $1 }, on: .pack, .dataSet,
      help: "put counts beside each shard: NUMBER.json",
      details: """
        Beside each shard stands NUMBER.json, an object of counts that is made from its rows: rows, images, failed, bytes; of images by \
        format, by size of the longer side and of the file; of failures by kind and status; of both by host, and by consent. Where \
        it is missing, whichever run passes the shard makes it.
        """),
    Flag(
      .captionColumn, "caption-column", .value("NAME", Values.text) { $0.list.columns.caption = $1 },
      unset: "caption, if there is one", on: .pack, .dataSet,
      help: "the column of captions, in a table",
      details: """
        Its text becomes KEY.txt beside the image, empty where there is none, and stands in the row as caption. A table without a \
        column that is named so is an error (7).
        """,
      example: "imgfetch pack -i laion.csv --list-format csv --caption-column TEXT -d set"),
    Flag(
      .idColumn, "id-column", .value("NAME", Values.text) { $0.list.columns.id = $1 }, unset: "id, if there is one",
      on: .pack, .dataSet,
      help: "the column that is repeated as id",
      details: "Names the column of a table that stands in each row as id."),
    Flag(
      .hashColumn, "hash-column", .value("NAME", Values.text) { $0.list.columns.hash = $1 }, unset: "none", on: .pack,
      .dataSet,
      help: "the column of sums that images must have",
      details: """
        SHA-256 (64 hex digits) or MD5 (32). An image with another sum is a failure (checksum), for which mirrors are tried. A record \
        without one is not checked.
        """),
    Flag(
      .where, "where", .value("CONDITION", Values.columnFilter) { $0.list.columns.filters.append($1) }, unset: "none",
      repeatable: true, on: .pack, .dataSet,
      help: "take only records that meet a condition",
      details: """
        COLUMN OP VALUE, with OP one of = != < <= > >=, such as 'punsafe < 0.5' or 'lang = en'. A value that looks like a number is \
        compared as one; null, as in SQL, meets nothing but = null; quotation marks make a text of a value. Given several times, all \
        must be met. Records that are passed over have no row; the numbers of the others stay, and the job tells the condition.
        """,
      example: "imgfetch pack -i laion.csv --list-format csv --where 'punsafe<0.5' -d set"),
  ]
}

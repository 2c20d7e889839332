import ImgfetchCore
import ImgfetchDataSet

enum DataSetFlags {
  /// The contents and the makers of a data set.
  static let all: [Flag] = [
    Flag(
      .perShard, "per-shard", .value("N", Values.count(1...10_000_000)) { $0.dataSet.perShard = $1 }, default: "10000",
      on: .pack, .dataSet,
      help: "lines per shard",
      details: """
        Sets the number of the list's lines that a shard is made of. Shards are numbered from 00000 by their place in \
        the list, for all processes alike.
        """),
    Flag(
      .shardBy, "shard-by", .choice("WHAT", Choices.Sharding.self) { $0.dataSet.shardBy = $1 }, default: "lines",
      on: .pack, .dataSet,
      help: "what --shard divides: lines, or host",
      details: """
        Sets what --shard K/N divides. lines: it makes every Nth shard. host: it takes the lines of its own hosts, in \
        shards that are numbered K-00000 and so on. Each origin is then asked by one machine, so that --per-host and \
        --rate hold for all machines together. Hosts count as the lines name them; where they redirect to is bounded \
        for each machine only.
        """,
      example: "imgfetch pack -i list.txt -d set --shard 3/8 --shard-by host"),
    Flag(
      .splitHost, "split-host", .value("PATTERN", Values.hostPattern) { $0.dataSet.splitHosts.append($1) },
      unset: "none", repeatable: true, on: .pack, .dataSet,
      help: "hosts so large that several machines share them",
      details: """
        Divides the images of a host that matches (as in --allow-host) among several parts under --shard-by host: at \
        most as many as --per-host allows connections. Each part asks it over one connection at a time, and at an \
        equal part of --rate, so that both hold for all parts together.
        """,
      example: "imgfetch pack -i list.txt -d set --shard 3/8 --shard-by host --split-host '*.cdn.example'"),
    Flag(
      .again, "again", .toggle { $0.dataSet.isAgain = $1 }, on: .pack, from: .commandLine, .dataSet,
      help: "try the failed lines of finished shards again",
      details: """
        Tries the failed lines of finished shards again, and makes NUMBER.r1.tar, then .r2.tar and so on, of the \
        images that can be had now, by the same options. The newest row of a KEY counts. The list is not read, and \
        need not be given. --shard K/N divides the shards among several processes.
        """,
      example: "imgfetch pack --again -d set"),
    Flag(
      .maxTransient, "max-transient", .value("N%", Values.percent) { $0.dataSet.mostTransient = $1 }, default: "5%",
      on: .pack, .dataSet,
      help: "share of passing failures in a shard",
      details: """
        Limits the share of a shard's lines that failed for a passing reason, such as no connection, a timeout, 503, \
        or an image that the cache lacks under --offline. If more failed, and more than one, the shard is not made, \
        and the exit code is 3: an outage is no data. The same holds if no name could be looked up, or no proxy \
        reached. Hosts that never answered while others did do not count, as long as they are at most a fifth of the \
        shard's hosts. Names that do not exist, and certificates that are not trusted, count if that is so of all \
        hosts, and of three or more: then this machine's name servers, clock or authorities are wrong. With 0% no \
        line may fail in this way.
        """),
    Flag(
      .ignoreRobotsTag, "ignore-robots-tag", .toggle { $0.dataSet.obeysRobotsTag = !$1 }, on: .pack, .dataSet,
      help: "take images that say noai or noimageai",
      details: """
        Takes images whose answers have noai or noimageai in X-Robots-Tag, for all robots or for imgfetch. By default \
        they are left out, and their rows say refused.
        """),
    Flag(
      .rows, "rows", .toggle { $0.dataSet.printsRows = $1 }, on: .pack, .dataSet,
      help: "print each shard's rows, too",
      details: """
        Prints the rows of each shard, as JSON, before the line or object of the shard: those of its images in the \
        order of the list, then those of the lines that failed. For a shard that existed before, or that another \
        attempt has finished first, they are the rows that it holds.
        """),
    Flag(
      .maxInvalid, "max-invalid", .value("N%", Values.percent) { $0.dataSet.mostInvalid = $1 }, default: "1%",
      on: .pack, .dataSet,
      help: "share of invalid lines in a list",
      details: """
        Limits the share of a list's lines that are invalid. An invalid line has a row with its text and all that \
        could be read of it. If more of the lines read so far are invalid, and more than one, the list is not what it \
        was said to be: the exit code is 7, open shards are not made, and finished ones stay. The same holds for a \
        list that is something else by its bytes (Parquet, JSON read as lines, a page), and for a table without its \
        column.
        """),
    Flag(
      .memberExt, "member-ext", .value("EXT", Values.memberExtension) { $0.dataSet.memberExtension = $1 },
      unset: "that of each image's format", on: .pack, .dataSet,
      help: "the extension of all images in shards",
      details: """
        Gives all images in shards this extension. Readers of WebDataset take the extension for the name of a column, \
        so with --member-ext jpg, or --convert jpeg, all images are in one. The format is still in each row.
        """,
      example: "imgfetch pack -i list.txt -d set --member-ext img"),
    Flag(
      .without, "without",
      .choices("FORMAT,...", Choices.Format.self) { $0.fetch.filter.refusedFormats = Set($1.map(\.format)) },
      unset: "none", on: .pack, .dataSet,
      help: "leave out images of these formats",
      details: """
        Leaves out images of these formats on every machine alike. Their rows are failures of the kind limit, and the \
        option becomes part of the job. By default an image that needs a library which this machine lacks ends the \
        run with 7, so that no machine puts a failure into the set where another one would put an image.
        """,
      example: "imgfetch pack -i list.txt -d set --resize 512x --without svg"),
    Flag(
      .purpose, "purpose", .choice("WHAT", UsePurpose.self) { $0.dataSet.purpose = $1 }, default: "any", on: .pack,
      .dataSet,
      help: "what the images are for: train-ai, search or any",
      details: """
        Declares what the images are for, and leaves out those whose owners forbid that, before the request if that \
        can be known. Their rows say refused. For this each origin, and each one that a redirect or a mirror leads \
        to, is asked once for robots.txt and /.well-known/tdmrep.json; header fields and metadata of the image count, \
        too. Any no wins over any yes. If one of the two files cannot be had (5xx, silence, --offline), that is a no \
        for this attempt, which --again repeats. With any, nothing is asked for, and only noai and noimageai are \
        refused. In each case the row has the owner's wish in consent. See imgfetch-pack(1).
        """,
      example: "imgfetch pack -i list.txt -d set --purpose train-ai --contact https://example.org/robot"),
    Flag(
      .refuseNoindex, "refuse-noindex", .toggle { $0.dataSet.refusesNoIndex = $1 }, on: .pack, .dataSet,
      help: "leave out images that say noindex",
      details: """
        Leaves out an image whose answer has noindex or noimageindex in X-Robots-Tag, for all robots or for imgfetch, \
        with any --purpose.
        """),
    Flag(
      .extend, "extend", .toggle { $0.dataSet.extends = $1 }, on: .pack, from: .commandLine, .dataSet,
      help: "make the last shard anew if the list has grown",
      details: """
        Makes the last shard anew if lines were added at the end of the list. The last shard had fewer lines than \
        --per-shard; with the new ones it takes the place of the former one when it is whole. Its images come from the \
        cache if that still has them. All other shards must be of the same lines as before. The list must be a file, \
        which is read twice, and the data set must be in a folder.
        """,
      example: "imgfetch pack -i grown.txt -d set --extend"),
    Flag(
      .stats, "stats", .toggle { $0.dataSet.hasStatistics = $1 }, on: .pack, .dataSet,
      help: "put counts beside each shard: NUMBER.json",
      details: """
        Puts NUMBER.json beside each shard, an object of counts that is made from its rows: rows, images, failed, \
        bytes; images by format, by size of the longer side and of the file; failures by kind and status; both by host \
        and by consent. If it is missing, the next run that passes the shard makes it.
        """),
    Flag(
      .captionColumn, "caption-column", .value("NAME", Values.text) { $0.list.columns.caption = $1 },
      unset: "caption, if there is one", on: .pack, .dataSet,
      help: "the column of captions, in a table",
      details: """
        Names the column of captions. Its text becomes KEY.txt beside the image, empty if there is none, and is \
        caption in the row. A table without that column is an error (7).
        """,
      example: "imgfetch pack -i laion.csv --list-format csv --caption-column TEXT -d set"),
    Flag(
      .idColumn, "id-column", .value("NAME", Values.text) { $0.list.columns.id = $1 }, unset: "id, if there is one",
      on: .pack, .dataSet,
      help: "the column that becomes id in the rows",
      details: "Names the column of a table whose text becomes id in each row."),
    Flag(
      .hashColumn, "hash-column", .value("NAME", Values.text) { $0.list.columns.hash = $1 }, unset: "none", on: .pack,
      .dataSet,
      help: "the column of the images' checksums",
      details: """
        Names the column of checksums that images must have: SHA-256 (64 hex digits) or MD5 (32). An image with \
        another one is a failure (checksum), for which mirrors are tried. A record without one is not checked. \
        The column goes along as it is, beside expected_sha256 or expected_md5.
        """),
    Flag(
      .where, "where", .value("CONDITION", Values.columnFilter) { $0.list.columns.filters.append($1) }, unset: "none",
      repeatable: true, on: .pack, .dataSet,
      help: "take only records that meet a condition",
      details: """
        Takes only records that meet a condition: COLUMN OP VALUE, with OP one of = != < <= > >=, such as 'punsafe < \
        0.5' or 'lang = en'. A value that looks like a number is compared as one. A missing value meets no condition \
        but = null, and so does an empty field of CSV and TSV, which meets = '' besides. A value in quotation marks is \
        text; a column in quotation marks may have an operator in its name. If the option is given several times, all \
        conditions must be met. Other records have no row; the numbers of the rest stay.
        """,
      example: "imgfetch pack -i laion.csv --list-format csv --where 'punsafe<0.5' -d set"),
  ]
}

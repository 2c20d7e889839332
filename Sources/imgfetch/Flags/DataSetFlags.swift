import ImgfetchCore

enum DataSetFlags {
  /// What a data set is made of, and by whom.
  static let all: [Flag] = [
    Flag(
      .listFormat, "list-format", .choice("FORMAT", Choices.ListFormat.self) { $0.list.format = $1 }, default: "lines",
      on: .pack, .dataSet,
      help: "what --input holds: lines, tsv, csv or jsonl",
      details: """
        lines: as imgfetch get reads them. csv, tsv: a table whose first line names its columns, and whose fields may stand \
        in quotation marks, which are doubled inside, and may then hold line breaks (RFC 4180; in tsv, TABs stand for the \
        commas). jsonl: one JSON object a line. The column url is fetched; id is repeated in the row; caption is, too, and \
        becomes KEY.txt beside the image; all others go along unchanged, as the row's columns. A record has at most 16 MiB. \
        A table that names a column twice, or ends inside quotation marks, is an error.
        """,
      example: "imgfetch pack -i pictures.csv --list-format csv -d set"),
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
        A shard in which more lines than this failed for a reason that may pass (no connection, a time-out, 503) is not \
        made, and the exit code is 3: an outage is no data. So it is where no name could be looked up, or no proxy reached.
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
  ]
}

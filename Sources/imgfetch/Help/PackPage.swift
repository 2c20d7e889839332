enum PackPage {
  /// imgfetch-pack(1).
  static func text() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-pack
      .Nd make a data set: tar files of images, with their facts
      .Sh SYNOPSIS
      .Nm "imgfetch pack"
      .Op Ar options
      .Fl i Ar LIST
      .Fl d Ar PLACE
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch pack fetches the images of a list, as imgfetch get does, into shards: tar files as WebDataset reads them. Any \
        number of machines may make one data set together, be killed in it and start anew.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A shard is a run of --per-shard lines, numbered from 00000 by their place in the list; --shard K/N makes every Nth. \
        For each image it has KEY.EXT, the image, and KEY.json, its row; KEY is the number of the line's record in the \
        list, from 0, in twelve digits. First comes __imgfetch__/job.json, which says what the shard is of; last \
        __imgfetch__/failed.jsonl, the rows of lines that failed, and __imgfetch__/end.json, 512 bytes that say how many rows \
        there are and where those begin. WebDataset passes these names over. The order is the list's; times, owners and \
        padding are fixed. The same bytes fetched make the same file, and every line is in exactly one row.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A shard appears whole or not at all, and the first attempt that finishes has it. An attempt that \
        comes second reports the rows of the finished shard as its own, and has succeeded. A shard that is there is passed over if it is of the same lines and \
        options, whose values count and not their words (256M is 268435456); if not, the exit code is 2, and with a list that is \
        a file of at most 8 MiB nothing is fetched. The rest of a longer one is compared while it is fetched. Lines that were broken off, or \
        could not be written here, are never rows: their shard is not made.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        One line is printed for each shard, its fields separated by TABs: made, kept (it was there) or lost (another attempt \
        was first), the shard, images, failed lines, bytes of the file, milliseconds, the file. With --json it is an object \
        of shard, file, outcome, rows, images, failed, bytes (of the images), size (of the file), none, memory, disk, \
        downloaded, attempts, elapsed_ms and failures, an array of kind, status, count and the first message; then comes \
        the summary as of imgfetch-get(1), with the number of shards.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        LIST is a file, standard input or a URL, and PLACE is a folder, s3://BUCKET/PREFIX, or a URL of a web server that takes PUT and \
        MOVE: see imgfetch-remote(7). What is in a place is compared from the first shard on, and each further one when its \
        lines are read.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        With --again, the failed lines of the shards that are there are tried once more, and those that can be had now \
        become shards NUMBER.r1.tar and so on, which hold images only. A reader takes the newest row of a KEY.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        The exit code is 0 when every shard is there, however many lines failed; 3 when one was not made because of the \
        network, 4 when its place refused it, 7 because of a file. A full disk, or a place that takes nothing, ends the run.
        """)
      + Manual.options(Flag.taken(by: .pack), of: .pack)
      + Manual.environment([.cacheHome, .configHome, .proxies, .certificates, .terminal])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus()
      + Manual.examples([
        ("A data set in a folder:", "imgfetch pack -i list.txt -d set"),
        (
          "On the third of eight machines, each origin asked by one of them:",
          "imgfetch pack -i list.txt -d set --shard 3/8 --shard-by host"
        ),
        (
          "From a list in a bucket, into a bucket:", "imgfetch pack -i s3://lists/list.txt -d s3://sets/one --shard 3/8"
        ),
      ])
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-get", 1), ("tar", 1), ("imgfetch-config", 5), ("imgfetch-fleet", 7),
        ("imgfetch-remote", 7),
      ])
  }
}

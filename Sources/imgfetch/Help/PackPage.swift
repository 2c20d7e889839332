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
    return page + shards() + ".Pp\n" + runs()
      + consent()
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

  /// The shards: their members, and how they come to be.
  private static func shards() -> String {
    Roff.text(
      """
      imgfetch pack fetches the images of a list, as imgfetch get does, into shards: tar files as WebDataset reads them. Any \
      number of machines may make one data set together, be killed in it and start anew.
      """)
      + ".Pp\n"
      + Roff.text(
        """
        A shard is a run of --per-shard lines, numbered from 00000 by their place in the list; --shard K/N makes every Nth. \
        For each image it has KEY.EXT, the image, and KEY.json, its row; KEY is the number of the line's record in the \
        list, from 0, in twelve digits. Where one of its lines has a caption column, KEY.txt is beside each image, empty where there \
        is no caption. First comes __imgfetch__/job, which says what the shard is of; last \
        __imgfetch__/failed, the rows of lines that failed, and __imgfetch__/end, 512 bytes that say how many rows \
        there are and where those begin. Readers of WebDataset, Hugging Face's too, pass over names without a dot. The order is \
        the list's; times, owners and \
        padding are fixed. The same bytes fetched make the same file, and every line is in exactly one row.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A shard appears whole or not at all, and the first attempt that finishes has it. An attempt that \
        comes second reports the rows of the finished shard as its own, and has succeeded. A shard that is there is passed over if it is of the same lines and \
        options, whose values count and not their words (256M is 268435456); if not, the exit code is 2, and with a list that is \
        a file of at most 8 MiB nothing is fetched. The rest of a longer one is compared while it is fetched. A shard of version 1 is \
        another job: finish such a set with 1.x, or take a new folder. Lines that were broken off, or \
        could not be written here, are never rows: their shard is not made.
        """)
  }

  /// The run: how it goes, is reported and ends.
  private static func runs() -> String {
    Roff.text(
      """
      What this machine lacks is no row, since another machine would have had the image: libcurl, a library that an image needs \
      for what the options ask, room on a disk, a sandbox, memory that an image may take. The run ends with 7 and the name of the \
      package, the shards that are open are not made, and those that stand stay. --without FORMAT leaves out images of a format on \
      every machine alike. So it is with a list that is not what it was said to be: see --max-invalid.
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
        network, 4 when its place refused it, 7 because of a file, of this machine or of the list. A full disk, or a place that takes nothing, ends the run.
        """)
  }

  /// The sources of owners' wishes, each with its paper: some of them are drafts.
  private static func consent() -> String {
    ".Sh CONSENT\n"
      + Roff.text(
        """
        Each row has consent, an object of verdict (no, yes or silent), source and text: what the image's owner says, in words that \
        machines read, of the use that --purpose names. Any no wins over any yes; with any, every no and yes counts. The sources:
        """)
      + Roff.list([
        (
          tag: "robots.txt",
          body: Roff.text(
            """
            Its rules (RFC 9309); Content-Signal with ai-train, search and ai-input (contentsignals.org, \
            draft-romm-aipref-contentsignals-00); Content-Usage with train-ai, search and ai-use, and as earlier versions had it \
            train-genai and bots (draft-ietf-aipref-attach-04, draft-ietf-aipref-vocab-04: not finished). The groups for imgfetch count, or \
            else those for all; of several paths the longest.
            """)
        ),
        (
          tag: "tdmrep.json",
          body: Roff.text(
            """
            /.well-known/tdmrep.json of the host: the first rule whose location matches; 1 reserves mining, whatever for, 0 does not \
            (TDMRep, final report of the W3C's community group, 2 February 2024). Policies are not followed.
            """)
        ),
        (
          tag: "content-usage",
          body: Roff.text("The field of the answer, with the same words as in robots.txt.")
        ),
        (tag: "tdm-reservation", body: Roff.text("The field of the answer, 1 or 0 (TDMRep).")),
        (
          tag: "x-robots-tag",
          body: Roff.text(
            """
            noai and noimageai, for all robots or for imgfetch: no training. With --refuse-noindex noindex and noimageindex, too. \
            These are conventions without a paper.
            """)
        ),
        (
          tag: "iptc",
          body: Roff.text(
            """
            The field Data Mining in the image's XMP (IPTC Photo Metadata Standard 2023.1, with the terms of PLUS). What is prohibited \
            but for constraints that stand elsewhere is a no.
            """)
        ),
        (
          tag: "c2pa",
          body: Roff.text(
            """
            A training and data mining assertion in the image's credentials (c2pa.training-mining of C2PA 1.4, cawg.training-mining of CAWG \
            1.1): notAllowed and constrained are a no. Signatures are not checked: whoever put it there, it is a wish.
            """)
        ),
      ])
  }
}

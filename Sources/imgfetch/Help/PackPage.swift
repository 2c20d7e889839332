enum PackPage {
  static func text() -> String {
    Manual.head(
      .pack, "make a data set: tar files of images, with their facts",
      synopsis: Manual.usage("pack", ".Fl i Ar LIST\n.Fl d Ar PLACE"))
      + Roff.paragraphs(prose)
      + Manual.options(Flag.taken(by: .pack), on: .pack)
      + Manual.environment([.cacheHome, .configHome, .proxies, .certificates, .libcurlInShort, .terminal])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus(ExitCodes.ofPack)
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
        ("imgfetch", 1), ("imgfetch-get", 1), ("tar", 1), ("imgfetch-config", 5), ("imgfetch-lists", 5),
        ("imgfetch-fleet", 7),
        ("imgfetch-network", 7), ("imgfetch-remote", 7), ("imgfetch-transforms", 7),
      ])
  }

  /// Each source of owners' wishes is named with its paper: some of them are drafts.
  private static let prose = """
    imgfetch pack fetches the images of a list, as imgfetch get does, into shards: tar files that WebDataset \
    reads. LIST is a file, standard input or a URL; PLACE is a folder, s3://BUCKET/PREFIX, or a URL of a web \
    server that takes PUT and MOVE (see imgfetch-remote(7)). Any number of machines may make one data set \
    together, and may be killed and started again.

    # SHARDS
    A shard is made of --per-shard lines, and numbered from 00000 by their place in the list. --shard K/N makes \
    every Nth. Each line of the list is in exactly one row, and the same fetched bytes make the same file: the \
    order is the list's, and times, owners and padding are fixed. The members of a shard are:
    * Pa __imgfetch__/job | The first member: the lines and options that the shard is made of. Options count by their \
    values (256M is 268435456).
    * Pa KEY.EXT | An image. KEY is the number of its record in the list, from 0, in twelve digits; EXT is that of its \
    format, or --member-ext.
    * Pa KEY.json | The row of the image: an object as of --json, with the other columns of its record.
    * Pa KEY.txt | The caption, empty if there is none. Only if a line of the shard has a column caption.
    * Pa __imgfetch__/failed | The rows of lines that failed.
    * Pa __imgfetch__/end | The last member: 512 bytes with the number of rows, and the places where they begin.

    Readers of WebDataset, Hugging Face's too, ignore names without a dot. With --again, the failed lines of \
    finished shards are tried once more, and the images that can be fetched now become NUMBER.r1.tar and so on. A \
    reader takes the newest row of a KEY.

    # ATTEMPTS
    A shard appears whole or not at all, and the first attempt that finishes makes it. A second attempt reports \
    the rows of the finished shard as its own, and has succeeded. Lines that were broken off, or that could not \
    be written here, are never rows: their shard is not made.

    An existing shard is passed over if it was made of the same lines and options. If not, the exit code is 2. \
    With a list that is a file of at most 8 MiB that is found before anything is fetched; a longer list is \
    compared while it is fetched, and in a place each shard is compared when its lines are read. Options are \
    compared with those of other processes' shards, too: a set has shards of one kind. A shard of version 1 \
    counts as another job: finish such a set with 1.x, or take a new folder.

    A failure that is due to this machine is never a row, since another machine could have fetched the image: a \
    lack of libcurl, of a library that an image needs, of room on a disk, of a sandbox, of memory. The run ends \
    with exit code 7 and the name of the package; open shards are not made, and finished ones stay. --without \
    FORMAT leaves out images of a format on every machine alike. A list in another format than --list-format says \
    ends the run in the same way: see --max-invalid.

    # OUTPUT
    One line is printed for each shard, with TABs between its fields: made, kept (it existed) or lost (another \
    attempt was first), the shard, images, failed lines, bytes of the file, milliseconds, the file.

    With --json it is an object of shard, file, outcome, rows, images, failed, bytes (of the images), size (of \
    the file), none, memory, disk, downloaded, attempts, elapsed_ms and failures, an array of kind, status, \
    count and the first message. Under --unique, duplicates is the number of images that were left out because \
    an earlier one is the same; they are not failures. A shard that is not made has such an object, too: its outcome is not-made, and \
    reason is the message. The summary of imgfetch-rows(5), with the number of shards, follows at the end.

    A full disk, or a place that takes nothing, ends the run.

    # CONSENT
    Each row has consent: an object of verdict (no, yes or silent), source and text, both empty if it is silent. It is \
    what the image's owner declares, in forms that machines read, about the use that --purpose names. Any no wins over \
    any yes; with --purpose any, every no and yes counts. The sources are:
    * robots.txt | The rules (RFC 9309); Content-Signal with ai-train, search and ai-input (contentsignals.org, \
    draft-romm-aipref-contentsignals-00); Content-Usage with train-ai, search and ai-use, and as earlier versions had \
    it train-genai and bots (draft-ietf-aipref-attach-04, draft-ietf-aipref-vocab-04: drafts). The groups for imgfetch \
    count, or else those for all robots; of several paths, the longest counts.
    * tdmrep.json | /.well-known/tdmrep.json of the host (TDMRep, final report of the W3C's community group, 2 \
    February 2024). The first rule whose location matches counts: 1 reserves mining for every purpose, 0 does not. \
    Policies are not followed.
    * content-usage | The field of the answer, with the same words as in robots.txt.
    * tdm-reservation | The field of the answer, 1 or 0 (TDMRep).
    * x-robots-tag | noai and noimageai, for all robots or for imgfetch, forbid training; with --refuse-noindex, \
    noindex and noimageindex do, too. These words are a convention, not a standard.
    * iptc | The field Data Mining in the image's XMP (IPTC Photo Metadata Standard 2023.1, with the terms of PLUS). A \
    prohibition with constraints that are stated elsewhere is a no, too.
    * c2pa | A training and data mining assertion in the image's credentials (c2pa.training-mining of C2PA 1.4, \
    cawg.training-mining of CAWG 1.1): notAllowed and constrained are a no. Signatures are not checked: the wish \
    counts, even if its author cannot be proved.
    """
}

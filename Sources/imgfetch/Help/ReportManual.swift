enum ReportManual {
  static func text() -> String {
    Manual.head(.report, "tell what runs did", synopsis: Manual.usage("report", ".Ar ROWS ..."))
      + Roff.paragraphs(prose)
      + Manual.options(Flag.taken(by: .report), on: .report)
      + Roff.paragraphs(json)
      + Roff.paragraphs(
        """
        With --duplicates one object is printed for each group: group, its number, and images, the original first, \
        each with url, output, line, format, width, height and bytes. Without --json it is a line for each image: \
        group, bytes, WxH, image.
        """)
      + Manual.environment([
        .configHome, .terminal,
        Manual.Variable(names: "TMPDIR", meaning: "The folder for rows that cannot be read twice; without it /tmp."),
      ])
      + Manual.files([Manual.configFile])
      + Manual.exitStatus(ExitCodes.ofReport)
      + Manual.examples(examples)
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1), ("imgfetch-pack", 1), ("imgfetch-config", 5),
      ])
  }

  private static let prose = """
    imgfetch report reads rows and tells what became of them: failures by cause and by host with one message \
    each, formats, sizes, times, caches, consent, and duplicates. ROWS are files of --report, the output of \
    --json of any command (of cache list and inspect, too), folders of shards, URLs of places with shards, single \
    shards in either, or - for standard input. Files may be compressed with gzip. Rows are read as a stream, \
    whatever their number; lines that are no rows are counted and left out. Of a shard only the rows are read.

    Counts of hosts are exact for up to 100,000 hosts, medians and percentiles for up to 10,000 images; beyond \
    that percentiles are within half a percent. Without --duplicates, duplicates are looked for among the first \
    200,000 images that can be compared, so that a report of any number of rows takes less than 60 MB of memory. \
    --duplicates and --against take some 32 bytes for each row. Rows that are needed twice and come from streams \
    or shards are kept in an unnamed file in TMPDIR (/tmp).

    Duplicates are found by checksums, in rows that were made with --checksum, and by looks, in rows with \
    --fingerprint dhash,phash,blurhash. Two lines of a run that name one URL are duplicates; rows of one URL in \
    several runs are one image.
    """

  private static let json = """
    # JSON
    With --json one object is printed:
    * Cm rows | All rows.
    * Cm images | Rows of images.
    * Cm failed | Rows of failures.
    * Cm runs | Summaries, one for each run that came to its end.
    * Cm complete | True if all of these runs were complete, and no rows are of a run that was broken off or still \
    goes on.
    * Cm first , last | The times of the earliest and the latest row; null where rows have none.
    * Cm bytes , downloaded | Bytes of images, and of bodies that came over the network.
    * Cm caches | Images by the cache they came from: none, memory, disk, remote.
    * Cm revalidated , shared , stale , flawed | Images whose rows say so.
    * Cm left_out | Images that were not delivered because of --unique.
    * Cm written | Files by what became of them: new, changed, same, kept.
    * Cm kinds | Failures by kind.
    * Cm causes | Failures by kind and status, most first: cause, failed, message, url.
    * Cm hosts | Hosts with failures, most first: host, failed, total, message, and causes with how often each was one.
    * Cm hosts_exact | True if every host was counted.
    * Cm formats | By format: images, bytes, and sizes with min, median, p95, p99 and max.
    * Cm sizes , times | Bytes and milliseconds of images: min, median, p95, p99, max; null where there are none.
    * Cm times_by_cache | The same by cache.
    * Cm consent | Verdicts of owners, in rows of imgfetch pack.
    * Cm duplicates | By bytes and looks: compared, exact (false: only the first images were), groups, extra (images \
    too many), bytes of those, examples.
    * Cm against | With --against: new, changed, gone, failing (newly), fixed, same, still_failing, and examples of \
    each; inexact (those compared by size and format, since a row has no checksum); before, with the images and \
    failed of the earlier rows.
    * Cm largest , smallest | Up to twenty images each.
    """

  private static let examples: [(text: String, lines: String)] = [
    (
      "A report of a run, and a page of it:",
      "imgfetch get --report run.jsonl --checksum --fingerprint thumbhash,blurhash,dhash,phash -d pictures -i list.txt\n"
        + "imgfetch report run.jsonl --html report.html --pictures 60"
    ),
    ("What changed since yesterday:", "imgfetch report today.jsonl --against yesterday.jsonl"),
    (
      "What failed, once more:",
      "imgfetch report --list failed run.jsonl | imgfetch get -d pictures -i -"
    ),
    ("The twenty largest of the cache:", "imgfetch cache list --json | imgfetch report --json - | jq .largest"),
  ]
}

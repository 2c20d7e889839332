/// imgfetch-upgrading(7): the changes since 1.0 that a user notices, each with the way back.
enum UpgradingPage {
  static func text() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-upgrading
      .Nd coming from imgfetch 1.0
      .Sh DESCRIPTION

      """
    return page
      + Roff.paragraphs(
        """
        Version 2 reads the caches, interrupted downloads, lists of failures and configuration files of 1.0, and \
        both versions can use one cache at the same time. Every option of 1.0 is still accepted. Some defaults have \
        changed. This page lists them, with the option that has the former behaviour.

        Data sets of 1.0 are read like those of 2, but a set that 1.0 has begun has to be finished with 1.0, or made \
        anew in another folder.
        """)
      + section("CHECK THESE FIRST", first) + section("FILES", files) + section("CACHING", caching)
      + section("NETWORK", network) + section("IMAGES AND TRANSFORMS", images) + section("LISTS", lists)
      + section("ROWS AND MESSAGES", rows) + section("DATA SETS", dataSets)
      + Manual.examples([
        (
          "A configuration file with the defaults of 1.0, as far as they are settings:",
          """
          # ~/.config/imgfetch/config
          max-age = 7d
          overwrite = yes
          outage = 0
          least-speed = 0
          header = Accept: image/webp,image/*,*/*;q=0.8
          max-list = 0
          max-transient = 0%
          max-invalid = 100%
          """
        )
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-config", 5)])
  }

  private struct Change {
    let now: String
    let former: String

    init(_ now: String, _ former: String) {
      self.now = now
      self.former = former
    }
  }

  private static func section(_ title: String, _ changes: [Change]) -> String {
    ".Sh \(title)\n.Bl -bullet\n"
      + changes.map { ".It\n" + Roff.text($0.now + " Formerly: " + $0.former) }.joined() + ".El\n"
  }

  private static let first = [
    Change(
      """
      A file that imgfetch did not write, or that was edited since, is never replaced: the image gets a name with \
      digits.
      """,
      "the file was replaced; --overwrite does that."
    ),
    Change(
      "With --cache age a server can shorten the age of an image, by no-cache, no-store, max-age or Expires.",
      "only --max-age counted; --max-age 7d, or max-age = 7d in the configuration file, does that."
    ),
    Change(
      "Transforms keep only the creator and the terms of use of the metadata, and turn the pixels upright.",
      "all of Exif was kept, and the orientation with it; --keep-metadata and --no-auto-orient do that."
    ),
    Change("--resize never enlarges an image.", "it did to fill the box; --fit inside does that."),
    Change(
      "Text that can be no URL is refused with exit code 8, and the other images are fetched.",
      "such an operand ended the run with exit code 2."
    ),
    Change(
      "SIGHUP ends the run in order, with exit code 129.",
      "a run went on without its terminal; nohup does that."
    ),
  ]

  private static let files = [
    Change(
      "A file that has the bytes of its image already is not marked as imgfetch's.",
      "it was; --adopt does that."
    ),
    Change(
      "A file that was edited is kept as long as its image does not change.",
      "it was replaced; --overwrite does that."
    ),
    Change("URLs that differ only in http and https share one file.", "the second one had a name with digits."),
    Change(
      "If an image changes its format, its file with the old extension is removed.",
      "the two files stood side by side."
    ),
    Change("A name in a line gets an extension if it has none.", "it was used without one; -o FILE does that."),
    Change(
      "A placeholder has the extension of its own format, and does not count as an image for --no-clobber.",
      "it had the extension of the URL, and was kept."
    ),
    Change(
      "--failed-list does not replace a file that it did not write: the list goes to FILE.1.",
      "the file was replaced; remove it first."
    ),
    Change(
      "--report - (with -q) and --failed-list - mean standard output.",
      "they made a file with that name; ./- means that file."
    ),
    Change("--remote-time and --placeholder with -o - are refused (exit code 2).", "they did nothing; leave them out."),
    Change(
      """
      --placeholder FILE ends the run (exit code 7) before anything is fetched if FILE cannot be read or is no regular \
      file.
      """,
      "the failures came without it, and a pipe was waited for."),
    Change(
      "The first image for which its disk has no room ends the run (exit code 7).",
      "all others were tried, too."
    ),
  ]

  private static let caching = [
    Change(
      """
      An image that its origin no longer has (404, 410, no image) is marked as gone: each run asks and reports that.
      """,
      "the stored image was served between the failures; imgfetch cache remove URL forgets it."
    ),
    Change(
      "An image that the run has received is not asked about again for a minute, even with --max-age 0s.",
      "each line of a list asked again."
    ),
    Change("--max-size 0 is no limit.", "it emptied the cache; --max-size 1 and imgfetch cache clear do that."),
    Change(
      "Memory keeps images of any size up to a quarter of --memory-limit.",
      "it kept small ones only; --memory-limit 0 keeps none."
    ),
    Change(
      """
      From, DNT, Priority, traceparent, tracestate, baggage, X-Request-ID and X-Correlation-ID do not keep images \
      apart.
      """,
      "each value of them had images of its own."
    ),
    Change(
      "prefetch ends with exit code 7 if an image cannot be cached, and does not begin without a cache.",
      "it warned, and ended with 0."
    ),
  ]

  private static let network = [
    Change(
      "The Accept field is image/*,*/*;q=0.8, so that servers send originals.",
      "WebP was preferred; --accept-formats webp, or -H 'Accept: image/webp,image/*,*/*;q=0.8', does that."
    ),
    Change(
      "An origin that has answered before gets 30 seconds to come back.",
      "it failed after a few attempts; --outage 0 does that."
    ),
    Change(
      "A download of less than 1 KB a second is broken off in the end.",
      "it went on; --least-speed 0 does that."
    ),
    Change(
      "The pauses before retries are half a second to eight, at least half of each.",
      "they were zero to thirty seconds."
    ),
    Change("Transfer-Encoding other than chunked and identity is refused (exit code 5).", "libcurl decoded it."),
    Change(
      "With a Crawl-delay of more than a minute, images are refused (exit code 8).",
      "imgfetch waited; without --robots it is ignored."
    ),
    Change("A robots.txt that cannot be read (5xx) is a failure that may pass.", "it was a refusal."),
  ]

  private static let images = [
    Change(
      "Decoding ends after 10 seconds of processor time and 0.1 more for each million pixels.",
      "it had 300 seconds."
    ),
    Change("--max-pixels counts the frames of an animation together only if they are decoded.", "it always did."),
    Change(
      "A PNG whose animation contradicts itself is accepted as its still picture, with a flaw.",
      "it was refused; --strict does that."
    ),
  ]

  private static let lists = [
    Change(
      "A table without a column url is read by the only column that holds URLs.",
      "it was an error; --url-column url does that."
    ),
    Change(
      "A table that ends inside quotation marks, or is empty, is an error (exit code 7).",
      "lines were lost silently."
    ),
    Change("A list at a URL has at most 1 GB.", "it had no limit; --max-list 0 does that."),
  ]

  private static let rows = [
    Change(
      "The second column of a failed row has the kind of the failure and its status, such as http:404.",
      "it was -."
    ),
    Change(
      "--print new prints images that are new or changed, and each failure once.",
      "it printed downloaded images, and each failure again; --print all has all rows."
    ),
    Change("Equal messages of a run are printed as one line with a count.", "each was printed."),
    Change("After a list a digest is printed on standard error.", "it was a summary line; -q leaves it out."),
    Change("Progress bars are not drawn if standard output is a pipe.", "they were; --progress bar does that."),
    Change("help exit explains the exit codes.", "it was help exit-codes, which is still understood."),
    Change("cache list prints headings and local times on a terminal.", "times were in UTC; --json has them so."),
  ]

  private static let dataSets = [
    Change(
      "The members job, failed and end of a shard have no extension, so that Hugging Face's loaders ignore them.",
      "they had."
    ),
    Change(
      "A machine that lacks a library, a sandbox or memory ends the run with exit code 7.",
      "such images were rows of failures; --without FORMAT leaves out a format on every machine."
    ),
    Change(
      "A list with too many invalid lines ends the run with exit code 7.",
      "each such line was a row of a failure; --max-invalid 100% does that."
    ),
    Change(
      "A shard is made although some lines failed for a passing reason.",
      "it was not; --max-transient 0% does that."
    ),
    Change("Every image has a KEY.txt if lines have a caption column.", "only images with a caption had one."),
    Change("NaN and Infinity in JSON lines are null.", "such lines were refused."),
  ]
}

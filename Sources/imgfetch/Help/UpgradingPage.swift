/// imgfetch-upgrading(7): the changes since 1.0 that a user notices, each with the way back.
enum UpgradingPage {
  static func text() -> String {
    Manual.head(.upgrading, "coming from imgfetch 1.0")
      + Roff.paragraphs(prose)
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

  private static let prose = """
    Version 2 reads the caches, interrupted downloads, lists of failures and configuration files of 1.0, and \
    both versions can use one cache at the same time. Every option of 1.0 is still accepted. Some defaults have \
    changed. This page lists them, with the option that has the former behaviour.

    Data sets of 1.0 are read like those of 2, but a set that 1.0 has begun has to be finished with 1.0, or made \
    anew in another folder.

    # CHECK THESE FIRST
    - A file that imgfetch did not write, or that was edited since, is never replaced: the image gets a name with \
    digits. Formerly: the file was replaced; --overwrite does that.
    - With --cache age a server can shorten the age of an image, by no-cache, no-store, max-age or Expires. Formerly: \
    only --max-age counted; --max-age 7d, or max-age = 7d in the configuration file, does that.
    - Transforms keep only the creator and the terms of use of the metadata, and turn the pixels upright. Formerly: \
    all of Exif was kept, and the orientation with it; --keep-metadata and --no-auto-orient do that.
    - --resize enlarges no image to fill its box. Formerly: it did; --fit inside does that.
    - Text that can be no URL is refused with exit code 8, and the other images are fetched. Formerly: such an operand \
    ended the run with exit code 2.
    - SIGHUP ends the run in order, with exit code 129. Formerly: a run went on without its terminal; nohup does that.

    # FILES
    - A file that has the bytes of its image already is not marked as imgfetch's. Formerly: it was; --adopt does that.
    - A file that was edited is kept as long as its image does not change. Formerly: it was replaced; --overwrite does \
    that.
    - URLs that differ only in http and https share one file. Formerly: the second one had a name with digits.
    - If an image changes its format, its file with the old extension is removed. Formerly: the two files stood side \
    by side.
    - A name in a line gets an extension if it has none. Formerly: it was used without one; -o FILE does that.
    - A placeholder has the extension of its own format, and does not count as an image for --no-clobber. Formerly: it \
    had the extension of the URL, and was kept.
    - --failed-list does not replace a file that it did not write: the list goes to FILE.1. Formerly: the file was \
    replaced; remove it first.
    - --report - (with -q) and --failed-list - mean standard output. Formerly: they made a file with that name; ./- \
    means that file.
    - --remote-time and --placeholder with -o - are refused (exit code 2). Formerly: they did nothing; leave them out.
    - --placeholder FILE ends the run (exit code 7) before anything is fetched if FILE cannot be read or is no regular \
    file. Formerly: the failures came without it, and a pipe was waited for.
    - The first image for which its disk has no room ends the run (exit code 7). Formerly: all others were tried, too.

    # CACHING
    - An image that its origin no longer has (404, 410, no image) is marked as gone: each run asks and reports that. \
    Formerly: the stored image was served between the failures; imgfetch cache remove URL forgets it.
    - An image that the run has received is not asked about again for a minute, even with --max-age 0s. Formerly: each \
    line of a list asked again.
    - --max-size 0 is no limit. Formerly: it emptied the cache; --max-size 1 and imgfetch cache clear do that.
    - Memory keeps images of any size up to a quarter of --memory-limit. Formerly: it kept small ones only; \
    --memory-limit 0 keeps none.
    - From, DNT, Priority, traceparent, tracestate, baggage, X-Request-ID and X-Correlation-ID do not keep images \
    apart. Formerly: each value of them had images of its own.
    - prefetch ends with exit code 7 if an image cannot be cached, and does not begin without a cache. Formerly: it \
    warned, and ended with 0.

    # NETWORK
    - The Accept field is image/*,*/*;q=0.8, so that servers send originals. Formerly: WebP was preferred; \
    --accept-formats webp, or -H 'Accept: image/webp,image/*,*/*;q=0.8', does that.
    - An origin that has answered before gets 30 seconds to come back. Formerly: it failed after a few attempts; \
    --outage 0 does that.
    - A download of less than 1 KB a second is broken off in the end. Formerly: it went on; --least-speed 0 does that.
    - The pauses before retries are half a second to eight, at least half of each. Formerly: they were zero to thirty \
    seconds.
    - Transfer-Encoding other than chunked and identity is refused (exit code 5). Formerly: libcurl decoded it.
    - With a Crawl-delay of more than a minute, images are refused (exit code 8). Formerly: imgfetch waited; without \
    --robots it is ignored.
    - A robots.txt that cannot be read (5xx) is a failure that may pass. Formerly: it was a refusal.

    # IMAGES AND TRANSFORMS
    - Decoding ends after 10 seconds of processor time and 0.1 more for each million pixels. Formerly: it had 300 \
    seconds.
    - --max-pixels counts the frames of an animation together only if they are decoded. Formerly: it always did.
    - A PNG whose animation contradicts itself is accepted as its still picture, with a flaw. Formerly: it was \
    refused; --strict does that.

    # LISTS
    - A table without a column url is read by the only column that holds URLs. Formerly: it was an error; --url-column \
    url does that.
    - A table that ends inside quotation marks, or is empty, is an error (exit code 7). Formerly: lines were lost \
    silently.
    - A list at a URL has at most 1 GB. Formerly: it had no limit; --max-list 0 does that.

    # ROWS AND MESSAGES
    - The second column of a failed row has the kind of the failure and its status, such as http:404. Formerly: it was \
    -.
    - --print new prints images that are new or changed, and each failure once. Formerly: it printed downloaded \
    images, and each failure again; --print all has all rows.
    - Equal messages of a run are printed as one line with a count. Formerly: each was printed.
    - After a list a digest is printed on standard error. Formerly: it was a summary line; -q leaves it out.
    - Progress bars are not drawn if standard output is a pipe, or while another job has the terminal. Formerly: they \
    were; --progress bar does that.
    - help exit explains the exit codes. Formerly: it was help exit-codes, which is still understood.
    - cache list prints headings and local times on a terminal. Formerly: times were in UTC; --json has them so.

    # DATA SETS
    - The members job, failed and end of a shard have no extension, so that Hugging Face's loaders ignore them. \
    Formerly: they had.
    - A machine that lacks a library, a sandbox or memory ends the run with exit code 7. Formerly: such images were \
    rows of failures; --without FORMAT leaves out a format on every machine.
    - A list with too many invalid lines ends the run with exit code 7. Formerly: each such line was a row of a \
    failure; --max-invalid 100% does that.
    - A shard is made although some lines failed for a passing reason. Formerly: it was not; --max-transient 0% does \
    that.
    - Every image has a KEY.txt if lines have a caption column. Formerly: only images with a caption had one.
    - NaN and Infinity in JSON lines are null. Formerly: such lines were refused.
    """
}

/// The pages of `help TOPIC` about subjects that concern several options.
enum TopicPages {
  static func text(_ page: HelpPage) -> String {
    switch page {
    case .names: names
    case .caches: caches
    case .exit: Help.exitCodes()
    case .lists: lists
    case .retry: retry
    }
  }

  private static let caches = """
    Rows, and the caches that answer

    Each image is a row of seven fields, in a file or pipe with TABs between them:

      cache  mime  WxH  bytes  milliseconds  output  url

      none    image/jpeg     800x600  45760  312    cat.jpg   https://e.org/cat.jpg
      disk    image/jpeg     800x600  45760  4      cat.jpg   https://e.org/cat.jpg
      disk=   image/png      64x64    1093   48     logo.png  https://e.org/logo.png
      disk!   image/png      64x64    1093   9      logo.png  https://e.org/logo.png
      none+   image/gif      16x16    807    95     b.gif     https://e.org/a.gif
      memory  image/gif      16x16    807    0      c.gif     https://e.org/a.gif
      remote  image/webp     640x480  30210  21     d.webp    https://e.org/d.webp
      -       -              -        -      0      kept.png  https://e.org/kept.png
      failed  http:404       -        -      87     -         https://e.org/gone.png
      failed  not-image:200  -        -      52     -         https://e.org/page.jpg

    On a terminal the columns are aligned and have units, and a failure is told in
    words:

      none    jpeg  800x600    45 KB   312 ms  cat.jpg  https://e.org/cat.jpg
      failed  https://e.org/gone.png: the server answered 404 Not Found

    cache: where the bytes came from.
      none    from no cache: the server sent them.
      disk    from the cache on this disk.
      memory  from this run's memory: an earlier line had the same image.
      remote  from the cache that several machines share (--remote-cache).
      failed  there is no image. The next field says why.
      -       nothing was looked for: --no-clobber kept a file that was there.
    Marks behind the word, in this order:
      !       stale: the server was to be asked about the copy, and could not be.
      =       the server was asked, and said that the copy has not changed (304).
      +       shared: another line of this run, or another process, wanted the
              same image at the same time; it was downloaded once for both.
    mime: the type of the image, by its bytes, whatever its name says. Of a failure:
    its kind, and the server's status if there was one. not-image:200 is a page that
    came with status 200. Behind each kind is its exit code:
      name connect tls timeout        the server could not be reached, or was silent
      truncated                       the connection broke before the end (all 3)
      http                            the server's status, such as 404 (4)
      not-image damaged               the body is no image, or not a whole one (5)
      limit checksum                  a limit, a filter or a checksum forbids it (5)
      offline                         it is not in the cache, with --offline (6)
      file                            a file: disk full, no permission (7)
      refused                         a rule forbids it, or it is no URL (8)
      cancelled                       the run was ended first
    WxH: width and height in pixels. bytes: the size of what was written.
    milliseconds: from reading the line to its result, with all waiting.
    output: the file that was written, or that has these bytes already. Eight hex
    digits at its end (cat-817d9a7e.jpg) mean that cat.jpg was not free: see
    imgfetch help names. A dash means no file: a failure, imgfetch prefetch, or a
    duplicate (--unique). A failed row has a file only with --placeholder.
    url: as it was given, passwords as ***. A dash is a missing value.

    When a server is asked again (--cache):
      age      the default: a copy is served while it is younger than --max-age
               (7d), or than the server says if that is shorter. After that the
               server is asked whether it has changed.
      http     as HTTP's rules of caching say.
      refresh  the server is asked each time, and sends only what has changed.
      reload   everything is downloaded again.
      only     the server is never asked; the same as --offline.
      memory   nothing is kept on disk.
      off      nothing is kept at all.

    imgfetch -v says for each image why its server was, or was not, asked.
    man imgfetch-rows has all fields, and those of --json; man imgfetch-caching
    has the rules of the caches.

    """

  private static let names = """
    How files are named

    A file is named after the last part of its URL, percent-decoded and made safe:
    no separators, no control characters, no leading dots and dashes. If nothing
    is left, it is called image. The extension follows the bytes: cat.jpg that is a
    PNG becomes cat.png; a right extension stays (.jpeg, .jpe).

    If two URLs want one name, the second image gets a dash and eight hex digits:
    cat-817d9a7e.jpg. A written file is marked with its URL (as a hash, in an
    extended attribute), so that later runs find it, and each image keeps its name.

      -d DIR              into this folder, which is made if missing
      -o FILE             this name, for one URL (-o -: standard output)
      --name TEMPLATE     by parts: '{host}/{path}', '{index:04}-{name}.{ext}',
                          '{key}.{ext}', '{width}x{height}-{name}.{ext}'
      a line's name       URL, TAB, name in the list, or stem=NAME without extension

    If there is a file of that name already, and it is
      this image's, unchanged  it is left alone, so make and rsync see nothing new
      this image's, outdated   it is replaced
      another image's          it is kept, and this one gets a name with digits
      not imgfetch's           the same, unless it has the image's bytes already
    A file that was copied without its mark is no longer imgfetch's. One that was
    edited is kept, too: its image gets a name with digits when it has changed.

      --no-clobber        keep any file of that name, and make no request
      --overwrite         replace any file of that name
      --adopt             mark files that have the right bytes as imgfetch's

    man imgfetch-files has the details.

    """

  private static let lists = """
    Lists: -i FILE

    FILE may be - (standard input, read as it comes), or a URL. One line is one
    image, with fields separated by TABs:

      https://example.org/cat.jpg
      https://example.org/cat.jpg<TAB>kitty.jpg
      https://example.org/cat.jpg<TAB>kitty.jpg<TAB>priority=high<TAB>id=17

    Fields behind the URL and the name, in any order:
      priority=high|low   fetched before or after the others
      sha256=HEX          the checksum that the bytes must have
      mirror=URL          another URL of the same image; may be repeated
      referer=URL         sent as the Referer: the page that shows the image
      id=TEXT             repeated in the row of --json
      stem=TEXT           the name of the file, without its extension

    Blank lines and lines that begin with # are passed over. <URL>, "URL" and a
    comma or semicolon at the end are understood. Without https:// a line begins
    with a host. Words, prose, HTML, JSON and names of files are refused (exit
    code 8) with what they look like, and no name in them is looked up.

    Tables: --list-format csv, tsv or jsonl
      The first line of csv and tsv names the columns. Fields may be quoted; those
      of csv are separated by commas, semicolons or TABs. jsonl has a JSON object
      on each line. --url-column NAME names the column of the URLs; by default it
      is url, else the only one that holds URLs.

    Lists may be compressed with gzip.
      -0                  records end with NUL, as from find -print0
      --shard 2/5         fetch the second of five parts, for five machines
      --failed-list FILE  write the failed lines, as the next run's list

    man imgfetch-lists has the details.

    """

  private static let retry = """
    When something fails

    A failure that may pass is retried, --retry N times (2): connections that fail
    or break, timeouts, truncated bodies, names that cannot be looked up now, and
    the statuses 408, 425, 429, 500, 502, 503, 504. The pauses grow: about 0.5, 1,
    2 … 8 seconds. Retry-After of up to a minute is obeyed; with a longer one the
    image fails at once. After 429 and 503, all requests to that server slow down.

    Other failures are not retried: 404, a name that does not exist, a body that is
    no image. Such a URL is requested once in a run (--retry-failed: each time it
    is listed). With --skip-failed 1d no run requests it for a day.

    A host that is down is tried by one request at a time, while the others go on:
    if it comes back soon, its images come, too.

      --retry N             retry so often (2); 0: never
      --timeout TIME        give up after this long without a byte (15s)
      --connect-timeout T   the most for name, connection and TLS (10s)
      --max-time TIME       the most for one image with all its retries (no limit)
      --outage TIME         how long a host that has answered may be away (30s)
      --mirror URL          another URL of the same image (in a list: mirror=URL)
      --failed-list FILE    write the failed lines, as the next run's -i FILE
      --fail-fast           end the run with the first failure
      --exit-zero           end with 0 even if images failed

    If the server cannot be reached or answers 5xx, an old copy is served, marked !
    in its row; --no-stale makes that a failure. A download that broke off goes on
    where it stopped, even in the next run. man imgfetch-network has the details.

    """
}

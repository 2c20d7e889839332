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

    A row is seven fields, separated by TABs (aligned on a terminal):

      cache  mime  WxH  bytes  milliseconds  output  url

    Ten rows:

      none    image/jpeg  1200x800  245760  312  cat.jpg    https://e.org/cat.jpg
      disk    image/jpeg  1200x800  245760  4    cat.jpg    https://e.org/cat.jpg
      disk=   image/png   64x64     1093    48   logo.png   https://e.org/logo.png
      disk!   image/png   64x64     1093    9    logo.png   https://e.org/logo.png
      none+   image/gif   16x16     807     95   b.gif      https://e.org/a.gif
      memory  image/gif   16x16     807     0    c.gif      https://e.org/a.gif
      remote  image/webp  640x480   30210   21   d.webp     https://e.org/d.webp
      -       -           -         -       0    kept.png   https://e.org/kept.png
      failed  http:404    -         -       87   -          https://e.org/gone.png
      failed  timeout     -         -       15s  -          https://slow.org/x.png

    cache: the origin of the bytes.
      none    no cache: they came over the network, from the server.
      disk    the cache on this disk. Nothing was downloaded.
      memory  this run had the image a moment ago, and kept it.
      remote  the cache that machines share (--remote-cache).
      -       no cache was asked: --no-clobber kept a file that is there.
      failed  there is no image. The next field says why.
    Marks behind the word, in this order:
      !       stale: the copy is past its age, and the server could not be asked.
      =       the server was asked, and said that the copy is still right (304).
      +       shared: another line of this run, or another process, asked for the
              same image; it was downloaded once for both.
    mime: the type of the image, by its bytes; of a failure, its kind and status:
      name connect tls timeout truncated   the network (exit code 3)
      http                                 the server said no, with this status (4)
      not-image damaged limit checksum     the body is not the wanted image (5)
      offline                              not in the cache, with --offline (6)
      file                                 a file: disk full, no permission (7)
      refused                              by a rule, or no URL (8)
      cancelled                            the run was ended
    WxH: width and height in pixels. bytes: the size of the image.
    milliseconds: from reading the line to its result, with all waiting.
    output: the file. -: none was written. url: as it was given.
    A dash stands for a missing value.

    When a server is asked again (--cache):
      age      the default: a copy is served while it is younger than --max-age
               (7d), or than the server says where that is shorter. Then the
               server is asked whether it has changed.
      http     exactly as HTTP's rules of caching say.
      refresh  the server is asked each time, and sends only what has changed.
      reload   everything is downloaded anew.
      only     the server is never asked (--offline).
      memory   nothing on disk. off: no cache at all.

    imgfetch -v says for each image why it was or was not asked for.
    imgfetch cache size says how much there is, imgfetch cache clean makes room.
    man imgfetch-caching and man imgfetch-rows have the details.

    """

  private static let names = """
    How files are named

    A file is named after the last part of its URL, percent-decoded and made safe:
    no separators, no control characters, no leading dots and dashes. If nothing
    is left, it is called image. The extension follows the bytes: cat.jpg that is a
    PNG becomes cat.png; a right extension stays (.jpeg, .jpe).

    Two URLs, one name: the second one gets a dash and eight hex digits. A written
    file carries its URL's key (an extended attribute), so that later runs find
    their own files again, and each image keeps its name.

      -d DIR              into this folder, which is made if missing
      -o FILE             this name, for one URL (-o -: standard output)
      --name TEMPLATE     by parts: '{host}/{path}', '{index:04}-{name}.{ext}',
                          '{key}.{ext}', '{width}x{height}-{name}.{ext}'
      a line's name       URL, TAB, name in the list, or stem=NAME without extension

    Files that are there already:
      the same bytes      left untouched, so that make and rsync see nothing new
      another URL's file  kept; this image gets a name with digits
      --no-clobber        kept, and no request is made
      not imgfetch's      kept; this image gets a name with digits
      --overwrite         replaced

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
      priority=high|low   before or after the others
      sha256=HEX          the bytes must have this sum
      mirror=URL          another URL of the same image; may be repeated
      referer=URL         sent as the page that the image is of
      id=TEXT             comes back in the row
      stem=TEXT           the name without its extension

    Blank lines and lines that begin with # are passed over. <URL>, "URL" and a
    comma or semicolon at the end are understood. Without https:// a line begins
    with a host. Words, prose, HTML, JSON and names of files are refused (exit
    code 8) with what they look like, and no name in them is looked up.

    Tables: --list-format csv, tsv or jsonl
      The first line of csv and tsv names the columns; fields may be quoted, and
      of csv they are separated by commas, semicolons or TABs. jsonl has a JSON
      object a line. --url-column NAME says which column is fetched; without it
      that is url, else the one that holds URLs. The column id comes back in rows.

    Lists may be compressed with gzip. -0: records end with NUL, as from
    find -print0. --shard 2/5: the second of five parts, for five machines.
    --failed-list FILE: the failed lines, as the next run's list.

    man imgfetch-lists has the details.

    """

  private static let retry = """
    When something fails

    A failure that may pass is retried, --retry N times (2): connections that fail
    or break, timeouts, truncated bodies, names that cannot be looked up now, and
    the statuses 408, 425, 429, 500, 502, 503, 504. The pauses grow: about 0.5, 1,
    2 … 8 seconds. Retry-After of up to a minute is obeyed; beyond that the image
    fails at once. 429 and 503 slow down everything that is asked of that server.

    Other failures are not: 404, a name that does not exist, a body that is no
    image. Such a URL is requested once in a run (--retry-failed: each time), and
    with --skip-failed 1d not for a day by any run.

    A host that is down is tried by one request at a time. It costs a list no
    image if it comes back soon, and no time if it does not.

      --timeout 15s         a server that is silent for so long (each byte counts)
      --connect-timeout 10s name, connection and TLS
      --max-time TIME       one image with all its retries
      --retry N             how often; 0: never
      --failed-list FILE    the failed lines, as the next run's -i FILE
      --fail-fast           end with the first failure
      --exit-zero           failures are rows, and not the exit code
      mirror=URL            another place of the same image, in a list; --mirror

    An old copy is served (marked !) where the server cannot be reached or answers
    5xx; --no-stale makes that a failure. A download that broke off goes on where
    it stopped, also in the next run. man imgfetch-network has the details.

    """
}

/// imgfetch-network(7): requests, their limits, and the handling of failures.
enum NetworkPage {
  static func text() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-network
      .Nd requests, retries, slow and dead hosts, credentials
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch downloads many images at once, from many hosts. This page explains the order and the limits, the \
        retries, and the servers that get credentials.
        """)
      + concurrency() + retries() + down() + slow() + credentials() + redirects()
      + Manual.examples([
        (
          "Retry what failed, three times at most; a run without failures removes the list:",
          """
          imgfetch get -i list.txt --failed-list again.txt
          for pause in 60 600 3600; do
              [ -s again.txt ] || break
              sleep "$pause"
              imgfetch get -i again.txt --failed-list again.txt
          done
          """
        ),
        ("Spare a server:", "imgfetch get --per-host 2 --rate 2/s -i list.txt"),
      ])
      + Manual.seeAlso([("imgfetch-get", 1), ("imgfetch-lists", 5), ("imgfetch-caching", 7)])
  }

  private static func concurrency() -> String {
    ".Sh ORDER\n"
      + Roff.paragraphs(
        """
        At most --jobs downloads (100) are in progress, and at most --per-host of them (6, or 100 over HTTP/2) from \
        one origin: a scheme, host and port. A download that waits for a retry or for another process does not \
        count. Origins that have not answered yet get at most half of --jobs together, so that dead hosts do not \
        hold up the others.

        The list is read up to 200,000 lines ahead. Lines with priority=high come first. Among the rest those \
        start next that can use an open connection, then those of hosts that have none, in the order of the list (with \
        --order fifo the oldest line, with lifo the newest), and lines whose origin has no free place are passed over. \
        So a list that is sorted by host takes no longer than a shuffled one.

        --rate bounds the requests to one origin, --limit-rate the bytes of the whole run.
        """)
  }

  private static func retries() -> String {
    ".Sh RETRIES\n"
      + Roff.paragraphs(
        """
        A failure that may pass is retried up to --retry times (2): a name that cannot be looked up now, a \
        connection that is refused or breaks, a timeout, a truncated body, and the statuses 408, 425, 429, 500, 502, \
        503 and 504. The pauses grow from half a second to eight, and up to half of each is left out at random. A \
        body that broke off is continued where it stopped, if the server can do that; so is one that an earlier run \
        has left.

        A failure that does not pass is not retried: a name that does not exist, any other status, a body that is no \
        image. Mirrors (--mirror, mirror=URL) are tried after either kind.

        A Retry-After of up to 60 seconds is obeyed; with a longer one the image fails at once. 429 and 503 slow \
        down all downloads from their origin: without a Retry-After half as many continue, after a pause that \
        doubles each time, until the origin answers again.
        """)
  }

  private static func down() -> String {
    ".Sh HOSTS THAT ARE DOWN\n"
      + Roff.paragraphs(
        """
        After three attempts in a row without an answer, an origin counts as down. Its images wait, while one \
        request at a time tries it again. If three of these have failed, too, all its images fail with one message. \
        It is tried again now and then, and one answer brings it back. Images with a mirror or a stored copy do not \
        wait.

        An origin that has answered in this run before gets --outage (30s) to come back, counted from the first of \
        the three attempts. Meanwhile its failures, and its answers 502, 503 and 504, do not count against --retry. \
        So a server that restarts, or a laptop that changes networks, costs no image.
        """)
  }

  private static func slow() -> String {
    ".Sh SLOW SERVERS\n"
      + Roff.paragraphs(
        """
        --connect-timeout (10s) bounds the lookup of the name, the connection and its TLS handshake. --timeout (15s) \
        is the longest silence: each header and each byte restarts it. --max-time bounds an image with all its \
        retries and redirects.

        A download that is slower than --least-speed (1K a second, measured over ten seconds) gives up its place, \
        and continues beside the --jobs. After 30 further seconds it is broken off, counts as a timeout, and is \
        retried where it stopped, unless no other origin was faster in this run. Downloads that take longer than a \
        minute hold at most half of --jobs while others wait. Time in which imgfetch itself does not read, as with \
        --limit-rate, does not count. With -j 1 none of this applies.

        A name is looked up once for all images of its host. Its addresses are used for a minute, and a name that \
        does not exist is not looked up again in this run.
        """)
  }

  private static func credentials() -> String {
    ".Sh CREDENTIALS\n"
      + Roff.paragraphs(
        """
        --user, --bearer-file, --cookie, --cert and the header fields Authorization and Cookie belong to the origin \
        of the run's first URL, and are sent to no other. User info in a URL belongs to that URL, --netrc has a \
        login for each host, and a cookie jar knows the host of each cookie. Basic credentials are sent at once, \
        Digest if the server demands it.

        After a redirect to another origin, only Accept, Accept-Language and User-Agent are sent there. Credentials \
        are shown as *** in every report, and never stored.
        """)
  }

  private static func redirects() -> String {
    ".Sh REDIRECTS\n"
      + Roff.paragraphs(
        """
        imgfetch follows up to --max-redirects (10). Rules about hosts and addresses are checked before each. A \
        redirect from https to http, to another scheme, or from a public address to one that is not, is refused \
        (exit code 8); --allow-downgrade permits the first of these.
        """)
  }
}

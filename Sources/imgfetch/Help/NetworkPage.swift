/// imgfetch-network(7): requests, their limits, and the handling of failures.
enum NetworkPage {
  static func text() -> String {
    Manual.head(.network, "requests, retries, slow and dead hosts, credentials")
      + Roff.paragraphs(prose)
      + Manual.optionsExplained(on: .network)
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
      + Manual.seeAlso([("imgfetch-get", 1), ("imgfetch-lists", 5), ("imgfetch-caching", 7), ("imgfetch-remote", 7)])
  }

  private static let prose = """
    imgfetch downloads many images at once, from many hosts. This page explains the order and the limits, the \
    retries, the servers that get credentials, and all options about requests.

    # ORDER
    --jobs limits the downloads of the whole run, and --per-host those from one origin: a scheme, host and port. \
    Within these limits the list is read up to 200,000 lines ahead. Lines with priority=high come first, and then \
    --order decides. Lines whose origin has no free place are passed over, so a list that is sorted by host takes \
    no longer than a shuffled one.

    # RETRIES
    A failure that may pass is retried: see --retry. Each pause is shortened at random, by half at most. A body \
    that broke off is continued where it stopped, if the server supports that; so is one that an earlier run \
    has left.

    A failure that does not pass is not retried: a name that does not exist, any other status, a body that is no \
    image. Mirrors (--mirror, mirror=URL) are tried after either kind.

    429 and 503 slow down all downloads from their origin: without a Retry-After half as many continue, after a \
    pause that doubles each time, until the origin answers again.

    # HOSTS THAT ARE DOWN
    After three attempts in a row without an answer, an origin counts as down. Its images wait, while one \
    request at a time tries it again. If three of these have failed, too, all its images fail with one message. \
    It is tried again now and then, and one answer brings it back. Images with a mirror or a stored copy do not \
    wait.

    An origin that has answered in this run before gets --outage (30s) to come back, counted from the first of \
    the three attempts.

    # SLOW SERVERS
    --timeout ends a silent download, and --least-speed a slow one, unless no other origin was faster in this \
    run. Time in which imgfetch itself does not read, as with --limit-rate, does not count. Downloads that take \
    longer than a minute hold at most half of --jobs while others wait. With -j 1, only --timeout applies.

    # NAMES
    A name is looked up once for all images of its host. Its addresses are used for a minute, and a name that \
    does not exist is not looked up again in this run.

    # CREDENTIALS
    --user, --bearer-file, --cookie, --cert and the header fields Authorization and Cookie belong to the origin \
    of the run's first URL, and are sent to no other. User info in a URL belongs to that URL, --netrc has a \
    login for each host, and a cookie jar knows the host of each cookie. Basic credentials are sent at once, \
    Digest if the server demands it.

    After a redirect to another origin, only Accept, Accept-Language and User-Agent are sent there. Credentials \
    are shown as *** in every report, and never stored.
    """
}

extension Flag {
  /// Who asks, and whom we believe.
  static let credentials: [Flag] = [
    Flag(
      .header, "header", short: "H", .value(placeholder: "FIELD", kind: .header), unset: "none", repeatable: true,
      on: .fetching, .credentials, secret: true,
      help: "send a header field, 'Name: value'",
      more: """
        Sends a header field with every request. 'Name:' takes a field away that imgfetch sends by itself, 'Name;' \
        sends it empty. Authorization and Cookie go to the origin of the run's first URL only; to another origin \
        after a redirect follow only Accept, Accept-Language and User-Agent. Range and the If- fields are for the \
        cache policies http and off.
        """,
      example: "imgfetch get -H 'Accept: image/png' https://example.org/cat"),
    Flag(
      .userAgent, "user-agent", short: "A", .value(placeholder: "TEXT", kind: .text), unset: "imgfetch/VERSION",
      on: .fetching, .credentials,
      help: "the User-Agent to send",
      more: "The User-Agent to send. By default an honest imgfetch with its version."),
    Flag(
      .referer, "referer", .value(placeholder: "URL", kind: .text), unset: "none", on: .fetching, .credentials,
      secret: true,
      help: "the Referer to send",
      more: "The Referer to send; it stays with the first origin."),
    Flag(
      .user, "user", short: "u", .value(placeholder: "NAME[:PW]", kind: .user), unset: "none", on: .fetching,
      .credentials, secret: true, excludes: [.bearerFile],
      help: "name and password (asked for if missing)",
      more: """
        NAME[:PASSWORD]. Sent as Basic at once, as Digest when the origin asks for that, to the origin of the run's first URL and to no \
        other. A missing password is asked for on the terminal, which keeps it out of the process list.
        """),
    Flag(
      .netrc, "netrc", on: .fetching, .credentials,
      help: "take names and passwords from ~/.netrc",
      more: "Takes names and passwords from ~/.netrc, for each host the one that is written there."),
    Flag(
      .bearerFile, "bearer-file", .value(placeholder: "FILE", kind: .file), unset: "none", on: .fetching,
      .credentials,
      help: "send the token in FILE",
      more: """
        Sends Authorization: Bearer with the first line of FILE, to the origin of the run's first URL and to no other. \
        A file, because arguments can be read by everyone on the machine.
        """),
    Flag(
      .cookie, "cookie", .value(placeholder: "NAME=VALUE", kind: .text), unset: "none", repeatable: true,
      on: .fetching, .credentials, secret: true,
      help: "send a cookie",
      more: "Sends this cookie to the origin of the run's first URL and to no other. May hold several, as 'a=1; b=2'."),
    Flag(
      .cookieJar, "cookie-jar", .value(placeholder: "FILE", kind: .file), unset: "none", on: .fetching, .credentials,
      help: "read and keep cookies in FILE",
      more: "Reads cookies from FILE, in the format of Netscape and curl, and writes them back when the run ends."),
    Flag(
      .cacert, "cacert", .value(placeholder: "FILE", kind: .file), unset: "the system's", on: .fetching,
      .credentials,
      help: "trust the certificates in FILE",
      more: "Trusts the certificate authorities in FILE (PEM) in place of the system's."),
    Flag(
      .insecure, "insecure", short: "k", on: .fetching, .credentials, excludes: [.cacert],
      help: "do not check certificates",
      more: """
        Does not check whom a TLS connection leads to. Images had in this way lie under cache keys of their own, so \
        that no other run is answered with them.
        """),
  ]
}

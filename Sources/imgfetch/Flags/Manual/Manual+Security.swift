extension Manual {
  /// SECURITY CONSIDERATIONS of imgfetch(1): what is trusted, what is not, and what each limit is good for.
  static func security() -> String {
    ".Sh SECURITY CONSIDERATIONS\n"
      + Roff.text(
        """
        Trusted are the command line, the environment, the configuration file and the user whom the cache belongs to. A \
        cache that others may write to is not used. Nothing is read from the working directory.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        Not trusted is what comes from a server: bytes, header fields, redirects, names. Names of files are stripped of all \
        that is not safe and never lead out of the output folder; neither do the names in a list. Text is stripped of what \
        would change what a terminal shows. A file of a wrong type, a page of HTML or a half image never gets the name that \
        was asked for. Bytes are looked at by code that is safe by its language; the libraries that decode pixels are called \
        only for --verify decode and for transforms, in helper processes that have nothing but a channel to this one: the \
        kernel (seccomp, Landlock, limits of memory and processor time) keeps them from files, the network and other \
        processes, and ends them with this one. What they send back is looked at like what a server sends. One that crashes \
        takes its image with it, and exit code 5. An image that has taken a helper over can do this: read the file that it \
        lies in, where it is larger than 4 MB (in the cache that holds its URL and header fields too); spoil the pixels of \
        the images that the helper works on next; take 1.5 GB of memory, and 300 seconds of a processor; read clocks. \
        Where the kernel has no seccomp nothing is decoded (exit code 7). --no-sandbox decodes without all this.
        """)
      + ".Pp\n"
      + Roff.text("Nor need the URLs of a list be trusted, if these are set for them:")
      + Roff.list([
        limit(
          "deny-private",
          "A URL, a redirect or a name in the DNS that leads into the network at home: services on this machine, routers, "
            + "the metadata of a cloud. Without it a redirect from a public address to such a one is refused all the same."
        ),
        limit(
          "allow-host",
          "Everything but the hosts that are meant, also as the target of a redirect; deny-host for a few."),
        limit("max-bytes", "A body that never ends, or fills the disk."),
        limit(
          "max-pixels",
          "A small file that would take gigabytes once it is decoded. It is checked before memory is taken."),
        limit("max-time", "A server that sends a byte now and then: --timeout ends only those that send nothing."),
        limit("max-redirects", "Circles."),
        limit("max-size", "A cache that fills the disk; it holds for runs, not at each moment."),
        limit("rate", "Trouble for the server, and for one's own address there; so does per-host."),
        limit("verify", "With decode: what only looks whole."),
      ])
      + ".Pp\n"
      + Roff.text(
        """
        What --user, --bearer-file, --cookie and the header fields Authorization and Cookie say goes to the origin of the \
        first URL, and to no other; user info in a URL belongs to that URL, and --netrc has a login for each host. None of \
        it is shown in a report, or stored: the cache tells askers apart by a keyed hash. What stands on a command line is seen by other users of the machine; \
        --netrc, --bearer-file, --cookie-jar, or --user without a password, which is asked for, keep it to oneself. \
        --insecure answers are kept apart from all others.
        """)
  }

  private static func limit(_ name: String, _ meaning: String) -> (tag: String, body: String) {
    ("Fl " + Roff.argument("-" + name), Roff.text(meaning))
  }
}

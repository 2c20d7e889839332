/// The exit codes with their meanings, for help and the manual.
enum ExitCodes {
  static let meanings: [(code: String, meaning: String)] = [
    ("0", "Every image was fetched, or served from a cache."),
    ("1", "Several kinds of failure in one run, or a failure without a specific code."),
    ("2", "The command line, environment or configuration is wrong; nothing was done."),
    ("3", "Network: name, connection, TLS, timeout, truncated answer."),
    ("4", "The server's status is not accepted (400 and above)."),
    ("5", "Not an image, damaged, over a limit, or rejected by checksum or filter."),
    ("6", "Not in the cache, with --offline or cache path."),
    ("7", "A local file could not be read or written: disk full, no permission."),
    ("8", "Refused by a rule (host, private address, scheme, redirect), or an invalid line of a list."),
    ("129, 130, 143", "Interrupted by SIGHUP, SIGINT or SIGTERM."),
    ("141", "The reader of the results has closed the pipe. The rest was not done."),
  ]
}

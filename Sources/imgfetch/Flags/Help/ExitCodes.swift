/// What the exit codes mean, as help and the manual tell it.
enum ExitCodes {
  static let meanings: [(code: String, meaning: String)] = [
    ("0", "Every image was had."),
    ("1", "Several kinds of failure in one run, or one that has no code of its own."),
    ("2", "The command line, environment or configuration is wrong; nothing was done."),
    ("3", "Network: name, connection, TLS, time-out, broken off."),
    ("4", "The server said no: a status that is not accepted, 400 and up."),
    ("5", "Not an image, damaged, over a limit, or not what was asked for (checksum, filter)."),
    ("6", "With --offline, or cache path: not in the cache."),
    ("7", "A file could not be written or read here: disk full, no permission."),
    ("8", "Refused by policy: host, private address, scheme, redirect; or a line of a list that makes no sense."),
    ("130, 143", "Interrupted by SIGINT or SIGTERM."),
    ("141", "The reader of the results has gone: the pipe was closed. The rest was not done."),
  ]
}

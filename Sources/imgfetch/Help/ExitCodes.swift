/// The exit codes with their meanings, for help and the manual.
enum ExitCodes {
  typealias Meaning = (code: String, meaning: String)

  static let meanings: [Meaning] = [
    ("0", "Every image was fetched, or served from a cache."),
    ("1", "Several kinds of failure in one run, or a failure without a specific code."),
    ("2", "The command line, environment or configuration is wrong; nothing was done."),
    ("3", "Network: name, connection, TLS, timeout, truncated answer."),
    ("4", "The server's status is not accepted, such as 404."),
    ("5", "Not an image, damaged, over a limit, or rejected by checksum or filter."),
    ("6", "Not in the cache, with --offline, cache info or cache path."),
    ("7", "A local file could not be read or written: disk full, no permission."),
    ("8", "Refused by a rule (host, private address, scheme, redirect), or no URL."),
    ("129, 130, 143", "Interrupted by SIGHUP, SIGINT or SIGTERM."),
    ("141", "The reader of the results has closed the pipe. The rest was not done."),
  ]

  // The codes of commands that fetch no single images, in their own words.

  static let ofPack: [Meaning] = [
    ("0", "Every shard is there, even if lines failed: their rows tell."),
    ("2", "The command line is wrong, or a shard that is there is of another job."),
    ("3", "A shard was not made because of the network."),
    ("4", "A place refused a shard."),
    ("7", "A file, this machine or the list prevented a shard."),
  ]

  static let ofFind: [Meaning] = [
    ("0", "At least one image was found, and all sources were read."),
    ("5", "No image was found."),
  ]

  static let ofReport: [Meaning] = [
    ("0", "The rows were read, whatever they say."),
    ("7", "There are no rows, or they cannot be read, or the page cannot be written."),
  ]

  static let ofInspect: [Meaning] = [
    ("0", "Every file is a complete image; with --same, the two are the same image."),
    ("5", "One is not, or exceeds a limit; with --same, the two differ."),
    ("7", "A file cannot be read."),
  ]

  static let ofCache: [Meaning] = [
    ("0", "It was done."),
    ("1", "Another process is cleaning (clean)."),
    ("5", "An entry is damaged (verify), or FILE is no complete image (add)."),
    ("6", "The image is not in the cache (info, path)."),
    ("7", "The cache or a file cannot be read or written."),
    ("8", "An operand is no URL."),
  ]
}

// What users of curl, wget and aria2 type from habit and has another name here.
extension Typed {
  /// What to type in the place of another program's option, as the end of a message; empty where nothing is known.
  static func foreignHint(_ spelling: String) -> String {
    switch spelling {
    case "--no-cache": "; --cache off neither reads nor stores, --cache reload fetches anew"
    case "-L", "--location": "; redirects are followed by themselves"
    case "-O", "--remote-name": "; images are named after their URL by themselves, -o names one"
    case "-s", "--silent": "; did you mean -q?"
    case "-b": "; did you mean --cookie?"
    case "-x": "; did you mean --proxy?"
    case "-e": "; did you mean --referer?"
    case "-P", "--directory-prefix": "; did you mean -d?"
    case "-Z", "--parallel": "; images are fetched in parallel by themselves, -j sets how many at once"
    case "--max-concurrent-downloads", "--parallel-max": "; did you mean -j (--jobs)?"
    case "--no-check-certificate": "; did you mean --insecure?"
    case "-f", "--fail": "; a status that is not accepted is a failure by itself"
    case "-t", "--tries": "; did you mean --retry?"
    case "-c", "--continue": "; what was broken off is gone on with by itself; cookies are kept with --cookie-jar"
    case "-C", "--continue-at": "; what was broken off is gone on with by itself"
    case "-N", "--timestamping": "; --cache refresh asks whether an image has changed, --remote-time sets file times"
    case "-nc": "; did you mean --no-clobber?"
    case "--wait": "; did you mean --rate? 30/m asks an origin every two seconds"
    case "--input-file": "; did you mean -i (--input)?"
    case "-U": "; did you mean -A (--user-agent)?"
    case "-m": "; did you mean --max-time?"
    case "-g", "--globoff": "; braces and brackets in URLs stand for themselves"
    default: ""
    }
  }

  /// The command that another word for it means, as the end of a message; empty where nothing is known.
  static func foreignHint(command word: String) -> String {
    switch word {
    case "fetch", "download": "; did you mean get?"
    case "clean", "clear", "list", "size": "; did you mean cache \(word)?"
    default: ""
    }
  }
}

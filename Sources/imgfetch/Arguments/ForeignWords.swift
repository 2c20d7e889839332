/// Options and commands of other programs, and words that are easily typed by mistake, with their counterparts here.
///
/// Only names of curl, wget, wget2, aria2, gallery-dl and rclone that have a counterpart are listed. For the rest, the
/// answer is that there is no such option.
enum ForeignWords {
  /// Spellings that get the same answer.
  struct Row: Sendable {
    let spellings: [String]
    /// The answer, to follow "there is no option --NAME; ".
    let answer: String

    init(_ spellings: String, _ answer: String) {
      self.spellings = spellings.split(separator: " ").map(String.init)
      self.answer = answer
    }
  }

  /// The answer for an option that this program does not have, to end the message; empty if nothing is known.
  static func hint(_ spelling: String) -> String { answer(to: spelling, in: options) ?? "" }

  /// The answer to a command of another program.
  static func hint(command word: String) -> String { answer(to: word, in: commands) ?? "" }

  /// The answer to what another program's cache can do; nil if nothing is known.
  static func hint(cacheCommand word: String) -> String? { answer(to: word, in: cacheCommands) }

  private static func answer(to word: String, in rows: [Row]) -> String? {
    let row = rows.first { $0.spellings.contains { $0.utf8.elementsEqual(word.utf8) } }
    return row.map { "; " + $0.answer }
  }

  static let commands = [
    Row("fetch download grab copy copyurl", "did you mean get?"),
    Row("clean", "did you mean cache clean?"), Row("clear purge", "did you mean cache clear?"),
    Row("list ls", "did you mean cache list?"), Row("size du", "did you mean cache size?"),
    Row("check verify identify", "did you mean inspect?"), Row("view display open", "did you mean show?"),
    Row("warm preload", "did you mean prefetch?"), Row("version", "did you mean --version?"),
  ]

  static let cacheCommands = [
    Row("rm del delete evict", "did you mean remove?"), Row("ls", "did you mean list?"),
    Row("du usage stats", "did you mean size?"), Row("gc prune trim", "did you mean clean?"),
    Row("purge flush wipe", "did you mean clear?"), Row("dir where", "did you mean path?"),
    Row("show stat", "did you mean info?"), Row("check fsck", "did you mean verify?"), Row("put", "did you mean add?"),
  ]

  static let options = output + lists + caches + network + identity + images + reports

  private static let output = [
    Row(
      "-P --directory-prefix --dir --output-directory --out-dir --outdir --directory --destination --dest --folder --target-dir",
      "here it is -d DIR (--output-dir)"),
    Row("-O --remote-name --remote-name-all --auto-filename", "images are named after their URLs, and -o names one"),
    Row(
      "--output-document --out --outfile --output-file-name --stdout", "here it is -o FILE (-o - is standard output)"),
    Row("--filename --file-name --name-template", "here it is --name TEMPLATE"),
    Row("-J --remote-header-name", "here it is --content-disposition"),
    Row("--create-dirs --mkdir", "folders are made by themselves"),
    Row(
      "-nc --skip-existing --ignore-existing --immutable --no-overwrite --download-archive", "here it is --no-clobber"),
    Row("--allow-overwrite --no-skip", "here it is --overwrite"),
    Row("--force", "--overwrite replaces files that are not this program's, and --cache reload fetches anew"),
    Row("--auto-file-renaming", "a name that is taken gets digits by itself"),
    Row(
      "-x --force-directories --host-directories",
      "for folders there is --name '{host}/{path}'; a proxy is named by --proxy"),
    Row(
      "-nH --no-host-directories --cut-dirs -nd --no-directories",
      "images are written into one folder, unless --name has slashes"),
    Row("-E --adjust-extension --html-extension", "extensions follow the bytes by themselves"),
    Row("-R --use-server-timestamps --use-server-modtime", "here it is --remote-time"),
    Row("--no-use-server-timestamps --no-mtime", "file times are those of writing, unless --remote-time is given"),
    Row("--error-file --rejected-log --save-session --missing-on-dst", "here it is --failed-list FILE"),
    Row("--fail-early --abort-on-error", "here it is --fail-fast"),
    Row("--remove-on-error --no-part", "a file appears whole or not at all"),
    Row("-c --continue", "an interrupted download is resumed by itself; --cookie-jar saves cookies"),
    Row("-C --continue-at", "an interrupted download is resumed by itself"),
  ]

  private static let lists = [
    Row("--input-file --files-from --urls --url-file --file --batch-file", "here it is -i FILE (--input)"),
    Row(
      "-F --force-html --force-rss --force-atom --force-sitemap --force-css",
      "here it is --from SOURCE, which takes images out of pages"),
    Row("-p --page-requisites", "here it is --from SOURCE; a password is given with -u NAME:PASSWORD"),
    Row("-B", "here it is --base URL"),
    Row("--span-hosts", "images on other hosts are taken by themselves; --same-host leaves them out"),
    Row("--get-urls", "imgfetch find lists the images of a page"),
    Row("--url", "URLs are given without an option"),
    Row("-g --globoff --no-glob --parameterized-uri", "braces and brackets in URLs stand for themselves"),
    Row("--format", "the format of a list is named by --list-format, that of images by --convert"),
    Row("--delimiter --separator", "--list-format csv finds out by itself what stands between the fields"),
    Row("--column", "here it is --url-column NAME"),
    Row("--domains --include-domains", "here it is --allow-host PATTERN"),
    Row("--exclude-domains --reject-host", "here it is --deny-host PATTERN"),
    Row("--checksum-file --hash --check-integrity", "a line of a list has sha256=HEX, and --checksum prints sums"),
  ]

  private static let caches = [
    Row("--no-cache", "--cache off neither reads nor stores, --cache reload fetches anew"),
    Row("--refresh --revalidate --conditional-get --update", "here it is --cache refresh"),
    Row("--reload --no-store --redownload --refetch --http-no-cache", "here it is --cache reload"),
    Row("-N --timestamping", "--cache refresh asks whether an image has changed, --remote-time sets file times"),
    Row(
      "-z --time-cond --etag-save --etag-compare", "here it is --cache refresh, which asks with ETag and Last-Modified"),
    Row("--ttl --expire --expires --cache-time --cache-ttl", "here it is --max-age TIME"),
    Row("--cache-size --max-cache-size", "here it is --max-size SIZE"),
    Row("--disk-cache --vfs-cache-max-size", "here it is --max-size SIZE on disk, and --memory-limit SIZE in memory"),
    Row("--clear-cache", "here it is imgfetch cache clear"),
    Row("--cache-folder --cache-directory", "here it is --cache-dir DIR"),
    Row("--max-file-not-found", "here it is --skip-failed TIME"),
  ]

  private static let network = [
    Row("-L --location --follow", "redirects are always followed"),
    Row("--max-redirs --max-redirect", "here it is --max-redirects N"),
    Row("-Z --parallel", "images are fetched in parallel by themselves, -j sets how many at once"),
    Row(
      "--max-concurrent-downloads --parallel-max --transfers --checkers --max-threads --threads --concurrency --concurrent --workers",
      "here it is -j N (--jobs)"),
    Row(
      "--max-connection-per-server --split --multi-thread-streams --parallel-max-host --connections",
      "here it is --per-host N"),
    Row(
      "-t --tries --retries --max-tries --max-retries --retry-count --low-level-retries", "here it is --retry N"),
    Row(
      "--retry-delay --retry-wait --waitretry --retry-connrefused --retry-all-errors --retry-on-http-error --retries-sleep",
      "what may pass is retried by itself, after pauses that grow; --retry N says how often"),
    Row("--retry-max-time -m", "here it is --max-time TIME, for one image with its retries"),
    Row("-T --read-timeout --http-timeout --stall-timeout", "here it is --timeout TIME"),
    Row("--contimeout --dns-timeout --connection-timeout", "here it is --connect-timeout TIME"),
    Row("-Y --speed-limit -y --speed-time --lowest-speed-limit", "here it is --least-speed SIZE"),
    Row("--bwlimit --max-overall-download-limit --max-download-limit --throttle", "here it is --limit-rate SIZE"),
    Row(
      "--wait --random-wait --sleep --sleep-request --delay --tpslimit",
      "here it is --rate; 30/m asks an origin every two seconds"),
    Row("--max-filesize --filesize-max --max-file-size", "here it is --max-bytes SIZE"),
    Row("--range", "-H 'Range: bytes=0-99' asks for a part, with --cache off"),
    Row(
      "--compressed --compression --tr-encoding", "images are asked for as they are, since they are compressed already"),
    Row("-f --fail --fail-with-body", "a status that is not accepted is always a failure"),
    Row("--http2 --http2-prior-knowledge --http3", "HTTP/2 is used over TLS where the server offers it"),
    Row("--http1.0 --no-http2 --disable-http2", "here it is --http1.1"),
    Row("--inet4-only --disable-ipv6", "here it is -4"), Row("--inet6-only", "here it is -6"),
    Row("--prefer-family", "here it is -4 or -6, for one of the two alone"),
    Row(
      "--all-proxy --http-proxy --https-proxy --socks5 --socks5-hostname --socks4 --socks4a --preproxy",
      "here it is --proxy URL"),
    Row(
      "--proxy-user --proxy-password --proxy-passwd --all-proxy-user --all-proxy-passwd --http-proxy-user --http-proxy-passwd --http-proxy-password --https-proxy-user --https-proxy-passwd",
      "a proxy's URL has them: --proxy http://NAME:PASSWORD@HOST:PORT"),
    Row("--proxy-cacert", "here it is --cacert FILE, for servers and the proxy"),
    Row("--noproxy", "the variable no_proxy names hosts, and --no-proxy goes without any proxy"),
    Row("--connect-to --host-resolver", "here it is --resolve HOST:PORT:ADDR"),
    Row("--force-sequential --sequential", "here it is -j 1"),
  ]

  private static let identity = [
    Row("--header-download", "here it is -H 'NAME: VALUE' (--header)"),
    Row("-U --agent --ua -a", "here it is -A TEXT (--user-agent)"),
    Row("-e", "here it is --referer URL"),
    Row("-b --load-cookies --cookies", "--cookie NAME=VALUE sends one, and --cookie-jar FILE reads and saves them"),
    Row("--save-cookies --keep-session-cookies", "here it is --cookie-jar FILE"),
    Row(
      "--http-user --http-password --http-passwd --password --ask-password --use-askpass --username --auth",
      "here it is -u NAME:PASSWORD; with -u NAME the password is asked for"),
    Row("--basic --digest --anyauth", "Basic is sent at once, and Digest if a server asks for it"),
    Row("--oauth2-bearer --token --bearer", "here it is --bearer-file FILE, so that other users do not see it"),
    Row("-n --netrc-file --netrc-path --netrc-optional", "here it is --netrc, which reads ~/.netrc"),
    Row(
      "--no-check-certificate --check-certificate --no-verify --no-verify-ssl --no-ssl", "here it is -k (--insecure)"),
    Row("--ca-certificate --ca-cert --ca-file", "here it is --cacert FILE"),
    Row("--certificate --client-cert", "here it is --cert FILE"),
    Row("--private-key --client-key", "here it is --key FILE"),
    Row("--capath --ca-directory", "the variable SSL_CERT_DIR names such a folder, and --cacert FILE a file"),
  ]

  private static let images = [
    Row("--width --height --thumbnail --scale --resolution", "here it is --resize 800x, x600 or 256x256"),
    Row("--output-format --type --to", "here it is --convert FORMAT"),
    Row("--accept --filter-mime-type", "here it is --only-format LIST"),
    Row("--strip-exif --strip-metadata --no-metadata --no-exif", "here it is --strip"),
    Row("--zip --tar --archive", "imgfetch pack writes tar files"),
  ]

  private static let reports = [
    Row("-s --silent -nv --no-verbose -S --show-error", "here it is -q, and errors are always shown"),
    Row(
      "--debug --trace --trace-ascii -d8 -vvv --log-level --console-log-level --dump --dump-headers",
      "here it is -v, and -vv with header fields"),
    Row("-D --dump-header --include -I --head --server-response --save-headers", "here it is --json-headers"),
    Row("-# --progress-bar --show-progress", "here it is --progress bar"),
    Row("--no-progress-meter --no-show-progress", "here it is --progress none"),
    Row("--summary-interval", "here it is --progress plain"),
    Row("--enable-color", "here it is --color WHEN"),
    Row("--use-json-log", "here it is --progress json"),
    Row("-K --conf-path --config-file --configuration", "here it is --config FILE"),
    Row(
      "--output-file --append-output --log --log-file --write-log --write-metadata --write-info-json",
      "here it is --report FILE"),
    Row("--dump-json --print-json", "here it is --json"),
    Row("--print-filename", "here it is -w '{output}\\n' (--write-out)"),
    Row("--simulate --spider --no-download", "here it is --dry-run"),
    Row("--ignore-errors", "here it is --exit-zero"),
  ]
}

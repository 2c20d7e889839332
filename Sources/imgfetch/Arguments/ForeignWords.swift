/// Options and commands of other programs, and words that are easily typed by mistake, with their counterparts here.
///
/// Only names of curl, wget, wget2, aria2, gallery-dl, rclone, rsync and img2dataset that have a counterpart are
/// listed. For the rest, the answer is that there is no such option.
enum ForeignWords {
  /// Spellings that get the same answer.
  struct Row: Sendable {
    let spellings: [String]
    /// The answer, to follow "there is no option --NAME; ".
    let answer: String
  }

  /// The answer for an option that this program does not have, to end the message; empty if nothing is known.
  static func hint(_ spelling: String) -> String { answer(to: spelling, in: options) ?? "" }

  /// The answer to a command of another program.
  static func hint(command word: String) -> String { answer(to: word, in: commands) ?? "" }

  /// The answer to what another program's cache can do; nil if nothing is known.
  static func hint(cacheCommand word: String) -> String? { answer(to: word, in: cacheCommands) }

  /// Reads rows of a line each: the spellings, and behind the bar the answer.
  private static func rows(_ text: String) -> [Row] {
    text.split(separator: "\n").map { line in
      let (spellings, answer) = (line.prefix { $0 != "|" }, line.drop { $0 != "|" })
      return Row(spellings: spellings.split(separator: " ").map(String.init), answer: String(answer.dropFirst(2)))
    }
  }

  private static func answer(to word: String, in rows: [Row]) -> String? {
    let row = rows.first { $0.spellings.contains { $0.utf8.elementsEqual(word.utf8) } }
    return row.map { "; " + $0.answer }
  }

  static let commands = rows(
    """
    fetch download grab copy copyurl | did you mean get?
    clean | did you mean cache clean?
    clear purge | did you mean cache clear?
    list ls | did you mean cache list?
    size du | did you mean cache size?
    check verify identify | did you mean inspect?
    view display open | did you mean show?
    warm preload | did you mean prefetch?
    version | did you mean --version?
    """)

  static let cacheCommands = rows(
    """
    rm del delete evict | did you mean remove?
    ls | did you mean list?
    du usage stats | did you mean size?
    gc prune trim | did you mean clean?
    purge flush wipe | did you mean clear?
    dir where | did you mean path?
    show stat | did you mean info?
    check fsck | did you mean verify?
    put | did you mean add?
    """)

  static let options = rows(
    """
    -P --directory-prefix --dir --output-directory --out-dir --outdir --directory --destination --dest --folder \
    --target-dir --output_folder | here it is -d DIR (--output-dir)
    -O --remote-name --remote-name-all --auto-filename | images are named after their URLs, and -o names one
    --output-document --out --outfile --output-file-name --stdout | here it is -o FILE (-o - is standard output)
    --filename --file-name --name-template | here it is --name TEMPLATE
    -J --remote-header-name | here it is --content-disposition
    --create-dirs --mkdir | folders are made by themselves
    -nc --skip-existing --ignore-existing --immutable --no-overwrite --download-archive | here it is --no-clobber
    --allow-overwrite --no-skip | here it is --overwrite
    --force | --overwrite replaces files that are not this program's, and --cache reload fetches anew
    --auto-file-renaming | a name that is taken gets digits by itself
    -x --force-directories --host-directories | for folders there is --name '{host}/{path}'; a proxy is named by --proxy
    -nH --no-host-directories --cut-dirs -nd --no-directories | images are written into one folder, unless --name has \
    slashes
    -E --adjust-extension --html-extension | extensions follow the bytes by themselves
    -R --use-server-timestamps --use-server-modtime | here it is --remote-time
    --no-use-server-timestamps --no-mtime | file times are those of writing, unless --remote-time is given
    --error-file --rejected-log --save-session --missing-on-dst | here it is --failed-list FILE
    --fail-early --abort-on-error | here it is --fail-fast
    --remove-on-error --no-part | a file appears whole or not at all
    --delete --delete-before --delete-during --delete-after | here it is --prune
    -c --continue | an interrupted download is resumed by itself; --cookie-jar saves cookies
    -C --continue-at --partial --incremental_mode | an interrupted download is resumed by itself

    --input-file --files-from --urls --url-file --file --batch-file --url_list | here it is -i FILE (--input)
    -F --force-html --force-rss --force-atom --force-sitemap --force-css | here it is --from SOURCE, which takes \
    images out of pages
    -p --page-requisites | here it is --from SOURCE; a password is given with -u NAME:PASSWORD
    -B | here it is --base URL
    --span-hosts | images on other hosts are taken by themselves; --same-host leaves them out
    --get-urls | imgfetch find lists the images of a page
    --url | URLs are given without an option
    -g --globoff --no-glob --parameterized-uri | braces and brackets in URLs stand for themselves
    --format | the format of a list is named by --list-format, that of images by --convert
    --delimiter --separator | --list-format csv finds out by itself what stands between the fields
    --column --url_col | here it is --url-column NAME
    --caption_col | here it is --caption-column NAME
    --save_additional_columns | all columns of a table go along by themselves
    --input_format | here it is --list-format FORMAT
    --number_sample_per_shard | here it is --per-shard N
    --domains --include-domains | here it is --allow-host PATTERN
    --exclude-domains --reject-host | here it is --deny-host PATTERN
    --compute_hash | here it is --checksum
    --verify_hash | here it is --hash-column NAME
    --extract_exif | here it is --exif
    --checksum-file --hash --check-integrity | a line of a list has sha256=HEX, and --checksum prints sums

    --no-cache | --cache off neither reads nor stores, --cache reload fetches anew
    --refresh --revalidate --conditional-get --update | here it is --cache refresh
    --reload --no-store --redownload --refetch --http-no-cache | here it is --cache reload
    -N --timestamping | --cache refresh asks whether an image has changed, --remote-time sets file times
    -z --time-cond --etag-save --etag-compare | here it is --cache refresh, which asks with ETag and Last-Modified
    --ttl --expire --expires --cache-time --cache-ttl | here it is --max-age TIME
    --cache-size --max-cache-size | here it is --max-size SIZE
    --disk-cache --vfs-cache-max-size | here it is --max-size SIZE on disk, and --memory-limit SIZE in memory
    --clear-cache | here it is imgfetch cache clear
    --cache-folder --cache-directory | here it is --cache-dir DIR
    --max-file-not-found | here it is --skip-failed TIME

    -L --location --follow | redirects are always followed
    --max-redirs --max-redirect | here it is --max-redirects N
    -Z --parallel | images are fetched in parallel by themselves, -j sets how many at once
    --max-concurrent-downloads --parallel-max --transfers --checkers --max-threads --threads --concurrency \
    --concurrent --workers --processes_count --thread_count | here it is -j N (--jobs)
    --max-connection-per-server --split --multi-thread-streams --parallel-max-host --connections | here it is \
    --per-host N
    -t --tries --retries --max-tries --max-retries --retry-count --low-level-retries | here it is --retry N
    --retry-delay --retry-wait --waitretry --retry-connrefused --retry-all-errors --retry-on-http-error \
    --retries-sleep | what may pass is retried by itself, after pauses that grow; --retry N says how often
    --retry-max-time -m | here it is --max-time TIME, for one image with its retries
    -T --read-timeout --http-timeout --stall-timeout | here it is --timeout TIME
    --contimeout --dns-timeout --connection-timeout | here it is --connect-timeout TIME
    -Y --speed-limit -y --speed-time --lowest-speed-limit | here it is --least-speed SIZE
    --bwlimit --max-overall-download-limit --max-download-limit --throttle | here it is --limit-rate SIZE
    --wait --random-wait --sleep --sleep-request --delay --tpslimit | here it is --rate; 30/m asks an origin every \
    two seconds
    --max-filesize --filesize-max --max-file-size | here it is --max-bytes SIZE
    --range | -H 'Range: bytes=0-99' asks for a part, with --cache off
    --compressed --compression --tr-encoding | images are asked for as they are, since they are compressed already
    -f --fail --fail-with-body | a status that is not accepted is always a failure
    --http2 --http2-prior-knowledge --http3 | HTTP/2 is used over TLS where the server offers it
    --http1.0 --no-http2 --disable-http2 | here it is --http1.1
    --inet4-only --disable-ipv6 | here it is -4
    --inet6-only | here it is -6
    --prefer-family | here it is -4 or -6, for one of the two alone
    --all-proxy --http-proxy --https-proxy --socks5 --socks5-hostname --socks4 --socks4a --preproxy | here it is \
    --proxy URL
    --proxy-user --proxy-password --proxy-passwd --all-proxy-user --all-proxy-passwd --http-proxy-user \
    --http-proxy-passwd --http-proxy-password --https-proxy-user --https-proxy-passwd | a proxy's URL has them: \
    --proxy http://NAME:PASSWORD@HOST:PORT
    --proxy-cacert | here it is --cacert FILE, for servers and the proxy
    --noproxy | the variable no_proxy names hosts, and --no-proxy goes without any proxy
    --connect-to --host-resolver | here it is --resolve HOST:PORT:ADDR
    --force-sequential --sequential | here it is -j 1

    --header-download | here it is -H 'NAME: VALUE' (--header)
    --user_agent_token | here it is --contact ADDRESS
    --disallowed_header_directives | here it is --refuse-tag LIST, and pack refuses noai and noimageai by itself
    -U --agent --ua -a | here it is -A TEXT (--user-agent)
    -e | here it is --referer URL
    -b --load-cookies --cookies | --cookie NAME=VALUE sends one, and --cookie-jar FILE reads and saves them
    --save-cookies --keep-session-cookies | here it is --cookie-jar FILE
    --http-user --http-password --http-passwd --password --ask-password --use-askpass --username --auth | here it is \
    -u NAME:PASSWORD; with -u NAME the password is asked for
    --basic --digest --anyauth | Basic is sent at once, and Digest if a server asks for it
    --oauth2-bearer --token --bearer | here it is --bearer-file FILE, so that other users do not see it
    -n --netrc-file --netrc-path --netrc-optional | here it is --netrc, which reads ~/.netrc
    --no-check-certificate --check-certificate --no-verify --no-verify-ssl --no-ssl | here it is -k (--insecure)
    --ca-certificate --ca-cert --ca-file | here it is --cacert FILE
    --certificate --client-cert | here it is --cert FILE
    --private-key --client-key | here it is --key FILE
    --capath --ca-directory | the variable SSL_CERT_DIR names such a folder, and --cacert FILE a file

    --width --height --thumbnail --scale --resolution --image_size | here it is --resize 800x, x600 or 256x256
    --resize_mode --resize_only_if_bigger | here it is --fit HOW
    --min_image_size | here it is --min-size WxH
    --max_image_area | here it is --max-pixels COUNT
    --max_aspect_ratio | here it is --max-aspect RATIO
    --encode_quality | here it is --quality N
    --output-format --type --to --encode_format | here it is --convert FORMAT
    --accept --filter-mime-type | here it is --only-format LIST
    --strip-exif --strip-metadata --no-metadata --no-exif | here it is --strip
    --zip --tar --archive --output_format | imgfetch pack writes tar files

    -s --silent -nv --no-verbose -S --show-error | here it is -q, and errors are always shown
    --debug --trace --trace-ascii -d8 -vvv --log-level --console-log-level --dump --dump-headers | here it is -v, and \
    -vv with header fields
    -D --dump-header --include -I --head --server-response --save-headers | here it is --json-headers
    -# --progress-bar --show-progress | here it is --progress bar
    --no-progress-meter --no-show-progress | here it is --progress none
    --summary-interval | here it is --progress plain
    --enable-color | here it is --color WHEN
    --use-json-log | here it is --progress json
    -K --conf-path --config-file --configuration | here it is --config FILE
    --output-file --append-output --log --log-file --write-log --write-metadata --write-info-json | here it is \
    --report FILE
    --dump-json --print-json | here it is --json
    --print-filename | here it is -w '{output}\\n' (--write-out)
    --simulate --spider --no-download | here it is --dry-run
    --ignore-errors | here it is --exit-zero
    """)
}

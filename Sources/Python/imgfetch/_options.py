"""Made from the program's table of options by Scripts/manual: the options of each command as keywords."""
from __future__ import annotations

import os
from typing import Dict, Mapping, Sequence, Tuple, TypedDict, Union

Value = Union[str, int, float, "os.PathLike[str]", None]
"""Of an option with one value. None stands for an option that is not given."""
Size = Union[Value, Tuple[int, int]]
"""WIDTHxHEIGHT as text, or as two numbers."""
Values = Union[Value, Sequence[Union[str, int, float, "os.PathLike[str]"]]]
"""One, or several."""
Pairs = Union[Values, Mapping[str, str]]
"""As they are typed, or names with their values."""
Switch = Union[bool, None]
"""True gives --NAME, and False --no-NAME."""
Implied = Union[bool, Value]
"""A switch that may have a value."""

OPTIONS: Dict[str, Dict[str, Tuple[str, str]]] = {}
"""Of each command: the keyword, the option's name, and what it takes: switch, value, size, list (one option, with commas), values or pairs."""


class GetOptions(TypedDict, total=False):
    """The options of imgfetch get."""

    shard: Value
    """Only part K of N of the list."""
    allow_host: Values
    """Ask only hosts that match (*.example.org)."""
    deny_host: Values
    """Never ask hosts that match."""
    deny_private: Switch
    """Refuse addresses that are not public."""
    robots: Switch
    """Ask each site's robots.txt first, and obey it."""
    refuse_tag: Values
    """Refuse images with these words in X-Robots-Tag."""
    kind: Values
    """Which images of a source."""
    all_sizes: Switch
    """All sizes of a picture, not only the largest."""
    base: Value
    """What addresses in a source are relative to."""
    same_host: Switch
    """Only images on the host of their page."""
    max_page: Value
    """Refuse larger sources (0: any size)."""
    max_pages: Value
    """Maximum number of further pages."""
    output_dir: Value
    """Write into DIR, which is made if missing."""
    name: Value
    """Name files by a template ({host}/{name})."""
    clobber: Switch
    """False: keep existing files, without a request."""
    adopt: Switch
    """Take over files that have the same bytes already."""
    overwrite: Switch
    """Replace any file that has the name."""
    placeholder: Value
    """Write FILE in place of an image that failed."""
    remote_time: Switch
    """Set file times from Last-Modified."""
    xattr: Switch
    """Note origin and type in extended attributes."""
    content_disposition: Switch
    """Take the name that the server gives."""
    prune: Implied
    """Remove files that no line of the list wants."""
    failed_list: Value
    """Save lines that failed or were not tried."""
    fail_fast: Switch
    """Stop at the first failure."""
    unique: Implied
    """Deliver each picture once: bytes, looks."""
    cache: Value
    """Age, http, refresh, reload, only, memory, off."""
    offline: Switch
    """The same as --cache only."""
    cache_dir: Value
    """Folder of the disk cache."""
    namespace: Value
    """A separate cache in the same folder."""
    read_only_cache: Values
    """Also look in DIR, but never write there."""
    memory_limit: Value
    """Size of the memory cache."""
    memory_count: Value
    """Number of images in memory."""
    max_age: Value
    """Maximum age of a cached image."""
    max_size: Value
    """Maximum size of the disk cache."""
    key_ignore_query: Switch
    """Ignore the query in the cache key."""
    key_ignore_param: Values
    """Ignore this parameter in the cache key."""
    key_ignore_header: Values
    """Ignore this request field in the cache key."""
    cache_key: Value
    """The cache key of the one URL."""
    retry_failed: Switch
    """Retry URLs that failed earlier in this run."""
    skip_failed: Value
    """For TIME, skip URLs that failed for good."""
    stale: Switch
    """False: fail if an old image cannot be revalidated."""
    auto_clean: Switch
    """False: do not clean the cache after a run."""
    cache_derived: Switch
    """Cache transformed images, too."""
    remote_cache: Value
    """A cache that several machines share."""
    remote_cache_mode: Value
    """Both, read or write."""
    remote_cache_timeout: Value
    """Time for one answer of the remote cache."""
    remote_cache_wait: Value
    """Time for uploads at the end of a run."""
    jobs: Value
    """Maximum number of concurrent downloads."""
    per_host: Value
    """Concurrent downloads from one origin."""
    order: Value
    """Which image starts next: fifo or lifo."""
    limit_rate: Value
    """Bytes a second for the whole run."""
    rate: Value
    """Requests a second to one origin."""
    timeout: Value
    """Give up after this long without a byte."""
    least_speed: Value
    """Least bytes a second of a download."""
    connect_timeout: Value
    """Time for name lookup, connection and TLS."""
    max_time: Value
    """Time for one image with all its retries."""
    retry: Value
    """Retries after a transient failure."""
    outage: Value
    """Time that a host which answered may be away."""
    max_redirects: Value
    """Maximum number of redirects."""
    allow_downgrade: Switch
    """Follow redirects from https to http."""
    max_bytes: Value
    """Refuse images of more bytes (0: any)."""
    accept_formats: Values
    """Ask servers for these formats (avif,webp)."""
    accept_status: Values
    """Statuses that are accepted."""
    mirror: Values
    """Another URL of the same image."""
    resolve: Values
    """Use this address for HOST:PORT."""
    proxy: Value
    """Use this proxy."""
    http1_1: Switch
    """Do not use HTTP/2."""
    ipv4: Switch
    """Use IPv4 addresses only."""
    ipv6: Switch
    """Use IPv6 addresses only."""
    header: Pairs
    """Send a header field, 'Name: value'."""
    user_agent: Value
    """The User-Agent to send."""
    contact: Value
    """Tell sites who asks: an address or URL."""
    referer: Value
    """The Referer to send."""
    user: Value
    """Name and password (asked for if missing)."""
    netrc: Switch
    """Read names and passwords from ~/.netrc."""
    bearer_file: Value
    """Send the token in FILE."""
    cookie: Pairs
    """Send a cookie."""
    cookie_jar: Value
    """Read cookies from FILE and save them there."""
    cacert: Value
    """Trust the certificates in FILE."""
    cert: Value
    """Show the client certificate in FILE."""
    key: Value
    """The key of that certificate."""
    insecure: Switch
    """Do not check certificates."""
    store_bearer_file: Value
    """Send the token in FILE to stores."""
    store_cert: Value
    """Show the certificate in FILE to stores."""
    store_key: Value
    """The key of that certificate."""
    verify: Value
    """None, structure or decode."""
    strict: Switch
    """Refuse flawed images, too."""
    sandbox: Switch
    """False: decode in this process, without protection."""
    max_pixels: Value
    """Refuse images of more pixels (0: any)."""
    min_size: Size
    """Refuse smaller images."""
    max_aspect: Value
    """Refuse longer shapes (3, or 16:9)."""
    only_format: Values
    """Only images of these formats (jpeg,png)."""
    resize: Size
    """WxH, Wx, xH or N%."""
    fit: Value
    """Down, inside, cover, fill or outside."""
    pad: Switch
    """Fill the box of --resize with --background."""
    crop: Size
    """Cut out WxH or WxH+X+Y."""
    auto_orient: Switch
    """False: leave the pixels turned as they are stored."""
    flip: Value
    """H (left to right) or v (top to bottom)."""
    rotate: Value
    """90, 180 or 270, clockwise."""
    convert: Value
    """Jpeg, png, webp, avif, same."""
    quality: Value
    """Quality of JPEG, WebP and AVIF, 1 to 100."""
    speed: Value
    """Speed of writing AVIF, 0 to 10."""
    background: Value
    """Background under alpha, of --pad and show."""
    strip: Switch
    """Remove metadata; colours become sRGB."""
    keep_metadata: Switch
    """Take all of Exif, XMP and IPTC along."""
    first_frame: Switch
    """Use only the first frame."""
    json_headers: Switch
    """Include the response's header fields."""
    checksum: Switch
    """Include the SHA-256 of the delivered bytes."""
    fingerprint: Values
    """Thumbhash, blurhash, dhash, phash."""
    exif: Switch
    """Include what the camera wrote down."""
    report: Value
    """Also write all rows to FILE, as JSON."""
    exit_zero: Switch
    """Failed images do not affect the exit code."""
    dry_run: Switch
    """Report what would be done, do nothing."""


OPTIONS["get"] = {
    "shard": ("shard", "value"),
    "allow_host": ("allow-host", "values"),
    "deny_host": ("deny-host", "values"),
    "deny_private": ("deny-private", "switch"),
    "robots": ("robots", "switch"),
    "refuse_tag": ("refuse-tag", "values"),
    "kind": ("kind", "list"),
    "all_sizes": ("all-sizes", "switch"),
    "base": ("base", "value"),
    "same_host": ("same-host", "switch"),
    "max_page": ("max-page", "value"),
    "max_pages": ("max-pages", "value"),
    "output_dir": ("output-dir", "value"),
    "name": ("name", "value"),
    "clobber": ("clobber", "switch"),
    "adopt": ("adopt", "switch"),
    "overwrite": ("overwrite", "switch"),
    "placeholder": ("placeholder", "value"),
    "remote_time": ("remote-time", "switch"),
    "xattr": ("xattr", "switch"),
    "content_disposition": ("content-disposition", "switch"),
    "prune": ("prune", "switch"),
    "failed_list": ("failed-list", "value"),
    "fail_fast": ("fail-fast", "switch"),
    "unique": ("unique", "switch"),
    "cache": ("cache", "value"),
    "offline": ("offline", "switch"),
    "cache_dir": ("cache-dir", "value"),
    "namespace": ("namespace", "value"),
    "read_only_cache": ("read-only-cache", "values"),
    "memory_limit": ("memory-limit", "value"),
    "memory_count": ("memory-count", "value"),
    "max_age": ("max-age", "value"),
    "max_size": ("max-size", "value"),
    "key_ignore_query": ("key-ignore-query", "switch"),
    "key_ignore_param": ("key-ignore-param", "values"),
    "key_ignore_header": ("key-ignore-header", "values"),
    "cache_key": ("cache-key", "value"),
    "retry_failed": ("retry-failed", "switch"),
    "skip_failed": ("skip-failed", "value"),
    "stale": ("stale", "switch"),
    "auto_clean": ("auto-clean", "switch"),
    "cache_derived": ("cache-derived", "switch"),
    "remote_cache": ("remote-cache", "value"),
    "remote_cache_mode": ("remote-cache-mode", "value"),
    "remote_cache_timeout": ("remote-cache-timeout", "value"),
    "remote_cache_wait": ("remote-cache-wait", "value"),
    "jobs": ("jobs", "value"),
    "per_host": ("per-host", "value"),
    "order": ("order", "value"),
    "limit_rate": ("limit-rate", "value"),
    "rate": ("rate", "value"),
    "timeout": ("timeout", "value"),
    "least_speed": ("least-speed", "value"),
    "connect_timeout": ("connect-timeout", "value"),
    "max_time": ("max-time", "value"),
    "retry": ("retry", "value"),
    "outage": ("outage", "value"),
    "max_redirects": ("max-redirects", "value"),
    "allow_downgrade": ("allow-downgrade", "switch"),
    "max_bytes": ("max-bytes", "value"),
    "accept_formats": ("accept-formats", "list"),
    "accept_status": ("accept-status", "list"),
    "mirror": ("mirror", "values"),
    "resolve": ("resolve", "values"),
    "proxy": ("proxy", "value"),
    "http1_1": ("http1.1", "switch"),
    "ipv4": ("ipv4", "switch"),
    "ipv6": ("ipv6", "switch"),
    "header": ("header", "pairs"),
    "user_agent": ("user-agent", "value"),
    "contact": ("contact", "value"),
    "referer": ("referer", "value"),
    "user": ("user", "value"),
    "netrc": ("netrc", "switch"),
    "bearer_file": ("bearer-file", "value"),
    "cookie": ("cookie", "pairs"),
    "cookie_jar": ("cookie-jar", "value"),
    "cacert": ("cacert", "value"),
    "cert": ("cert", "value"),
    "key": ("key", "value"),
    "insecure": ("insecure", "switch"),
    "store_bearer_file": ("store-bearer-file", "value"),
    "store_cert": ("store-cert", "value"),
    "store_key": ("store-key", "value"),
    "verify": ("verify", "value"),
    "strict": ("strict", "switch"),
    "sandbox": ("sandbox", "switch"),
    "max_pixels": ("max-pixels", "value"),
    "min_size": ("min-size", "size"),
    "max_aspect": ("max-aspect", "value"),
    "only_format": ("only-format", "list"),
    "resize": ("resize", "size"),
    "fit": ("fit", "value"),
    "pad": ("pad", "switch"),
    "crop": ("crop", "size"),
    "auto_orient": ("auto-orient", "switch"),
    "flip": ("flip", "value"),
    "rotate": ("rotate", "value"),
    "convert": ("convert", "value"),
    "quality": ("quality", "value"),
    "speed": ("speed", "value"),
    "background": ("background", "value"),
    "strip": ("strip", "switch"),
    "keep_metadata": ("keep-metadata", "switch"),
    "first_frame": ("first-frame", "switch"),
    "json_headers": ("json-headers", "switch"),
    "checksum": ("checksum", "switch"),
    "fingerprint": ("fingerprint", "list"),
    "exif": ("exif", "switch"),
    "report": ("report", "value"),
    "exit_zero": ("exit-zero", "switch"),
    "dry_run": ("dry-run", "switch"),
}


class PackOptions(TypedDict, total=False):
    """The options of imgfetch pack."""

    list_format: Value
    """Format of --input: lines, tsv, csv or jsonl."""
    url_column: Value
    """The column of a table that holds the URLs."""
    max_list: Value
    """Largest list that comes from a URL (0: any)."""
    shard: Value
    """Only part K of N of the list."""
    allow_host: Values
    """Ask only hosts that match (*.example.org)."""
    deny_host: Values
    """Never ask hosts that match."""
    deny_private: Switch
    """Refuse addresses that are not public."""
    robots: Switch
    """Ask each site's robots.txt first, and obey it."""
    refuse_tag: Values
    """Refuse images with these words in X-Robots-Tag."""
    kind: Values
    """Which images of a source."""
    all_sizes: Switch
    """All sizes of a picture, not only the largest."""
    base: Value
    """What addresses in a source are relative to."""
    same_host: Switch
    """Only images on the host of their page."""
    max_page: Value
    """Refuse larger sources (0: any size)."""
    max_pages: Value
    """Maximum number of further pages."""
    output_dir: Value
    """Write into DIR, which is made if missing."""
    per_shard: Value
    """Lines per shard."""
    shard_by: Value
    """What --shard divides: lines, or host."""
    split_host: Values
    """Hosts so large that several machines share them."""
    again: Switch
    """Try the failed lines of finished shards again."""
    max_transient: Value
    """Share of passing failures in a shard."""
    ignore_robots_tag: Switch
    """Take images that say noai or noimageai."""
    max_invalid: Value
    """Share of invalid lines in a list."""
    member_ext: Value
    """The extension of all images in shards."""
    without: Values
    """Leave out images of these formats."""
    purpose: Value
    """What the images are for: train-ai, search or any."""
    refuse_noindex: Switch
    """Leave out images that say noindex."""
    extend: Switch
    """Make the last shard anew if the list has grown."""
    stats: Switch
    """Put counts beside each shard: NUMBER.json."""
    caption_column: Value
    """The column of captions, in a table."""
    id_column: Value
    """The column that becomes id in the rows."""
    hash_column: Value
    """The column of the images' checksums."""
    where: Values
    """Take only records that meet a condition."""
    unique: Implied
    """Deliver each picture once: bytes, looks."""
    cache: Value
    """Age, http, refresh, reload, only, memory, off."""
    offline: Switch
    """The same as --cache only."""
    cache_dir: Value
    """Folder of the disk cache."""
    namespace: Value
    """A separate cache in the same folder."""
    read_only_cache: Values
    """Also look in DIR, but never write there."""
    memory_limit: Value
    """Size of the memory cache."""
    memory_count: Value
    """Number of images in memory."""
    max_age: Value
    """Maximum age of a cached image."""
    max_size: Value
    """Maximum size of the disk cache."""
    key_ignore_query: Switch
    """Ignore the query in the cache key."""
    key_ignore_param: Values
    """Ignore this parameter in the cache key."""
    key_ignore_header: Values
    """Ignore this request field in the cache key."""
    retry_failed: Switch
    """Retry URLs that failed earlier in this run."""
    skip_failed: Value
    """For TIME, skip URLs that failed for good."""
    stale: Switch
    """False: fail if an old image cannot be revalidated."""
    auto_clean: Switch
    """False: do not clean the cache after a run."""
    cache_derived: Switch
    """Cache transformed images, too."""
    remote_cache: Value
    """A cache that several machines share."""
    remote_cache_mode: Value
    """Both, read or write."""
    remote_cache_timeout: Value
    """Time for one answer of the remote cache."""
    remote_cache_wait: Value
    """Time for uploads at the end of a run."""
    jobs: Value
    """Maximum number of concurrent downloads."""
    per_host: Value
    """Concurrent downloads from one origin."""
    order: Value
    """Which image starts next: fifo or lifo."""
    limit_rate: Value
    """Bytes a second for the whole run."""
    rate: Value
    """Requests a second to one origin."""
    timeout: Value
    """Give up after this long without a byte."""
    least_speed: Value
    """Least bytes a second of a download."""
    connect_timeout: Value
    """Time for name lookup, connection and TLS."""
    max_time: Value
    """Time for one image with all its retries."""
    retry: Value
    """Retries after a transient failure."""
    outage: Value
    """Time that a host which answered may be away."""
    max_redirects: Value
    """Maximum number of redirects."""
    allow_downgrade: Switch
    """Follow redirects from https to http."""
    max_bytes: Value
    """Refuse images of more bytes (0: any)."""
    accept_formats: Values
    """Ask servers for these formats (avif,webp)."""
    accept_status: Values
    """Statuses that are accepted."""
    resolve: Values
    """Use this address for HOST:PORT."""
    proxy: Value
    """Use this proxy."""
    http1_1: Switch
    """Do not use HTTP/2."""
    ipv4: Switch
    """Use IPv4 addresses only."""
    ipv6: Switch
    """Use IPv6 addresses only."""
    header: Pairs
    """Send a header field, 'Name: value'."""
    user_agent: Value
    """The User-Agent to send."""
    contact: Value
    """Tell sites who asks: an address or URL."""
    referer: Value
    """The Referer to send."""
    user: Value
    """Name and password (asked for if missing)."""
    netrc: Switch
    """Read names and passwords from ~/.netrc."""
    bearer_file: Value
    """Send the token in FILE."""
    cookie: Pairs
    """Send a cookie."""
    cookie_jar: Value
    """Read cookies from FILE and save them there."""
    cacert: Value
    """Trust the certificates in FILE."""
    cert: Value
    """Show the client certificate in FILE."""
    key: Value
    """The key of that certificate."""
    insecure: Switch
    """Do not check certificates."""
    store_bearer_file: Value
    """Send the token in FILE to stores."""
    store_cert: Value
    """Show the certificate in FILE to stores."""
    store_key: Value
    """The key of that certificate."""
    verify: Value
    """None, structure or decode."""
    strict: Switch
    """Refuse flawed images, too."""
    sandbox: Switch
    """False: decode in this process, without protection."""
    max_pixels: Value
    """Refuse images of more pixels (0: any)."""
    min_size: Size
    """Refuse smaller images."""
    max_aspect: Value
    """Refuse longer shapes (3, or 16:9)."""
    only_format: Values
    """Only images of these formats (jpeg,png)."""
    resize: Size
    """WxH, Wx, xH or N%."""
    fit: Value
    """Down, inside, cover, fill or outside."""
    pad: Switch
    """Fill the box of --resize with --background."""
    crop: Size
    """Cut out WxH or WxH+X+Y."""
    auto_orient: Switch
    """False: leave the pixels turned as they are stored."""
    flip: Value
    """H (left to right) or v (top to bottom)."""
    rotate: Value
    """90, 180 or 270, clockwise."""
    convert: Value
    """Jpeg, png, webp, avif, same."""
    quality: Value
    """Quality of JPEG, WebP and AVIF, 1 to 100."""
    speed: Value
    """Speed of writing AVIF, 0 to 10."""
    background: Value
    """Background under alpha, of --pad and show."""
    strip: Switch
    """Remove metadata; colours become sRGB."""
    keep_metadata: Switch
    """Take all of Exif, XMP and IPTC along."""
    first_frame: Switch
    """Use only the first frame."""
    checksum: Switch
    """Include the SHA-256 of the delivered bytes."""
    fingerprint: Values
    """Thumbhash, blurhash, dhash, phash."""
    exif: Switch
    """Include what the camera wrote down."""
    report: Value
    """Also write all rows to FILE, as JSON."""


OPTIONS["pack"] = {
    "list_format": ("list-format", "value"),
    "url_column": ("url-column", "value"),
    "max_list": ("max-list", "value"),
    "shard": ("shard", "value"),
    "allow_host": ("allow-host", "values"),
    "deny_host": ("deny-host", "values"),
    "deny_private": ("deny-private", "switch"),
    "robots": ("robots", "switch"),
    "refuse_tag": ("refuse-tag", "values"),
    "kind": ("kind", "list"),
    "all_sizes": ("all-sizes", "switch"),
    "base": ("base", "value"),
    "same_host": ("same-host", "switch"),
    "max_page": ("max-page", "value"),
    "max_pages": ("max-pages", "value"),
    "output_dir": ("output-dir", "value"),
    "per_shard": ("per-shard", "value"),
    "shard_by": ("shard-by", "value"),
    "split_host": ("split-host", "values"),
    "again": ("again", "switch"),
    "max_transient": ("max-transient", "value"),
    "ignore_robots_tag": ("ignore-robots-tag", "switch"),
    "max_invalid": ("max-invalid", "value"),
    "member_ext": ("member-ext", "value"),
    "without": ("without", "list"),
    "purpose": ("purpose", "value"),
    "refuse_noindex": ("refuse-noindex", "switch"),
    "extend": ("extend", "switch"),
    "stats": ("stats", "switch"),
    "caption_column": ("caption-column", "value"),
    "id_column": ("id-column", "value"),
    "hash_column": ("hash-column", "value"),
    "where": ("where", "values"),
    "unique": ("unique", "switch"),
    "cache": ("cache", "value"),
    "offline": ("offline", "switch"),
    "cache_dir": ("cache-dir", "value"),
    "namespace": ("namespace", "value"),
    "read_only_cache": ("read-only-cache", "values"),
    "memory_limit": ("memory-limit", "value"),
    "memory_count": ("memory-count", "value"),
    "max_age": ("max-age", "value"),
    "max_size": ("max-size", "value"),
    "key_ignore_query": ("key-ignore-query", "switch"),
    "key_ignore_param": ("key-ignore-param", "values"),
    "key_ignore_header": ("key-ignore-header", "values"),
    "retry_failed": ("retry-failed", "switch"),
    "skip_failed": ("skip-failed", "value"),
    "stale": ("stale", "switch"),
    "auto_clean": ("auto-clean", "switch"),
    "cache_derived": ("cache-derived", "switch"),
    "remote_cache": ("remote-cache", "value"),
    "remote_cache_mode": ("remote-cache-mode", "value"),
    "remote_cache_timeout": ("remote-cache-timeout", "value"),
    "remote_cache_wait": ("remote-cache-wait", "value"),
    "jobs": ("jobs", "value"),
    "per_host": ("per-host", "value"),
    "order": ("order", "value"),
    "limit_rate": ("limit-rate", "value"),
    "rate": ("rate", "value"),
    "timeout": ("timeout", "value"),
    "least_speed": ("least-speed", "value"),
    "connect_timeout": ("connect-timeout", "value"),
    "max_time": ("max-time", "value"),
    "retry": ("retry", "value"),
    "outage": ("outage", "value"),
    "max_redirects": ("max-redirects", "value"),
    "allow_downgrade": ("allow-downgrade", "switch"),
    "max_bytes": ("max-bytes", "value"),
    "accept_formats": ("accept-formats", "list"),
    "accept_status": ("accept-status", "list"),
    "resolve": ("resolve", "values"),
    "proxy": ("proxy", "value"),
    "http1_1": ("http1.1", "switch"),
    "ipv4": ("ipv4", "switch"),
    "ipv6": ("ipv6", "switch"),
    "header": ("header", "pairs"),
    "user_agent": ("user-agent", "value"),
    "contact": ("contact", "value"),
    "referer": ("referer", "value"),
    "user": ("user", "value"),
    "netrc": ("netrc", "switch"),
    "bearer_file": ("bearer-file", "value"),
    "cookie": ("cookie", "pairs"),
    "cookie_jar": ("cookie-jar", "value"),
    "cacert": ("cacert", "value"),
    "cert": ("cert", "value"),
    "key": ("key", "value"),
    "insecure": ("insecure", "switch"),
    "store_bearer_file": ("store-bearer-file", "value"),
    "store_cert": ("store-cert", "value"),
    "store_key": ("store-key", "value"),
    "verify": ("verify", "value"),
    "strict": ("strict", "switch"),
    "sandbox": ("sandbox", "switch"),
    "max_pixels": ("max-pixels", "value"),
    "min_size": ("min-size", "size"),
    "max_aspect": ("max-aspect", "value"),
    "only_format": ("only-format", "list"),
    "resize": ("resize", "size"),
    "fit": ("fit", "value"),
    "pad": ("pad", "switch"),
    "crop": ("crop", "size"),
    "auto_orient": ("auto-orient", "switch"),
    "flip": ("flip", "value"),
    "rotate": ("rotate", "value"),
    "convert": ("convert", "value"),
    "quality": ("quality", "value"),
    "speed": ("speed", "value"),
    "background": ("background", "value"),
    "strip": ("strip", "switch"),
    "keep_metadata": ("keep-metadata", "switch"),
    "first_frame": ("first-frame", "switch"),
    "checksum": ("checksum", "switch"),
    "fingerprint": ("fingerprint", "list"),
    "exif": ("exif", "switch"),
    "report": ("report", "value"),
}


class FindOptions(TypedDict, total=False):
    """The options of imgfetch find."""

    url_column: Value
    """The column of a table that holds the URLs."""
    allow_host: Values
    """Ask only hosts that match (*.example.org)."""
    deny_host: Values
    """Never ask hosts that match."""
    deny_private: Switch
    """Refuse addresses that are not public."""
    robots: Switch
    """Ask each site's robots.txt first, and obey it."""
    kind: Values
    """Which images of a source."""
    all_sizes: Switch
    """All sizes of a picture, not only the largest."""
    base: Value
    """What addresses in a source are relative to."""
    same_host: Switch
    """Only images on the host of their page."""
    max_page: Value
    """Refuse larger sources (0: any size)."""
    max_pages: Value
    """Maximum number of further pages."""
    table: Switch
    """Print a table with TABs, for pack."""
    cache: Value
    """Age, http, refresh, reload, only, memory, off."""
    offline: Switch
    """The same as --cache only."""
    cache_dir: Value
    """Folder of the disk cache."""
    namespace: Value
    """A separate cache in the same folder."""
    key_ignore_query: Switch
    """Ignore the query in the cache key."""
    key_ignore_param: Values
    """Ignore this parameter in the cache key."""
    jobs: Value
    """Maximum number of concurrent downloads."""
    per_host: Value
    """Concurrent downloads from one origin."""
    order: Value
    """Which image starts next: fifo or lifo."""
    limit_rate: Value
    """Bytes a second for the whole run."""
    rate: Value
    """Requests a second to one origin."""
    timeout: Value
    """Give up after this long without a byte."""
    least_speed: Value
    """Least bytes a second of a download."""
    connect_timeout: Value
    """Time for name lookup, connection and TLS."""
    max_time: Value
    """Time for one image with all its retries."""
    retry: Value
    """Retries after a transient failure."""
    outage: Value
    """Time that a host which answered may be away."""
    max_redirects: Value
    """Maximum number of redirects."""
    allow_downgrade: Switch
    """Follow redirects from https to http."""
    resolve: Values
    """Use this address for HOST:PORT."""
    proxy: Value
    """Use this proxy."""
    http1_1: Switch
    """Do not use HTTP/2."""
    ipv4: Switch
    """Use IPv4 addresses only."""
    ipv6: Switch
    """Use IPv6 addresses only."""
    header: Pairs
    """Send a header field, 'Name: value'."""
    user_agent: Value
    """The User-Agent to send."""
    contact: Value
    """Tell sites who asks: an address or URL."""
    referer: Value
    """The Referer to send."""
    user: Value
    """Name and password (asked for if missing)."""
    netrc: Switch
    """Read names and passwords from ~/.netrc."""
    bearer_file: Value
    """Send the token in FILE."""
    cookie: Pairs
    """Send a cookie."""
    cookie_jar: Value
    """Read cookies from FILE and save them there."""
    cacert: Value
    """Trust the certificates in FILE."""
    cert: Value
    """Show the client certificate in FILE."""
    key: Value
    """The key of that certificate."""
    insecure: Switch
    """Do not check certificates."""


OPTIONS["find"] = {
    "url_column": ("url-column", "value"),
    "allow_host": ("allow-host", "values"),
    "deny_host": ("deny-host", "values"),
    "deny_private": ("deny-private", "switch"),
    "robots": ("robots", "switch"),
    "kind": ("kind", "list"),
    "all_sizes": ("all-sizes", "switch"),
    "base": ("base", "value"),
    "same_host": ("same-host", "switch"),
    "max_page": ("max-page", "value"),
    "max_pages": ("max-pages", "value"),
    "table": ("table", "switch"),
    "cache": ("cache", "value"),
    "offline": ("offline", "switch"),
    "cache_dir": ("cache-dir", "value"),
    "namespace": ("namespace", "value"),
    "key_ignore_query": ("key-ignore-query", "switch"),
    "key_ignore_param": ("key-ignore-param", "values"),
    "jobs": ("jobs", "value"),
    "per_host": ("per-host", "value"),
    "order": ("order", "value"),
    "limit_rate": ("limit-rate", "value"),
    "rate": ("rate", "value"),
    "timeout": ("timeout", "value"),
    "least_speed": ("least-speed", "value"),
    "connect_timeout": ("connect-timeout", "value"),
    "max_time": ("max-time", "value"),
    "retry": ("retry", "value"),
    "outage": ("outage", "value"),
    "max_redirects": ("max-redirects", "value"),
    "allow_downgrade": ("allow-downgrade", "switch"),
    "resolve": ("resolve", "values"),
    "proxy": ("proxy", "value"),
    "http1_1": ("http1.1", "switch"),
    "ipv4": ("ipv4", "switch"),
    "ipv6": ("ipv6", "switch"),
    "header": ("header", "pairs"),
    "user_agent": ("user-agent", "value"),
    "contact": ("contact", "value"),
    "referer": ("referer", "value"),
    "user": ("user", "value"),
    "netrc": ("netrc", "switch"),
    "bearer_file": ("bearer-file", "value"),
    "cookie": ("cookie", "pairs"),
    "cookie_jar": ("cookie-jar", "value"),
    "cacert": ("cacert", "value"),
    "cert": ("cert", "value"),
    "key": ("key", "value"),
    "insecure": ("insecure", "switch"),
}


class InspectOptions(TypedDict, total=False):
    """The options of imgfetch inspect."""

    recursive: Switch
    """Inspect the files in folders."""
    duplicates: Implied
    """Group images that are the same: bytes, looks."""
    keep: Value
    """The original of a group: first or largest."""
    same: Implied
    """Compare two files: looks, bytes."""
    max_bytes: Value
    """Refuse images of more bytes (0: any)."""
    verify: Value
    """None, structure or decode."""
    strict: Switch
    """Refuse flawed images, too."""
    sandbox: Switch
    """False: decode in this process, without protection."""
    max_pixels: Value
    """Refuse images of more pixels (0: any)."""
    checksum: Switch
    """Include the SHA-256 of the delivered bytes."""
    fingerprint: Values
    """Thumbhash, blurhash, dhash, phash."""
    exif: Switch
    """Include what the camera wrote down."""


OPTIONS["inspect"] = {
    "recursive": ("recursive", "switch"),
    "duplicates": ("duplicates", "switch"),
    "keep": ("keep", "value"),
    "same": ("same", "switch"),
    "max_bytes": ("max-bytes", "value"),
    "verify": ("verify", "value"),
    "strict": ("strict", "switch"),
    "sandbox": ("sandbox", "switch"),
    "max_pixels": ("max-pixels", "value"),
    "checksum": ("checksum", "switch"),
    "fingerprint": ("fingerprint", "list"),
    "exif": ("exif", "switch"),
}


class ReportOptions(TypedDict, total=False):
    """The options of imgfetch report."""

    against: Value
    """Compare with earlier rows."""
    list: Value
    """Print lines: failed, duplicates or changed."""
    html: Value
    """Write the report as a page, too."""
    pictures: Value
    """Pictures of the page made from the images."""
    duplicates: Implied
    """Group images that are the same: bytes, looks."""
    keep: Value
    """The original of a group: first or largest."""
    timeout: Value
    """Give up after this long without a byte."""
    connect_timeout: Value
    """Time for name lookup, connection and TLS."""
    max_time: Value
    """Time for one image with all its retries."""
    retry: Value
    """Retries after a transient failure."""
    resolve: Values
    """Use this address for HOST:PORT."""
    proxy: Value
    """Use this proxy."""
    ipv4: Switch
    """Use IPv4 addresses only."""
    ipv6: Switch
    """Use IPv6 addresses only."""
    netrc: Switch
    """Read names and passwords from ~/.netrc."""
    cacert: Value
    """Trust the certificates in FILE."""
    store_bearer_file: Value
    """Send the token in FILE to stores."""
    store_cert: Value
    """Show the certificate in FILE to stores."""
    store_key: Value
    """The key of that certificate."""


OPTIONS["report"] = {
    "against": ("against", "value"),
    "list": ("list", "value"),
    "html": ("html", "value"),
    "pictures": ("pictures", "value"),
    "duplicates": ("duplicates", "switch"),
    "keep": ("keep", "value"),
    "timeout": ("timeout", "value"),
    "connect_timeout": ("connect-timeout", "value"),
    "max_time": ("max-time", "value"),
    "retry": ("retry", "value"),
    "resolve": ("resolve", "values"),
    "proxy": ("proxy", "value"),
    "ipv4": ("ipv4", "switch"),
    "ipv6": ("ipv6", "switch"),
    "netrc": ("netrc", "switch"),
    "cacert": ("cacert", "value"),
    "store_bearer_file": ("store-bearer-file", "value"),
    "store_cert": ("store-cert", "value"),
    "store_key": ("store-key", "value"),
}

/// imgfetch-remote(7): a cache that machines share.
enum RemotePage {
  static func text() -> String {
    Manual.head(.remote, "a cache that several machines share, lists and data sets at URLs")
      + Roff.paragraphs(prose)
      + PlacesPage.text
      + Manual.optionsExplained(on: .remote)
      + Manual.seeAlso([("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-config", 5)])
      + Roff.paragraphs(
        """
        # SECURITY CONSIDERATIONS
        A machine that can write to the remote cache can choose the pictures that others get for a URL: the checks \
        find damage and bodies that are no images, but not a wrong picture of the right form. So let only machines \
        write there that you trust as much as your own cache. Checksums in a list (sha256=) are checked for images \
        from there, too. Rules about hosts and addresses (--allow-host, --deny-private) are for origins; the remote \
        cache itself is exempt.
        """)
  }

  private static let prose = """
    With --remote-cache URL, machines share the images that they have fetched: ten web servers, a CI farm or a \
    cluster then ask an origin once for an image, and not once each. The cache is any web server that answers \
    GET and takes PUT, or a bucket of S3 or of a store that speaks its protocol. imgfetch brings no server of \
    its own.

    An image is looked for in memory, in the cache on disk, in the remote cache, and then at its origin. An \
    image from the remote cache is checked and inspected like any download, and kept on disk; it counts as stored \
    when its origin sent it, so --max-age and --cache http judge it like any stored image. Results call it remote. \
    Images from the origin are put into the remote cache in the background, after they were delivered; the end of \
    a run waits --remote-cache-wait for that.

    Machines that fetch the same images at the same time ask an origin more than once for some of them. Machines \
    that work on one list should each take a part of it, with --shard.

    An object is a cache entry: URL/v1/NAMESPACE/ab/REST, where ab and REST are the hash of the key, as in the \
    cache on disk.

    # BUCKETS
    s3://BUCKET/PREFIX is a place in a bucket, and s3://BUCKET/KEY is an image in one, wherever a URL may stand \
    but in --mirror. PREFIX and KEY are taken as they are written: each character stands for itself, % and ? \
    too. Requests are signed (Signature Version 4), and the signature goes to that store only, never to where it \
    redirects.

    The account is what Amazon's tools would use: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
    AWS_SESSION_TOKEN, or the profile of AWS_PROFILE (default) in ~/.aws/credentials and ~/.aws/config, or where \
    AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE point. Without any keys requests are not signed, which \
    public buckets allow. Keys from a credential process or a single sign-on are not fetched; this command \
    exports them:
    > eval "$(aws configure export-credentials --format env)"
    >

    The region is AWS_REGION, AWS_DEFAULT_REGION, the profile's, or us-east-1. The store is AWS_ENDPOINT_URL_S3, \
    AWS_ENDPOINT_URL, the profile's endpoint_url, or Amazon's of that region. With an endpoint, the bucket's name \
    is part of the path, and at Amazon of the host; addressing_style (path, virtual) under s3 in the profile \
    changes that.

    Readers need s3:GetObject for PREFIX/v1/* and s3:ListBucket for the bucket, without which S3 answers 403 for \
    what is not there, and not 404; writers need s3:PutObject as well. A lifecycle rule keeps the bucket from \
    growing:
    > {"Rules": [{"ID": "imgfetch", "Status": "Enabled",
    >   "Filter": {"Prefix": "PREFIX/v1/"}, "Expiration": {"Days": 30}}]}

    # WHAT IS SHARED
    Images that any user might have received are shared: with status 200, inspected, and requested without \
    credentials, cookies, --insecure, --resolve and header fields that may identify the requester. Their answers \
    neither say private or no-store nor set a cookie. If Vary distinguishes several answers of one URL, the \
    first is shared. Images whose URLs are signed or hold a token are not shared, nor are those that depend on a \
    Referer with a query, since all readers of the cache could use both. Body, header fields, times and key are \
    taken from the remote cache; format and size, fingerprints, Exif and the addresses on the way are found out \
    anew, or are unknown.

    # WHEN THE REMOTE CACHE FAILS
    A run that has begun never fails because of the remote cache; a mistake in its address or account is exit \
    code 2. The cache is left alone for the rest of the run, with one warning, if it cannot be reached within a \
    quarter of --remote-cache-timeout, has not sent an image within that time, twice in a row needs half of it to \
    begin an answer, or answers with anything but 200 or 404. A wrong object, such as a truncated one, one of \
    another image, or a page, costs a download, and the first one a warning; after three in a row the remote cache \
    is left alone. A server that refuses PUT is still read.

    # SETTING IT UP
    With nginx and its dav module, which Debian builds in:
    > server {
    >   listen 10.0.0.5:80;
    >   location /images/ {
    >     root /srv/cache;
    >     client_max_body_size 300m;
    >     dav_methods PUT;
    >     create_full_put_path on;
    >     limit_except GET { allow 10.0.0.0/24; deny all; }
    >   }
    > }

    Any WebDAV server will do, such as Apache with mod_dav. If it does not make folders for a PUT, they are made \
    with MKCOL, except the folder of the URL itself. \
    Then, on each machine, in the configuration file (imgfetch-config(5)):
    > remote-cache = http://10.0.0.5/images
    >

    A name and password in the URL are sent as Basic credentials, and shown as *** everywhere; over http anyone \
    on the way can read them, so use https. --cacert trusts an authority of your own. Machines that may not \
    write there use --remote-cache-mode read.

    imgfetch does not clean the remote cache. Old objects can be removed at any time, on the server:
    > find /srv/cache/images -type f -mtime +30 -delete
    >
    """
}

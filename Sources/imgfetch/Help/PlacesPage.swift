enum PlacesPage {
  /// A part of imgfetch-remote(7): lists, images and data sets at URLs.
  static let text = Roff.paragraphs(
    """
    # PLACES
    A URL may stand in place of a list (--input), and in place of the folder of images or of a data set \
    (--output-dir): s3://BUCKET/PREFIX, or an http or https URL of a web server that takes PUT, MOVE and DELETE \
    (WebDAV). Requests to it use the run's --proxy, --cacert, --insecure, time limits and --retry. Rules about \
    hosts and addresses do not apply to it, since the user has named it. A redirect is an error.

    An object appears whole or not at all. A shard is made in an unnamed file in TMPDIR (/tmp), which needs room \
    for the open shards, at most eight. Then it is sent. A bucket gets it with a condition (If-None-Match: *), \
    above 5 GiB in parts that are completed under that condition. A web server gets it under a temporary name, \
    .imgfetch-shard~…, which is then renamed unless the name is taken (Overwrite: F). So the first of several \
    attempts wins, and the others report the finished shard. Missing folders are made with MKCOL. The remains of \
    a failed attempt are removed; after a loss of power or of the network, temporary names that are a day old \
    can be deleted.

    On some servers, two attempts at the same moment can both win, and the later file remains, whole: on Apache \
    with mod_dav and OpenStack Swift, and now and then on nginx with several workers, but not on radosgw and \
    Amazon's S3. The remaining shard is read back and reported; if it is of another job, the run fails.

    With nginx, on which the place is http://10.0.0.5/sets:
    > location /sets/ {
    >   root /srv;
    >   client_max_body_size 0;
    >   dav_methods PUT DELETE MKCOL MOVE;
    >   create_full_put_path on;
    >   limit_except GET { allow 10.0.0.0/24; deny all; }
    > }

    The server must answer range requests, as these do. Credentials are the user info in the URL, the token of \
    --store-bearer-file, a login in ~/.netrc with --netrc, or the account of the bucket; --store-cert is \
    presented to servers that ask for a certificate. Writers need s3:GetObject, s3:PutObject, s3:ListBucket and \
    s3:AbortMultipartUpload; a lifecycle rule with AbortIncompleteMultipartUpload removes the parts that a \
    killed process leaves behind.

    Each image of imgfetch get is an object with its media type, under the name that its file would have. An \
    object of a bucket is marked with the key and hash of its image: it is left alone if it has the bytes \
    already, replaced by a newer version if it has the bytes that its mark names, and never replaced by another \
    image, which gets a name with digits, unless --overwrite is given. A web server keeps no such mark: an object \
    there is left alone if it has the same bytes, and replaced if it has those of an earlier version that the \
    cache has held. An object that imgfetch did not put there is never replaced without --overwrite: the image \
    gets a name with digits. --no-clobber keeps existing objects. --placeholder, --remote-time, --xattr, --adopt \
    and --prune are for files only.

    Not every web server lists its folders, so --again looks for shards under their names, until sixteen in a row \
    are missing.
    """)
}

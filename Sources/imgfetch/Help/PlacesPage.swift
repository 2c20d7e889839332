enum PlacesPage {
  /// A part of imgfetch-remote(7): what is written and read at URLs.
  static var text: String {
    ".Sh PLACES\n"
      + places([
        """
        Where a list is read (--input), or images or a data set written (--output-dir), a URL may stand: s3://BUCKET/PREFIX, \
        or an http or https URL of a web server that takes PUT, MOVE and DELETE (WebDAV). Its requests go out by \
        the run's --proxy, --cacert, --insecure, time limits and --retry; rules about hosts and addresses do not hold for it, since the \
        user has named it. A redirect is an error.
        """,
        """
        An object appears whole or not at all. A shard is made in an unnamed file in TMPDIR (/tmp), which needs room for those that \
        are open; at most eight are. Then it is sent to a bucket with a condition (If-None-Match: *), above 5 GiB in \
        parts that are completed under it; to a web server under a temporary name, .imgfetch-shard~…, which is moved where \
        nothing is (Overwrite: F). So the first of several attempts wins, and the others report what stands. Missing \
        folders are made with MKCOL. What is left of an attempt that fails is removed; after a loss of power, or of \
        the network, temporary names can be deleted once they are a day old.
        """,
        """
        Some servers let two attempts of the same moment both win, and the later one then stands, whole: Apache's mod_dav and OpenStack \
        Swift do, and nginx with several workers now and then; radosgw and Amazon's S3 do not. What stands is read back and reported; if it is of another \
        job, the run fails.
        """,
        "With nginx, on which the place is http://10.0.0.5/sets:",
      ])
      + Roff.display(
        """
        location /sets/ {
          root /srv;
          client_max_body_size 0;
          dav_methods PUT DELETE MKCOL MOVE;
          create_full_put_path on;
          limit_except GET { allow 10.0.0.0/24; deny all; }
        }
        """)
      + places([
        """
        The server must answer ranges, as these do. Who asks is said by user info in the URL, by the token of --store-bearer-file, by \
        ~/.netrc with --netrc, or by the account of the bucket; --store-cert is shown to servers that want a certificate. Writers need s3:GetObject, s3:PutObject, s3:ListBucket and s3:AbortMultipartUpload; a \
        lifecycle rule with AbortIncompleteMultipartUpload removes the parts that a killed process leaves behind.
        """,
        """
        Each image of imgfetch get is an object with its media type, under the name that its file would have. An object of a bucket is \
        marked with the image's key and hash: it is left alone if it has the bytes already, replaced by a newer version, \
        and never by another image, which gets digits, unless --overwrite is given. A web server keeps no such mark: an \
        object there is left alone if it has the same bytes, and replaced if it has those of an earlier version that the cache \
        has had. What imgfetch did not put there is never replaced without --overwrite: the image gets the name with digits. \
        --no-clobber keeps what is there. --placeholder, --remote-time, --xattr, --adopt and --prune are for files only.
        """,
        """
        Not every web server lists its folders, so --again looks for shards under their names, until sixteen in a row are missing.
        """,
      ])
  }

  private static func places(_ texts: [String]) -> String { texts.map { Roff.text($0) }.joined(separator: ".Pp\n") }
}

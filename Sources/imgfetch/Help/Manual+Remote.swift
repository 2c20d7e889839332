extension Manual {
  /// imgfetch-remote(7): a cache that machines share.
  static func remote() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-remote
      .Nd a cache of images that several machines share
      .Sh DESCRIPTION

      """
    return page
      + paragraphs([
        """
        With --remote-cache URL, machines share what they have fetched: ten web servers, a CI farm or a cluster then ask an \
        origin once for an image, and not once each. The cache is any web server that answers GET and takes PUT. imgfetch \
        brings no server of its own.
        """,
        """
        An image is looked for in memory, in the cache on disk, in the remote cache, and then at its origin. What the remote \
        cache has is checked and inspected like any download, and kept on disk; it counts as stored when its origin sent \
        it, so --max-age and --cache http judge it like any stored image. Results call it remote. What the origin sent is \
        put into the remote cache in the background, after it was delivered; the end of a run waits --remote-cache-wait \
        for that.
        """,
        """
        An object is a cache entry: URL/v1/NAMESPACE/ab/REST, where ab and REST are the hash of the key, as in the cache on \
        disk.
        """,
      ])
      + ".Sh WHAT IS SHARED\n"
      + paragraphs([
        """
        Only what any user might have got: images with status 200 that were inspected, requested without credentials, \
        cookies, --insecure, --resolve and request fields that may say who asks, and whose answers neither say private or \
        no-store nor set a cookie. Of several answers of one URL, which Vary tells apart, the first.
        """
      ])
      + ".Sh WHEN THE REMOTE CACHE FAILS\n"
      + paragraphs([
        """
        A run never fails because of it. If it cannot be reached within a quarter of --remote-cache-timeout, has not sent an image within \
        that time, or answers with anything but 200 or 404, it is left alone for the rest of the run, with one \
        warning. A wrong object, such as a cut one, one of another image, or a page, costs a download; after three in a row \
        the remote cache is left alone. A server that refuses PUT is still read.
        """
      ])
      + ".Sh SETTING IT UP\n"
      + paragraphs(["With nginx and its dav module, which Debian builds in:"])
      + Roff.display(
        """
        server {
          listen 10.0.0.5:80;
          location /images/ {
            root /srv/cache;
            client_max_body_size 300m;
            dav_methods PUT;
            create_full_put_path on;
            limit_except GET { allow 10.0.0.0/24; deny all; }
          }
        }
        """)
      + paragraphs(["Then, on each machine, in the configuration file (imgfetch-config(5)):"])
      + Roff.display("remote-cache = http://10.0.0.5/images\n")
      + paragraphs([
        """
        A name and password in the URL are sent as Basic credentials, and shown as *** everywhere; over http anyone on the way \
        can read them, so use https. --cacert trusts an authority of your own. Machines that may not write there use \
        --remote-cache-mode read.
        """,
        "imgfetch does not clean it. Old objects can be removed at any time, on the server:",
      ])
      + Roff.display("find /srv/cache/images -type f -mtime +30 -delete\n")
      + seeAlso([("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-config", 5)])
      + ".Sh SECURITY CONSIDERATIONS\n"
      + paragraphs([
        """
        A machine that can write to the remote cache can choose the pictures that others get for a URL: the checks find damage, and \
        what is no image, but not a wrong picture of the right form. So let only machines write there that you trust as much as your \
        own cache; checksums in a list (sha256=) hold for what comes from there, too. Rules about hosts and addresses \
        (--allow-host, --deny-private) are for origins; the remote cache itself is exempt.
        """
      ])
  }

  private static func paragraphs(_ texts: [String]) -> String { texts.map { Roff.text($0) }.joined(separator: ".Pp\n") }
}

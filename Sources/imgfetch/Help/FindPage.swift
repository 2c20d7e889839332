enum FindPage {
  static func text() -> String {
    Manual.head(
      .find, "list the images of a page, feed, site map or table", synopsis: Manual.usage("find", ".Ar SOURCE ..."))
      + Roff.paragraphs(prose)
      + Manual.options(Flag.taken(by: .find), on: .find)
      + Manual.environment([.cacheHome, .configHome, .proxies, .certificates, .libcurlInShort])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus(ExitCodes.ofFind)
      + Manual.examples([
        ("The images of a page:", "imgfetch find https://example.org/gallery.html"),
        (
          "Those that end in .jpg, into a folder:", "imgfetch find page.html | grep jpg | imgfetch get -i - -d pictures"
        ),
        ("A museum's manifest, with labels as names:", "imgfetch get --from https://example.org/manifest.json -d book"),
        ("Addresses and texts for a program:", "imgfetch find --json https://example.org/feed.xml"),
      ])
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-network", 7), ("imgfetch-recipes", 7),
      ])
  }

  private static let prose = """
    imgfetch find prints the URLs of the images that each SOURCE names, one on each line, in the form that imgfetch \
    get -i reads. The option --from of imgfetch get, prefetch, pack and show does both at once. A SOURCE is a URL, a \
    file, or - for standard input. Pages are requested like images: with the same limits, rules for hosts and \
    addresses, credentials, robots and retries. They are kept beside the cache, so that one that is requested again \
    is sent only if it has changed. Nothing in a page is run.

    Each image is printed once in a run, in the order of the source, and in the largest of its sizes. A line has a \
    URL, and after TABs stem=NAME if the source has a label for the image, referer=URL as browsers send it by \
    default, and mirror=URL for another address of the same pixels. Images in the page itself (data:) are counted, \
    and not listed. User info in addresses is dropped. A page at a public address counts like a redirect: its \
    images are not requested from addresses that are not public.

    With --json each image is an object of url, kind (as in --kind), alt, title, caption, width, height, page, \
    referer and stem. Null stands for what the source does not say.

    # SOURCES
    The bytes of a source say what it is, whatever its name and its media type. It may be compressed with gzip.
    * "HTML" | Read as browsers read it, in the encoding that its mark, its header or its meta element names: img, \
    picture and source with srcset, noscript, the attributes in which scripts keep pictures until they are scrolled to \
    (data-src and its kin), input, video poster, object, embed, image in SVG, links to images, og:image and \
    twitter:image, link elements with icons, image_src and preloaded images, JSON-LD, and url() and image-set() in \
    style elements and attributes. Addresses are resolved as browsers do, with base. In GBK, Big5, Shift_JIS, EUC-JP \
    and similar encodings only ASCII is read: images whose addresses have other characters are counted, not listed.
    * "Feeds" | RSS, Atom and Media RSS: enclosures, media:content and media:thumbnail, images of the channel, and \
    pictures in the HTML of entries. The title of an entry is the caption of its pictures.
    * "Site maps" | Images of the image extension, with their titles. The maps of an index are read, too, up to \
    --max-pages.
    * "IIIF" | Manifests of the Presentation API, versions 2 and 3: the pictures of the canvases in order, in the \
    largest size that their service gives, with labels as names; collections, whose manifests are read; and info.json \
    of an image.
    * "JSON" | JSON Feed, and any other: each text that is the URL of an image, that stands under a key such as image \
    or thumbnail, or beside a media type of an image.
    * "CSS" | url() and image-set(), except for fonts and imported sheets.
    * "Markdown" | Pictures, references, links to images, and HTML.
    * "Tables" | With commas, semicolons or TABs: the column url (--url-column), else the one that holds URLs; \
    caption, alt, title, width and height go along.
    * "Text" | URLs of images, and each URL on a line of its own.
    * "Images" | The image itself.
    """
}

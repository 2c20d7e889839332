import ImgfetchCore
import ImgfetchPages

enum SourceFlags {
  /// The sources of lists, and which of their images are wanted.
  static let all: [Flag] = [
    Flag(
      .from, "from", .value("SOURCE", Values.text, completing: .files) { $0.find.sources.append($1) }, unset: "none",
      repeatable: true, on: .fetching, from: .commandLine, .selection, secret: .url,
      help: "fetch the images that a page, feed or map names",
      details: """
        Fetches the images that SOURCE names: a page, feed, site map, manifest or table, given as a URL, a file, or - \
        for standard input. imgfetch find lists them. They come after those of --input, and are fetched while the \
        source is still read. Each is requested with the page as its Referer, and a label becomes its name; imgfetch \
        pack takes the columns of imgfetch find --table. A source that cannot be read, or that names no image, is a \
        failure of the run, and the images of the others are fetched. If no URL comes before it, SOURCE is the run's \
        first URL, to whose origin --user, --bearer-file, --cookie and secret fields are sent. See imgfetch-find(1).
        """,
      example: "imgfetch get --from https://example.org/gallery.html -d pictures"),
    Flag(
      .kind, "kind", .choices("LIST", PageImage.Kind.self) { $0.find.kinds = $1 },
      default: "image,link,meta,style,feed",
      on: .asking, .selection,
      help: "which images of a source",
      details: """
        Takes only images of these kinds from sources, separated by commas. image: pictures in a page. link: images \
        that a page links to. meta: pictures that a page names for previews (og:image, JSON-LD). icon: icons of a \
        site. style: pictures in style sheets. feed: pictures in feeds, site maps, manifests, tables and other data.
        """,
      example: "imgfetch find --kind image,link https://example.org/"),
    Flag(
      .allSizes, "all-sizes", .toggle { $0.find.listsAllSizes = $1 }, on: .asking, .selection,
      help: "all sizes of a picture, not only the largest",
      details: """
        Takes every size of a picture: all candidates of srcset, of a picture element, of image-set() and of a media \
        group. By default only the largest is taken, by width, then by density; among equals, the one in the format \
        of the img.
        """),
    Flag(
      .base, "base", .value("URL", Values.fetchable) { $0.find.base = $1 }, unset: "the URL of the page", on: .asking,
      .selection, secret: .url,
      help: "what addresses in a source are relative to",
      details: """
        Resolves relative addresses in sources against URL. For a page that was saved as a file, give the URL that it \
        was saved from; without it, images with relative addresses are counted and left out.
        """,
      example: "imgfetch find --base https://example.org/ saved.html"),
    Flag(
      .sameHost, "same-host", .toggle { $0.find.isSameHost = $1 }, on: .asking, .selection,
      help: "only images on the host of their page",
      details: """
        Takes only images on the host of the page that names them. Many pages keep theirs on other hosts, which \
        --allow-host and --deny-host can choose by name.
        """),
    Flag(
      .maxPage, "max-page", .value("SIZE", Values.size) { $0.find.maximumPage = $1 > 0 ? Int64($1) : .max },
      default: "16M", on: .asking, .selection,
      help: "refuse larger sources (0: any size)",
      details: """
        Refuses a page, feed, site map or file that is larger, compressed or decompressed, with exit code 5. 0 is no \
        limit.
        """),
    Flag(
      .maxPages, "max-pages", .value("N", Values.count(0...10_000_000)) { $0.find.maximumPages = $1 }, default: "1000",
      on: .asking, .selection,
      help: "maximum number of further pages",
      details: """
        Limits the further pages that a run reads because a source leads to them: the maps of a site map index, the \
        manifests of a collection. A warning tells if there are more. 0 reads none.
        """),
    Flag(
      .table, "table", .toggle { $0.find.isTable = $1 }, on: .find, .report, excludes: [.json],
      help: "print a table with TABs, for pack",
      details: """
        Prints a table whose first line names its columns: url, caption, kind, alt, title, width, height, page, \
        referer, stem. The caption is the text in the picture's place, else its title, else that of its figure or \
        entry. imgfetch pack --list-format tsv reads it.
        """,
      example: "imgfetch find --table gallery.html | imgfetch pack -i - --list-format tsv -d set"),
  ]
}

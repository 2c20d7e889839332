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
        Fetches the images that SOURCE names, as imgfetch find lists them, after those of --input: a URL, a file, or - for \
        standard input. The images of a source are fetched while it is still read. Each is asked for with the page as its \
        referrer, and a label becomes its name; imgfetch pack takes the columns of imgfetch find --table. A source that \
        cannot be read, or that names no image, is a failure of the run, and the images of the others are fetched. If no URL \
        comes before it, SOURCE is the run's first URL, to whose origin --user, --bearer-file, --cookie and secret fields are \
        sent. imgfetch-find(1) explains sources.
        """,
      example: "imgfetch get --from https://example.org/gallery.html -d pictures"),
    Flag(
      .kind, "kind", .choices("LIST", PageImage.Kind.self) { $0.find.kinds = $1 },
      default: "image,link,meta,style,feed",
      on: .asking, .selection,
      help: "which images of a source",
      details: """
        Takes images of these kinds from sources, separated by commas. image: pictures of a page itself. link: links to \
        images. meta: pictures that a page names for previews (og:image, JSON-LD). icon: icons of a site. style: pictures of \
        style sheets. feed: pictures of entries in feeds, site maps, manifests, tables and other data.
        """,
      example: "imgfetch find --kind image,link https://example.org/"),
    Flag(
      .allSizes, "all-sizes", .toggle { $0.find.listsAllSizes = $1 }, on: .asking, .selection,
      help: "all sizes of a picture, not only the largest",
      details: """
        Takes each address that a picture has: all candidates of srcset, of a picture element, of image-set() and of a group of \
        media. By default the largest is taken, by its width, then by its density; of equals the one in the format of the img \
        itself.
        """),
    Flag(
      .base, "base", .value("URL", Values.fetchable) { $0.find.base = $1 }, unset: "the URL of the page", on: .asking,
      .selection, secret: .url,
      help: "what addresses in a source are relative to",
      details: """
        Resolves the addresses in sources against URL: for a page that was saved as a file, the URL that it has come from. \
        Of a file without it, images with relative addresses are counted and left out.
        """,
      example: "imgfetch find --base https://example.org/ saved.html"),
    Flag(
      .sameHost, "same-host", .toggle { $0.find.isSameHost = $1 }, on: .asking, .selection,
      help: "only images on the host of their page",
      details: """
        Takes images only if they are on the host of the page that names them. Most pages have theirs on other hosts. \
        --allow-host and --deny-host leave out the images of other hosts, too.
        """),
    Flag(
      .maxPage, "max-page", .value("SIZE", Values.size) { $0.find.maximumPage = $1 > 0 ? Int64($1) : .max },
      default: "16M", on: .asking, .selection,
      help: "the longest source (0: any)",
      details: """
        Refuses a page, feed, site map or file that is longer, as it comes or unpacked, with exit code 5. 0 is no limit.
        """),
    Flag(
      .maxPages, "max-pages", .value("N", Values.count(0...10_000_000)) { $0.find.maximumPages = $1 }, default: "1000",
      on: .asking, .selection,
      help: "how many pages sources may lead to",
      details: """
        Bounds the pages that sources lead to in a run: the maps of a site map index, and the manifests of a collection, are \
        sources in their turn. A warning tells if there are more. With 0 none is read.
        """),
    Flag(
      .table, "table", .toggle { $0.find.isTable = $1 }, on: .find, .report, excludes: [.json],
      help: "print a table with TABs, for pack",
      details: """
        Prints a table whose first line names its columns: url, caption, kind, alt, title, width, height, page, referer, stem. \
        The caption is the text in the picture's place, else its title, else that of its figure or entry. imgfetch pack \
        --list-format tsv reads it.
        """,
      example: "imgfetch find --table gallery.html | imgfetch pack -i - --list-format tsv -d set"),
  ]
}

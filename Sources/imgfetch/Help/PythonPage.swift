enum PythonPage {
  static func text() -> String {
    Manual.head(.python, "images and data sets in Python")
      + Roff.paragraphs(prose)
      + Manual.examples([
        (
          "The images of a list in memory, as they come:",
          """
          import imgfetch
          for row in imgfetch.get(urls):
              print(row.url, len(row.bytes) if row.error is None else row.error)
          """
        ),
        (
          "Into files, with what belongs to each:",
          """
          rows = imgfetch.get(
              (imgfetch.Request(url, name=name) for url, name in pairs),
              output_dir="pictures", resize="256x256", convert="jpeg", in_order=True)
          """
        ),
        (
          "A data set from a Parquet table, with its rows as an Arrow table:",
          """
          packed = imgfetch.pack("list.parquet", "set", rows=True)
          print(packed.images, packed.failed, packed.rows.schema)
          """
        ),
        (
          "One program for a whole server:",
          """
          session = imgfetch.Session(cache="http")
          image = session.one("https://example.org/cat.jpg")
          """
        ),
      ])
      + Manual.seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-fleet", 7)])
  }

  private static let prose = """
    The wheel has a module beside the program, for Python 3.9 and later. The module starts the program, hands it \
    URLs, and reads rows and images from it. It needs nothing else; Parquet, Arrow and data frames need pyarrow, \
    which the extra parquet installs.

    Options are keywords, with _ for -, in the order given: resize=(256, 256), convert="jpeg", only_format=["jpeg", \
    "png"]. True gives a switch, and False its negation. header and cookie may be a dict. Environment and \
    configuration file count as on the command line, but for shard and fail-fast in that file, which would take rows \
    away. A keyword that is no option is a TypeError.

    An image that failed is a row with an error, an imgfetch.Error with kind, status, exit and a message. A run \
    that does not finish raises one, of the kind usage (a wrong option) or program.

    # FUNCTIONS
    * get(urls, in_order=False, look_ahead=2000) | Yields a row for each URL, with the image in row.bytes, or in the \
    file row.path if an option says where files go. URLs are taken from the iterable as they are needed.
    * aget(urls) | Does the same for asyncio, and takes asynchronous iterables as well.
    * one(url) | Returns the bytes of one image, or raises its error.
    * Session() | Keeps one program for many calls from any number of threads: get, one, map, submit. It ends with the \
    interpreter, and starts anew after a fork, and where another process unpickles the session.
    * pack(table, place, rows=False, parquet=None, progress=None) | Makes a data set of a file, an Arrow table or \
    reader, a frame of pandas, polars or duckdb, or of mappings. The list's columns keep their types in the rows that \
    come back, and in NUMBER.parquet beside each shard.
    * find(source) | Yields the images that a page, feed, site map, table or manifest names.
    * inspect(paths) | Yields what image files are, and whether they are whole.
    * report(rows) | Returns what runs did, as an object.
    * find_imgfetch_bin() | Returns the path of the program.

    # THE PROGRAM BEHIND IT
    The program is looked for where the module was installed, then in PATH; program= names another one, and one \
    of another version causes a warning. It ends when its iterator or session is closed or released. A program in \
    another language does the same with imgfetch get -o - --framed -i -: one line for each URL in, and for each a \
    row in JSON and then its bytes out.

    Where the system has no certificates (no ca-certificates), those of certifi are used, if that is installed. \
    The wheel brings a libcurl along, for systems without one; see IMGFETCH_LIBCURL in imgfetch-get(1).
    """
}

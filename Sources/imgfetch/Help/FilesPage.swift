/// imgfetch-files(7): the names of output files, and the files that are replaced or kept.
enum FilesPage {
  static func text() -> String {
    Manual.head(.files, "how imgfetch names, replaces and keeps files")
      + Roff.paragraphs(prose)
      + Manual.seeAlso([("imgfetch-get", 1), ("imgfetch-lists", 5), ("imgfetch-caching", 7)])
  }

  private static let prose = """
    imgfetch get writes each image to a file that appears complete or not at all. It keeps the name of an image \
    from run to run, leaves a file that has the right bytes untouched, and never replaces a file that it did not \
    write.

    # NAMES
    A file is named after the last segment of its URL, percent-decoded and made safe: no separators or control \
    characters, no leading dots or dashes, at most 200 bytes. If nothing is left, the name is image. The \
    extension fits the bytes: a right one stays (.jpeg and .jpe, too), a wrong one is replaced, and a missing \
    one is added. A name in a line of the list is used as it is, with an extension if it has none. --name makes \
    names from a template, --content-disposition uses the server's, and --output names the file of a single \
    image.

    If two images of a run want one name, the first line gets it. The second one's name gets a dash and eight \
    hex digits of the hash of its key, before which a long name from a line is shortened. URLs that differ only \
    in http and https have one file. Where the file system takes capitals and small letters for the same, names \
    that differ only in them are one name. Names that are made from URLs alone hold across runs: a name that an \
    earlier run gave to another image stays with that image, and this one gets the name with digits, now and later.

    # THE MARK
    An extended attribute of a written file, user.imgfetch.key, identifies its image: it has the first 16 bytes \
    of the SHA-256 of the cache key, the hash (XXH3-128), size and modification time of the file as written, and \
    whether that is an image, the result of a transform, or a placeholder. It is valid as long as size and time \
    match, on the user's own files. A file with a valid mark is imgfetch's. A file without one was there before, \
    has lost its mark in a copy, or has been edited; it is not imgfetch's.

    Copy folders with their attributes: cp -a, rsync -X, tar --xattrs. After cp -r, zip or git, --adopt marks \
    the files that have the bytes of their images.

    On a file system without attributes, a file is imgfetch's if it has the bytes that the cache holds for its \
    URL, or those of one of the last eight versions.

    # EXISTING FILES
    * "The same image, unchanged" | The file is left alone, so that make and rsync see nothing new.
    * "The same image, changed by its server" | The file is replaced.
    * "The same image in another format" | The new file is written, and the one with the old extension is removed.
    * "The same image, edited by the user" | The file is kept while its image does not change. Then the image gets the \
    name with digits.
    * "Another image, from an earlier run" | The file is kept. This image gets the name with digits.
    * "A file that is not imgfetch's" | The file is kept, and stays as it is even if it has the bytes of the image. \
    With other bytes the image gets the name with digits, and if a file of that name is not imgfetch's either, it \
    fails (exit code 7).

    --no-clobber keeps any existing file of that stem with an accepted extension, and makes no request. \
    --overwrite replaces any file of that name. --output replaces any FILE, but for --no-clobber. One warning a run counts the \
    names that got digits.

    --prune removes files that no line of the list wants any more; on a file system without attributes it \
    removes none, with a warning. --placeholder writes an image in place of one \
    that could not be fetched; its mark says so, and the image replaces it later.

    # FOLDERS AND DEVICES
    A replaced file keeps its mode, group and access control list; a new one has mode 0666 less the umask. If the \
    group cannot be kept, it gets no more rights than all others have. A symbolic link is replaced, not followed. \
    Missing folders of --output-dir, --output and templates are made. No name leads out of the output folder, and \
    folders below it are not entered by other users' symbolic links.

    A device, pipe or socket is written to directly if it is the user's or root's, without waiting for a reader; \
    --output writes to any.

    If --output-dir is a URL, images become objects: see PLACES in imgfetch-remote(7).
    """
}

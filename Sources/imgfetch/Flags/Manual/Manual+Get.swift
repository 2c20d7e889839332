extension Manual {
  /// imgfetch-get(1), which is `prefetch`'s page too.
  static func get() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-get ,
      .Nm imgfetch-prefetch
      .Nd fetch images into files, or into the cache only
      .Sh SYNOPSIS
      .Nm "imgfetch get"
      .Op Ar options
      .Ar URL ...
      .Nm "imgfetch prefetch"
      .Op Ar options
      .Ar URL ...
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch get fetches each URL once, looks whether what came is a whole image, keeps it in the cache and writes \
        it to a file in the working directory. A URL without :// is a host, asked over https. What the cache holds and \
        is young enough is answered from there, without a request. imgfetch prefetch does the same and writes no file; \
        it takes all options but those of outputs and transforms.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A file is named after the last segment of its URL, made safe, with the extension that fits its bytes; when two \
        images want one name, the second one gets a dash and eight hex digits. It appears whole or not at all.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        Names that are made of URLs hold across runs. A written file says in an extended attribute, user.imgfetch.key, \
        whose image it is: 16 bytes of the SHA-256 of the cache key, then the hash (XXH3-128), size and time of what was \
        written. The attribute is believed on the user's own files, as long as size and time are these. A file that it \
        calls another URL's is left alone, and this image gets the name with digits, now and in later runs; one that is \
        called this URL's and has the hash is left as it is, without being read. Where nothing tells (the file system \
        takes no attributes, or the file was changed since), the file is replaced, with a warning if its bytes differ. \
        Copy such folders with their attributes (cp -a, rsync -X, tar --xattrs).
        """)
      + options(Flag.taken(by: .get), of: .fetching)
      + output()
      + environment([.cacheHome, .configHome, .proxies, .certificates, .terminal])
      + files([cacheFolder, configFile, (path: "~/.netrc", meaning: "Names and passwords for --netrc.")])
      + exitStatus()
      + getExamples()
      + seeAlso([("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-inspect", 1), ("imgfetch-config", 5)])
  }

  /// The result line, the JSON object and the summary, field by field.
  private static func output() -> String {
    var text = ".Ss The result line\n"
    text += Roff.text(
      """
      One line is printed for each URL, on standard output, as soon as it is done. On a terminal its columns are \
      aligned; elsewhere they are separated by one TAB, and - stands where there is nothing to say. A TAB, newline or \
      backslash within a field is written as \\t, \\n or \\\\. The columns are:
      """)
    text += Roff.list(ReportFields.line.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text(
      """
      On a pipe lines leave in pieces of at most 4096 bytes that end with a line, so several processes can share one. \
      When its reader goes away, which is looked for each second, the run ends as by an interrupt, without a word and \
      with exit code 141: what came is kept, and a script cannot take the list for done.
      """)
    text += ".Ss JSON\n"
    text += Roff.text(
      "With --json one object is printed for each URL, on one line, with these fields, in this order and, but for id, always all of them:"
    )
    text += Roff.list(ReportFields.object.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("These are added where they are asked for:")
    text += Roff.list(ReportFields.extra.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("The field error is null, or an object of:")
    text += Roff.list(ReportFields.error.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    text += Roff.text("The last object has one field, summary, an object of:")
    text += Roff.list(ReportFields.summary.map { (tag: "Cm " + $0.name, body: Roff.text($0.meaning)) })
    return text
  }
}

enum CompatibilityPage {
  /// COMPATIBILITY of imgfetch(1): what scripts may rely on, and which version a change of it needs.
  static let text = Roff.paragraphs(
    """
    # COMPATIBILITY
    Versions are those of Semantic Versioning: MAJOR.MINOR.PATCH. What follows stays as it is until MAJOR \
    changes. Additions need a new MINOR.
    * Exit codes | A code keeps its meaning. A new kind of failure may get a code of its own, so a script should treat \
    codes that it does not know like 1.
    * Fields of \\-\\-json | A field keeps its name, type and meaning, and none is removed. New fields may be added \
    anywhere in an object, and new words to error.kind and cache, so a program should ignore fields and expect words \
    that it does not know. The columns of the result line are kept in the same way.
    * Options | An option, its variable and its line in the configuration file keep their meaning, and a command line \
    that was accepted stays so. Limits that are set by default may become stricter with a new MINOR.
    * The cache | The format of the entries has a number of its own, in the name of the folder (v1) and in each entry. \
    Every version with the same MAJOR, and 1.0 too, reads and writes the same cache, also at the same time as an older \
    one. An entry that a newer version has written in another format is left alone, and is a miss. A cache can always \
    be removed.
    * Systems | The binary for x86-64 needs Linux with glibc 2.34 or later, as in Debian 12, Ubuntu 22.04, RHEL 9 and \
    Amazon Linux 2023. Downloads need libcurl 7.74 or later, the usual one or that of GnuTLS. A new MINOR may need \
    later versions. The sources support 64-bit ARM, for which only their C code has been compiled.

    Messages for people, progress, the output of -v, and the speed and order of unrelated images may change with \
    any version.
    """)
}

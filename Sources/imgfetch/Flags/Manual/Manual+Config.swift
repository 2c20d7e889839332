extension Manual {
  /// imgfetch-config(5): the file and the variables.
  static func config() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-config
      .Nd configuration file and variables of imgfetch
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        An option is taken from the command line, else from the environment, else from the configuration file, else \
        it has its default. imgfetch help options lists each with its value and where that came from. Nothing is ever \
        read from the working directory.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        The file is $XDG_CONFIG_HOME/imgfetch/config, or ~/.config/imgfetch/config where that variable is not set; \
        --config or the variable IMGFETCH_CONFIG names another one, --no-config (or an empty variable) reads none. A \
        line is of the form name = value, with the long name of an option. Blanks around both do not count, a value is \
        never quoted. A line that begins with # is a comment. A path may begin with ~/ for the home folder. A line that \
        is not understood is an error that tells its number, and nothing is done.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        The variable of an option is IMGFETCH_ and its long name in capitals, with _ for every other character. A \
        variable of that form that belongs to no option is told in a warning.
        """)
      + ".Pp\n"
      + Roff.text(
        """
        A switch is set by 1, true or yes and unset by 0, false or no; no-name, and IMGFETCH_NO_NAME, undo an option \
        with 1, true or yes. A repeatable option adds up over file, environment and command line: in the file it stands \
        on several lines, in a variable its values are separated by newlines. --no-name empties it. Of two options that \
        exclude each other the one from the stronger place counts.
        """)
      + ".Pp\n" + Roff.text("These options can be set in the file and by a variable:")
      + Roff.list(
        Flag.all.filter { $0.sources == .anywhere }.map { flag in
          let standard = flag.takesValue ? flag.standard ?? flag.unsetMeaning : flag.isOnByDefault ? "yes" : "no"
          return (
            "Cm " + Roff.argument(flag.long) + " , Ev " + flag.variable,
            Roff.text("Default: \(standard). See \(flag.isOnByDefault ? "--no-" + flag.long : flag.spelling).")
          )
        }, compact: true)
      + environment([.configHome])
      + files([configFile])
      + examples([
        (
          "A file for a slow line and a small disk:",
          """
          # ~/.config/imgfetch/config
          jobs = 8
          limit-rate = 2M
          max-size = 500M
          user-agent = my-crawler/1.0 (me@example.org)
          deny-host = *.ads.example
          deny-host = tracker.example
          clobber = no
          """
        ),
        (
          "The same for one run, from the environment:",
          "IMGFETCH_JOBS=8 IMGFETCH_LIMIT_RATE=2M imgfetch get -i list.txt"
        ),
      ])
      + seeAlso([("imgfetch", 1), ("imgfetch-cache", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1)])
  }
}

import ImgfetchCore

/// The subjects of `help` beside commands, each of which concerns several options.
enum HelpPage: String, Choice { case names, caches, exit, lists, retry }

import ImgfetchCore
import ImgfetchReport

enum RowFlags {
  /// The contents of a report, and the rules for duplicates.
  static let all: [Flag] = [
    Flag(
      .against, "against", .value("OLD", Values.text, completing: .files) { $0.rows.against = $1 }, unset: "nothing",
      on: .report, from: .commandLine, .rows,
      help: "compare with earlier rows",
      details: """
        Reads the rows of OLD, a file or a folder of shards, and tells what is new, changed, gone, newly failing and \
        fixed since. Images are compared by their keys; by their checksums where both rows have one (--checksum), \
        else by size, width, height and format. Of several rows of one image in OLD the last one counts.
        """,
      example: "imgfetch report today.jsonl --against yesterday.jsonl"),
    Flag(
      .list, "list", .choice("WHAT", Choices.RowList.self) { $0.rows.list = $1 }, unset: "a report",
      on: .report, from: .commandLine, .rows, excludes: [.json],
      help: "print lines: failed, duplicates or changed",
      details: """
        Prints lines for imgfetch get -i in place of the report. failed: those that failed, with their cause. \
        duplicates: those whose image another line has, too (see --duplicates and --keep). changed: those whose image \
        differs from that in OLD (--against), or without OLD from the file that the run replaced. A row whose URL had \
        a password cannot be fetched, since the password is not in it; it is left out with a warning.
        """,
      example: "imgfetch report --list failed run.jsonl | imgfetch get -i -"),
    Flag(
      .html, "html", .file { $0.rows.page = $1 }, unset: "none", on: .report, from: .commandLine, .rows,
      help: "write the report as a page, too",
      details: """
        Writes the report into FILE as one page of at most 2 MB, for any number of rows: the tables, plots over time, \
        by size and by host, and contact sheets of the largest and smallest images, of duplicates side by side, of \
        what failed its checks and of a sample. It needs no scripts and nothing from outside, and a policy in it \
        forbids that. Pictures are made of thumbhashes where rows have them (--fingerprint thumbhash), or of the \
        images themselves, see --pictures.
        """,
      example: "imgfetch report --html report.html run.jsonl"),
    Flag(
      .pictures, "pictures", .value("N", Values.count(0...500)) { $0.rows.pictures = $1 }, default: "0",
      on: .report, from: .commandLine, .rows,
      help: "pictures of the page made from the images",
      details: """
        Makes up to N pictures of the page from the files that the rows name, or from the shards that have the rows, \
        scaled down, as long as the page stays within its size. They are decoded in a process without access to files \
        or the network. Relative names are looked up in the working directory. Of shards in a place only these images \
        are read.
        """,
      example: "imgfetch report --html report.html --pictures 60 run.jsonl"),
    Flag(
      .duplicates, "duplicates",
      .value("RULE", Values.duplicateRule, completing: .words { Values.duplicateRules }) { $0.rows.duplicates = $1 },
      unset: "not listed", implied: "bytes", on: [.report, .inspect], from: .commandLine, .rows,
      help: "group images that are the same: bytes, looks",
      details: """
        Prints the images that are there more than once, in groups whose first one counts (see --keep). bytes: those \
        of equal bytes; a report knows them by their checksums (--checksum). looks[:N]: those that look the same, \
        too: their dhashes differ in at most N bits (4) and their phashes in at most 2N, their proportions by at most \
        2 %, and their average colours by at most 8 of 255. Hashes with fewer than 8 bits of either kind (blanks, \
        swatches) tell nothing: then the bytes decide. A report knows looks where rows have both hashes \
        (--fingerprint dhash,phash,blurhash). Without RULE: bytes.
        """,
      example: "imgfetch inspect -r pictures --duplicates looks"),
    Flag(
      .keep, "keep", .choice("WHICH", KeptDuplicate.self) { $0.rows.kept = $1 }, default: "first",
      on: [.report, .inspect], from: .commandLine, .rows,
      help: "the original of a group: first or largest",
      details: """
        Chooses the image of each group of duplicates that counts as the original. first: the first by its line in the \
        list, then by its row. largest: the one with the most pixels, among equals the one with the most bytes.
        """,
      example: "imgfetch report --list duplicates --keep largest run.jsonl"),
    Flag(
      .same, "same",
      .value("RULE", Values.duplicateRule, completing: .words { Values.duplicateRules }) { $0.rows.same = $1 },
      unset: "files are inspected", implied: "looks", on: .inspect, from: .commandLine, .rows,
      help: "compare two files: looks, bytes",
      details: """
        Compares two files, and prints same or different, the rule and their names. The exit code is 0 if they are \
        the same image, and 5 if not. RULE is that of --duplicates; without it, it is looks.
        """,
      example: "imgfetch inspect cat.jpg pictures/cat.jpg --same"),
    Flag(
      .unique, "unique",
      .value("RULE", Values.duplicateRule, completing: .words { Values.duplicateRules }) { $0.rows.unique = $1 },
      unset: "each line is delivered", implied: "bytes", on: .writing, .rows,
      help: "deliver each picture once: bytes, looks",
      details: """
        Delivers each picture once. An image that is the same as one that this run has delivered gets no file: its \
        row has duplicate_of, the URL of that one, and it is no failure. RULE decides what is the same, bytes or \
        looks[:N], as imgfetch inspect --duplicates explains it; without it, it is bytes. The earliest line is the \
        one that is delivered, so rows are printed in the order of the list, as with --ordered, and what comes \
        earlier waits in an unnamed file in the output folder. A file that imgfetch wrote in an earlier run, and that \
        --no-clobber keeps, counts as delivered.

        For imgfetch pack, an image of a shard that an earlier line of that shard has, too, is not put into it: its \
        row stands among those of the lines that failed, with duplicate_of, the KEY of the other one, and no error. \
        --again adds each image that it gets.
        """,
      example: "imgfetch get --unique looks -d pictures -i list.txt"),
  ]
}

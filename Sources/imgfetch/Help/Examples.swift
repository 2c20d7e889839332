/// Common uses of each command, the most common first. Help begins with them.
enum Examples {
  struct Example: Sendable {
    let line: String
    let meaning: String
  }

  static let program = ofCommand("imgfetch")

  /// The examples of the program as a whole, by task.
  static let tasks = sections(
    """
    # Fetch images
    imgfetch get https://example.org/cat.jpg | one, into this folder
    imgfetch get -o cat.jpg example.org/cat | under this name
    imgfetch get -d pictures -i list.txt | a list, one URL a line
    imgfetch get -i list.txt --failed-list again | and keep what failed
    imgfetch get -i t.csv --list-format csv | a table's URLs
    imgfetch get --from example.org/gallery | all that a page shows
    imgfetch find example.org/feed.xml | list what a feed has
    imgfetch get --cache refresh -i list.txt | what has changed (cron)
    imgfetch get --offline example.org/cat | from the cache alone
    imgfetch get --resize 256x -i list.txt | as thumbnails
    imgfetch get --json -i list.txt | rows for a program
    imgfetch prefetch -i list.txt | into the cache only
    # Look at images
    imgfetch show https://example.org/cat.jpg | in this terminal
    imgfetch inspect cat.jpg | what is it, is it whole?
    imgfetch inspect -r pictures | all of a folder
    imgfetch report run.jsonl | what a run did (get --report)
    # Make a data set
    imgfetch pack -i list.txt -d set | tar files, with facts
    # Look after the cache
    imgfetch cache size | how much it holds
    imgfetch cache list | what is in it
    imgfetch cache clean | make room
    imgfetch cache clear | remove everything
    imgfetch cache -h | the rest of it
    """)

  static func of(_ command: Command) -> [Example] { ofCommand(command.words) }

  private static func ofCommand(_ words: String) -> [Example] { commands.first { $0.title == words }?.examples ?? [] }

  private static let commands = sections(
    """
    # imgfetch
    imgfetch get https://example.org/cat.jpg | fetch an image, once
    imgfetch get -d pictures -i list.txt | fetch a list into a folder
    imgfetch inspect cat.jpg | what is it, is it complete?
    imgfetch cache size | how much the cache holds
    # get
    imgfetch get https://example.org/cat.jpg | into this folder
    imgfetch get -o cat.jpg https://example.org/cat | under this name
    imgfetch get -d pictures -i list.txt | a list, into a folder
    imgfetch get --json -i list.txt | report to a program
    imgfetch get --offline https://example.org/cat.jpg | from the cache
    imgfetch get --resize 256x https://example.org/cat.jpg | as a thumbnail
    # prefetch
    imgfetch prefetch -i list.txt | fill the cache from a list
    imgfetch prefetch --rate 2/s -i list.txt | slowly, to spare the server
    # show
    imgfetch show https://example.org/cat.jpg | in the terminal
    imgfetch show --size 40x12 cat.jpg dog.png | files, smaller
    imgfetch show --grid cat.jpg dog.png | side by side
    # pack
    imgfetch pack -i list.txt -d set | tar files of 10,000 lines each
    imgfetch pack -i list.txt -d set --shard 1/2 | every second of them
    # find
    imgfetch find https://example.org/gallery.html | the images of a page
    imgfetch find --json https://example.org/feed.xml | of a feed, with texts
    imgfetch find --kind link --same-host page.html | linked, on its host
    imgfetch find URL | grep jpg | imgfetch get -i - | fetch some of them
    # report
    imgfetch get --report run.jsonl -i list.txt | write the rows of a run
    imgfetch report run.jsonl | failures by host, the largest
    imgfetch report today.jsonl --against old.jsonl | what changed since
    imgfetch report --list failed run.jsonl | lines for another run
    imgfetch report --html report.html run.jsonl | as a page
    # inspect
    imgfetch inspect cat.jpg dog.png | look at files
    imgfetch inspect --verify decode --json *.png | thoroughly, for a program
    imgfetch get -o - example.org/a.png | imgfetch inspect - | look at a stream
    # cache size
    imgfetch cache size | bytes and images
    # cache clean
    imgfetch cache clean | as after every run
    imgfetch cache clean --max-size 1G --dry-run | what would be removed
    # cache clear
    imgfetch cache clear --namespace test | empty one namespace
    # cache remove
    imgfetch cache remove https://example.org/cat.jpg | forget an image
    imgfetch cache remove --dry-run 'https://example.org/*' | what of a site would go
    # cache info
    imgfetch cache info https://example.org/cat.jpg | since when, until when, and why
    # cache path
    imgfetch cache path https://example.org/cat.jpg | its file
    # cache list
    imgfetch cache list | key, bytes, stored, used, type …
    imgfetch cache list --sort size '*.gif' | the largest first, of some
    imgfetch cache list --json | an object for each image
    # cache add
    imgfetch cache add https://example.org/cat.jpg cat.jpg | serve a file for this URL
    # cache verify
    imgfetch cache verify --repair | remove damaged entries
    # completions
    source <(imgfetch completions bash) | in ~/.bashrc
    imgfetch completions zsh > ~/.zfunc/_imgfetch | in a folder of $fpath
    imgfetch completions fish | source | in config.fish
    # help
    imgfetch help get | every option of get
    imgfetch help options | what is set, and where from
    imgfetch help caches | what the rows say
    imgfetch help exit | what the exit codes mean
    """)

  /// Reads sections, each behind the mark `#` and its title: an example a line, with its meaning behind the last bar.
  private static func sections(_ text: String) -> [(title: String, examples: [Example])] {
    var sections: [(title: String, examples: [Example])] = []
    for line in text.split(separator: "\n") {
      if line.first == "#" {
        sections.append((String(line.dropFirst(2)), []))
      } else if let bar = line.lastIndex(of: "|") {
        let example = Example(
          line: String(line[..<bar].dropLast()), meaning: String(line[bar...].dropFirst(2)))
        sections[sections.count - 1].examples.append(example)
      }
    }
    return sections
  }
}

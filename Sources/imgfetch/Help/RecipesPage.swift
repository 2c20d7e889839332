enum RecipesPage {
  static func text() -> String {
    Manual.head(.recipes, "common tasks with imgfetch, alone and with other programs")
      + Roff.paragraphs(prose)
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-find", 1), ("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-fleet", 7),
      ])
  }

  /// A test runs each of these, as it runs those of other pages.
  private static let prose = """
    Each of these is one command, or a few. They can be repeated: what is there is not fetched again.

    # THE IMAGES OF A SOURCE
    ## A gallery
    The large pictures behind a page of thumbnails are links. --dry-run shows what would be fetched; --min-size \
    leaves out what is small.
    > imgfetch get --dry-run --from https://example.org/gallery.html
    > imgfetch get --from https://example.org/gallery.html --kind link,image --min-size 400x400 -d gallery

    ## A shop's site map
    The maps of an index are read one after the other. --robots asks the shop what may be read, and --rate spares \
    it. The second line makes a data set, with titles as captions.
    > imgfetch get --robots --rate 5/s --from https://shop.example/sitemap.xml -d products
    > imgfetch pack --robots --from https://shop.example/sitemap.xml -d set

    ## A museum's manifest
    Each page of a book under its label, in the largest size that the museum gives.
    > imgfetch get --from https://museum.example/iiif/book/manifest.json -d book

    ## A feed, nightly
    cron mails what is printed: only images that are new, and each failure once. The line is for crontab -e.
    > 17 3 * * * imgfetch get --from https://example.org/feed.xml -d ~/feed --print new --failed-list ~/.feed.failed

    ## The pictures of Markdown files
    Addresses in a file are relative to where the text is published, which --base says.
    > for text in docs/*.md; do
    >   imgfetch get --base https://example.org/docs/ --from "$text" -d pictures
    > done

    ## An API that answers with JSON
    find knows most texts that are addresses of images. Otherwise jq extracts them, with an identifier for each row.
    > imgfetch get --from https://api.example/items -d items
    > curl -s https://api.example/items | jq -r '.items[] | [.picture, "id=" + .sku] | @tsv' | imgfetch get --json -i - -d items

    ## A page that was saved
    The base is the URL that it was saved from.
    > imgfetch find --base https://example.org/ saved.html

    # WITH OTHER PROGRAMS
    ## systemd
    A service with a timer. Its journal has the failures. imgfetch-get(1) has a line for cron.
    > # systemctl --user enable --now pictures.timer
    >
    > # ~/.config/systemd/user/pictures.service
    > [Service]
    > Type=oneshot
    > ExecStart=/usr/local/bin/imgfetch get -q --cache refresh -d %h/pictures -i %h/list.txt
    >
    > # ~/.config/systemd/user/pictures.timer
    > [Timer]
    > OnCalendar=daily
    > RandomizedDelaySec=1h
    > Persistent=true
    >
    > [Install]
    > WantedBy=timers.target

    ## xargs
    A list without names or fields can be given as operands; -i - does the same in one run, whatever its length.
    > xargs -a list.txt imgfetch get -d pictures --

    ## bash
    As a co-process, one run answers many requests, from memory if possible.
    > coproc FETCH { imgfetch get -i - --json; }
    > printf '%s\\n' https://example.org/cat.jpg >&"${FETCH[1]}"
    > read -r answer <&"${FETCH[0]}"
    > printf '%s\\n' "$answer" | jq -r .output

    ## GNU parallel
    Many machines fetch one list; imgfetch-fleet(7) makes data sets in this way.
    > parallel -S one,two,three imgfetch get -i list.txt --shard {}/3 ::: 1 2 3

    ## Slurm
    An array job fills a cache that its nodes share.
    > #!/bin/sh
    > #SBATCH --array=1-8
    > exec imgfetch prefetch -q -i list.txt --shard "$SLURM_ARRAY_TASK_ID/8"
    """
}

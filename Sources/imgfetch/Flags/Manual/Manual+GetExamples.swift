extension Manual {
  /// EXAMPLES of imgfetch-get(1): each of them is run by a test.
  static func getExamples() -> String {
    examples([
      ("Fetch an image; a second time it comes from the cache:", "imgfetch get https://example.org/cat.jpg"),
      (
        "A list with names, one image with a checksum:",
        """
        printf '%s\\t%s\\n' https://example.org/a.jpg first > list.txt
        imgfetch get -i list.txt -d pictures
        """
      ),
      (
        "From cron, every night; a mail only when there is something new or something failed:",
        "15 3 * * * /usr/local/bin/imgfetch get --print new --no-clobber -d $HOME/pictures -i $HOME/list.txt"
      ),
      (
        "As a systemd service with a timer:",
        """
        # systemctl --user enable --now pictures.timer

        # ~/.config/systemd/user/pictures.service
        [Service]
        Type=oneshot
        ExecStart=/usr/local/bin/imgfetch get -q -d %h/pictures -i %h/list.txt

        # ~/.config/systemd/user/pictures.timer
        [Timer]
        OnCalendar=daily
        RandomizedDelaySec=1h
        Persistent=true

        [Install]
        WantedBy=timers.target
        """
      ),
      (
        "With xargs, although -i - does the same in one run:",
        "xargs -a list.txt imgfetch get -d pictures --"
      ),
      (
        "As a co-process in bash: one run that answers many questions, from memory where it can:",
        """
        coproc FETCH { imgfetch get -i - --json; }
        printf '%s\\n' https://example.org/cat.jpg >&"${FETCH[1]}"
        read -r answer <&"${FETCH[0]}"
        printf '%s\\n' "$answer" | jq -r .output
        """
      ),
      (
        "With GNU parallel, many machines and one list:",
        "parallel -S one,two,three imgfetch get -i list.txt --shard {}/3 ::: 1 2 3"
      ),
      (
        "As an array job of Slurm:",
        """
        #!/bin/sh
        #SBATCH --array=1-8
        exec imgfetch prefetch -q -i list.txt --shard "$SLURM_ARRAY_TASK_ID/8"
        """
      ),
      (
        "Try again what failed, three times at most; a run that has had all of the list removes it:",
        """
        imgfetch get -i list.txt --failed-list again.txt
        for pause in 60 600 3600; do
            [ -s again.txt ] || break
            sleep "$pause"
            imgfetch get -i again.txt --failed-list again.txt
        done
        """
      ),
      (
        "In a script, by the exit code:",
        """
        if imgfetch get -q -o cat.jpg https://example.org/cat.jpg; then
            echo "there it is"
        elif [ $? -eq 3 ]; then
            echo "no network; the next run may have more luck" >&2
        fi
        """
      ),
      (
        "Thumbnails of a fixed size:",
        "imgfetch get --auto-orient --resize 256x256 --fit cover --convert jpeg -i list.txt"
      ),
    ])
  }
}

extension Completions {
  /// The completions for bash 4 and later, without the bash-completion package.
  static func bash() -> String {
    var text = bashFunctions
    let switches = Flag.all.filter { !$0.takesValue }.compactMap { $0.short.map(String.init) }.joined()
    text += """
          # The last of joined letters may take a value: -qd DIR.
          if [[ $option =~ ^-[\(switches)]+(.)$ ]]; then option=-${BASH_REMATCH[1]}; fi

          case $option in

      """
    for flag in Flag.all where flag.takesValue {
      // What stands by itself may be followed by something else.
      let end = flag.implied == nil ? "return" : "if ((${#COMPREPLY[@]})); then return; fi"
      text += "    \(values(flag).joined(separator: "|"))) \(bashOffer(flag.completion)) \(end) ;;\n"
    }
    text += """
          esac

          for ((i = 1; i < COMP_CWORD; i++)); do
              word=${COMP_WORDS[i]}
              if [[ $word == '--' ]]; then operands=1; fi
              case $word in
              \(valued.joined(separator: "|")))
                  if [[ ${COMP_WORDS[i+1]} == '=' ]]; then i=$((i + 2)); else i=$((i + 1)); fi
                  continue ;;
              esac
              case $command:$word in
              :-*) ;;
              :cache) command='cache' ;;
              help:cache) command='help cache' ;;
              cache:-*) ;;

      """
    text += "        cache:\(Arguments.cacheWords.joined(separator: "|cache:"))) command=\"cache $word\" ;;\n"
    let top = Arguments.topWords.filter { $0 != "cache" }
    text += "        :\(top.joined(separator: "|:"))) command=$word ;;\n"
    text += """
              esac
          done

          case $command in

      """
    text += bashCase("''", otherwise: .words { Arguments.topWords }, flags: Flag.general)
    text += bashCase("'help cache'", otherwise: .words { Arguments.cacheWords }, flags: Flag.general)
    text += bashCase("cache", otherwise: .words { Arguments.cacheWords }, flags: Flag.general)
    for command in Command.allCases {
      text += bashCase(
        "'\(command.words)'", otherwise: operands(of: command), flags: Flag.taken(by: command))
    }
    text += """
          esac
      }

      complete -F _imgfetch imgfetch

      """
    return text
  }

  private static let bashFunctions = """
    # Completion of imgfetch for bash, made by: imgfetch completions bash

    # Offers those of the words that begin with what was typed. Not compgen -W, which expands its words.
    _imgfetch_offer() {
        local typed=$1 word
        shift
        for word; do
            if [[ $word == "$typed"* ]]; then COMPREPLY+=("$word"); fi
        done
    }

    # The last of several words that commas join.
    _imgfetch_offer_list() {
        local typed=$1 before=
        shift
        if [[ $typed == *,* ]]; then
            before=${typed%,*},
            typed=${typed##*,}
        fi
        _imgfetch_offer "$typed" "$@"
        COMPREPLY=("${COMPREPLY[@]/#/$before}")
    }

    # Files and folders are readline's to complete: it knows how names are quoted.
    _imgfetch_files() { compopt -o default 2>/dev/null; }
    _imgfetch_folders() { compopt -o dirnames 2>/dev/null; }

    _imgfetch() {
        COMPREPLY=()
        local cur=${COMP_WORDS[COMP_CWORD]} option='' command='' operands='' word i
        # The = in --name=value is a separate word here.
        if [[ $cur == '=' ]]; then
            cur='' option=${COMP_WORDS[COMP_CWORD-1]}
        elif ((COMP_CWORD >= 2)) && [[ ${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then
            option=${COMP_WORDS[COMP_CWORD-2]}
        elif ((COMP_CWORD >= 1)); then
            option=${COMP_WORDS[COMP_CWORD-1]}
        fi

    """

  private static func bashCase(_ pattern: String, otherwise: Flag.Completion, flags: [Flag]) -> String {
    """
        \(pattern))
            if [[ $cur == -* && -z $operands ]]; then
                _imgfetch_offer "$cur" \(flags.flatMap(spellings).joined(separator: " "))
            else
                \(bashOffer(otherwise))
            fi ;;

    """
  }

  /// A command that ends in a semicolon, or the no-op `:;`.
  private static func bashOffer(_ offer: Flag.Completion) -> String {
    switch offer {
    case .words(let words): "_imgfetch_offer \"$cur\" \(words().joined(separator: " "));"
    case .list(let words): "_imgfetch_offer_list \"$cur\" \(words().joined(separator: " "));"
    case .files: "_imgfetch_files;"
    case .folders: "_imgfetch_folders;"
    case .nothing: ":;"
    }
  }
}

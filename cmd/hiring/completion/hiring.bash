# bash completion for hiring. It needs no other package and works with bash 3.2.

_hiring() {
    local word last head text name line out directive i begun quote= tab=$'\t'
    local -a words names texts
    # Bash splits words at "=" and ":", but not in quotes.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ( $word == [=:]* || ${words[${#words[@]}-1]} == *[=:] ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
    done

    # begun is the begun value without quotes. Bash replaces the part of it behind head.
    last=${words[${#words[@]}-1]} word=${COMP_WORDS[COMP_CWORD]}
    [[ $word == [=:] ]] && word=
    head=${last%"$word"}
    [[ $head == --*=* ]] && head=${head#*=}
    head=${head//\\/}
    [[ $word == [\"\']* ]] && quote=${word:0:1}
    word=${word#[\"\']} begun=$head${word//\\/}
    for i in "${!words[@]}"; do
        word=${words[i]}
        case $word in
            [\"\']* | *=[\"\']*) # The last word may have only the opening quote.
                word=${word/#[\"\']/} word=${word/=[\"\']/=}
                words[i]=${word%[\"\']} ;;
            *) words[i]=${word//\\/} ;;
        esac
    done

    out=$("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null) || return
    directive=${out##*:}
    [[ $((directive & 1)) -ne 0 ]] && return
    if [[ $(type -t compopt) == builtin ]]; then # Not in bash 3.2.
        [[ $((directive & 2)) -ne 0 ]] && compopt -o nospace
        [[ $((directive & 4)) -ne 0 ]] && compopt +o default
        [[ $((directive & 32)) -ne 0 ]] && compopt -o nosort 2>/dev/null
    fi
    [[ $((directive & 8)) -ne 0 ]] && return # Files, which bash completes.

    printf -v head %q "$head"
    [[ $head == "''" ]] && head=
    while IFS= read -r line; do
        name=${line%%"$tab"*}
        [[ $line == :* || -z $line || $name != "$begun"* ]] && continue
        text=
        [[ $line == *"$tab"* ]] && text="  (${line#*"$tab"})"
        case $quote in
            \') name=${name//\'/\'\\\'\'} ;;
            \") name=$(sed 's/[\\"$`]/\\&/g' <<<"$name") ;;
            *) printf -v name %q "$name" ;;
        esac
        names+=("${name#"$head"}") texts+=("$text")
    done <<<"$out"
    COMPREPLY=("${names[@]}")
    if [[ ${#names[@]} -gt 1 && $COMP_TYPE == 63 ]]; then # A list is shown, and nothing inserted.
        for i in "${!names[@]}"; do COMPREPLY[i]=${names[i]}${texts[i]}; done
    fi
}

complete -o bashdefault -o default -F _hiring hiring

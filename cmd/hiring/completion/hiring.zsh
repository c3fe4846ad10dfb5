#compdef hiring
# zsh completion for hiring.

_hiring() {
    local line name directive
    local -a words_ names texts
    # (Q) removes quotes. An unfinished word may have only the opening one.
    words_=("${(@Q)words[2,CURRENT-1]}" "${(Q)${PREFIX/#[\"\']/}/=[\"\']/=}")
    for line in "${(@f)$(${(Q)words[1]} __complete "${words_[@]}" 2>/dev/null)}"; do
        name=${line%%$'\t'*}
        if [[ $line == :<-> ]]; then
            directive=${line#:}
        elif [[ -n $line ]]; then
            names+=("$name") texts+=("${name}${${line#$name}/$'\t'/  -- }")
        fi
    done
    (( directive & 1 )) && return 1
    [[ $PREFIX == --*=* ]] && compset -P '*='
    local -a options
    (( directive & 2 )) && options+=(-S '')
    (( directive & 32 )) && options+=(-V hiring)
    if (( $#names )); then
        compadd -l -d texts "${options[@]}" -a names && return
    fi
    (( directive & 4 )) || _files
}

if [[ $funcstack[1] == _hiring ]]; then
    _hiring "$@"
else
    compdef _hiring hiring
fi

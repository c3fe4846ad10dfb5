# fish completion for hiring.

function __hiring_complete
    set -l words (commandline -opc)
    # The unfinished word has its opening quote or its backslashes.
    set -l begun (string replace -r '(^|=)["\']' '$1' -- (commandline -ct) | string replace -ra '\\\\(.)' '$1')
    set -l out ($words[1] __complete $words[2..-1] $begun 2>/dev/null)
    set -l directive (string sub -s 2 -- $out[-1])
    test (math "bitand($directive, 1)") -eq 0; or return
    set -l found $out[1..-2]
    set -l flag (string match -r -- '^--[^=]*=' $begun)
    if test (count $found) -gt 0
        printf '%s\n' "$flag"$found
    else if test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path (commandline -ct)
    end
end

complete -c hiring -e
complete -c hiring -f -k -a '(__hiring_complete)'

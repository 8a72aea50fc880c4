#compdef tsnoop
# Completion of tsnoop in zsh: install it as _tsnoop in a directory of $fpath.
_tsnoop() {
	local -a answer texts shown
	local line text
	line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
	answer=("${(@f)$(${words[1]} __complete zsh "$line" 2>/dev/null)}")
	for line in "${(@)answer[2,-1]}"; do
		text=${line%%$'\t'*}
		texts+=("$text")
		if [[ $line == *$'\t'* ]]; then shown+=("$text  -- ${line#*$'\t'}"); else shown+=("$text"); fi
	done
	case $answer[1] in
	open) compadd -S '' -l -d shown -a texts ;;
	words) if [[ $shown[*] == *"  -- "* ]]; then compadd -l -d shown -a texts; else compadd -a texts; fi ;;
	files) _files ;;
	dirs) _files -/ ;;
	commands) _command_names -e ;;
	esac
}
if [[ $funcstack[1] == _tsnoop ]]; then _tsnoop "$@"; else compdef _tsnoop tsnoop; fi

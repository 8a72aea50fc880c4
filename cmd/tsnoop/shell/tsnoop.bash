# Completion of tsnoop in bash: source it, or install it as
# /usr/share/bash-completion/completions/tsnoop.
_tsnoop() {
	local kind='' text is
	COMPREPLY=()
	{
		read -r kind
		while IFS=$'\t' read -r text is; do
			# A list is only shown (63 is "?"), so it can show what each word is.
			[[ $COMP_TYPE != 63 || -z $is ]] || text+="  ($is)"
			COMPREPLY+=("$text")
		done
	} < <("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	case $kind in
	open) compopt -o nospace ;;
	files) compopt -o default ;;
	dirs) compopt -o dirnames ;;
	commands) mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}") ;;
	esac
}
complete -F _tsnoop tsnoop

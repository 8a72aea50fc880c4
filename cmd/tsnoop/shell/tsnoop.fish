# Completion of tsnoop in fish: install it as tsnoop.fish in
# /usr/share/fish/vendor_completions.d.
function __tsnoop_complete
	set -l program (commandline -opc)[1]
	set -l answer ($program __complete fish (commandline -cp) 2>/dev/null)
	switch "$answer[1]"
		case files
			__fish_complete_path (commandline -ct)
		case dirs
			__fish_complete_directories (commandline -ct)
		case commands
			__fish_complete_command
		case '*'
			string join \n -- $answer[2..-1]
	end
end
complete -c tsnoop -f -k -a '(__tsnoop_complete)'

/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"

#include <stdio.h>
#include <string.h>

/* All scripts parse the output of --help, which is generated from the option
 * tables, so that there is no second list of options.
 */
static const char bash_script[] =
	"# ktrace-hw completion bash >/etc/bash_completion.d/ktrace-hw\n"
	"_ktrace_hw() {\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} "
	"words\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\twords=$(ktrace-hw --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p')\n"
	"\telif [[ $COMP_CWORD$command == 2@(store|machine) &&\n"
	"\t\t$word != -* ]]; then\n"
	"\t\twords=$(ktrace-hw \"$command\" --help | sed -n \\\n"
	"\t\t\t-e 's/^  \\([a-z][a-z]*\\) .*/\\1/p' \\\n"
	"\t\t\t-e 's/^\\([a-z][a-z]*\\)  .*/\\1/p')\n"
	"\telif [[ $word == -* ]]; then\n"
	"\t\twords=$(ktrace-hw \"$command\" --help |\n"
	"\t\t\tsed -n 's/^  \\(-., \\)*\\(--[a-z-]*\\).*/\\2/p')\n"
	"\telse\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	"}\n"
	"complete -o bashdefault -o default -F _ktrace_hw ktrace-hw\n";

static const char zsh_script[] =
	"#compdef ktrace-hw\n"
	"# ktrace-hw completion zsh >/usr/local/share/zsh/site-functions/"
	"_ktrace-hw\n"
	"_ktrace-hw() {\n"
	"\tlocal -a found\n"
	"\tif ((CURRENT == 2)); then\n"
	"\t\tfound=(${(f)\"$(ktrace-hw --help |\n"
	"\t\t\tsed -n 's/^  \\([a-z]*\\)  *\\(.*\\)/\\1:\\2/p')\"})\n"
	"\t\t_describe command found\n"
	"\telif [[ $CURRENT$words[2] == 3(store|machine) &&\n"
	"\t\t$words[CURRENT] != -* ]]; then\n"
	"\t\tfound=(${(f)\"$(ktrace-hw $words[2] --help | sed -n \\\n"
	"\t\t\t-e 's/^  \\([a-z][a-z]*\\)  *\\(.*\\)/\\1:\\2/p' \\\n"
	"\t\t\t-e 's/^\\([a-z][a-z]*\\)   *\\(.*\\)/\\1:\\2/p')\"})\n"
	"\t\t_describe command found\n"
	"\telif [[ $words[CURRENT] == -* ]]; then\n"
	"\t\tfound=(${(f)\"$(ktrace-hw $words[2] --help |\n"
	"\t\t\tsed -n 's/^  \\(-., \\)*\\(--[a-z-]*\\)[^ ]* "
	"*\\(.*\\)/\\2:\\3/p')\"})\n"
	"\t\t_describe -o option found\n"
	"\telse\n"
	"\t\t_files\n"
	"\tfi\n"
	"}\n"
	"_ktrace-hw \"$@\"\n";

static const char fish_script[] =
	"# ktrace-hw completion fish >"
	"/etc/fish/completions/ktrace-hw.fish\n"
	"function __ktrace_hw_words\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l word (commandline -ct)\n"
	"\tif test (count $words) -eq 1\n"
	"\t\tktrace-hw --help | string replace -rf \\\n"
	"\t\t\t'^  ([a-z]+) +(.*)' '$1\\t$2'\n"
	"\telse if string match -q -- '-*' $word\n"
	"\t\tktrace-hw $words[2] --help | string replace -rf \\\n"
	"\t\t\t'^  (?:-., )?(--[a-z-]+)[^ ]*(?: [A-Z]+)? *(.*)' '$1\\t$2'\n"
	"\telse if test (count $words) -eq 2\n"
	"\t\tand contains -- $words[2] store machine\n"
	"\t\tktrace-hw $words[2] --help | string replace -rf \\\n"
	"\t\t\t'^(?:  ([a-z]+) +|([a-z]+)  +)(.*)' '$1$2\\t$3'\n"
	"\tend\n"
	"end\n"
	"function __ktrace_hw_has_no_command\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"complete -c ktrace-hw -n __ktrace_hw_has_no_command -f\n"
	"complete -c ktrace-hw -a '(__ktrace_hw_words)'\n";

static const struct {
	const char *name;
	const char *script;
} shells[] = {
	{ "bash", bash_script },
	{ "zsh", zsh_script },
	{ "fish", fish_script },
};

static int run_completion(int argc, char **argv)
{
	static const char usage[] =
		"usage: ktrace-hw completion bash|zsh|fish\n\n"
		"Writes a script with which that shell completes commands and "
		"options.\n";

	for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(*shells);
	     i++)
		if (!strcmp(argv[1], shells[i].name)) {
			fputs(shells[i].script, stdout);
			return EXIT_OK;
		}
	if (argc == 2 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return EXIT_OK;
	}
	fputs(usage, stderr);
	return EXIT_USAGE;
}

const struct command completion_command = {
	.name = "completion",
	.summary = "print a completion script (bash, zsh, fish)",
	.run = run_completion,
};

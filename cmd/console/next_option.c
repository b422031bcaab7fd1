/* SPDX-License-Identifier: MIT */
#include "cmd/console/next_option.h"

#include "cmd/console/say.h"
#include "report/text/name_text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *word)
{
	char *text = name_made(NAME_TEXT, word);
	bool is_same = text && !strcmp(text, word);

	free(text);
	return is_same;
}

static bool are_plain(char **words)
{
	while (*words && is_plain(*words))
		words++;
	return !*words;
}

int next_option(int argc, char **argv, const char *letters,
		const struct option *list)
{
	int option;

	opterr = are_plain(argv);
	option = getopt_long(argc, argv, letters, list, NULL);
	if (option == '?' && !opterr) {
		const char letter[] = { '-', (char)optopt, '\0' };

		/* While a word of short options is parsed, optind still refers
		 * to that word.
		 */
		say("cannot use '%s'", optopt > 0 && optopt <= UCHAR_MAX ?
					       letter :
					       argv[optind - 1]);
	}
	return option;
}

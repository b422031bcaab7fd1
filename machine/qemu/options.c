/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(word, name, length) || word[length] != '=')
		return NULL;
	return word + length + 1;
}

static bool parse_count(const char *text, uint64_t *count)
{
	char *end;

	*count = strtoull(text, &end, 10);
	return *text && !*end;
}

static bool parse_clock(const char *text, bool *host)
{
	*host = !strcmp(text, "host");
	return *host || !strcmp(text, "virtual");
}

static bool parse_word(struct options *options, const char *word)
{
	const char *value;

	if ((value = value_of(word, "clock")))
		return parse_clock(value, &options->host_clock);
	if ((value = value_of(word, "loss")))
		return parse_count(value, &options->loss_interval);
	if ((value = value_of(word, "fault"))) {
		options->fault = value;
		return *value;
	}
	if ((value = value_of(word, "without"))) {
		options->without = value;
		return *value;
	}
	if ((value = value_of(word, "mwait"))) {
		options->mwait = !strcmp(value, "on");
		return options->mwait;
	}
	if ((value = value_of(word, "moments"))) {
		options->moments = value;
		return *value;
	}
	if ((value = value_of(word, "dump"))) {
		options->dump_dir = value;
		return *value;
	}
	return false;
}

bool options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){ 0 };
	for (int i = 0; i < argc; i++) {
		if (parse_word(options, argv[i]))
			continue;
		fprintf(stderr,
			"trace unit: bad option '%s' (clock=virtual|host,"
			" loss=N, dump=DIR, mwait=on, moments=FILE,"
			" fault=NAME, without=NAME)\n",
			argv[i]);
		return false;
	}
	return true;
}

bool options_known(const struct options *options, bool has_fault,
		   bool has_ability)
{
	if (!has_fault)
		fprintf(stderr, "trace unit: no fault '%s' of this unit\n",
			options->fault);
	else if (!has_ability)
		fprintf(stderr, "trace unit: no ability '%s' of this unit\n",
			options->without);
	return has_fault && has_ability;
}

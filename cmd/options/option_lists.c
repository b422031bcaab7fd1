/* SPDX-License-Identifier: MIT */
#include "cmd/options/option_lists.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "common/array.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/name_choice.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

bool option_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *number <= max;
}

static bool add_number(struct array *list, uint64_t number)
{
	/* Works for int32_t and uint32_t lists. */
	uint32_t *item = array_add(list);

	if (item)
		*item = (uint32_t)number;
	return item;
}

/* Adds one "7" or "2-5". */
static bool add_range(struct array *list, const char *text)
{
	char *dash = strchr(text, '-');
	uint64_t first;
	uint64_t last;

	if (dash)
		*dash = '\0';
	if (!option_number(text, INT32_MAX, &first))
		return false;
	last = first;
	if (dash && !option_number(dash + 1, INT32_MAX, &last))
		return false;
	if (last < first || last - first > 65536)
		return false;
	for (uint64_t i = first; i <= last; i++)
		if (!add_number(list, i))
			return false;
	return true;
}

/* Parses "7,9-12" and appends the 32-bit numbers to @list, each range expanded.
 * Returns whether @text is valid; numbers before an invalid one stay in @list.
 */
static bool option_numbers(struct array *list, const char *text)
{
	char *copy = strdup(text);
	char *rest = copy;
	char *word;
	bool is_good = copy && *copy;

	while (is_good && (word = strsep(&rest, ",")))
		is_good = add_range(list, word);
	free(copy);
	return is_good;
}

bool own_option_takes_two(const struct own_option *option)
{
	return option->argument && strchr(option->argument, ' ');
}

/* Returns whether the option's argument is optional, as in "[BY]". */
static bool own_option_takes_one_or_none(const struct own_option *option)
{
	return option->argument && option->argument[0] == '[';
}

static const char *separator_of(const struct own_option *option)
{
	if (own_option_takes_two(option))
		return " ";
	if (own_option_takes_one_or_none(option))
		return "[=";
	return option->argument ? "=" : "";
}

void own_option_print(FILE *out, const struct own_option *list, int count)
{
	for (int i = 0; i < count; i++) {
		const char *argument = list[i].argument ? list[i].argument : "";
		char text[64];

		snprintf(text, sizeof(text), "--%s%s%s", list[i].name,
			 separator_of(&list[i]),
			 argument + own_option_takes_one_or_none(&list[i]));
		fprintf(out, "  %-22s %s\n", text, list[i].help);
	}
}

const char *own_option_apply(const struct own_option *option, void *choices,
			     char *argument)
{
	char *member = (char *)choices + option->offset;

	switch (option->effect) {
	case OPTION_FLAG:
		*(bool *)member = true;
		break;
	case OPTION_TEXT:
	case OPTION_NAME:
		*(const char **)member = argument;
		return option->effect == OPTION_TEXT || *argument ? NULL :
								    "a name";
	case OPTION_SET:
		*(const void **)member = option->value;
		break;
	case OPTION_CHOICE:
		*(int *)member = option->number;
		break;
	case OPTION_READ:
		return option->read(member, argument);
	case OPTION_TAKEN:
		break;
	}
	return NULL;
}

const char *option_read_number(void *number, char *argument)
{
	return option_number(argument, UINT64_MAX, number) ? NULL : "a number";
}

const char *option_read_numbers(void *list, char *argument)
{
	return option_numbers(list, argument) ? NULL : "numbers, as in 7,9-12";
}

const char *option_read_names(void *names, char *argument)
{
	return name_choice_add(names, argument) ? NULL : "names";
}

const char *option_read_duration(void *ns, char *argument)
{
	return duration_read(argument, ns) ? NULL : "a duration such as 10us";
}

static struct option long_option(const struct own_option *from, int value)
{
	return (struct option){
		.name = from->name,
		.has_arg = !from->argument ? no_argument :
			   own_option_takes_one_or_none(from) ?
					     optional_argument :
					     required_argument,
		.val = value,
	};
}

enum { FIRST_OPTION = 256, MOST_OPTIONS = 96 };

int own_option_next(const struct own_option *list, int count,
		    bool stops_at_word, int argc, char **argv)
{
	struct option options[MOST_OPTIONS + 2] = { 0 };
	char letters[2 * MOST_OPTIONS + 3];
	char *letter = letters;
	int value;

	assert(count <= MOST_OPTIONS);
	if (stops_at_word)
		*letter++ = '+';
	for (int i = 0; i < count; i++) {
		options[i] = long_option(&list[i], FIRST_OPTION + i);
		if (!list[i].letter)
			continue;
		*letter++ = list[i].letter;
		if (list[i].argument)
			*letter++ = ':';
	}
	options[count] = (struct option){ "help", no_argument, NULL, 'h' };
	strcpy(letter, "h");
	value = next_option(argc, argv, letters, options);
	if (value == -1)
		return OPTIONS_END;
	if (value == 'h')
		return OPTIONS_HELP;
	for (int i = 0; i < count; i++)
		if (value == FIRST_OPTION + i ||
		    (list[i].letter && value == list[i].letter))
			return i;
	return OPTIONS_WRONG;
}

/* Returns whether an option is for the machine, not for the command in it. */
static bool is_of_machine(const struct own_option *option)
{
	return !strcmp(option->name, "machine") ||
	       !strcmp(option->name, "arch") ||
	       !strcmp(option->name, "discard");
}

/* Appends the words @first to @end of @argv. Returns 0 or -ERROR_MEMORY. */
static int keep_words(struct array *words, char **argv, int first, int end)
{
	for (int i = first; i < end; i++) {
		const char **word = array_add(words);

		if (!word)
			return -ERROR_MEMORY;
		*word = argv[i];
	}
	return 0;
}

int kept_options_read(const struct own_option *list, int count,
		      const char *command, void *choices, struct array *words,
		      bool *help, int argc, char **argv)
{
	int first = optind = 1;
	int index;

	while ((index = own_option_next(list, count, true, argc, argv)) !=
	       OPTIONS_END) {
		const char *wanted;

		if (index == OPTIONS_WRONG)
			return EXIT_USAGE;
		if (index == OPTIONS_HELP) {
			*help = true;
			continue;
		}
		wanted = own_option_apply(&list[index], choices, optarg);
		if (wanted) {
			say_of(command, "--%s '%s': give %s", list[index].name,
			       optarg, wanted);
			return EXIT_USAGE;
		}
		if (!is_of_machine(&list[index]) &&
		    keep_words(words, argv, first, optind)) {
			say_of(command, "out of memory");
			return EXIT_USAGE;
		}
		first = optind;
	}
	return 0;
}

int plain_options_read(const struct own_option *list, int count,
		       const char *usage, void *choices, int argc, char **argv)
{
	int index;

	optind = 1;
	while ((index = own_option_next(list, count, false, argc, argv)) !=
	       OPTIONS_END) {
		if (index == OPTIONS_WRONG)
			return EXIT_USAGE + 1;
		if (index != OPTIONS_HELP) {
			own_option_apply(&list[index], choices, optarg);
			continue;
		}
		fputs(usage, stdout);
		fputs(console_options_help, stdout);
		return EXIT_OK + 1;
	}
	return 0;
}

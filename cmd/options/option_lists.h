/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OPTIONS_OPTION_LISTS_H
#define KT_CMD_OPTIONS_OPTION_LISTS_H

/* The options of a command as a table: names, the text of --help, and what each
 * does to the struct of the command's choices.
 *
 *	own_option[] --> own_option_print()           --help
 *	argv --> own_option_next() --index--> own_option_apply() --> the struct
 *	         plain_options_read() does both, if nothing else is to be done;
 *	         kept_options_read() for commands that run in the machine
 *
 * 1. Strings in the struct point into argv.
 * 2. An argument that is refused may have changed its member: the command ends.
 * 3. A reader describes the argument that it expects; only commands
 *    print.
 */

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Parses a decimal number, at most @max. Returns whether @text is valid. */
bool option_number(const char *text, uint64_t max, uint64_t *number);

/* The effect of an option on a member of the struct with the command's choices.
 */
enum option_effect {
	OPTION_TAKEN,  /* no member: the command handles the option itself */
	OPTION_FLAG,   /* sets a bool */
	OPTION_TEXT,   /* stores the argument, which points into argv */
	OPTION_NAME,   /* like OPTION_TEXT, but it must not be "" */
	OPTION_SET,    /* stores own_option.value in a pointer */
	OPTION_CHOICE, /* stores own_option.number in an enum */
	OPTION_READ,   /* calls own_option.read */
};

/* Stores @argument, or NULL if the option has none, in @member. @argument
 * points into argv, and may be split in place. Returns NULL; or, if it is
 * invalid, a description of a valid argument, such as "a number".
 */
typedef const char *option_reader(void *member, char *argument);

/* An option in a command's table. */
struct own_option {
	const char *name;
	/* NULL: no argument; "A B": two arguments, passed as "A,B" even if they
	 * are two words of the command line; "[A]": optional argument
	 */
	const char *argument;
	const char *help;
	char letter; /* a second name, as in -o; 0: none */
	enum option_effect effect;
	size_t offset; /* of the member in the struct */
	const void *value;
	int number;
	option_reader *read;
};

/* Initializers of own_option: its effect on @member of struct @type. */
#define TAKEN .effect = OPTION_TAKEN
#define FLAG(type, member) \
	.effect = OPTION_FLAG, .offset = OPTION_OFFSET(type, member, bool)
#define TEXT(type, member) \
	.effect = OPTION_TEXT, \
	.offset = OPTION_OFFSET(type, member, const char *)
#define NAME(type, member) \
	.effect = OPTION_NAME, \
	.offset = OPTION_OFFSET(type, member, const char *)
#define SETS(type, member, value_) \
	.effect = OPTION_SET, .offset = offsetof(type, member), \
	.value = (value_)
#define CHOOSES(type, member, number_) \
	.effect = OPTION_CHOICE, .offset = offsetof(type, member), \
	.number = (number_)
#define READS(type, member, read_) \
	.effect = OPTION_READ, .offset = offsetof(type, member), .read = (read_)
/* The offset of a member, which must have the type @wanted. */
#define OPTION_OFFSET(type, member, wanted) \
	_Generic(((type *)NULL)->member, wanted : offsetof(type, member))

/* Applies @option to @choices, a struct of the type that its initializer
 * (FLAG() and so on) names. Returns like option_reader.
 */
const char *own_option_apply(const struct own_option *option, void *choices,
			     char *argument);

/* Readers: of a number, of lists of numbers (struct array of 32-bit numbers)
 * and names (struct name_choice), and of a duration in ns.
 */
option_reader option_read_number;
option_reader option_read_numbers;
option_reader option_read_names;
option_reader option_read_duration;

enum { OPTIONS_END = -1, OPTIONS_WRONG = -2, OPTIONS_HELP = -3 };

/* Parses the next option of the command line from optind on. With
 * @stops_at_word, the command line ends at the first operand.
 *
 * Returns its index in @list, and sets optarg; or OPTIONS_END, OPTIONS_HELP for
 * --help and -h, OPTIONS_WRONG after a message.
 */
int own_option_next(const struct own_option *list, int count,
		    bool stops_at_word, int argc, char **argv);

/* Reads a command line whose --help is @usage: applies the options to
 * @choices. Returns 0, or the exit code plus one after --help or a message.
 */
int plain_options_read(const struct own_option *list, int count,
		       const char *usage, void *choices, int argc, char **argv);

/* Reads the options before the first operand of @command, "record" or "top",
 * which can run in the virtual machine. Applies them to @choices. Appends the
 * words (const char *, borrowed) of all options except --machine, --arch and
 * --discard to @words, for the command in the machine. Sets *@help after
 * --help.
 *
 * Returns 0, or EXIT_USAGE after a message.
 */
int kept_options_read(const struct own_option *list, int count,
		      const char *command, void *choices, struct array *words,
		      bool *help, int argc, char **argv);

/* A list and its length, as arguments. */
#define OWN_LIST(list) (list), sizeof(list) / sizeof(*(list))

/* Returns whether the option takes two arguments, as "A B". */
bool own_option_takes_two(const struct own_option *option);

/* Prints a line for each of the @count options in @list. */
void own_option_print(FILE *out, const struct own_option *list, int count);

#endif

/* SPDX-License-Identifier: MIT */
#include "collector/trigger/argument_probes.h"

#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/trigger/probe_events.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128, ARGUMENTS_SIZE = 512 };

/* One function of a list. */
struct wanted {
	char function[NAME_SIZE];
	/* its arguments, separated by commas; "": all */
	char arguments[ARGUMENTS_SIZE];
};

/* Returns the length of the item at @text: up to a comma outside parentheses.
 */
static size_t item_length(const char *text)
{
	size_t length = 0;
	int depth = 0;

	for (; text[length] && (text[length] != ',' || depth > 0); length++) {
		depth += text[length] == '(';
		depth -= text[length] == ')';
	}
	return length;
}

/* Returns whether @arguments has only allowed characters. Blanks are not
 * allowed, because the kernel splits definitions at them.
 */
static bool are_allowed(const char *arguments)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_$.->:+()@*,[]=";

	return !arguments[strspn(arguments, allowed)];
}

static bool is_function(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_.";

	return *name && !name[strspn(name, allowed)];
}

/* An item that stands for other items. */
struct named_items {
	const char *name;
	const char *items;
};

static const struct named_items all_named[] = {
	/* For each I/O, the mapping of its first page, which shows whether the
	 * page belongs to a file, the file's inode, and the device of its file
	 * system. tables/waits/block_io.c reads these fields.
	 */
	{ "block_files",
	  "submit_bio_noacct("
	  "mapping=bio->bi_io_vec->bv_page->mapping,"
	  "inode=bio->bi_io_vec->bv_page->mapping->host->i_ino,"
	  "inode_device=bio->bi_io_vec->bv_page->mapping->host->i_sb->s_dev)" },
	/* For each wait for a page, words of the stack, one of which is the
	 * page's address; for each wait for a bit or a variable, its address
	 * (mm/filemap.c, kernel/sched/wait_bit.c). attribution/lock_waits.c
	 * reads these fields.
	 */
	{ "wait_objects",
	  "io_schedule($stack1,$stack2,$stack3,$stack4,$stack5,$stack6,$stack7,"
	  "$stack8,$stack9,$stack10,$stack11,$stack12,$stack13,$stack14,"
	  "$stack15,$stack16,$stack17,$stack18,$stack19,$stack20,$stack21,"
	  "$stack22,$stack23,$stack24),"
	  "__wait_on_bit(waited_word=wbq_entry->key.flags,"
	  "bit=wbq_entry->key.bit_nr),"
	  "__wait_on_bit_lock(waited_word=wbq_entry->key.flags,"
	  "bit=wbq_entry->key.bit_nr),"
	  "init_wait_var_entry(waited_variable=var)" },
};

/* A position in a list of functions. An item may stand for several functions
 * (known lists): then the position is in the items that replace it.
 */
struct item_cursor {
	const char *next;
	const char *after; /* the rest of the list; NULL: next is in the list */
};

/* Reads an item of @length bytes. Returns whether it is valid. */
static bool read_item(const char *item, size_t length, struct wanted *wanted)
{
	const char *open = memchr(item, '(', length);
	size_t name = open ? (size_t)(open - item) : length;
	size_t rest = open ? length - name : 2;

	if (name >= NAME_SIZE || rest > ARGUMENTS_SIZE || rest < 2 ||
	    (open && item[length - 1] != ')'))
		return false;
	snprintf(wanted->function, NAME_SIZE, "%.*s", (int)name, item);
	snprintf(wanted->arguments, ARGUMENTS_SIZE, "%.*s", (int)rest - 2,
		 open ? open + 1 : "");
	return is_function(wanted->function) && are_allowed(wanted->arguments);
}

/* If the item of @length bytes at @cursor stands for others, moves @cursor to
 * the first of these.
 */
static void enter_named(struct item_cursor *cursor, size_t length)
{
	const char *item = cursor->next;

	for (size_t i = 0; i < sizeof(all_named) / sizeof(*all_named); i++)
		if (length == strlen(all_named[i].name) &&
		    !memcmp(item, all_named[i].name, length)) {
			cursor->after = item + length;
			cursor->next = all_named[i].items;
		}
}

/* Moves @cursor after its item of @length bytes and the comma that follows.
 * Returns false if nothing follows the comma.
 */
static bool pass_item(struct item_cursor *cursor, size_t length)
{
	cursor->next += length;
	if (!*cursor->next && cursor->after)
		*cursor = (struct item_cursor){ cursor->after, NULL };
	return *cursor->next != ',' || *++cursor->next;
}

/* Reads the item at @cursor and moves @cursor after it. Returns 1, 0 at the
 * end, -1 if the item is not valid.
 */
static int next_item(struct item_cursor *cursor, struct wanted *wanted)
{
	size_t length;

	if (!*cursor->next)
		return 0;
	if (!cursor->after)
		enter_named(cursor, item_length(cursor->next));
	length = item_length(cursor->next);
	return read_item(cursor->next, length, wanted) &&
			       pass_item(cursor, length) ?
		       1 :
		       -1;
}

const char *argument_list_check(const char *list)
{
	struct item_cursor cursor = { list, NULL };
	struct wanted wanted;
	int status = *list ? 1 : -1;

	while (status > 0)
		status = next_item(&cursor, &wanted);
	return status < 0 ? "functions of the kernel and their arguments, such "
			    "as vfs_read or vfs_read(file,count)" :
			    NULL;
}

/* Writes the name of the field for @argument: its last word before the type. */
static void name_field(const char *argument, size_t length, char *name,
		       size_t size)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_";
	const char *type = memchr(argument, ':', length);
	size_t end = type ? (size_t)(type - argument) : length;
	size_t begin;

	while (end && !strchr(word, argument[end - 1]))
		end--;
	begin = end;
	while (begin && strchr(word, argument[begin - 1]))
		begin--;
	snprintf(name, size, "%.*s", (int)(end - begin), argument + begin);
}

/* Appends each of @arguments to @definition as " name=argument"; an argument
 * that has a name keeps it. Returns whether all have a name and fit.
 */
static bool define_arguments(const char *arguments, char *definition,
			     size_t size)
{
	while (*arguments) {
		size_t length = item_length(arguments);
		size_t used = strlen(definition);
		char name[NAME_SIZE];
		const char *value;
		int added;

		if (memchr(arguments, '=', length))
			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(arguments, "="), arguments);
		else
			name_field(arguments, length, name, sizeof(name));
		value = memchr(arguments, '=', length);
		value = value ? value + 1 : arguments;
		added = snprintf(definition + used, size - used, " %s=%.*s",
				 name, (int)(arguments + length - value),
				 value);
		if (!*name || added < 0 || (size_t)added >= size - used)
			return false;
		arguments += length;
		arguments += *arguments == ',';
	}
	return true;
}

static int refuse(const struct wanted *wanted, const char *why,
		  const struct log *log)
{
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "--args: %s%s%s%s: %s",
		    wanted->function, *wanted->arguments ? "(" : "",
		    wanted->arguments, *wanted->arguments ? ")" : "", why);
	return -ERROR_UNSUPPORTED;
}

/* Writes to @why the kernel's own words for the last definition that it
 * refused: in tracefs' error_log, after "error: ". Returns whether there are
 * any.
 */
static bool read_reason(char *why, size_t size)
{
	static const char mark[] = "error: ";
	struct byte_buffer text = { 0 };
	char path[128];
	const char *last = NULL;
	const char *next;

	snprintf(path, sizeof(path), "%s/error_log", tracefs_folder());
	if (!byte_buffer_file(&text, path))
		byte_buffer_zeros(&text, 1);
	next = text.failed || !text.bytes ? NULL : (const char *)text.bytes;
	while (next && (next = strstr(next, mark))) {
		next += strlen(mark);
		last = next;
	}
	if (last)
		snprintf(why, size, "%.*s", (int)strcspn(last, "\n"), last);
	byte_buffer_free(&text);
	return last;
}

/* Refuses @wanted because of errno, which the kernel's parser of probes set. */
static int refuse_errno(const struct wanted *wanted, const struct log *log)
{
	int cause = errno;
	char why[160];
	char text[320];

	if (cause == EACCES || cause == EPERM || !tracefs_folder())
		return refuse(wanted,
			      "tracefs cannot be written: mount it and record "
			      "as root",
			      log);
	if (!read_reason(why, sizeof(why)))
		return refuse(wanted, strerror(cause), log);
	snprintf(text, sizeof(text), "the kernel refuses: %s%s", why,
		 *wanted->arguments ?
			 " (names of parameters need Linux 6.4, their fields "
			 "6.6; $arg1 to $arg6 are always possible)" :
			 "");
	return refuse(wanted, text, log);
}

/* Creates the probe that reads the arguments. Without BTF the kernel does not
 * know a function's arguments: then the probe reads the six that may be in
 * registers.
 */
static int probe_start(const struct wanted *wanted, size_t number)
{
	char definition[2 * ARGUMENTS_SIZE] = "";

	if (*wanted->arguments) {
		if (define_arguments(wanted->arguments, definition,
				     sizeof(definition)))
			return probe_event_read(number, 0, wanted->function,
						definition);
		errno = EINVAL;
		return -ERROR_SYSTEM;
	}
	if (!probe_event_read(number, 0, wanted->function, " $arg*"))
		return 0;
	return probe_event_read(number, 0, wanted->function,
				" arg1=$arg1 arg2=$arg2 arg3=$arg3 arg4=$arg4"
				" arg5=$arg5 arg6=$arg6");
}

static int add_event(size_t number, int is_return, struct event_list *events)
{
	char name[PROBE_NAME_SIZE];
	uint64_t id;
	int added;

	probe_event_reader_name(number, is_return, name);
	if (tracefs_id(name, &id))
		return -ERROR_SYSTEM;
	added = event_list_add(events, event_spec_tracepoint(name, id,
							     EVENT_OF_TARGET));
	return added < 0 ? added : 0;
}

static int add(const struct wanted *wanted, size_t number,
	       struct event_list *events, const struct log *log)
{
	int error = probe_start(wanted, number);

	if (!error)
		error = probe_event_read(number, 1, wanted->function,
					 " result=$retval");
	/* Where types are known, the kernel refuses the result of a function
	 * that returns nothing; its return is recorded alone.
	 */
	if (error)
		error = probe_event_read(number, 1, wanted->function, "");
	for (int is_return = 0; is_return < 2 && !error; is_return++)
		error = add_event(number, is_return, events);
	return error == -ERROR_SYSTEM ? refuse_errno(wanted, log) : error;
}

int argument_probes_add(const char *list, struct event_list *events,
			const struct log *log)
{
	struct item_cursor cursor = { list, NULL };
	struct wanted wanted;
	int error = 0;

	for (size_t number = 0; !error && next_item(&cursor, &wanted) > 0;
	     number++)
		error = add(&wanted, number, events, log);
	return error;
}

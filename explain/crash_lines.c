/* SPDX-License-Identifier: MIT */
#include "explain/crash_lines_internal.h"

#include "report/text/task_names.h"
#include "tables/calls/crashes_table.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_CRASHES = 3 };

/* The relation of the sender of a signal to the process that it ended. */
enum sender {
	SENDER_NONE, /* unknown, or of another family */
	SENDER_PARENT,
	SENDER_SIBLING,
};

static enum sender sender_of(const struct explanation *explanation,
			     const struct crash *crash)
{
	const struct task_names *names = explanation->input->names;
	int32_t parent = task_names_parent(names, crash->pid);

	if (!crash->sender_pid || parent <= 0)
		return SENDER_NONE;
	if (crash->sender_pid == parent)
		return SENDER_PARENT;
	return crash->sender_pid != crash->pid &&
			       task_names_parent(names, crash->sender_pid) ==
				       parent ?
		       SENDER_SIBLING :
		       SENDER_NONE;
}

/* Returns whether the sender of @crash's signal is unknown, but a signal of its
 * parent ended another child.
 */
static bool is_of_ended_pool(const struct explanation *explanation,
			     const struct crash *crash)
{
	const struct task_names *names = explanation->input->names;
	const struct crash *crashes = explanation->crashes.items;
	int32_t parent = task_names_parent(names, crash->pid);

	if (crash->sender_pid || !crash_is_sent(crash))
		return false;
	for (size_t i = 0; i < explanation->crashes.count; i++)
		if (crashes[i].sender_pid == parent &&
		    sender_of(explanation, &crashes[i]) == SENDER_PARENT)
			return true;
	return false;
}

/* Returns whether @crash is in the group. */
static bool is_listed(const struct explanation *explanation,
		      const struct crash *crash, bool is_by_family)
{
	bool is_of_family = sender_of(explanation, crash) != SENDER_NONE ||
			    is_of_ended_pool(explanation, crash);

	return !crash_is_of_pipe(crash) && is_of_family == is_by_family;
}

size_t crash_lines_count(const struct explanation *explanation,
			 bool is_by_family)
{
	const struct crash *crashes = explanation->crashes.items;
	size_t count = 0;

	for (size_t i = 0; i < explanation->crashes.count; i++)
		count += is_listed(explanation, &crashes[i], is_by_family);
	return count;
}

bool crash_lines_add_place(struct text_line *line, const struct crash *crash)
{
	/* The stack ends with the kernel's entry. */
	const char *end = strrchr(crash->stack, ';');
	const char *begin = end;

	if (!end)
		return false;
	while (begin > crash->stack && begin[-1] != ';')
		begin--;
	text_line_part(line, begin, (size_t)(end - begin));
	return true;
}

/* Adds "a signal of P, its parent" or, without a known sender, the signal. */
static void add_signal(struct text_line *line,
		       const struct explanation *explanation,
		       const struct crash *crash)
{
	static const char *const relations[] = {
		[SENDER_PARENT] = ", its parent",
		[SENDER_SIBLING] = ", its sibling",
	};
	enum sender sender = sender_of(explanation, crash);

	if (!crash->sender_pid) {
		text_line_name(line, crash->signal);
		return;
	}
	text_line_add(line, "a signal of ");
	text_line_name(line, task_names_last(explanation->input->names,
					     crash->sender_pid));
	if (sender == SENDER_NONE)
		text_line_add(line, " (process %" PRId32 ")",
			      crash->sender_pid);
	else
		text_line_add(line, "%s", relations[sender]);
}

void crash_lines_add(struct text_line *line,
		     const struct explanation *explanation,
		     const struct crash *crash, bool has_time)
{
	struct text_line place = { .size = 0 };

	text_line_name(line,
		       task_names_last(explanation->input->names, crash->tid));
	text_line_add(line, " (process %" PRId32 ") was ended by ", crash->pid);
	add_signal(line, explanation, crash);
	if (has_time) {
		sentence_time(line, explanation, ", at ", crash->time_ns);
		text_line_add(line, " s");
	}
	if (crash_lines_add_place(&place, crash))
		text_line_add(line, ", in %s", place.text);
}

void crash_lines_write(const struct explanation *explanation, bool is_by_family,
		       const char *before, const char *after, FILE *out)
{
	const struct crash *crashes = explanation->crashes.items;
	const size_t most = is_by_family ? 1 : MOST_CRASHES;
	const size_t count = crash_lines_count(explanation, is_by_family);

	if (!count)
		return;
	fputs(before, out);
	for (size_t i = 0, written = 0; written < most && written < count; i++)
		if (is_listed(explanation, &crashes[i], is_by_family)) {
			struct text_line line = { .size = 0 };

			crash_lines_add(&line, explanation, &crashes[i], true);
			text_line_write(&line, out);
			written++;
		}
	if (count > most)
		fprintf(out, "%zu more process%s ended by signals\n",
			count - most, count - most == 1 ? " was" : "es were");
	fprintf(out, "    See: ktrace-hw report --crashes\n%s", after);
}

/* SPDX-License-Identifier: MIT */
/* The profile in callgrind's format, for KCachegrind and callgrind_annotate.
 * Source: valgrind's manual, "Callgrind Format Specification".
 *
 * The cost is time. The format has functions and the calls between them, not
 * stacks, so the call tree is folded: each pair of caller and callee has the
 * number of its calls and their inclusive time.
 *
 * 1. The time of a call that is made while the same pair is already open, in a
 *    recursion, is in the outer one's inclusive time and is not added again.
 * 2. The processes are added up: the format has no processes.
 * 3. Every function has a caller: readers take the inclusive time of a function
 *    from its callers if it has any, and would leave out calls without one,
 *    such as page faults of user code. Their caller is CALLER_UNSEEN.
 */
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

/* The caller of functions whose caller is not in the trace. */
#define CALLER_UNSEEN FUNCTION_NONE
#define CALLER_UNSEEN_NAME "[unseen]"

/* A function's own cost. */
struct own_cost {
	uint32_t function;
	uint64_t self_ns;
};

/* The calls of one function by another. */
struct call_cost {
	/* the key */
	uint32_t caller;
	uint32_t callee;

	uint32_t open; /* number of open nodes with this pair */
	uint64_t calls;
	uint64_t others; /* entries that are not calls */
	uint64_t total_ns;
};

struct callgrind {
	const struct profile_report *report;
	FILE *out;
	struct keyed_array functions; /* struct own_cost */
	struct keyed_array calls;     /* struct call_cost */
	struct array open;	      /* uint64_t: inclusive time so far */
	struct number_map named;      /* functions whose name was written */
};

static uint32_t function_of(const struct callgrind *callgrind, uint32_t node)
{
	return call_tree_at(callgrind->report->tree, node)->function;
}

static int add_own(struct callgrind *callgrind, uint32_t node)
{
	const struct call_tree *tree = callgrind->report->tree;
	struct own_cost *own = keyed_array_add(
		&callgrind->functions,
		&(struct own_cost){ .function = function_of(callgrind, node) });

	if (!own)
		return -ERROR_MEMORY;
	own->self_ns += call_tree_at(tree, node)->self_ns;
	return 0;
}

/* Returns the pair of @node and its caller; NULL when out of memory. */
static struct call_cost *call_of(struct callgrind *callgrind, uint32_t node)
{
	uint32_t parent = call_tree_at(callgrind->report->tree, node)->parent;
	uint32_t caller = parent == CALL_NODE_NONE ?
				  CALLER_UNSEEN :
				  function_of(callgrind, parent);

	return keyed_array_add(
		&callgrind->calls,
		&(struct call_cost){ .caller = caller,
				     .callee = function_of(callgrind, node) });
}

static int enter(struct callgrind *callgrind, uint32_t node)
{
	uint64_t self_ns = call_tree_at(callgrind->report->tree, node)->self_ns;
	struct call_cost *call;

	if (array_append(&callgrind->open, &self_ns) < 0)
		return -ERROR_MEMORY;
	if (function_of(callgrind, node) == FUNCTION_NONE)
		return 0;
	call = call_of(callgrind, node);
	if (!call)
		return -ERROR_MEMORY;
	call->open++;
	return add_own(callgrind, node);
}

static int leave(struct callgrind *callgrind, uint32_t node)
{
	const struct call_counts counts =
		call_tree_calls(callgrind->report->tree, node);
	size_t depth = --callgrind->open.count;
	uint64_t total_ns = *((uint64_t *)callgrind->open.items + depth);
	struct call_cost *call;

	if (depth)
		*((uint64_t *)callgrind->open.items + depth - 1) += total_ns;
	if (function_of(callgrind, node) == FUNCTION_NONE)
		return 0;
	call = call_of(callgrind, node);
	if (!call)
		return -ERROR_MEMORY;
	call->calls += call_counts_calls(&counts);
	call->others += counts.starts + counts.inferred;
	if (!--call->open)
		call->total_ns += total_ns;
	return 0;
}

/* Writes @text without line ends, and without what would look like the
 * compressed form "(1)" of a name.
 */
static void write_name(const char *text, FILE *out)
{
	fputs(*text == '(' ? " " : "", out);
	name_write(out, NAME_FOLDED, text);
}

/* Writes "@key=(N) name", the name only for the first time. Returns 0 or
 * -ERROR_MEMORY.
 */
static int write_function(struct callgrind *callgrind, const char *key,
			  uint32_t function)
{
	uint64_t *is_named = number_map_add(&callgrind->named, function);
	FILE *out = callgrind->out;

	if (!is_named)
		return -ERROR_MEMORY;
	fprintf(out, "%s=(%" PRIu32 ")", key, function);
	if (!*is_named) {
		fputc(' ', out);
		write_name(function == CALLER_UNSEEN ?
				   CALLER_UNSEEN_NAME :
				   function_text(callgrind->report->functions,
						 function),
			   out);
	}
	*is_named = true;
	fputc('\n', out);
	return 0;
}

/* Writes "ob=" and "fl=", or "cob=" and "cfi=", of function @number; returns
 * the line of its declaration, 0 if unknown.
 */
static int write_place(struct callgrind *callgrind, uint32_t number,
		       const char *object_key, const char *file_key)
{
	const struct profile_report *report = callgrind->report;
	struct source_line line = { .file = "???", .line = 0 };
	const char *module = "state";
	enum frame_state state;

	if (number != CALLER_UNSEEN && !frame_state_of(number, &state)) {
		const struct function *function =
			function_at(report->functions, number);

		module = *function->module ? function->module : "kernel";
		if (!report->lines ||
		    !lines_find(report->lines, function, 0, &line))
			line = (struct source_line){ .file = "???", .line = 0 };
	}
	fprintf(callgrind->out, "%s=", object_key);
	write_name(module, callgrind->out);
	fprintf(callgrind->out, "\n%s=", file_key);
	write_name(line.file, callgrind->out);
	fputc('\n', callgrind->out);
	return line.line;
}

/* Returns the number of calls; if there are none, the number of other entries,
 * at least 1: after "calls=0", readers add the inclusive time to the caller's
 * own.
 */
static uint64_t count_of(const struct call_cost *call)
{
	uint64_t count = call->calls ? call->calls : call->others;

	return count ? count : 1;
}

static int write_call(struct callgrind *callgrind, const struct call_cost *call,
		      int caller_line)
{
	int line = write_place(callgrind, call->callee, "cob", "cfi");
	int status = write_function(callgrind, "cfn", call->callee);

	fprintf(callgrind->out, "calls=%" PRIu64 " %d\n%d %" PRIu64 "\n",
		count_of(call), line, caller_line, call->total_ns);
	return status;
}

/* Writes the functions, each with its calls. Both lists are sorted. */
static int write_functions(struct callgrind *callgrind)
{
	const struct array *functions = &callgrind->functions.items;
	const struct call_cost *call = callgrind->calls.items.items;
	const struct call_cost *end = call + callgrind->calls.items.count;
	int status = 0;

	for (size_t i = 0; i < functions->count && !status; i++) {
		const struct own_cost *own = array_at(functions, i);
		int line = write_place(callgrind, own->function, "ob", "fl");

		status = write_function(callgrind, "fn", own->function);
		fprintf(callgrind->out, "%d %" PRIu64 "\n", line, own->self_ns);
		for (; !status && call < end && call->caller == own->function;
		     call++)
			status = write_call(callgrind, call, line);
		fputc('\n', callgrind->out);
	}
	return status;
}

static void write_head(const struct callgrind *callgrind)
{
	const struct time_unit *unit =
		time_unit_of(callgrind->report->recording);
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < callgrind->functions.items.count; i++) {
		const struct own_cost *own =
			array_at(&callgrind->functions.items, i);

		sum_ns += own->self_ns;
	}
	fprintf(callgrind->out,
		"# callgrind format\nversion: 1\ncreator: ktrace-hw\n"
		"desc: Unit: %s\npositions: line\nevents: Time\n"
		"summary: %" PRIu64 "\n\n",
		unit->name, sum_ns);
}

int render_callgrind(const struct profile_report *report, FILE *out)
{
	struct tree_walk walk = tree_walk_of(report->tree);
	struct callgrind callgrind = {
		.report = report,
		.out = out,
		.functions = KEYED_ARRAY_OF(struct own_cost, function),
		.calls = KEYED_ARRAY_OF(struct call_cost, callee),
		.open = ARRAY_OF(uint64_t),
	};
	int status = keyed_array_add(
			     &callgrind.functions,
			     &(struct own_cost){ .function = CALLER_UNSEEN }) ?
			     0 :
			     -ERROR_MEMORY;

	while (!status && tree_walk_next(&walk))
		status = walk.leaving ? leave(&callgrind, walk.node) :
					enter(&callgrind, walk.node);
	array_sort_by(&callgrind.functions.items,
		      KEYS(RISING(struct own_cost, function)));
	array_sort_by(&callgrind.calls.items,
		      KEYS(RISING(struct call_cost, caller),
			   RISING(struct call_cost, callee)));
	if (!status) {
		write_head(&callgrind);
		status = write_functions(&callgrind);
	}
	keyed_array_free(&callgrind.functions);
	keyed_array_free(&callgrind.calls);
	array_free(&callgrind.open);
	number_map_free(&callgrind.named);
	return status;
}

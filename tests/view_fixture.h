/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_VIEW_FIXTURE_H
#define KT_TESTS_VIEW_FIXTURE_H

#include "tests/scratch_folder_fixture.h"
#include "view/answer/answer.h"

/* A made-up summary of 1 ms from 1 s on, saved and read again, with three
 * threads (7, an idle task, and 5, which recorded) and a function whose name
 * would be a script: calls of it by thread 7 from 100 ns on, each 1,000 ns and
 * 800 ns long, a sleep in it from 500,000 to 900,000 ns, woken by thread 9;
 * and sums of the calls in two halves, also of one of perf's that it calls
 * there and of an interrupt that comes in the idle task's.
 */
struct view_fixture {
	struct scratch_folder folder;
	char path[128];
	struct function_table *functions;
	struct context_kinds *kinds;
	struct task_names *names;
	struct view_sources sources;
	uint32_t function;
	uint32_t tracer;
	uint32_t interrupt;
};

enum { VIEW_FIXTURE_KEY = 42, VIEW_FIXTURE_CALLS = 900 };
#define VIEW_FIXTURE_NAME "</script><script>alert(1)</script>\"\\\n"

void view_fixture_begin(struct view_fixture *fixture);
void view_fixture_end(struct view_fixture *fixture);

/* Returns the answer to @path with @arguments, as "from=0&to=9", to be freed,
 * and sets *@status.
 */
char *view_fixture_ask(const struct view_fixture *fixture, const char *path,
		       const char *arguments, enum view_status *status);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_VIEW_FIXTURE_H
#define KT_TESTS_VIEW_FIXTURE_H

#include "tests/scratch_folder_fixture.h"
#include "view/answer/answer.h"

/* A made-up summary of 1 ms, starting at 1 s, saved and read again. It has
 * three threads (7, an idle task, and 5, the recorder) and a function whose
 * name would be a script if not escaped: thread 7 calls it from 100 ns on, each
 * call 1,000 ns apart and 800 ns long, and sleeps in it from 500,000 to 900,000
 * ns, until thread 9 wakes it. The sums of the calls are in two halves, and
 * include a perf function that it calls there and an interrupt in the idle
 * task's time.
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
#define VIEW_FIXTURE_REPORTS "{\"block\":[],\"spins\":[],\"args\":[]}"
#define VIEW_FIXTURE_EXPLANATION "{\"sentence\":\"</script>\"}"
#define VIEW_FIXTURE_NAME "</script><script>alert(1)</script>\"\\\n"

void view_fixture_begin(struct view_fixture *fixture);
void view_fixture_end(struct view_fixture *fixture);

/* Returns the answer to @path with @arguments ("from=0&to=9"), and sets
 * *@status. The caller frees it.
 */
char *view_fixture_ask(const struct view_fixture *fixture, const char *path,
		       const char *arguments, enum view_status *status);

#endif

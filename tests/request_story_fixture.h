/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_REQUEST_STORY_FIXTURE_H
#define KT_TESTS_REQUEST_STORY_FIXTURE_H

#include "tests/attribution_fixture.h"
#include "tests/span_story_fixture.h"

#include <stdint.h>

/* What tells who takes a message, beside who wakes whom. */
enum request_evidence {
	NOTHING_TELLS,
	SOCKETS_TELL, /* the events of sockets */
	PACKETS_TELL,
	NO_WAKES, /* not even that is known */
};

/* This is what happens, and the requests that it is: a line each, "client>server
 * begin+wall" (-1: of another machine, or unknown), a question mark if it is inferred, "no answer", "for" that of
 * which begin; then what its time went to: c the client, w the client's waiting,
 * n another machine or the network, q queue, r runnable, k kernel, u user, a asleep, d downstream; "by" who
 * but the client woke somebody on its way; after a slash what was beside that.
 */
struct request_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	const char *requests;
	enum request_evidence evidence;
};

/* Runs a suite of that name, a test a story: it fails if its requests are
 * others.  Returns main()'s exit code.
 */
int request_story_run(const char *name, const struct request_story *stories,
		      int count);

enum { CLIENT = 7, SERVER = 8, OTHER = 17 };

/* The client has CPU 0, the server CPU 1, another client CPU 2. */
void all_run(struct attribution_fixture *f);

/* The thread on @cpu is in a system call and @function from @time_ns on; or
 * leaves both.
 */
void calls(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   const char *function);
void returns(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu);

/* It waits there, and @next runs; @next, which waited, runs again. */
void waits(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t prev, int32_t next);
void goes_on(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu);

/* @tid waits in @function on @cpu; or goes on there, behind another, and returns. */
void sleeps(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	    int32_t tid, const char *function);
void rises(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t tid);

/* It writes to a pipe, and wakes @tid. */
void writes_to(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	       int32_t tid);

/* A kworker has CPU 3, beside all that run; there it executes @item. */
enum { KWORKER = 30 };
void item_begins(struct attribution_fixture *f, uint64_t time_ns, int64_t item);
void item_ends(struct attribution_fixture *f, uint64_t time_ns);

#endif

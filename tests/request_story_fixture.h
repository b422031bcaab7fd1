/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_REQUEST_STORY_FIXTURE_H
#define KT_TESTS_REQUEST_STORY_FIXTURE_H

#include "tests/attribution_fixture.h"
#include "tests/span_story_fixture.h"

#include <stdint.h>

/* The evidence for a message's receiver, besides the wake-ups. */
enum request_evidence {
	NOTHING_TELLS,
	SOCKETS_TELL, /* socket events */
	PACKETS_TELL,
	NO_WAKES,     /* no wake-ups either */
	RECORDS_LOST, /* nothing besides, and records were lost */
};

/* Events, and the expected requests, one a line: "client>server begin+wall"
 * (-1: on another machine, or unknown), a question mark if it is inferred, "no
 * answer", "for" and the start of the request it is part of; then its time by
 * class: c the client, w the client's waiting, n another machine or the
 * network, q queue, r runnable, k kernel, u user, a asleep, d downstream; "by"
 * and the thread, other than the client, that woke a thread on the request's
 * path; after a slash the time of parallel work.
 */
struct request_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	const char *requests;
	enum request_evidence evidence;
};

/* Runs a suite @name with one test for each story, which fails if the requests
 * differ. Returns main()'s exit code.
 */
int request_story_run(const char *name, const struct request_story *stories,
		      int count);

enum { CLIENT = 7, SERVER = 8, OTHER = 17 };

/* Starts the client on CPU 0, the server on CPU 1 and another client on CPU 2.
 */
void all_run(struct attribution_fixture *f);

/* The thread on @cpu enters a system call and @function in it at @time_ns; or
 * leaves both.
 */
void calls(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   const char *function);
void returns(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu);

/* The thread waits and @next runs; @next, which waited, runs again. */
void waits(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t prev, int32_t next);
void goes_on(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu);

/* @tid starts to wait in @function on @cpu; or continues there after another
 * thread, and returns.
 */
void sleeps(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	    int32_t tid, const char *function);
void rises(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t tid);

/* The thread on @cpu writes to a pipe, and wakes @tid. */
void writes_to(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	       int32_t tid);

/* A kworker on CPU 3, in addition to the threads of all_run(), executes @item.
 */
enum { KWORKER = 30 };
void item_begins(struct attribution_fixture *f, uint64_t time_ns, int64_t item);
void item_ends(struct attribution_fixture *f, uint64_t time_ns);

#endif

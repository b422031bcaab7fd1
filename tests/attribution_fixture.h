/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_ATTRIBUTION_FIXTURE_H
#define KT_TESTS_ATTRIBUTION_FIXTURE_H

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"

#include <stdint.h>

struct function_table;
struct symbols;
struct context_kinds;
struct trackers;

/* A made-up recording: tells handlers what CPUs and threads do, one thing
 * after the other.  It plays the part of task_stacks and step_join: call
 * stacks, depths and the tasks' clocks are kept here.
 *
 *	struct attribution_fixture *f = attribution_fixture_new();
 *	attribution_fixture_watch(f, &mine);
 *	starts(f, 0, 7);		CPU 0 is traced from here; 7 runs on it
 *	at(f, 100); enter(f, 0, "entry_SYSCALL_64");
 *	at(f, 120); leave(f, 0);
 *	at(f, 200); event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
 *		    switch_to(f, 0, 0);
 *	at(f, 300); ends(f);
 *
 * A function's name is one of the kernel's; "u:name" is of user space.
 */
struct attribution_fixture;

/* Knows the functions that begin work (symbolize/arch/arch.h), and a few
 * others: names[] of made_functions_fixture.c.
 */
struct attribution_fixture *attribution_fixture_new(void);

/* Knows the functions of @symbols instead, which are borrowed. */
struct attribution_fixture *
attribution_fixture_of(const struct symbols *symbols);
void attribution_fixture_free(struct attribution_fixture *fixture);

/* Adds a handler, which is borrowed. */
void attribution_fixture_watch(struct attribution_fixture *fixture,
			       struct event_handler *handler);

/* Adds all that @trackers follow, which are borrowed. */
void attribution_fixture_follow(struct attribution_fixture *fixture,
				const struct trackers *trackers);

/* Owner: the fixture. */
const struct context_kinds *
attribution_fixture_kinds(const struct attribution_fixture *fixture);
const struct function_table *
attribution_fixture_functions(const struct attribution_fixture *fixture);
uint32_t attribution_fixture_function(const struct attribution_fixture *fixture,
				      const char *name);

/* The time of what follows, in ns. */
void at(struct attribution_fixture *fixture, uint64_t time_ns);

/* What follows may have been so much earlier or later than it is said to be; at
 * first it is exact.
 */
void may_be_off(struct attribution_fixture *fixture, uint32_t early_ns,
		uint32_t late_ns);

/* Thread @tid is of process @pid; without this each is a process. */
void belongs(struct attribution_fixture *fixture, int32_t tid, int32_t pid);

/* The trace of @cpu (0 to 7) begins; thread @tid runs there. */
void starts(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);

/* Thread @tid is on @cpu, of which there is no trace, for events there; -1: none. */
void is_on(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);

/* The thread on @cpu enters a function, by a call or HOW_EXCEPTION by name; or
 * leaves the innermost.
 */
void enter(struct attribution_fixture *fixture, uint32_t cpu, const char *name);
void leave(struct attribution_fixture *fixture, uint32_t cpu);

/* The innermost's end is not seen, as behind a gap. */
void loses(struct attribution_fixture *fixture, uint32_t cpu);

/* The thread is found in a function that began before the recording; or ends
 * the innermost in a jump to another.
 */
void finds(struct attribution_fixture *fixture, uint32_t cpu, const char *name);
void jump(struct attribution_fixture *fixture, uint32_t cpu, const char *name);

void switch_to(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);
void state(struct attribution_fixture *fixture, uint32_t cpu,
	   enum cpu_state cpu_state);
void gap(struct attribution_fixture *fixture, uint32_t cpu);

/* A tracepoint on @cpu in the thread that runs there, with its first fields:
 * see enum event_field.
 */
void event(struct attribution_fixture *fixture, uint32_t cpu,
	   enum known_event number, int64_t first, int64_t second,
	   int64_t third);

/* The same with all of its EVENT_MAX_FIELDS fields. */
void event_of(struct attribution_fixture *fixture, uint32_t cpu,
	      enum known_event number, const int64_t *values);

/* SIDEBAND_FORK, SIDEBAND_EXIT, or SIDEBAND_COMM by exec, of thread @tid. */
void life(struct attribution_fixture *fixture, uint32_t cpu,
	  enum sideband_kind kind, int32_t tid);

/* The trace of @cpu ends; or all do, and with them all open functions. */
void ends_on(struct attribution_fixture *fixture, uint32_t cpu);
void ends(struct attribution_fixture *fixture);

#endif

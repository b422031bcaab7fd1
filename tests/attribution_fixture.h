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

/* A made-up recording: sends handlers the events of CPUs and threads, in order.
 * It plays the part of task_stacks and step_join: it maintains call stacks,
 * depths and the tasks' clocks.
 *
 * 	struct attribution_fixture *f = attribution_fixture_new();
 * 	attribution_fixture_watch(f, &mine);
 * 	starts(f, 0, 7);		CPU 0 is traced from here; 7 runs on it
 * 	at(f, 100); enter(f, 0, "entry_SYSCALL_64");
 * 	at(f, 120); leave(f, 0);
 * 	at(f, 200); event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
 * 		    switch_to(f, 0, 0);
 * 	at(f, 300); ends(f);
 *
 * A function's name is one of the kernel's; "u:name" is of user space.
 */
struct attribution_fixture;

/* Returns a fixture with the functions that begin work (symbolize/arch/arch.h)
 * and a few others: names[] of made_functions_fixture.c.
 */
struct attribution_fixture *attribution_fixture_new(void);

/* Like attribution_fixture_new(), but with the functions of @symbols, which are
 * borrowed.
 */
struct attribution_fixture *
attribution_fixture_of(const struct symbols *symbols);
void attribution_fixture_free(struct attribution_fixture *fixture);

/* Adds a handler, which is borrowed. */
void attribution_fixture_watch(struct attribution_fixture *fixture,
			       struct event_handler *handler);

/* Makes the fixture send steps of all calls, instead of skipping the calls that
 * no handler needs, as step_join does (call_skips_internal.h).
 */
void attribution_fixture_skip_nothing(struct attribution_fixture *fixture);

/* Adds the handlers of all @trackers, which are borrowed. */
void attribution_fixture_follow(struct attribution_fixture *fixture,
				const struct trackers *trackers);

/* These are owned by the fixture. */
const struct context_kinds *
attribution_fixture_kinds(const struct attribution_fixture *fixture);
const struct function_table *
attribution_fixture_functions(const struct attribution_fixture *fixture);
uint32_t attribution_fixture_function(const struct attribution_fixture *fixture,
				      const char *name);

/* Sets the time of the following events, in ns. */
void at(struct attribution_fixture *fixture, uint64_t time_ns);

/* Sets how much earlier or later than their stated time the following events
 * may have happened; 0 at first.
 */
void may_be_off(struct attribution_fixture *fixture, uint32_t early_ns,
		uint32_t late_ns);

/* Makes thread @tid part of process @pid; by default each thread is a process.
 */
void belongs(struct attribution_fixture *fixture, int32_t tid, int32_t pid);

/* Starts the trace of @cpu (0 to 7), on which thread @tid runs. */
void starts(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);

/* Sets the thread that events on the untraced @cpu belong to; -1: none. */
void is_on(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);

/* The thread on @cpu enters a function (HOW_EXCEPTION or a call, chosen by the
 * name) or leaves the innermost one.
 */
void enter(struct attribution_fixture *fixture, uint32_t cpu, const char *name);
void leave(struct attribution_fixture *fixture, uint32_t cpu);

/* Ends the innermost function unseen, as after a gap. */
void loses(struct attribution_fixture *fixture, uint32_t cpu);

/* The thread is found in a function that was entered before the recording
 * started; or ends the innermost function with a jump to another.
 */
void finds(struct attribution_fixture *fixture, uint32_t cpu, const char *name);
void jump(struct attribution_fixture *fixture, uint32_t cpu, const char *name);

/* The thread on @cpu executes an instruction of enum instruction_interrupts. */
void interrupts(struct attribution_fixture *fixture, uint32_t cpu,
		uint8_t instruction);

void switch_to(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid);
void state(struct attribution_fixture *fixture, uint32_t cpu,
	   enum cpu_state cpu_state);
void gap(struct attribution_fixture *fixture, uint32_t cpu);

/* Sends a tracepoint on @cpu in the thread that runs there, with its first
 * three fields: see enum event_field.
 */
void event(struct attribution_fixture *fixture, uint32_t cpu,
	   enum known_event number, int64_t first, int64_t second,
	   int64_t third);

/* Like event(), but with all EVENT_MAX_FIELDS fields. */
void event_of(struct attribution_fixture *fixture, uint32_t cpu,
	      enum known_event number, const int64_t *values);

/* SIDEBAND_FORK, SIDEBAND_EXIT, or SIDEBAND_COMM by exec, of thread @tid. */
void life(struct attribution_fixture *fixture, uint32_t cpu,
	  enum sideband_kind kind, int32_t tid);

/* Ends the trace of @cpu; or of all CPUs, which ends all open functions. */
void ends_on(struct attribution_fixture *fixture, uint32_t cpu);
void ends(struct attribution_fixture *fixture);

#endif

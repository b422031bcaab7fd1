/* SPDX-License-Identifier: MIT */
/* Perf's switch records give the same events as sched_switch. */
#include "attribution/events/step_join.h"
#include "decoder/recording/sideband.h"
#include "tests/run_suite.h"

/* A record of a thread, and the expected event: "-" none, else prev_state. */
struct told {
	enum sideband_kind kind;
	int32_t tid;
	bool out;
	bool preempted;
	const char *state;
};

#define OUT(tid, preempted, state) \
	{ \
		SIDEBAND_SWITCH, tid, true, preempted, state \
	}
#define IN(tid) \
	{ \
		SIDEBAND_SWITCH, tid, false, false, "-" \
	}
#define EXIT(tid) \
	{ \
		SIDEBAND_EXIT, tid, false, false, "-" \
	}
#define FORK(tid) \
	{ \
		SIDEBAND_FORK, tid, false, false, "-" \
	}

static const struct told stories[][6] = {
	{ OUT(7, true, "running"), IN(7), OUT(7, false, "asleep") },
	/* A thread may be preempted while it exits. */
	{ EXIT(7), OUT(7, true, "running"), OUT(8, false, "asleep"),
	  OUT(7, false, "dead") },
	/* The thread calls exec: its id then belongs to another thread, which
	 * sleeps.
	 */
	{ EXIT(7), OUT(7, false, "dead"), OUT(7, false, "asleep") },
	/* The exiting thread's last switch is missing, and a new thread has its
	 * id.
	 */
	{ EXIT(7), FORK(7), OUT(7, false, "asleep") },
};

static const char *state_name(const struct event_record *event)
{
	switch (event->values[SWITCH_PREV_STATE]) {
	case 0:
		return "running";
	case 1:
		return "asleep";
	case 0x10:
		return "dead";
	default:
		return "?";
	}
}

START_TEST(switches_have_the_reason_why_a_thread_leaves)
{
	struct switch_events *switches = switch_events_new();

	ck_assert_ptr_nonnull(switches);
	for (const struct told *told = stories[_i];
	     told < stories[_i] + 6 && told->state; told++) {
		const struct sideband_record record = {
			.kind = told->kind,
			.cpu = 2,
			.pid = 5,
			.tid = told->tid,
			.time_ns = 1000,
			.change = {
				.out = told->out,
				.preempted = told->preempted,
				.cpu_wide = true,
				.other_tid = 9,
			},
		};
		struct event_record event;
		int status = switch_events_consume(switches, &record, &event);

		ck_assert_int_eq(status, *told->state != '-');
		if (!status)
			continue;
		ck_assert_str_eq(state_name(&event), told->state);
		ck_assert_int_eq(event.event, EVENT_SCHED_SWITCH);
		ck_assert_int_eq(event.values[SWITCH_PREV], told->tid);
		ck_assert_int_eq(event.values[SWITCH_NEXT], 9);
		ck_assert_int_eq(event.cpu, 2);
		ck_assert_uint_eq(event.time_ns, 1000);
	}
	switch_events_free(switches);
}
END_TEST

SUITE("switch_events")
{
	TEST_EACH(switches_have_the_reason_why_a_thread_leaves, stories);
}

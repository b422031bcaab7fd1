/* SPDX-License-Identifier: MIT */
/* The meaning of a gate mark, by state and event: one row each. */
#include "common/formats/recording_events.h"
#include "symbolize/events/function_event.h"
#include "symbolize/gate/gate_marks.h"
#include "tests/run_suite.h"

enum { START = FUNCTION_TRACE_START, STOP = FUNCTION_TRACE_STOP };
enum { CALL = FUNCTION_CALL, END = FUNCTION_END };

/* The event comes at 1000; far away is further than clocks disagree. */
static const struct row {
	enum gate_state state;
	uint8_t mark;
	uint64_t mark_ns;
	uint64_t next_ns; /* 0: there is no other mark */
	uint8_t event;
	enum gate_action action;
} rows[] = {
	{ GATE_CLOSED, GATE_BEGIN, 990, 0, START, GATE_RESUME },
	{ GATE_CLOSED, GATE_COME, 1040, 0, START, GATE_RESUME },
	{ GATE_CLOSED, GATE_BEGIN, 2000, 0, START, GATE_WAIT },
	{ GATE_CLOSED, GATE_BEGIN, 990, 0, CALL, GATE_WAIT },
	{ GATE_CLOSED, GATE_BEGIN, 500, 600, START, GATE_LOSE },
	{ GATE_CLOSED, GATE_BEGIN, 990, 1500, START, GATE_RESUME },
	{ GATE_INSIDE, GATE_BEGIN, 990, 0, CALL, GATE_SKIP },
	{ GATE_INSIDE, GATE_BEGIN, 2000, 0, CALL, GATE_WAIT },
	{ GATE_INSIDE, GATE_END, 1010, 0, STOP, GATE_PAUSE },
	{ GATE_ASIDE, GATE_LEAVE, 990, 0, STOP, GATE_PAUSE },
	{ GATE_INSIDE, GATE_END, 2000, 0, STOP, GATE_WAIT },
	{ GATE_INSIDE, GATE_END, 990, 0, CALL, GATE_WAIT },
	{ GATE_INSIDE, GATE_END, 990, 0, START, GATE_CLOSE },
	{ GATE_INSIDE, GATE_END, 1010, 0, END, GATE_WAIT },
	{ GATE_LOST, GATE_END, 990, 0, CALL, GATE_CLOSE },
	{ GATE_CLOSED, GATE_END, 990, 0, CALL, GATE_SKIP },
	{ GATE_CLOSED, GATE_FIRST, 1000, 0, CALL, GATE_CLOSE },
	{ GATE_INSIDE, GATE_LAST, 1001, 0, END, GATE_WAIT },
};

START_TEST(a_mark_is_limited_by_its_event)
{
	const struct row *row = &rows[_i];
	const struct probe_mark mark = { .time_ns = row->mark_ns,
					 .kind = row->mark };
	const struct probe_mark next = { .time_ns = row->next_ns };
	const struct function_event event = { .time_ns = 1000,
					      .kind = row->event };

	ck_assert_int_eq(gate_mark_action(row->state, &mark,
					  row->next_ns ? &next : NULL, &event),
			 row->action);
}
END_TEST

SUITE("gate_marks")
{
	TEST_EACH(a_mark_is_limited_by_its_event, rows);
}

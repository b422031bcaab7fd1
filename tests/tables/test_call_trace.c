/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

static void send(struct call_trace *trace, uint8_t kind, char function,
		 uint32_t depth, uint64_t time_ns)
{
	const struct call_step step = {
		.kind = kind,
		.how = function >= 'A' && function <= 'Z' ? HOW_EXCEPTION :
							    HOW_CALL,
		.function = (uint32_t)function,
		.depth = depth,
		.time_ns = time_ns,
		.whole_ns = time_ns / 2,
	};

	ck_assert_int_eq(call_trace_consume(trace, &step), 0);
}

/* "a" enters a, "." leaves the innermost 10 ns after the previous letter. */
static void play(struct call_trace *trace, const char *text, uint32_t base)
{
	char open[16];
	uint32_t depth = 0;
	uint64_t time_ns = 0;

	call_trace_begin(trace, base);
	for (; *text; text++)
		if (*text == '.') {
			depth--;
			time_ns += 10;
			send(trace, STEP_EXIT, open[depth], base + depth,
			     time_ns);
		} else {
			open[depth] = *text;
			send(trace, STEP_ENTER, *text, base + depth, time_ns);
			depth++;
		}
}

static void write_trace(const struct call_trace *trace, char *text)
{
	for (uint32_t i = call_trace_first(trace); i != TRACED_NONE;
	     i = call_trace_next(trace, i)) {
		const struct traced_function *function =
			call_trace_at(trace, i);

		text += sprintf(text, "%u%c%s%lu/%lu ", function->depth,
				(int)function->function,
				function->is_interrupt ? "!" : "",
				(unsigned long)function->calls,
				(unsigned long)function->wall_ns);
		ck_assert_uint_eq(function->on_cpu_ns, function->wall_ns / 2);
	}
}

static const struct {
	const char *steps;
	const char *trace;
} cases[] = {
	{ "", "" },
	{ "a.", "0a1/10 " },
	{ "ab.b.c..", "0a1/40 1b2/20 1c1/10 " },
	{ "abc..dc..bd...", "0a1/70 1b2/40 2c1/10 2d1/10 1d1/20 2c1/10 " },
	/* Recursion has a separate path at each depth. */
	{ "aaa...", "0a1/30 1a1/20 2a1/10 " },
	/* Interrupt handlers are separate from called functions. */
	{ "aI..", "0a1/20 1I!1/10 " },
	/* The entry ends by a jump. */
	{ "a.b.c.", "0a1/10 0b1/10 0c1/10 " },
	{ "ab.", "0a1/0 1b1/10 " },
};

START_TEST(paths_come_once)
{
	struct call_trace trace = CALL_TRACE_EMPTY;
	char text[256] = "";

	/* Twice: no state is left by the first call. */
	play(&trace, "zyx...", 0);
	play(&trace, cases[_i].steps, 3);
	write_trace(&trace, text);
	ck_assert_str_eq(text, cases[_i].trace);
	call_trace_free(&trace);
}
END_TEST

SUITE("call_trace")
{
	TEST_EACH(paths_come_once, cases);
}

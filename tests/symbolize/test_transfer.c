/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL UINT64_C(0xffffffff81001000)

/*	1000	call 1010
 *	1005	ret
 *	1010	iretq
 *	1012	ret
 *	1020	jmp *%rax
 *	1030	je 1034
 *	1032	jmp 1000
 *	1034	jmp 1040
 *	1040	ret
 */
static const uint8_t code[0x41] = {
	[0] = 0xe8,
	0x0b,
	0,
	0,
	0,
	0xc3,
	[0x10] = 0x48,
	0xcf,
	0xc3,
	[0x20] = 0xff,
	0xe0,
	[0x30] = 0x74,
	0x02,
	0xeb,
	0xcc,
	0xeb,
	0x0a,
	[0x40] = 0xc3,
};

static const char kallsyms[] = "ffffffff81001000 T caller\n"
			       "ffffffff81001010 T sync\n"
			       "ffffffff81001020 T jumps\n"
			       "ffffffff81001030 T branches\n"
			       "ffffffff81001040 T last\n"
			       "ffffffff81001050 T _etext\n";

/* PSB+ of 64-bit code at the call, and targets of IRET and of returns; the
 * target of the last return is not traced, as an interrupt may come first.
 */
#define AT_CALL "psb 99 01 7d 00 10 00 81 ff ff 02 23 "
#define TIP(low) "2d " low " 10 "
#define TIP_32(low) "4d " low " 10 00 81 "
#define BIT_TAKEN "06 "
#define RETURN_AS_BIT BIT_TAKEN
/* The upper half of the address is damaged, and so are the addresses compressed
 * with it.
 */
#define AT_DAMAGED_PLACE "psb 99 01 7d 00 10 00 81 34 12 02 23 "

static const struct {
	const char *trace;
	const char *events;
} rows[] = {
	/* sync_core() does this; it ends no exception. */
	{ AT_CALL TIP("12") RETURN_AS_BIT TIP("12"),
	  "start caller, call sync, return caller" },
	{ AT_CALL TIP("05") TIP("12") TIP("05"),
	  "start caller, call sync, break-return caller, return sync" },
	/* The unit delays a target until the bits after it fill a packet, also
	 * where the code is read at a repaired address.
	 */
	{ AT_CALL TIP("05") TIP("20") BIT_TAKEN TIP("30") TIP("05"),
	  "start caller, call sync, break-return caller, return jumps, "
	  "tail-call branches, tail-call last" },
	{ AT_DAMAGED_PLACE TIP_32("20") BIT_TAKEN TIP("30") TIP("05"),
	  "gap, start jumps, tail-call branches, tail-call last" },
};

struct line {
	FILE *out;
	const struct function_table *functions;
};

static void write_event(void *ctx, const struct function_event *event)
{
	const struct line *line = ctx;

	if (event->kind == FUNCTION_END)
		return;
	fprintf(line->out, "%s%s", ftell(line->out) ? ", " : "",
		function_event_text(event->kind));
	if (function_event_is_call(event) ||
	    event->kind == FUNCTION_TRACE_START)
		fprintf(line->out, " %s",
			function_at(line->functions, event->function)->name);
}

static char *events_of(const struct flow_run *flow,
		       const struct symbols *symbols)
{
	char *text;
	size_t length;
	struct line line = {
		.out = open_memstream(&text, &length),
		.functions = symbols_functions(symbols),
	};

	flow_run_graph_events(flow, 0, symbols, write_event, &line);
	fclose(line.out);
	return text;
}

START_TEST(trace_becomes_these_events)
{
	struct recording_fixture fixture;
	struct symbols *symbols;
	struct flow_run run;
	uint8_t bytes[64];
	char *text;

	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, KERNEL, code, sizeof(code));
	recording_fixture_trace(&fixture, 0, bytes,
				fixture_intel_bytes(rows[_i].trace, bytes,
						    sizeof(bytes)));
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kallsyms,
					   strlen(kallsyms), "", 0, &symbols),
			 0);
	text = events_of(&run, symbols);
	ck_assert_str_eq(text, rows[_i].events);
	free(text);
	symbols_close(symbols);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("transfer")
{
	TEST_EACH(trace_becomes_these_events, rows);
}

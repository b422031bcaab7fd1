/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "symbolize/events/function_events.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include "decoder/flow/flow.h"
#include "symbolize/arch/arch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Function timelines of boards' kernels. Their symbols are not available: every
 * target of a call starts a function. On TC2 every return goes to the address
 * after the call. The Juno's dump differs from its memory at the time: it has
 * calls of _mcount where the kernel had put nops, so returns differ by a few
 * instructions; where a call did not lead to its target there is a gap.
 */
static const struct board {
	const char *name;
	enum recording_arch arch;
	int32_t cpu;
	size_t functions;
	uint64_t mismatches;
} boards[] = {
	{ "TC2", RECORDING_ARCH_ARM, 0, 73, 0 },
	{ "TC2", RECORDING_ARCH_ARM, 1, 79, 0 },
	{ "TC2", RECORDING_ARCH_ARM, 3, 99, 0 },
	{ "juno_r1_1", RECORDING_ARCH_ARM64, 0, 51, 95 },
	{ "juno_r1_1", RECORDING_ARCH_ARM64, 5, 17, 4 },
};

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the text of a kallsyms with a function at every call's target. */
static char *make_symbols(const struct array *items, size_t *functions,
			  size_t *size)
{
	struct array targets = ARRAY_OF(uint64_t);
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	uint64_t before = 0;

	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i + 1 < items->count; i++) {
		const struct flow_item *item = array_at(items, i);

		if (item->kind == FLOW_BLOCK &&
		    item->detail == FLOW_EXIT_CALL &&
		    item[1].kind == FLOW_BLOCK)
			*(uint64_t *)array_add(&targets) = item[1].ip;
	}
	array_sort(&targets, compare_addresses);
	*functions = 0;
	for (size_t i = 0; i < targets.count; i++) {
		uint64_t target = *(uint64_t *)array_at(&targets, i);

		if (target != before) {
			fprintf(out, "%016" PRIx64 " t f_%" PRIx64 "\n", target,
				target);
			++*functions;
		}
		before = target;
	}
	fclose(out);
	array_free(&targets);
	return text;
}

/* Counts exits of this kind that the trace continues after. */
static uint64_t count_exits(const struct array *items, enum flow_exit exit)
{
	uint64_t count = 0;

	for (size_t i = 0; i + 1 < items->count; i++) {
		const struct flow_item *item = array_at(items, i);

		count += item->kind == FLOW_BLOCK && item->detail == exit &&
			 (item[1].kind == FLOW_BLOCK ||
			  item[1].kind == FLOW_ASYNC);
	}
	return count;
}

/* Calls and exceptions that are still open. */
struct shadow {
	uint64_t addresses[256];
	size_t count;
	uint64_t calls;
	uint64_t returns;
	uint64_t mismatches;
};

static void push(struct shadow *shadow, uint64_t address)
{
	ck_assert_uint_lt(shadow->count, 256);
	shadow->addresses[shadow->count++] = address;
}

static void pop(struct shadow *shadow, uint64_t address)
{
	if (!shadow->count)
		return;
	shadow->count--;
	shadow->mismatches += shadow->addresses[shadow->count] != address;
}

static void consume(void *ctx, const struct function_event *event)
{
	struct shadow *shadow = ctx;

	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_CALL:
		shadow->calls++;
		push(shadow, event->address);
		break;
	case FUNCTION_LOCAL_CALL:
		break;
	case FUNCTION_EXCEPTION:
	case FUNCTION_LOCAL_EXCEPTION:
		push(shadow, event->address);
		break;
	case FUNCTION_RETURN:
	case FUNCTION_EXCEPTION_RETURN:
		shadow->returns++;
		pop(shadow, event->address);
		break;
	case FUNCTION_TRACE_STOP:
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_GAP:
		shadow->count = 0;
		break;
	case FUNCTION_TAIL_CALL:
	case FUNCTION_FAR_JUMP:
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_OPEN_END:
	case FUNCTION_TRACE_START:
	case FUNCTION_INLINED:
	case FUNCTION_SWITCH:
	case FUNCTION_INTERRUPTS:
	case FUNCTION_END:
		break;
	}
}

static size_t stream_of_cpu(const struct recording *recording, int32_t cpu)
{
	size_t i = 0;

	while (recording_stream(recording, i)->cpu != cpu)
		i++;
	return i;
}

START_TEST(calls_and_returns_match)
{
	const struct board *board = &boards[_i];
	struct array items = ARRAY_OF(struct flow_item);
	struct shadow shadow = { .count = 0 };
	struct flow_totals totals;
	struct symbols *symbols;
	struct flow_run run;
	size_t functions;
	size_t index;
	size_t size;
	char name[256];
	char path[4096];
	char *text;

	snprintf(name, sizeof(name), "coresight/opencsd/snapshots/%s",
		 board->name);
	if (!shared_path(name, path, sizeof(path)))
		return;
	ck_assert_int_eq(flow_run_open(&run, path, NULL), 0);
	ck_assert_int_eq(recording_arch(run.recording), board->arch);
	index = stream_of_cpu(run.recording, board->cpu);
	flow_run_stream(&run, index, &totals, &items);
	text = make_symbols(&items, &functions, &size);
	ck_assert_int_eq(symbols_from_text(arch_for(board->arch), text, size,
					   "", 0, &symbols),
			 0);
	flow_run_events(&run, index, symbols, consume, &shadow);
	ck_assert_uint_eq(functions, board->functions);
	ck_assert_uint_gt(shadow.calls, 0);
	ck_assert_uint_eq(shadow.calls, count_exits(&items, FLOW_EXIT_CALL));
	ck_assert_uint_eq(shadow.returns,
			  count_exits(&items, FLOW_EXIT_RETURN) +
				  count_exits(&items, FLOW_EXIT_FAR_RETURN));
	ck_assert_uint_eq(shadow.mismatches, board->mismatches);
	symbols_close(symbols);
	free(text);
	array_free(&items);
	flow_run_close(&run);
}
END_TEST

SUITE("coresight_timeline")
{
	TEST_EACH(calls_and_returns_match, boards);
}

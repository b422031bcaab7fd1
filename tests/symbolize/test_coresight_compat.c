/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "symbolize/events/function_events.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

/* A 32-bit program under a 64-bit kernel: it switches from A32 to T32 and back,
 * is interrupted in T32 and enters the kernel from A32. A branch in an IT block
 * does not encode its condition; if it was executed it counts as a jump.
 */
#define BLOCK(address, count, bytes, exit) \
	{ \
		.kind = FLOW_BLOCK, .ip = (address), .instructions = (count), \
		.last = (bytes), .detail = (exit) \
	}
#define SIZED(address, count, bytes, exit, length) \
	{ \
		.kind = FLOW_BLOCK, .ip = (address), .instructions = (count), \
		.last = (bytes), .detail = (exit), .last_length = (length) \
	}
#define CALL(address, count, bytes, exit) SIZED(address, count, bytes, exit, 4)
#define BRANCH(address, count, bytes, length) \
	SIZED(address, count, bytes, FLOW_EXIT_CONDITIONAL, length)
#define USER(offset) (ETMV4_USER + (offset))
#define KERNEL(offset) (ETMV4_BASE + (offset))
#define MODE(is_64) \
	{ \
		.kind = FLOW_MODE, .detail = 1 + (is_64) \
	}

static const struct flow_item round_items[] = {
	CALL(USER(0x00), 2, 4, FLOW_EXIT_CALL),	   /* blx */
	BRANCH(USER(0x30), 2, 2, 2),		   /* cbz */
	BLOCK(USER(0x38), 2, 2, FLOW_EXIT_NONE),   /* bxeq lr */
	CALL(USER(0x3c), 1, 0, FLOW_EXIT_CALL),	   /* blx */
	BLOCK(USER(0x20), 2, 4, FLOW_EXIT_RETURN), /* bx lr */
	CALL(USER(0x40), 1, 0, FLOW_EXIT_CALL),	   /* bl */
	BRANCH(USER(0x50), 2, 2, 4),		   /* bne.w */
	{ .kind = FLOW_ASYNC, .ip = USER(0x56) },
	MODE(true),
	BLOCK(KERNEL(0x20), 1, 0, FLOW_EXIT_JUMP),
	BLOCK(KERNEL(0x60), 2, 4, FLOW_EXIT_FAR_RETURN), /* eret */
	MODE(false),
	BLOCK(USER(0x56), 2, 2, FLOW_EXIT_JUMP),    /* b */
	BLOCK(USER(0x5c), 1, 0, FLOW_EXIT_RETURN),  /* bx lr */
	BLOCK(USER(0x44), 3, 4, FLOW_EXIT_JUMP),    /* bne */
	BLOCK(USER(0x4c), 1, 0, FLOW_EXIT_RETURN),  /* pop {pc} */
	BRANCH(USER(0x08), 2, 4, 4),		    /* beq */
	CALL(USER(0x18), 1, 0, FLOW_EXIT_FAR_CALL), /* svc */
	MODE(true),
	BLOCK(KERNEL(0x00), 1, 0, FLOW_EXIT_JUMP),
	BLOCK(KERNEL(0x40), 2, 4, FLOW_EXIT_FAR_RETURN), /* eret */
	MODE(false),
	BLOCK(USER(0x1c), 1, 0, FLOW_EXIT_JUMP), /* b */
};

enum { SYNCS = 2, ROUNDS = 2 };
enum { ROUND = sizeof(round_items) / sizeof(*round_items) };

static void compare(const struct flow_item *item,
		    const struct flow_item *wanted)
{
	ck_assert_str_eq(flow_kind_text(item->kind),
			 flow_kind_text(wanted->kind));
	ck_assert_uint_eq(item->ip, wanted->ip);
	ck_assert_uint_eq(item->last, wanted->last);
	ck_assert_str_eq(flow_exit_text(item->detail),
			 flow_exit_text(wanted->detail));
	ck_assert_uint_eq(item->instructions, wanted->instructions);
	ck_assert_uint_eq(item->last_length, wanted->last_length);
}

static struct scratch_folder folder;
static struct flow_run run;

static void load(bool is_ete)
{
	const enum capture_name kind = is_ete ? CAPTURE_ETE_32 :
						CAPTURE_ETMV4_32;
	uint8_t trace[CAPTURE_ROOM(SYNCS, ROUNDS)];
	size_t places[SYNCS];
	size_t size = capture_fixture_trace(kind, SYNCS, ROUNDS, trace, places);

	folder = scratch_folder_new();
	capture_fixture_write(&folder, &kind, 1, "source_data");
	snapshot_fixture_file(&folder, CAPTURE_TRACE, trace, size);
	scratch_folder_write(&folder, "kallsyms",
			     "ffffffc000080000 T vectors\n"
			     "ffffffc000080040 t el0t_32_sync\n"
			     "ffffffc000080060 t el0t_32_irq\n"
			     "ffffffc000080080 T nothing\n");
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
}

static void tear_down(void)
{
	flow_run_close(&run);
	scratch_folder_free(&folder);
}

START_TEST(both_instruction_sets_are_followed)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;

	load(_i % 2);
	run.by_library = _i / 2;
	flow_run_stream(&run, 0, &totals, &items);
	/* A mode and a start before the blocks, a stop and the end after them.
	 */
	ck_assert_uint_eq(items.count, SYNCS * ROUNDS * ROUND + 4);
	for (size_t i = 0; i < SYNCS * ROUNDS * ROUND; i++)
		compare(array_at(&items, i + 2), &round_items[i % ROUND]);
	array_free(&items);
}
END_TEST

/* The vectors are folded into the entries that they lead to. */
static const struct entry {
	const char *name;
	enum function_exception detail;
	uint64_t return_address;
} entries[] = {
	{ "el0t_32_irq", FUNCTION_EXCEPTION_INTERRUPT, USER(0x56) },
	{ "el0t_32_sync", FUNCTION_EXCEPTION_SYSTEM_CALL, USER(0x1c) },
};

static void check_entry(const struct symbols *symbols,
			const struct function_event *event, size_t index)
{
	const struct entry *entry = &entries[index % 2];

	ck_assert_str_eq(
		function_at(symbols_functions(symbols), event->function)->name,
		entry->name);
	ck_assert_uint_eq(event->detail, entry->detail);
	ck_assert_uint_eq(event->address, entry->return_address);
}

/* Entries of the kernel, and returns. */
struct visits {
	const struct symbols *symbols;
	size_t breaks;
	size_t returns;
};

static void consume_visit(void *ctx, const struct function_event *event)
{
	struct visits *visits = ctx;

	if (event->kind == FUNCTION_EXCEPTION)
		check_entry(visits->symbols, event, visits->breaks++);
	visits->returns += event->kind == FUNCTION_EXCEPTION_RETURN;
}

START_TEST(vectors_lead_to_entries)
{
	struct visits visits = { 0 };
	struct symbols *symbols;

	load(_i % 2);
	run.by_library = _i / 2;
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	visits.symbols = symbols;
	flow_run_events(&run, 0, symbols, consume_visit, &visits);
	ck_assert_uint_eq(visits.breaks, 2 * SYNCS * ROUNDS);
	ck_assert_uint_eq(visits.returns, visits.breaks);
	symbols_close(symbols);
}
END_TEST

SUITE("coresight_compat")
{
	FIXTURE(NULL, tear_down);
	TEST_TIMES(vectors_lead_to_entries, 4);
	TEST_TIMES(both_instruction_sets_are_followed, 4);
}

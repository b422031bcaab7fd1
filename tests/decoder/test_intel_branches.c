/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/recording/aux_stream.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PSB+ of 64-bit code at 1000, and its items. */
#define BEGIN "psb 99 01 7d 00 10 00 00 00 00 02 23 "
#define BEGUN "mode 2, sync 1000"
#define TIP_2000 "2d 00 20 "
#define FUP_1004 "3d 04 10 "
#define PGD "01 "
#define PGE_3000 "31 00 30 "
#define OVF "02 f3 "

/* Bytes in hex ("psb" for a whole PSB), and the expected branches. */
/* clang-format off */
static const struct row {
	const char *name;
	const char *trace;
	const char *branches;
	uint32_t errata;
} rows[] = {
	{ .name = "short tnt", BEGIN "0a", BEGUN ", bits 01" },
	{ .name = "long tnt", BEGIN "02 a3 05 00 00 00 00 80",
	  BEGUN ", bits "
	  "00000000000000000000000000000000000000000000101" },
	{ .name = "pad", BEGIN "00 00 06", BEGUN ", bits 1" },
	{ .name = "addresses of all sizes",
	  BEGIN "2d 34 12 4d 78 56 34 12 8d 01 00 00 00 01 00 6d 00 00 00 "
	  "00 00 80 cd 08 07 06 05 04 03 02 01 2d ff ff",
	  BEGUN ", target 1234, target 12345678, target 100000001, "
	  "target! ffff800000000000, target! 102030405060708, "
	  "target 10203040506ffff" },
	{ .name = "no address", BEGIN "0d", BEGUN ", target" },
	{ .name = "interrupt", BEGIN FUP_1004 TIP_2000,
	  BEGUN ", reach 1004, interrupt 2000" },
	{ .name = "interrupt, handler not traced", BEGIN FUP_1004 PGD,
	  BEGUN ", reach 1004, stop-there" },
	{ .name = "stop and start", BEGIN PGD PGE_3000 "06",
	  BEGUN ", stop, start 3000, bits 1" },
	{ .name = "stop with an address", BEGIN "21 00 50", BEGUN ", stop 5000" },
	{ .name = "page table", BEGIN "02 43 02 01 00 00 00 00",
	  BEGUN ", page-table 1020" },
	{ .name = "page table of an interrupt",
	  BEGIN FUP_1004 "02 43 02 01 00 00 00 00 " TIP_2000,
	  BEGUN ", reach 1004, page-table+ 1020, interrupt 2000" },
	{ .name = "a guest's page table, and the host's again",
	  BEGIN "02 43 03 01 00 00 00 00 " TIP_2000 FUP_1004
		"02 43 02 01 00 00 00 00 " TIP_2000,
	  BEGUN ", guest 1020, target 2000, reach 1004, page-table+ 1020, "
		"interrupt 2000" },
	{ .name = "a guest and its VMCS, at a synchronisation point",
	  "psb 02 43 03 01 00 00 00 00 02 c8 34 12 00 00 00 02 23 ",
	  "guest+ again 1020, machine 1234000, sync" },
	{ .name = "mode of a branch", BEGIN "99 02 " TIP_2000,
	  BEGUN ", mode 1, target 2000" },
	{ .name = "mode of an interrupt", BEGIN FUP_1004 "99 02 " TIP_2000,
	  BEGUN ", reach 1004, mode 1, interrupt 2000" },
	{ .name = "mode of an instruction", BEGIN "99 05 " FUP_1004 TIP_2000,
	  BEGUN ", mode 2, reach+ 1004, target 2000" },
	{ .name = "transaction", BEGIN "99 21 " FUP_1004 "06",
	  BEGUN ", reach+ 1004, transaction 1, bits 1" },
	{ .name = "abort", BEGIN "99 22 " FUP_1004 TIP_2000,
	  BEGUN ", reach 1004, transaction 3, interrupt 2000" },
	{ .name = "abort, a branch may be missing", BEGIN "99 22 " FUP_1004 TIP_2000,
	  BEGUN ", reach? 1004, transaction 3, interrupt 2000",
	  INTEL_ERRATUM_BDM64 },
	{ .name = "ptwrite", BEGIN "02 12 44 33 22 11 06",
	  BEGUN ", ptwrite 11223344, bits 1" },
	{ .name = "ptwrite at a place",
	  BEGIN "02 b2 01 00 00 00 00 00 00 00 " FUP_1004 TIP_2000,
	  BEGUN ", reach+ 1004, ptwrite 1, target 2000" },
	{ .name = "iret at a place", BEGIN "02 13 82 00 " FUP_1004 TIP_2000,
	  BEGUN ", reach+ 1004, target 2000" },
	{ .name = "interrupt with its number", BEGIN "02 13 01 0e " FUP_1004 TIP_2000,
	  BEGUN ", reach 1004, interrupt 2000" },
	{ .name = "event data", BEGIN "02 53 00 01 02 03 04 05 06 07 08 06",
	  BEGUN ", bits 1" },
	{ .name = "trigger", BEGIN "d9 00 01 06 d9 40 01 05 00 06",
	  BEGUN ", bits 1, bits 1" },
	{ .name = "trigger at a place", BEGIN "d9 c0 01 00 00 " FUP_1004 TIP_2000,
	  BEGUN ", reach+ 1004, target 2000" },
	{ .name = "power events",
	  BEGIN "02 c2 00 00 00 00 00 00 00 00 02 22 00 00 02 e2 " FUP_1004
	  "02 a2 00 00 00 00 00 06",
	  BEGUN ", reach+ 1004, bits 1" },
	{ .name = "mwait without exstop takes no place",
	  BEGIN "02 c2 00 00 00 00 00 00 00 00 " FUP_1004 PGD,
	  BEGUN ", reach 1004, stop-there" },
	{ .name = "block of items", BEGIN "02 63 04 14 06 06 06 06 06 06 06 06 02 33 06",
	  BEGUN ", bits 1" },
	{ .name = "overflow, then on", BEGIN OVF FUP_1004 "06",
	  BEGUN ", overflow 1004, bits 1" },
	{ .name = "overflow, then off", BEGIN OVF PGE_3000,
	  BEGUN ", overflow, start 3000" },
	{ .name = "overflow, off by what comes first",
	  BEGIN OVF "02 62 02 e2 " FUP_1004,
	  BEGUN ", overflow, reach+ 1004" },
	{ .name = "overflow, on by its address", BEGIN OVF FUP_1004 PGE_3000,
	  BEGUN ", overflow 1004, start 3000" },
	{ .name = "overflow, off in spite of it (APL12)",
	  BEGIN OVF FUP_1004 PGE_3000, BEGUN ", overflow, start 3000",
	  INTEL_ERRATUM_APL12 },
	{ .name = "psb without a start", BEGIN "psb 99 01 02 23",
	  BEGUN ", mode 2, sync" },
	{ .name = "psb with a place before a start", BEGIN PGD BEGIN PGE_3000,
	  BEGUN ", stop, " BEGUN ", start 3000" },
	{ .name = "psb with a place before a start (BDM70)", BEGIN PGD BEGIN PGE_3000,
	  BEGUN ", stop, mode 2, sync, start 3000", INTEL_ERRATUM_BDM70 },
	{ .name = "psb with a place, on (BDM70)", BEGIN "06", BEGUN ", bits 1",
	  INTEL_ERRATUM_BDM70 },
	{ .name = "stop, maybe at a direct branch", BEGIN PGD, BEGUN ", stop?",
	  INTEL_ERRATUM_SKL014 },
	{ .name = "stop there, maybe in a machine", BEGIN FUP_1004 PGD,
	  BEGUN ", reach 1004, stop-there?", INTEL_ERRATUM_SKD022 },
	{ .name = "two cycle counts", BEGIN "f7 02 f3 00 " FUP_1004,
	  BEGUN ", reach 1004" },
	{ .name = "an overflow over a cycle count (SKD007)",
	  BEGIN "f7 02 f3 00 " FUP_1004, BEGUN ", overflow 1004",
	  INTEL_ERRATUM_SKD007 },
	{ .name = "bad TMA (SKZ84)", BEGIN "02 73 00 00 01 00 00 ff 06",
	  BEGUN ", bits 1", INTEL_ERRATUM_SKZ84 },
	{ .name = "no packet", BEGIN "02 ff 06 06 " BEGIN "06",
	  BEGUN ", bad, " BEGUN ", bits 1" },
	{ .name = "cut packet", BEGIN "06 2d 00", BEGUN ", bits 1" },
};
/* clang-format on */

static void write_branch(FILE *out, const struct trace_branch *branch)
{
	static const char *const names[] = {
		[TRACE_BITS] = "bits",
		[TRACE_TARGET] = "target",
		[TRACE_REACH] = "reach",
		[TRACE_INTERRUPT] = "interrupt",
		[TRACE_START] = "start",
		[TRACE_STOP] = "stop",
		[TRACE_STOP_THERE] = "stop-there",
		[TRACE_OVERFLOW] = "overflow",
		[TRACE_SYNC] = "sync",
		[TRACE_MODE] = "mode",
		[TRACE_ADDRESS_SPACE] = "page-table",
		[TRACE_TRANSACTION] = "transaction",
		[TRACE_PTWRITE] = "ptwrite",
		[TRACE_GUEST] = "guest",
		[TRACE_MACHINE] = "machine",
		[TRACE_GAP] = "bad",
	};
	bool is_whole = branch->kind == TRACE_TARGET && branch->has_address &&
			!branch->is_partial;

	fprintf(out, "%s%s%s%s", names[branch->kind],
		branch->is_bound ? "+" : "", branch->is_unsure ? "?" : "",
		is_whole ? "!" : "");
	if (branch->kind == TRACE_BITS) {
		fputc(' ', out);
		for (int i = branch->count; i-- > 0;)
			fputc(branch->payload >> i & 1 ? '1' : '0', out);
	} else if (branch->has_address || (branch->kind >= TRACE_MODE &&
					   branch->kind <= TRACE_PTWRITE)) {
		if (branch->count)
			fputs(" again", out);
		fprintf(out, " %" PRIx64, branch->payload);
	}
}

/* Bytes of which only the most recently requested range is valid. */
struct scarce {
	const uint8_t *bytes;
	size_t size;
	uint8_t *asked;
};

static const uint8_t *give_asked(void *ctx, size_t from, size_t to)
{
	struct scarce *scarce = ctx;

	free(scarce->asked);
	scarce->asked = malloc(scarce->size);
	memset(scarce->asked, 0xff, scarce->size);
	if (to > scarce->size)
		to = scarce->size;
	memcpy(scarce->asked + from, scarce->bytes + from, to - from);
	return scarce->asked;
}

static void read_all(const uint8_t *bytes, size_t size, uint32_t errata,
		     bool is_scarce, char **text)
{
	const struct intel_setup setup = { .errata = errata };
	struct scarce scarce = { .bytes = bytes, .size = size };
	struct trace_branch_batch batch;
	struct intel_branches *branches;
	size_t length;
	const char *comma = "";
	FILE *out = open_memstream(text, &length);

	branches = intel_branches_new(is_scarce ? NULL : bytes, size,
				      intel_psb_find(bytes, size, 0), &setup);
	ck_assert_ptr_nonnull(branches);
	if (is_scarce)
		intel_branches_set_reach(branches, give_asked, &scarce);
	while (intel_branches_next(branches, &batch) > 0)
		for (uint32_t i = 0; i < batch.count; i++) {
			fputs(comma, out);
			write_branch(out, &batch.branches[i]);
			comma = ", ";
		}
	intel_branches_free(branches);
	free(scarce.asked);
	fclose(out);
}

START_TEST(packets_are_branches)
{
	const struct row *row = &rows[_i / 2];
	uint8_t bytes[512];
	size_t size = fixture_intel_bytes(row->trace, bytes, sizeof(bytes));
	char *text;

	read_all(bytes, size, row->errata, _i % 2, &text);
	ck_assert_msg(!strcmp(text, row->branches), "%s:\n%s\nmeant is\n%s",
		      row->name, text, row->branches);
	free(text);
}
END_TEST

/* A packet 80 KB later decides whether tracing starts after a PSB. */
START_TEST(the_deciding_packet_may_be_far_ahead)
{
	enum { MTCS = 40000, ROOM = 512 + MTCS * 2 };
	uint8_t *bytes = malloc(ROOM);
	size_t size = fixture_intel_bytes(BEGIN PGD BEGIN, bytes, ROOM);
	char *text;

	for (int i = 0; i < MTCS; i++)
		size += fixture_intel_bytes("59 20", bytes + size, ROOM - size);
	size += fixture_intel_bytes(PGE_3000, bytes + size, ROOM - size);
	read_all(bytes, size, INTEL_ERRATUM_BDM70, true, &text);
	ck_assert_str_eq(text, BEGUN ", stop, mode 2, sync, start 3000");
	free(text);
	free(bytes);
}
END_TEST

/* The clock runs by cycles between two timestamps: 40 cycles in 100 ticks, each
 * taken for 1 tick, so for 60 ticks nothing ran.
 */
START_TEST(branches_have_bounds)
{
	static const char trace[] =
		"psb 19 e8 03 00 00 00 00 00 99 01 7d 00 10 00 00 00 00 02 23 "
		"53 06 a3 2d 00 20 53 19 4c 04 00 00 00 00 00";
	const struct intel_setup setup = { .errata = 0 };
	struct trace_branch_batch batch;
	struct intel_branches *branches;
	uint8_t bytes[128];
	size_t size = fixture_intel_bytes(trace, bytes, sizeof(bytes));

	branches = intel_branches_new(bytes, size,
				      intel_psb_find(bytes, size, 0), &setup);
	ck_assert_int_eq(intel_branches_next(branches, &batch), 1);
	ck_assert_uint_eq(batch.count, 4);
	ck_assert_uint_eq(batch.branches[2].kind, TRACE_BITS);
	ck_assert_uint_eq(batch.branches[2].low >> TRACE_TICK_SHIFT, 1010);
	ck_assert_uint_eq(batch.branches[2].high >> TRACE_TICK_SHIFT, 1070);
	ck_assert(!batch.branches[2].is_exact);
	ck_assert_uint_eq(batch.branches[3].kind, TRACE_TARGET);
	ck_assert_uint_eq(batch.branches[3].low >> TRACE_TICK_SHIFT, 1030);
	ck_assert_uint_eq(batch.branches[3].high >> TRACE_TICK_SHIFT, 1090);
	ck_assert(batch.branches[3].has_estimate);
	ck_assert_int_eq(intel_branches_next(branches, &batch), 0);
	intel_branches_free(branches);
}
END_TEST

/* Packets that belong together are in one batch, however many there are. */
START_TEST(a_batch_ends_where_nothing_is_torn)
{
	enum { ROUNDS = 20000 };
	const struct intel_setup setup = { .errata = 0 };
	enum { ROOM = 512 + ROUNDS * 4 };
	uint8_t *bytes = malloc(ROOM);
	size_t size = fixture_intel_bytes(BEGIN, bytes, ROOM);
	struct trace_branch_batch batch;
	struct intel_branches *branches;
	uint64_t count = 0;

	for (int i = 0; i < ROUNDS; i++)
		size += fixture_intel_bytes("06 2d 00 20", bytes + size,
					    ROOM - size);
	branches = intel_branches_new(bytes, size,
				      intel_psb_find(bytes, size, 0), &setup);
	while (intel_branches_next(branches, &batch) > 0) {
		ck_assert_uint_gt(batch.count, 0);
		ck_assert_uint_eq(batch.branches[batch.count - 1].kind,
				  TRACE_TARGET);
		count += batch.count;
	}
	ck_assert_uint_eq(count, 2 + 2 * ROUNDS);
	intel_branches_free(branches);
	free(bytes);
}
END_TEST

/* A trace of each erratum, and its items with and without the erratum. */
static const struct {
	uint32_t erratum;
	const char *trace;
	const char *with;
	const char *without;
} errata[] = {
	{ INTEL_ERRATUM_BDM64, BEGIN "99 22 " FUP_1004 TIP_2000,
	  BEGUN ", reach? 1004, transaction 3, interrupt 2000",
	  BEGUN ", reach 1004, transaction 3, interrupt 2000" },
	{ INTEL_ERRATUM_BDM70, BEGIN "21 00 50 " BEGIN PGE_3000,
	  BEGUN ", stop 5000, mode 2, sync, start 3000",
	  BEGUN ", stop 5000, " BEGUN ", start 3000" },
	{ INTEL_ERRATUM_SKD007, BEGIN "f7 02 f3 00 " FUP_1004,
	  BEGUN ", overflow 1004", BEGUN ", reach 1004" },
	{ INTEL_ERRATUM_SKD022, BEGIN FUP_1004 PGD,
	  BEGUN ", reach 1004, stop-there?", BEGUN ", reach 1004, stop-there" },
	{ INTEL_ERRATUM_SKL014, BEGIN PGD, BEGUN ", stop?", BEGUN ", stop" },
	{ INTEL_ERRATUM_APL12, BEGIN OVF FUP_1004 PGE_3000,
	  BEGUN ", overflow, start 3000", BEGUN ", overflow 1004, start 3000" },
	{ INTEL_ERRATUM_SKZ84, BEGIN "02 73 00 00 01 00 00 ff 06",
	  BEGUN ", bits 1", BEGUN },
};

#define BDM64 INTEL_ERRATUM_BDM64
#define BDM70 INTEL_ERRATUM_BDM70
#define SKD007 INTEL_ERRATUM_SKD007
#define SKD022 INTEL_ERRATUM_SKD022
#define SKL014 INTEL_ERRATUM_SKL014
#define APL12 INTEL_ERRATUM_APL12
#define SKZ84 INTEL_ERRATUM_SKZ84

/* Families and models in decimal, as perf writes them, with the errata that
 * Intel's specification updates list.
 */
static const struct {
	const char *cpuid;
	uint32_t errata;
} processors[] = {
	{ "GenuineIntel,6,61,4", BDM64 | BDM70 }, /* Broadwell */
	{ "GenuineIntel,6,71,1", BDM64 | BDM70 },
	{ "GenuineIntel,6,79,1", BDM64 | BDM70 },
	{ "GenuineIntel,6,86,3", BDM64 | BDM70 },
	{ "GenuineIntel,6,78,3", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,94,3", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,142,10", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,158,10", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,165,2", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,166,0", BDM70 | SKD007 | SKD022 | SKL014 },
	{ "GenuineIntel,6,85,4", BDM70 | SKD022 | SKL014 | SKZ84 },
	{ "GenuineIntel,6,106,6", BDM70 | SKD022 | SKL014 | SKZ84 },
	{ "GenuineIntel,6,108,1", BDM70 | SKD022 | SKL014 | SKZ84 },
	{ "GenuineIntel,6,143,8", BDM70 | SKD022 | SKZ84 },
	{ "GenuineIntel,6,207,2", BDM70 | SKD022 | SKZ84 },
	{ "GenuineIntel,6,173,1", BDM70 | SKD022 | SKZ84 },
	{ "GenuineIntel,6,174,1", BDM70 | SKD022 | SKZ84 },
	{ "GenuineIntel,19,1,0", BDM70 | SKD022 | SKZ84 }, /* Diamond Rapids */
	{ "GenuineIntel,6,102,3", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,125,1", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,126,5", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,140,1", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,141,1", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,167,1", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,168,1", BDM70 | SKD022 | SKL014 },
	{ "GenuineIntel,6,151,2", BDM70 | SKD022 },
	{ "GenuineIntel,6,154,3", BDM70 | SKD022 },
	{ "GenuineIntel,6,186,2", BDM70 | SKD022 },
	{ "GenuineIntel,6,183,1", BDM70 | SKD022 },
	{ "GenuineIntel,6,191,2", BDM70 | SKD022 },
	{ "GenuineIntel,6,197,2", BDM70 | SKD022 },
	{ "GenuineIntel,6,198,2", BDM70 | SKD022 },
	{ "GenuineIntel,6,181,0", BDM70 | SKD022 },
	{ "GenuineIntel,6,170,4", BDM70 | SKD022 },
	{ "GenuineIntel,6,172,0", BDM70 | SKD022 },
	{ "GenuineIntel,6,189,1", BDM70 | SKD022 },
	{ "GenuineIntel,6,204,0", BDM70 | SKD022 },
	{ "GenuineIntel,6,213,0", BDM70 | SKD022 },
	{ "GenuineIntel,18,1,0", BDM70 | SKD022 }, /* Nova Lake */
	{ "GenuineIntel,18,3,0", BDM70 | SKD022 },
	{ "GenuineIntel,6,92,9", APL12 }, /* Apollo Lake */
	{ "GenuineIntel,6,95,1", APL12 },
	{ "GenuineIntel,6,122,1", 0 }, /* Gemini Lake */
	/* No Intel PT errata: no such processor exists. */
	{ "GenuineIntel,12,1,0", 0 },
	{ "GenuineIntel,13,1,0", 0 },
	{ "GenuineIntel,6,1,3", 0 },
	{ "GenuineIntel,262,78,3", 0 },
	{ "AuthenticAMD,6,78,3", 0 },
	{ "", 0 },
};

START_TEST(errata_are_of_processors)
{
	uint32_t has = intel_errata_of(processors[_i].cpuid);

	ck_assert_msg(has == processors[_i].errata, "%s: %#x, meant is %#x",
		      processors[_i].cpuid, has, processors[_i].errata);
	for (size_t i = 0; i < sizeof(errata) / sizeof(*errata); i++) {
		bool with = processors[_i].errata & errata[i].erratum;
		const char *meant = with ? errata[i].with : errata[i].without;
		uint8_t bytes[512];
		size_t size = fixture_intel_bytes(errata[i].trace, bytes,
						  sizeof(bytes));
		char *text;

		read_all(bytes, size, has, false, &text);
		ck_assert_msg(!strcmp(text, meant), "%s:\n%s\nmeant is\n%s",
			      processors[_i].cpuid, text, meant);
		free(text);
	}
}
END_TEST

SUITE("intel_branches")
{
	TEST_TIMES(packets_are_branches, 2 * sizeof(rows) / sizeof(*rows));
	TEST(the_deciding_packet_may_be_far_ahead);
	TEST(branches_have_bounds);
	TEST(a_batch_ends_where_nothing_is_torn);
	TEST_EACH(errata_are_of_processors, processors);
}

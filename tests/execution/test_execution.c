/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "execution/stream/stream_checkpoint.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include "decoder/flow/flow.h"
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL UINT64_C(0xffffffff81001000)
#define USER 0x401000

/* The code, by the last 16 bits of its addresses:
 * 	1000	call 1008
 * 	1005	nop
 * 	1006	jne 1000
 * 	1008	nop
 * 	1009	ret
 * 	100a	jmp *%rax
 * 	100c	wrmsr
 * 	100e	mov %rax, %cr3
 * 	1011	sysretq
 * 	1014	push %es (not in 64-bit mode)
 * 	1015	call 101a
 * 	101a	pop %rax
 * 	101b	ret
 * 	101c	vmlaunch
 * 	101f	call *%rax
 * 	1021	je 1000
 * 	1023	jmp 1028
 * 	1025	nop
 * 	1028	jmp 1030
 * 	1030	nop (the last known byte)
 */
static const uint8_t code[] = {
	0xe8, 0x03, 0,	  0,	0,    0x90, 0x75, 0xf8, 0x90, 0xc3,
	0xff, 0xe0, 0x0f, 0x30, 0x0f, 0x22, 0xd8, 0x48, 0x0f, 0x07,
	0x06, 0xe8, 0,	  0,	0,    0,    0x58, 0xc3, 0x0f, 0x01,
	0xc2, 0xff, 0xd0, 0x74, 0xdd, 0xeb, 0x03, 0x90, 0x90, 0x90,
	0xeb, 0x06, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
};

/* PSB+ of 64-bit code at an address of the kernel's. */
#define AT(low, high) "psb 99 01 7d " low " " high " 00 81 ff ff 02 23 "
#define TIP(low, high) "2d " low " " high " "
#define FUP(low, high) "3d " low " " high " "
#define PGE(low, high) "31 " low " " high " "
#define PGD "01 "

/* A second copy, 16 MiB further: the zeros between are no copy. */
#define MORE (KERNEL + (16 << 20))

static const struct row {
	const char *name;
	const char *trace;
	const char *items;
} rows[] = {
	{ "a call, a return as a bit, a branch not taken",
	  AT("00", "10") "0c " TIP("0c", "10"),
	  "call 1000-1000, return 1008-1009, conditional 1005-1006, "
	  "return 1008-1009" },
	{ "a branch taken", AT("05", "10") "0e " TIP("0c", "10"),
	  "conditional 1005-1006, call 1000-1000, return 1008-1009, "
	  "conditional 1005-1006, gap bad trace" },
	{ "a return without a call is no bit", AT("08", "10") "06 ",
	  "return 1008-1009, gap bad trace" },
	{ "an interrupt and back",
	  AT("05", "10") FUP("06", "10") TIP("11", "10")
		  TIP("06", "10") "04 " TIP("0c", "10"),
	  "none 1005-1005, async 1006, far-return 1011-1011, "
	  "conditional 1006-1006, return 1008-1009" },
	{ "a system call's word out", AT("0e", "10") PGD PGE("00", "10"),
	  "none 100e-100e, far-return 1011-1011, stop untraced, start 1000" },
	{ "the unit is switched off", AT("0c", "10") FUP("0e", "10") PGD,
	  "none 100c-100c, stop off" },
	{ "a page table set on the word",
	  AT("0e", "10") "02 43 02 02 00 00 00 00 " TIP("05", "10"),
	  "none 100e-100e, page-table 2020, far-return 1011-1011" },
	{ "an unknown instruction, and on behind it",
	  AT("14", "10") "06 06 " TIP("08", "10") TIP("0c", "10"),
	  "gap unknown instruction, return 1008-1009" },
	{ "no code, and on at the next address",
	  AT("00", "50") "06 06 " TIP("08", "10") TIP("0c", "10"),
	  "gap no code, return 1008-1009" },
	{ "no code, and on at an interrupt",
	  AT("00", "50") "06 " FUP("05", "10") TIP("08", "10") TIP("0c", "10"),
	  "gap no code, async 1005, return 1008-1009" },
	{ "no code, and then a return from there",
	  AT("00", "50") "06 " TIP("08", "10") "06 ",
	  "gap no code, return 1008-1009, gap no code" },
	{ "where the unit forgets its calls, too",
	  AT("00", "50") "06 " AT("08", "10") "06 ",
	  "gap no code, return 1008-1009, gap bad trace" },
	{ "a hole between two copies, and on in the second",
	  AT("0a", "10") TIP("00", "50") "06 06 "
					 "4d 08 10 00 82 " TIP("0c", "10"),
	  "jump 100a-100a, gap no code, return 1008-1009" },
	{ "trace and code do not agree",
	  AT("06", "10") TIP("08", "10") TIP("0c", "10"),
	  "conditional 1006-1006, gap bad trace, return 1008-1009" },
	{ "what is no packet is skipped",
	  AT("06", "10") "02 ff " AT("08", "10") TIP("0c", "10"),
	  "gap bad trace, return 1008-1009" },
	{ "two damaged stretches in a row are one gap",
	  AT("06", "10") "02 ff psb 02 ff " AT("08", "10") TIP("0c", "10"),
	  "gap bad trace, return 1008-1009" },
	{ "a call to what is behind it is no call",
	  AT("00", "10") FUP("08", "10") TIP("15", "10") "06 " TIP("0c", "10"),
	  "call 1000-1000, async 1008, call 1015-1015, return 101a-101b, "
	  "conditional 1005-1006, gap bad trace" },
	{ "a start although the unit did not stop",
	  AT("00", "10") "06 " PGE("08", "10") TIP("0c", "10"),
	  "call 1000-1000, return 1008-1009, gap bad trace, start 1008, "
	  "return 1008-1009" },
	{ "an overflow",
	  AT("05", "10") "02 f3 " FUP("08", "10") TIP("0c", "10"),
	  "gap overflow, return 1008-1009" },
	{ "an overflow, then off",
	  AT("05", "10") "02 f3 " PGE("08", "10") TIP("0c", "10"),
	  "gap overflow, stop untraced, start 1008, "
	  "return 1008-1009" },
	{ "an overflow without a word, and a branch",
	  AT("05", "10") "02 f3 " TIP("08", "10") TIP("0c", "10"),
	  "gap overflow, stop untraced, return 1008-1009" },
	{ "a target that comes behind the bits after it",
	  AT("1f", "10") "0c " TIP("08", "10") TIP("0c", "10"),
	  "call 101f-101f, return 1008-1009, conditional 1021-1021, "
	  "jump 1023-1023, jump 1028-1028, none 1030-1030, gap no code" },
	{ "a switched off unit that says branches",
	  AT("0c", "10") FUP("0e", "10") PGD TIP("08", "10") TIP("0c", "10"),
	  "none 100c-100c, stop off, gap bad trace, return 1008-1009" },
	{ "a damaged address, and one that shares bits with it",
	  AT("0a", "10") "6d 00 10 40 00 00 00 4d 08 10 00 81 " TIP("0c", "10"),
	  "jump 100a-100a, gap no code, return 1008-1009" },
	{ "16-bit code",
	  "psb 99 00 7d 08 10 00 81 ff ff 02 23 " TIP("0c", "10"),
	  "return 1008-1009" },
	{ "a mode that changed unseen",
	  AT("05", "10") "psb 99 02 7d 05 10 00 81 ff ff 02 23 04 " AT(
		  "08", "10") TIP("0c", "10"),
	  "gap bad trace, return 1008-1009" },
};

static struct recording_fixture fixture;
static struct flow_run run;

static void add_trace(const char *text)
{
	uint8_t bytes[512];

	recording_fixture_trace(&fixture, 0, bytes,
				fixture_intel_bytes(text, bytes,
						    sizeof(bytes)));
}

static void set_up(void)
{
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, KERNEL, code, sizeof(code));
	recording_fixture_more_code(&fixture, MORE, code, sizeof(code));
}

static void tear_down(void)
{
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static unsigned int low(uint64_t address)
{
	return address & 0xffff;
}

static bool write_item(FILE *out, const struct flow_item *item)
{
	switch ((enum flow_kind)item->kind) {
	case FLOW_BLOCK:
		fprintf(out, "%s %x-%x", flow_exit_text(item->detail),
			low(item->ip), low(item->ip + item->last));
		return true;
	case FLOW_ASYNC:
		fprintf(out, "async %x", low(item->ip));
		return true;
	case FLOW_START:
		fprintf(out, "start %x", low(item->ip));
		return true;
	case FLOW_STOP:
		fprintf(out, "stop %s",
			item->detail == FLOW_STOP_LEVEL ? "untraced" :
			item->detail == FLOW_STOP_OFF	? "off" :
			item->detail == FLOW_STOP_GUEST ? "guest" :
							  "filter");
		if (item->detail == FLOW_STOP_GUEST && item->ip)
			fprintf(out, " %" PRIx64, item->ip);
		return true;
	case FLOW_GAP:
		fprintf(out, "gap %s", flow_gap_text(item->detail));
		return true;
	case FLOW_ADDRESS_SPACE:
		fprintf(out, "page-table %" PRIx64, item->ip);
		return true;
	case FLOW_SWITCH:
		fprintf(out, "switch %d", flow_switch_tid(item));
		return true;
	case FLOW_MODE:
	case FLOW_TRANSACTION:
	case FLOW_PTWRITE:
	case FLOW_END:
		break;
	}
	return false;
}

typedef int open_source(const struct flow_input *input,
			struct flow_source **source);

/* Returns the stream's items as @open decodes them, without modes and the end. */
static char *decode(open_source *open, const char *root)
{
	const struct flow_item *items;
	struct flow_input input = { 0 };
	struct flow_source *source;
	const char *comma = "";
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int count;

	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, root), 0);
	input.recording = run.recording;
	input.stream = recording_stream(run.recording, 0);
	input.image = run.image;
	ck_assert_int_eq(open(&input, &source), 0);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			if (i + 1 < count || items[i].kind != FLOW_END)
				fputs(items[i].kind == FLOW_MODE ? "" : comma,
				      out);
			if (write_item(out, &items[i]))
				comma = ", ";
		}
	flow_source_close(source);
	fclose(out);
	return text;
}

static void check_source(open_source *open, const char *name, const char *items)
{
	char *text = decode(open, fixture.path);

	ck_assert_msg(!strcmp(text, items), "%s:\n%s\nmeant is\n%s", name, text,
		      items);
	free(text);
}

static void check(const char *name, const char *items)
{
	check_source(execution_blocks.open, name, items);
}

START_TEST(trace_and_code_are_items)
{
	add_trace(rows[_i].trace);
	check(rows[_i].name, rows[_i].items);
}
END_TEST

/* Filters are of the code from 1000 to 1008; the stop names no address. */
static const struct row filtered[] = {
	{ "a direct call out of the filter (SKL014)", AT("00", "10") PGD,
	  "call 1000-1000, stop untraced" },
	{ "a jump behind one that stays inside (SKL014)", AT("23", "10") PGD,
	  "jump 1023-1023, stop untraced" },
	{ "a system call's word out all the same (SKL014)", AT("0e", "10") PGD,
	  "none 100e-100e, far-return 1011-1011, stop untraced" },
	{ "a virtual machine's entry (SKD022)",
	  AT("1c", "10") FUP("1c", "10") PGD,
	  "far-return 101c-101c, stop guest" },
};

START_TEST(errata_of_the_processor_count)
{
	recording_fixture_end(&fixture);
	recording_fixture_begin_filtered(&fixture,
					 "filter 0xffffffff81001000/0x8,"
					 "filter 0xffffffff81001024/0x2");
	recording_fixture_code(&fixture, KERNEL, code, sizeof(code));
	fixture.cpuid = "GenuineIntel,6,78,3";
	add_trace(filtered[_i].trace);
	check(filtered[_i].name, filtered[_i].items);
}
END_TEST

#define PIP_HOST "02 43 02 02 00 00 00 00 "
#define PIP_GUEST "02 43 03 03 00 00 00 00 "
#define PIP_OTHER "02 43 05 05 00 00 00 00 "
#define VMCS_1 "02 c8 34 12 00 00 00 "
#define VMCS_2 "02 c8 78 56 00 00 00 "
#define GUEST_RUNS "06 06 " TIP("08", "10") "0c " TIP("00", "50")
#define EXIT FUP("05", "10") PIP_HOST TIP("1f", "10")
#define ENTERED "far-return 101c-101c, stop guest"

/* A guest at the addresses of the host's code.  Its VM exit goes to 101f, the
 * instruction after the vmlaunch.
 */
static const struct guest_row {
	const char *name;
	const char *trace;
	const char *items;
	const char *library; /* why libipt's items are others; NULL: equal */
} guests[] = {
	{ "entry and exit",
	  AT("1c", "10") PIP_GUEST TIP("00", "10")
		  GUEST_RUNS EXIT TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f", NULL },
	{ "two guests that the VMCS tells apart",
	  AT("1c", "10") VMCS_1 PIP_GUEST TIP("00", "10") GUEST_RUNS EXIT TIP(
		  "1c", "10") VMCS_2 PIP_OTHER TIP("05", "10")
		  GUEST_RUNS EXIT TIP("0c", "10"),
	  ENTERED
	  " 1234000, page-table 2020, start 101f, call 101f-101f, " ENTERED
	  " 5678000, start 101f, call 101f-101f",
	  NULL },
	{ "two guests that the page table tells apart",
	  AT("1c", "10") PIP_GUEST TIP("00", "10")
		  GUEST_RUNS EXIT TIP("1c", "10") PIP_OTHER TIP("05", "10")
			  GUEST_RUNS EXIT TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f, " ENTERED
		  " 5040, start 101f, call 101f-101f",
	  NULL },
	{ "an interrupt and a new page table inside",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") GUEST_RUNS FUP("00", "10")
		  TIP("05", "10") PIP_OTHER
	  "06 " GUEST_RUNS EXIT TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f", NULL },
	{ "user code inside, where the kernel alone is traced",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "06 " PGD PGE(
		  "08", "10") "06 " PGD PIP_HOST PGE("1f", "10")
		  TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f", NULL },
	{ "transaction, PTWRITE and 32-bit code inside",
	  AT("1c", "10") PIP_GUEST "99 02 " TIP("00", "10") "99 21 " FUP(
		  "05", "10") "02 12 44 33 22 11 06 " FUP("05", "10") PIP_HOST
	  "99 01 " TIP("1f", "10") TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f", NULL },
	{ "a synchronisation point inside",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") GUEST_RUNS
	  "psb " PIP_GUEST
	  "99 01 7d 00 10 00 81 ff ff 02 23 " GUEST_RUNS EXIT TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f", NULL },
	{ "the first synchronisation point inside",
	  "psb " PIP_GUEST VMCS_1
	  "99 01 7d 00 10 00 81 ff ff 02 23 " GUEST_RUNS EXIT TIP("0c", "10"),
	  "stop guest 3020, page-table 2020, start 101f, call 101f-101f",
	  NULL },
	{ "an overflow inside, then an exit",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "06 02 f3 " FUP("08", "10")
		  TIP("0c", "10") EXIT TIP("0c", "10"),
	  ENTERED " 3020, gap overflow, page-table 2020, call 101f-101f",
	  "it starts again after the overflow" },
	{ "an overflow inside, then a synchronisation point of the host",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "06 02 f3 " FUP("08", "10")
		  TIP("0c", "10") "psb " PIP_HOST
				  "99 01 7d 1f 10 00 81 ff ff 02 23 " TIP("0c",
									  "10"),
	  ENTERED " 3020, gap overflow, page-table 2020, call 101f-101f",
	  "it starts again after the overflow" },
	{ "an overflow inside, then inside still",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "06 02 f3 " FUP("08", "10")
		  TIP("0c", "10") PIP_GUEST "06 " EXIT TIP("0c", "10"),
	  ENTERED " 3020, gap overflow, stop guest 3020, page-table 2020, "
		  "start 101f, call 101f-101f",
	  "it starts again after the overflow" },
	{ "an overflow that the trace goes off with",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "06 02 f3 " PGE(
		  "08", "10") "06 " EXIT TIP("0c", "10"),
	  ENTERED " 3020, gap overflow, page-table 2020, call 101f-101f",
	  "it starts again after the overflow" },
	{ "bytes inside that are no packet",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") "02 ff " AT("1f", "10")
		  TIP("0c", "10"),
	  ENTERED " 3020, gap bad trace, call 101f-101f",
	  "it reads ahead of the stop" },
	{ "an exit to code outside of the filter",
	  AT("1c", "10") PIP_GUEST TIP("00", "10") GUEST_RUNS FUP("05", "10")
		  PIP_HOST PGD PGE("08", "10") TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, stop untraced, start 1008, "
		  "return 1008-1009",
	  "that takes two packets in the place of one" },
	{ "a guest that is not traced",
	  AT("1c", "10") PGD PGE("1f", "10") TIP("0c", "10"),
	  ENTERED ", start 101f, call 101f-101f", NULL },
	{ "a guest that is not traced, of a VMCS, and a synchronisation point",
	  AT("1c", "10") VMCS_1 PGD
	  "psb 02 23 71 1f 10 00 81 ff ff " TIP("0c", "10"),
	  ENTERED " 1234000, start 101f, call 101f-101f", NULL },
	{ "with Event Trace",
	  AT("1c", "10") "02 13 87 00 " FUP("1c", "10") PIP_GUEST TIP(
		  "00", "10") GUEST_RUNS "02 53 02 00 00 00 00 00 00 00 00 "
					 "02 13 08 00 " EXIT TIP("0c", "10"),
	  ENTERED " 3020, page-table 2020, start 101f, call 101f-101f",
	  "libipt 2.0 does not know its packets" },
};

START_TEST(trace_of_guests_is_not_followed)
{
	add_trace(guests[_i].trace);
	check(guests[_i].name, guests[_i].items);
}
END_TEST

START_TEST(the_library_does_not_follow_guests_either)
{
	char name[128];

	if (guests[_i].library)
		return;
	snprintf(name, sizeof(name), "libipt: %s", guests[_i].name);
	add_trace(guests[_i].trace);
	check_source(flow_source_open, name, guests[_i].items);
}
END_TEST

/* A virtual machine entry that looks like an interrupt (SKD022), on processors
 * that libipt 2.0 does not support.
 */
START_TEST(the_library_has_the_same_errata)
{
	static const char *const cpuids[] = { "GenuineIntel,6,207,2",
					      "GenuineIntel,6,189,1",
					      "GenuineIntel,18,1,0",
					      "GenuineIntel,19,1,0" };

	fixture.cpuid = cpuids[_i];
	add_trace(AT("1c", "10") FUP("1c", "10") PGD);
	check_source(flow_source_open, cpuids[_i],
		     "far-return 101c-101c, stop guest");
}
END_TEST

static void poke(uint64_t time_ns, uint64_t address, const uint8_t *old,
		 const uint8_t *new)
{
	const struct fixture_origin origin = { 1, 1, time_ns };
	struct {
		uint64_t address;
		uint16_t sizes[2];
		uint8_t bytes[4];
	} record = { address, { 2, 2 }, { old[0], old[1], new[0], new[1] } };

	recording_fixture_record(&fixture, PERF_RECORD_TEXT_POKE, 0, &record,
				 sizeof(record), &origin);
}

/* The jne becomes a jmp, then a jne again: the graph's cached block is
 * discarded. Code is read when control reaches it.
 */
START_TEST(code_that_is_patched_is_read_again)
{
	static const uint8_t jne[] = { 0x75, 0xf8 };
	static const uint8_t jmp[] = { 0xeb, 0x00 };

	add_trace(
		"psb 19 e8 03 00 00 00 00 00 99 01 7d 05 10 00 81 ff ff "
		"02 23 04 " TIP("05", "10") "19 d0 07 00 00 00 00 00 04 " TIP("05", "10") "19 b8 0b 00 00 00 00 00 " TIP(
			"05",
			"10") "19 a0 0f 00 00 00 00 00 " TIP("05",
							     "10") "19 88 13 00 00 00 00 00 04 " TIP("0c",
												     "10"));
	poke(2000, KERNEL + 6, jne, jmp);
	poke(4000, KERNEL + 6, jmp, jne);
	check("patches", "conditional 1005-1006, return 1008-1009, "
			 "conditional 1005-1006, return 1008-1009, "
			 "jump 1005-1006, return 1008-1009, "
			 "jump 1005-1006, return 1008-1009, "
			 "conditional 1005-1006, return 1008-1009");
}
END_TEST

/* Before and after the record of it: the other instruction is never run. */
START_TEST(the_breakpoint_of_a_patch_is_at_the_traced_address)
{
	static const uint8_t jne[] = { 0x75, 0xf8 };
	static const uint8_t jmp[] = { 0xeb, 0x00 };

	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 05 10 00 81 ff ff "
		  "02 23 " FUP("06", "10") TIP("11", "10") TIP("08", "10") TIP(
			  "05", "10") "19 b8 0b 00 00 00 00 00 " TIP("05", "10")
			  FUP("06", "10") TIP("11", "10") TIP("08", "10")
				  TIP("0c", "10"));
	poke(2000, KERNEL + 6, jne, jmp);
	check("breakpoints",
	      "none 1005-1005, async 1006, far-return 1011-1011, "
	      "return 1008-1009, jump 1005-1006, return 1008-1009, "
	      "none 1005-1005, async 1006, far-return 1011-1011, "
	      "return 1008-1009");
}
END_TEST

static void change_task(int32_t pid, uint64_t time_ns)
{
	const struct fixture_origin origin = { pid == 1 ? 2 : 1,
					       pid == 1 ? 2 : 1, time_ns };
	const int32_t next[] = { pid, pid };

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &origin);
}

/* Two programs have code at one address: each runs its own code, also when it
 * runs again.
 */
START_TEST(two_programs_run_their_own_code)
{
	static const uint8_t first[] = { 0x90, 0xff, 0xe0 };
	static const uint8_t second[] = { 0xff, 0xe0 };
	const struct fixture_origin origin = { 1, 1, 900 };
	const int32_t start[] = { 1, 1 };

	recording_fixture_program(&fixture, 1, "first", USER, first,
				  sizeof(first));
	recording_fixture_program(&fixture, 2, "second", USER, second,
				  sizeof(second));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &origin);
	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 00 10 40 00 00 00 "
		  "02 23 " TIP("00", "10") "19 d0 07 00 00 00 00 00 " TIP("00",
									  "10")
			  TIP("00", "10") "19 b8 0b 00 00 00 00 00 " TIP("00",
									 "10")
				  TIP("00", "10") "19 a0 0f 00 00 00 00 00 ");
	change_task(2, 2000);
	change_task(1, 3000);
	check("programs",
	      "jump 1000-1001, jump 1000-1001, switch 2, jump 1000-1000, "
	      "jump 1000-1000, switch 1, jump 1000-1001");
}
END_TEST

/* Compares all items except the switch, whose place in the list is by time. */
static void check_without_switch(const char *name, const char *items)
{
	static const char found[] = ", switch 2";
	char *text = decode(execution_blocks.open, fixture.path);
	char *at = strstr(text, found);

	ck_assert_msg(at, "%s: no switch in\n%s", name, text);
	memmove(at, at + strlen(found), strlen(at + strlen(found)) + 1);
	ck_assert_msg(!strcmp(text, items), "%s:\n%s\nmeant is\n%s", name, text,
		      items);
	free(text);
}

/* The unit's only time stamps are at 1000 and 4000, the bounds of all blocks:
 * the middle of the bounds does not order them and a switch at times_ns[_i].
 * Each program has code at an address where the other has none.
 */
START_TEST(a_switch_is_where_the_trace_leaves_user_space)
{
	static const uint64_t times_ns[] = { 1100, 2500, 3900 };
	static const uint8_t jump[] = { 0x90, 0xff, 0xe0 };
	const struct fixture_origin origin = { 1, 1, 900 };
	const int32_t start[] = { 1, 1 };

	recording_fixture_program(&fixture, 1, "first", USER, jump,
				  sizeof(jump));
	recording_fixture_program(&fixture, 2, "second", USER + 0x1000, jump,
				  sizeof(jump));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &origin);
	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 00 10 40 00 00 00 "
		  "02 23 " TIP("00", "10") TIP("00", "10") PGD PGE("00", "20")
			  TIP("00", "20")
				  TIP("00", "20") "19 a0 0f 00 00 00 00 00 ");
	change_task(2, times_ns[_i]);
	check_without_switch(
		"order",
		"jump 1000-1001, jump 1000-1001, jump 1000-1001, "
		"stop untraced, start 2000, jump 2000-2001, jump 2000-2001");
}
END_TEST

/* The unit writes no time when it is switched off: the stop's estimated time is
 * 3000, when it is switched on again.  The switches at 1500 and 2500 follow the
 * stop, in both engines; the one at 900 precedes it.
 */
START_TEST(switches_follow_a_stop_that_may_be_earlier)
{
	open_source *const engines[] = { execution_blocks.open,
					 flow_source_open };
	static const char items[] =
		"switch 2, none 100c-100c, stop off, switch 1, switch 2, "
		"start 1008, return 1008-1009";

	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 0c 10 00 81 ff ff "
		  "02 23 " FUP("0e", "10") PGD
		  "19 b8 0b 00 00 00 00 00 " PGE("08", "10") TIP("0c", "10"));
	change_task(2, 900);
	change_task(1, 1500);
	change_task(2, 2500);
	check_source(engines[_i], _i ? "libipt" : "graph", items);
}
END_TEST

static void list_event(void *ctx, const struct function_event *event)
{
	if (event->kind == FUNCTION_SWITCH)
		fprintf(ctx, "switch %d ", (int)(event->address & 0xffff));
	else if (event->kind != FUNCTION_TRACE_START &&
		 event->kind != FUNCTION_END)
		fprintf(ctx, "%s %x ",
			event->kind == FUNCTION_RETURN ? "return" : "enter",
			low(event->address));
}

/* The unit's only time stamps are at 1000 and 201000. The switch points, calls
 * of 1008, are estimated to be more than 20 us from their records, but these
 * are within their bounds: each belongs to the next switch point in both
 * engines.
 */
START_TEST(switches_belong_to_points_by_their_bounds)
{
	static const char text[] = "ffffffff81001000 T outer\n"
				   "ffffffff81001008 T __switch_to\n"
				   "ffffffff8100100a T rest\n";
	static const uint64_t times_ns[][2] = { { 1100, 1200 },
						{ 1100, 200000 },
						{ 199000, 200000 } };
	char *lists[2] = { NULL, NULL };
	struct symbols *symbols;
	size_t size;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, sizeof(text) - 1,
					   "", 0, &symbols),
			 0);
	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 00 10 00 81 ff ff "
		  "02 23 3c " TIP("0c", "10") "19 28 11 03 00 00 00 00 ");
	change_task(2, times_ns[_i][0]);
	change_task(1, times_ns[_i][1]);
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&lists[i], &size);

		if (i)
			flow_run_events(&run, 0, symbols, list_event, out);
		else
			flow_run_graph_events(&run, 0, symbols, list_event,
					      out);
		ck_assert_int_eq(fclose(out), 0);
		run.by_library = true;
	}
	ck_assert_str_eq(lists[0], "switch 2 enter 1005 return 1005 "
				   "switch 1 enter 1005 return 1005 ");
	ck_assert_str_eq(lists[1], lists[0]);
	free(lists[0]);
	free(lists[1]);
	symbols_close(symbols);
}
END_TEST

/* Code at 1100:
 *	1100	cli; call 1108; sti; ret
 *	1108	nop; ret
 *	110a	call *%rax; jmp 110a
 */
static const uint8_t interrupt_code[] = {
	0xfa, 0xe8, 2, 0, 0, 0, 0xfb, 0xc3, 0x90, 0xc3, 0xff, 0xd0, 0xeb, 0xfc,
};

/* The events of a stream, and a checkpoint before each. */
struct events_of_stream {
	size_t count;
	struct function_event events[32];
	struct stream_checkpoint checkpoints[32];
};

static void read_events(struct events_of_stream *read,
			const struct symbols *symbols, bool with_interrupts,
			const struct stream_checkpoint *from)
{
	struct flow_input input = flow_run_input(&run, 0);
	struct execution_stream *stream;
	const struct function_event *batch;
	int count;

	input.with_interrupts = with_interrupts;
	read->count = 0;
	ck_assert_int_eq(execution_stream_open(&input, symbols, 1, 1, NULL,
					       from, &stream),
			 0);
	execution_stream_keep(stream);
	while ((count = execution_stream_next(stream, &batch)) > 0)
		for (int i = 0; i < count; i++) {
			ck_assert_uint_lt(read->count, 32);
			execution_stream_checkpoint(
				stream, (uint64_t)(count - i),
				&read->checkpoints[read->count]);
			read->events[read->count++] = batch[i];
		}
	ck_assert_int_eq(count, 0);
	execution_stream_close(stream);
}

/* Invariant 3 of execution_stream.h: a stream without events of interrupts
 * continues at the checkpoints of one with them.
 */
START_TEST(checkpoints_do_not_depend_on_events_of_interrupts)
{
	static const char text[] = "ffffffff81001100 T without\n"
				   "ffffffff81001108 T inner\n"
				   "ffffffff8100110a T outer\n";
	static const char calls[] = TIP("00", "11") "0e " TIP("00", "11") "0e ";
	static struct events_of_stream with, plain, rest;
	struct symbols *symbols;
	size_t passed = 0;
	char trace[512];

	snprintf(trace, sizeof(trace), "%s%s%s%s", AT("0a", "11"), calls,
		 AT("0c", "11"), calls);
	recording_fixture_end(&fixture);
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, KERNEL + 0x100, interrupt_code,
			       sizeof(interrupt_code));
	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, sizeof(text) - 1,
					   "", 0, &symbols),
			 0);
	add_trace(trace);
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	read_events(&with, symbols, true, NULL);
	read_events(&plain, symbols, false, NULL);
	ck_assert_uint_eq(with.count, plain.count + 8);
	for (size_t i = 0; i < with.count; i++) {
		if (with.events[i].kind == FUNCTION_INTERRUPTS)
			continue;
		read_events(&rest, symbols, false, &with.checkpoints[i]);
		ck_assert_uint_eq(rest.count, plain.count - passed);
		ck_assert_mem_eq(rest.events, plain.events + passed,
				 rest.count * sizeof(*rest.events));
		passed++;
	}
	ck_assert_uint_eq(passed, plain.count);
	symbols_close(symbols);
}
END_TEST

/* They have one file at addresses of their own: what is read for one of them is
 * known for the other, and leads to where the other has it.
 */
START_TEST(two_programs_run_one_file)
{
	static const uint8_t jumps[] = { 0x90, 0xeb, 0x01, 0xcc, 0xff, 0xe0 };
	const struct fixture_origin origin = { 1, 1, 900 };
	const int32_t start[] = { 1, 1 };

	recording_fixture_program(&fixture, 1, "file", USER, jumps,
				  sizeof(jumps));
	recording_fixture_program(&fixture, 2, "file", USER + 0x1000, jumps,
				  sizeof(jumps));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &origin);
	add_trace("psb 19 e8 03 00 00 00 00 00 99 01 7d 00 10 40 00 00 00 "
		  "02 23 " TIP("00", "10") "19 d0 07 00 00 00 00 00 " TIP("00",
									  "20")
			  TIP("00", "20") "19 b8 0b 00 00 00 00 00 " TIP("00",
									 "10")
				  TIP("00", "10") "19 a0 0f 00 00 00 00 00 ");
	change_task(2, 2000);
	change_task(1, 3000);
	check("file",
	      "jump 1000-1001, jump 1004-1004, jump 1000-1001, jump 1004-1004, "
	      "switch 2, jump 2000-2001, jump 2004-2004, jump 2000-2001, "
	      "switch 1, jump 2004-2004, jump 1000-1001, jump 1004-1004");
}
END_TEST

SUITE("execution")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(trace_and_code_are_items, rows);
	TEST_EACH(errata_of_the_processor_count, filtered);
	TEST_EACH(trace_of_guests_is_not_followed, guests);
	TEST_EACH(the_library_does_not_follow_guests_either, guests);
	TEST_TIMES(the_library_has_the_same_errata, 4);
	TEST(code_that_is_patched_is_read_again);
	TEST(the_breakpoint_of_a_patch_is_at_the_traced_address);
	TEST(two_programs_run_their_own_code);
	TEST_TIMES(a_switch_is_where_the_trace_leaves_user_space, 3);
	TEST_TIMES(switches_follow_a_stop_that_may_be_earlier, 2);
	TEST_TIMES(switches_belong_to_points_by_their_bounds, 3);
	TEST(two_programs_run_one_file);
	TEST(checkpoints_do_not_depend_on_events_of_interrupts);
}

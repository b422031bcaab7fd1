/* SPDX-License-Identifier: MIT */
/* Generated code is known where it is certain which bytes ran, and only there;
 * its names are valid at that time.
 */
#include "common/formats/generated_chunk.h"
#include "common/memory.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_source.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE UINT64_C(0x7f0000000000)

enum {
	PID = 7,
	WX = PROT_READ | PROT_EXEC,
	RWX = PROT_READ | PROT_WRITE | PROT_EXEC,
	PAGE = GENERATED_PAGE_BYTES,
};

/* The changes of the page at CODE. */
enum step_kind {
	END,
	MAPPED,	     /* a record of a mapping with @detail */
	FILE_MAPPED, /* a record of a file's mapping with @detail */
	READ,	 /* between @time_ns and @time_ns + 10: @bytes at the front, */
	READ_WX, /* from a mapping that was not writable */
	SEEN,	 /* read again at @time_ns, with the same bytes */
	LISTED, /* in the perf map, @bytes: its name, after a look at @time_ns */
	DUMPED, /* in the jitdump, code @bytes named @name */
	EXEC,
	FORKED, /* process 8 */
};

struct step {
	enum step_kind kind;
	uint64_t time_ns;
	const char *bytes;
	/* the protection; the time of the copy before, of the look after */
	int detail;
	const char *name;
};

/* The first byte, and the name, at a time: 0 and NULL if they are unknown. */
struct expected {
	uint64_t time_ns;
	char byte;
	const char *name;
};

#define GENERATED "[generated code]"
#define OTHER_FILE "[nowhere]"

static const struct scenario {
	const char *text;
	struct step steps[9];
	struct expected expected[6];
	int32_t pid; /* 0: PID */
} scenarios[] = {
	{ "not writable: known since it was mapped",
	  { { MAPPED, 1000, NULL, WX, NULL }, { READ_WX, 5000, "A", 0, NULL } },
	  { { 1500, 'A', GENERATED }, { 9000, 'A', GENERATED } },
	  0 },
	{ "not writable, mapped twice before it was read: known since the last",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { MAPPED, 2000, NULL, WX, NULL },
	    { READ_WX, 5000, "A", 0, NULL } },
	  { { 1500, 0, GENERATED }, { 2500, 'A', GENERATED } },
	  0 },
	{ "not writable, changed: the records of mappings are the bounds",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 5000, "B", 2010, NULL } },
	  { { 3000, 'A', GENERATED },
	    { 3999, 'A', GENERATED },
	    { 4000, 'B', GENERATED } },
	  0 },
	{ "not writable, mapped twice between copies: unknown between them",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { MAPPED, 4500, NULL, WX, NULL },
	    { READ_WX, 5000, "B", 2010, NULL } },
	  { { 3999, 'A', GENERATED },
	    { 4200, 0, GENERATED },
	    { 4600, 'B', GENERATED } },
	  0 },
	{ "not writable by its record, but when it was read: unknown before",
	  { { MAPPED, 1000, NULL, WX, NULL }, { READ, 5000, "A", 0, NULL } },
	  { { 1500, 0, GENERATED }, { 5010, 'A', GENERATED } },
	  0 },
	{ "not writable, mapped while it was read: unknown before",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { MAPPED, 5005, NULL, WX, NULL },
	    { READ_WX, 5000, "A", 0, NULL } },
	  { { 1500, 0, GENERATED }, { 5010, 'A', GENERATED } },
	  0 },
	{ "writable: unknown before it was read",
	  { { MAPPED, 1000, NULL, RWX, NULL }, { READ, 5000, "A", 0, NULL } },
	  { { 1500, 0, GENERATED }, { 5010, 'A', GENERATED } },
	  0 },
	{ "writable, but the only function that is listed there",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 5000, "A", 0, NULL },
	    { LISTED, 5020, "one", 0, NULL } },
	  { { 1500, 'A', "one" }, { 9000, 'A', "one" } },
	  0 },
	{ "writable, and two functions are listed: unknown, without a name",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 5000, "B", 0, NULL },
	    { LISTED, 1100, "one", 0, NULL },
	    { LISTED, 1100, "two", 0, NULL } },
	  { { 1500, 0, GENERATED }, { 5010, 'B', "two" } },
	  0 },
	{ "writable, replaced: unknown between copies, each with its name",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { LISTED, 1100, "one", 3020, NULL },
	    { READ, 3000, "A", 0, NULL },
	    { READ, 5000, "B", 3500, NULL },
	    { LISTED, 3600, "two", 5020, NULL } },
	  { { 2000, 0, GENERATED },
	    { 3400, 'A', "one" },
	    { 4000, 0, "one" },
	    { 5010, 'B', "two" } },
	  0 },
	{ "a list of two functions, between two equal copies: unknown",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { LISTED, 2020, "one", 0, NULL },
	    { MAPPED, 3000, NULL, WX, NULL },
	    { LISTED, 2500, "two", 3990, NULL },
	    { MAPPED, 3500, NULL, WX, NULL },
	    { LISTED, 2500, "three", 3990, NULL } },
	  { { 2400, 'A', "one" }, { 3200, 0, "one" }, { 4000, 'A', GENERATED } },
	  0 },
	{ "a list of two functions, between two different copies: unknown",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { LISTED, 1100, "one", 2020, NULL },
	    { READ, 2000, "A", 0, NULL },
	    { READ, 5000, "B", 2020, NULL },
	    { LISTED, 3000, "two", 3100, NULL } },
	  { { 2015, 'A', GENERATED },
	    { 2900, 0, GENERATED },
	    { 3050, 0, GENERATED },
	    { 4000, 0, GENERATED },
	    { 5010, 'B', GENERATED } },
	  0 },
	{ "jitdump: known since its record, but for the clocks' difference",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { DUMPED, 20000, "AAAAAAAAAAAAAAAA", 0, "one" },
	    { DUMPED, 40000, "BBBBBBBBBBBBBBBB", 0, "two" } },
	  { { 20000, 'A', "one" },
	    { 37999, 'A', "one" },
	    { 39000, 0, "one" },
	    { 40000, 'B', "two" } },
	  0 },
	{ "jitdump, and replaced without: the record of the mapping is the bound",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { DUMPED, 20000, "AAAAAAAAAAAAAAAA", 0, "one" },
	    { MAPPED, 60000, NULL, WX, NULL },
	    { READ_WX, 70000, "BBBBBBBBBBBBBBBB", 0, NULL } },
	  { { 59999, 'A', "one" }, { 60000, 'B', GENERATED } },
	  0 },
	{ "a list that was read too early: its later line names earlier calls",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL },
	    { LISTED, 4200, "two", 5000, NULL } },
	  { { 1500, 'A', "one" },
	    { 3999, 'A', "one" },
	    { 4000, 'B', "two" },
	    { 4150, 'B', "two" },
	    { 4500, 'B', "two" },
	    { 9000, 'B', "two" } },
	  0 },
	{ "a look before the mapping and one after it: the line is the new code's",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL },
	    { LISTED, 3900, "two", 5000, NULL } },
	  { { 3999, 'A', "one" }, { 4000, 'B', "two" }, { 9000, 'B', "two" } },
	  0 },
	{ "one line since the look before two new functions: no name",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL },
	    { MAPPED, 5000, NULL, WX, NULL },
	    { READ_WX, 5100, "CCCCCCCCCCCCCCCC", 4200, NULL },
	    { LISTED, 3900, "two", 6000, NULL } },
	  { { 3999, 'A', GENERATED },
	    { 4500, 'B', GENERATED },
	    { 9000, 'C', GENERATED } },
	  0 },
	{ "the same address, other bytes, and no line: no name",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL } },
	  { { 3999, 'A', "one" },
	    { 4000, 'B', GENERATED },
	    { 9000, 'B', GENERATED } },
	  0 },
	{ "the same address, other bytes, and a line of still later ones only",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL },
	    { MAPPED, 5000, NULL, WX, NULL },
	    { READ_WX, 5100, "CCCCCCCCCCCCCCCC", 4200, NULL },
	    { LISTED, 5200, "three", 6000, NULL } },
	  { { 3999, 'A', "one" },
	    { 4000, 'B', GENERATED },
	    { 4999, 'B', GENERATED },
	    { 5000, 'C', "three" } },
	  0 },
	{ "writable, replaced, and no line: no name from the copy on",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { READ, 4100, "BBBBBBBBBBBBBBBB", 3000, NULL } },
	  { { 2999, 'A', "one" }, { 4110, 'B', GENERATED } },
	  0 },
	{ "memory that was empty before: the only line since is the code's",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 3000, "", 0, NULL },
	    { LISTED, 3005, "one", 5020, NULL },
	    { READ, 5000, "BBBBBBBBBBBBBBBB", 3010, NULL },
	    { READ, 6000, "CCCCCCCCCCCCCCCC", 5500, NULL },
	    { LISTED, 5600, "two", 7000, NULL } },
	  { { 4000, 0, GENERATED }, { 5010, 'B', "one" }, { 9000, 'C', "two" } },
	  0 },
	{ "read before the only function was listed: it was incomplete",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 2000, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 2020, "one", 4000, NULL },
	    { READ, 3000, "BBBBBBBBBBBBBBBB", 2010, NULL },
	    { LISTED, 4000, "one", 5000, NULL } },
	  { { 1500, 'B', "one" }, { 2500, 'B', "one" }, { 9000, 'B', "one" } },
	  0 },
	{ "the same, but read again after it was listed: it was patched",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 2000, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 2020, "one", 4000, NULL },
	    { READ, 5000, "AAAABBBBAAAAAAAA", 4500, NULL },
	    { LISTED, 5000, "one", 6000, NULL } },
	  { { 1500, 0, "one" },
	    { 4400, 'A', "one" },
	    { 4800, 0, "one" },
	    { 9000, 'A', "one" } },
	  0 },
	{ "the same, but all functions were listed at once",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 2000, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { READ, 3000, "AAAABBBBAAAAAAAA", 2010, NULL },
	    { LISTED, 3020, "one", 4000, NULL } },
	  { { 1500, 0, "one" }, { 2500, 0, "one" }, { 9000, 'A', "one" } },
	  0 },
	{ "a patch of a few bytes does not end a function",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { READ, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { READ, 4100, "AAAABBBBAAAAAAAA", 3000, NULL } },
	  { { 2999, 'A', "one" }, { 4110, 'A', "one" } },
	  0 },
	{ "the same bytes mapped again keep their name",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 1100, "AAAAAAAAAAAAAAAA", 0, NULL },
	    { LISTED, 0, "one", 1200, NULL },
	    { MAPPED, 4000, NULL, WX, NULL } },
	  { { 3999, 'A', "one" }, { 9000, 'A', "one" } },
	  0 },
	{ "two of jitdump with the same bytes: each from its time on",
	  { { MAPPED, 1000, NULL, RWX, NULL },
	    { DUMPED, 20000, "AAAAAAAAAAAAAAAA", 0, "one" },
	    { DUMPED, 40000, "AAAAAAAAAAAAAAAA", 0, "two" } },
	  { { 39999, 'A', "one" }, { 40000, 'A', "two" } },
	  0 },
	{ "exec ends it",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 5000, "A", 0, NULL },
	    { EXEC, 4000, NULL, 0, NULL } },
	  { { 3999, 'A', GENERATED }, { 4500, 0, NULL } },
	  0 },
	{ "a file was mapped there in between",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { FILE_MAPPED, 3000, NULL, WX, NULL },
	    { MAPPED, 4000, NULL, WX, NULL } },
	  { { 2500, 'A', GENERATED },
	    { 3500, 0, OTHER_FILE },
	    { 4500, 0, GENERATED } },
	  0 },
	{ "mapped again after the last copy: unknown",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL } },
	  { { 3999, 'A', GENERATED }, { 4000, 0, GENERATED } },
	  0 },
	{ "mapped again, and read again with the same bytes: known until then",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { SEEN, 5000, NULL, 2010, NULL },
	    { MAPPED, 6000, NULL, WX, NULL } },
	  { { 3999, 'A', GENERATED },
	    { 5999, 'A', GENERATED },
	    { 6000, 0, GENERATED } },
	  0 },
	{ "read again without bytes before: nothing",
	  { { MAPPED, 1000, NULL, WX, NULL }, { SEEN, 5000, NULL, 0, NULL } },
	  { { 5500, 0, GENERATED } },
	  0 },
	{ "a child has it, and its parent's later changes not",
	  { { MAPPED, 1000, NULL, WX, NULL },
	    { READ_WX, 2000, "A", 0, NULL },
	    { FORKED, 3000, NULL, 0, NULL },
	    { MAPPED, 4000, NULL, WX, NULL },
	    { READ_WX, 5000, "B", 2010, NULL } },
	  { { 3500, 'A', GENERATED }, { 9000, 'A', GENERATED } },
	  8 },
};

enum { SCENARIOS = sizeof(scenarios) / sizeof(*scenarios) };

static struct recording_fixture fixture;
static FILE *copies;
static FILE *map;
static FILE *dump;

static FILE *open_file(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/code/%s", fixture.path, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	return file;
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
	*file = NULL;
}

static void add_mapping(const struct step *step)
{
	const struct fixture_origin origin = { PID, PID, step->time_ns };
	struct {
		int32_t pid, tid;
		uint64_t address, size, offset;
		uint8_t inode[24];
		uint32_t protection, flags;
		char path[16];
	} record = { .pid = PID,
		     .tid = PID,
		     .address = CODE,
		     .size = PAGE,
		     .protection = (uint32_t)step->detail };

	snprintf(record.path, sizeof(record.path), "%s",
		 step->kind == MAPPED ? "//anon" : "/nowhere");
	recording_fixture_record(&fixture, PERF_RECORD_MMAP2,
				 PERF_RECORD_MISC_USER, &record, sizeof(record),
				 &origin);
}

static void add_copy(const struct step *step)
{
	const struct generated_chunk chunk = {
		.address = CODE,
		.size = PAGE,
		.born_ns = 500,
		.since_ns = (uint64_t)step->detail,
		.begin_ns = step->time_ns,
		.end_ns = step->time_ns + 10,
		.flags = step->kind == READ ? GENERATED_IS_WRITABLE : 0,
	};
	struct generated_chunk seen = chunk;
	char page[PAGE] = { 0 };

	if (!copies) {
		copies = open_file("7.generated");
		fputs(GENERATED_MAGIC, copies);
	}
	if (step->kind == SEEN) {
		seen.size = 0;
		seen.flags = GENERATED_IS_SAME;
		fwrite(&seen, sizeof(seen), 1, copies);
		return;
	}
	memcpy(page, step->bytes, strlen(step->bytes));
	fwrite(&chunk, sizeof(chunk), 1, copies);
	fwrite(page, sizeof(page), 1, copies);
}

static void add_listed(const struct step *step)
{
	if (!map)
		map = open_file("7.map");
	fprintf(map, "# %d %d\n%llx 10 %s\n", (int)step->time_ns,
		step->detail ? step->detail : (int)step->time_ns + 1,
		(unsigned long long)CODE, step->bytes);
}

/* The clock of the jitdump is 500 ahead. */
static void add_dumped(const struct step *step)
{
	const uint32_t header[] = { 0x4a695444, 1, 40, 62, 0, 7, 0, 0, 0, 0 };
	size_t code = strlen(step->bytes);
	size_t name = strlen(step->name) + 1;
	struct {
		uint32_t id, size;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, address, size_bytes, number;
	} record = { 0,
		     (uint32_t)(sizeof(record) + name + code),
		     step->time_ns + 500,
		     PID,
		     PID,
		     CODE,
		     CODE,
		     code,
		     1 };

	if (!dump) {
		FILE *clock = open_file("7.dump_clock");

		fputs("1500 1000\n", clock);
		fclose(clock);
		dump = open_file("7.dump");
		fwrite(header, sizeof(header), 1, dump);
	}
	fwrite(&record, sizeof(record), 1, dump);
	fwrite(step->name, name, 1, dump);
	fwrite(step->bytes, code, 1, dump);
}

static void add_step(const struct step *step)
{
	switch (step->kind) {
	case END:
		break;
	case MAPPED:
	case FILE_MAPPED:
		add_mapping(step);
		break;
	case READ:
	case SEEN:
	case READ_WX:
		add_copy(step);
		break;
	case LISTED:
		add_listed(step);
		break;
	case DUMPED:
		add_dumped(step);
		break;
	case EXEC:
		recording_fixture_exec(&fixture, PID, step->time_ns);
		break;
	case FORKED:
		recording_fixture_fork(&fixture, PID, step->time_ns, 8);
		break;
	}
}

static void begin(void)
{
	char path[128];

	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	snprintf(path, sizeof(path), "%s/code", fixture.path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void finish(void)
{
	close_file(&copies);
	close_file(&map);
	close_file(&dump);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	recording_fixture_write(&fixture);
}

static void check(const struct scenario *scenario,
		  const struct expected *expected, struct code_space *code,
		  const struct symbols *symbols)
{
	int32_t pid = scenario->pid ? scenario->pid : PID;
	struct symbol symbol;
	const uint8_t *bytes;
	const char *name = NULL;
	size_t left;

	ck_assert_int_eq(code_space_set_process(code, pid, expected->time_ns),
			 0);
	bytes = code_space_bytes(code, CODE, &left);
	ck_assert_msg(bytes ? *bytes == expected->byte : !expected->byte,
		      "%s: at %d '%c', not '%c'", scenario->text,
		      (int)expected->time_ns, bytes ? *bytes : '0',
		      expected->byte ? expected->byte : '0');
	ck_assert_msg(code_space_is_generated(code, CODE) ==
			      (expected->name &&
			       strcmp(expected->name, OTHER_FILE) != 0),
		      "%s: at %d", scenario->text, (int)expected->time_ns);
	symbols_find(symbols, pid, expected->time_ns, CODE, &symbol);
	if (symbol.function != FUNCTION_UNKNOWN)
		name = function_at(symbols_functions(symbols), symbol.function)
			       ->name;
	/* A jump to other memory leaves the function. */
	ck_assert(symbol.function == FUNCTION_UNKNOWN ||
		  symbol.role != CODE_UNNAMED ||
		  (symbol.start >= CODE && symbol.end <= CODE + PAGE));
	/* Which of two functions it was is unknown like its bytes. */
	if (!expected->byte && expected->name)
		return;
	ck_assert_pstr_eq(name, expected->name);
}

START_TEST(code_is_known_where_it_is_certain)
{
	const struct scenario *scenario = &scenarios[_i];
	struct flow_input input;
	struct symbols *symbols;
	struct code_space *code;
	struct flow_run run;

	begin();
	for (size_t i = 0; scenario->steps[i].kind; i++)
		add_step(&scenario->steps[i]);
	finish();
	ck_assert_int_eq(flow_run_open(&run, fixture.path, NULL), 0);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	input = flow_run_input(&run, 0);
	ck_assert_int_eq(code_space_open(&input,
					 symbols_arch(symbols)->kernel_start,
					 CODE_VIEW_MEMORY, &code),
			 0);
	for (size_t i = 0; i < 6 && scenario->expected[i].time_ns; i++)
		check(scenario, &scenario->expected[i], code, symbols);
	code_space_close(code);
	symbols_close(symbols);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}
END_TEST

/* A record of lines, and of the function at @start, whose lines these are. */
struct __attribute__((packed)) dump_with_lines {
	struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time_ns, flags;
	} header;
	struct {
		uint32_t id, size;
		uint64_t time_ns, start, count;
	} lines;
	struct {
		uint64_t address;
		uint32_t line, column;
		char file[8];
	} first;
	struct __attribute__((packed)) {
		uint64_t address;
		uint32_t line, column;
		char file[2];
	} second;
	struct __attribute__((packed)) {
		uint64_t address;
		uint32_t line, column;
		char file[8];
	} third;
	struct __attribute__((packed)) {
		uint32_t id, size;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, start, size_bytes, number;
		char name[8];
		uint8_t code[16];
	} load;
};

static void check_line(const struct generated_names *names, uint64_t offset,
		       const char *file, int line)
{
	const char *found;
	int number = 0;

	ck_assert_int_eq(generated_name_line(array_at(&names->names, 0), offset,
					     &found, &number),
			 file != NULL);
	if (file)
		ck_assert_str_eq(found, file);
	ck_assert_int_eq(number, line);
}

static const struct dump_with_lines dumped = {
	.header = { 0x4a695444, 1, 40, 62, 0, 7, 0, 0 },
	.lines = { 2,
		   sizeof(dumped.lines) + sizeof(dumped.first) +
			   sizeof(dumped.second) + sizeof(dumped.third),
		   0, CODE, 3 },
	.first = { CODE + 2, 10, 0, "aa.java" },
	.second = { CODE + 8, 12, 0, "\xff" },
	.third = { CODE + 12, 5, 0, "bb.java" },
	.load = { 0,
		  sizeof(dumped.load),
		  0,
		  7,
		  7,
		  CODE,
		  CODE,
		  16,
		  1,
		  "workers",
		  { 0x90 } },
};

START_TEST(a_jitdump_has_lines)
{
	const struct generated_clock clock = { 0 };
	struct generated_names names = generated_names_none();
	struct arena *arena = arena_new();
	ck_assert_int_eq(generated_names_add_dump(
				 &names, (const uint8_t *)&dumped,
				 sizeof(dumped), &clock, arena, "", NULL),
			 0);
	ck_assert_uint_eq(names.names.count, 1);
	check_line(&names, 0, NULL, 0);
	check_line(&names, 2, "aa.java", 10);
	check_line(&names, 7, "aa.java", 10);
	check_line(&names, 9, "aa.java", 12);
	check_line(&names, 15, "bb.java", 5);
	generated_names_free(&names);
	arena_free(arena);
}
END_TEST

#define V8_FILE "/home/shop/src/costs.js"

/* As V8 11 writes it: addresses are 0x40 too large, and malloc() has changed the
 * first 16 bytes of the files' names.
 */
struct __attribute__((packed)) v8_dump {
	struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time_ns, flags;
	} header;
	struct {
		uint32_t id, size;
		uint64_t time_ns, start, count;
	} lines;
	struct __attribute__((packed)) {
		uint64_t address;
		uint32_t line, column;
		char file[sizeof(V8_FILE)];
	} entries[2];
	char padding[4];
	struct __attribute__((packed)) {
		uint32_t id, size;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, start, size_bytes, number;
		char name[sizeof("JS:*costOf " V8_FILE ":2:16")];
		uint8_t code[16];
	} load;
};

static struct v8_dump v8_dump(void)
{
	struct v8_dump v8 = {
		.header = { 0x4a695444, 1, 40, 62, 0, 7, 0, 0 },
		.lines = { 2,
			   sizeof(v8.lines) + sizeof(v8.entries) +
				   sizeof(v8.padding),
			   0, CODE, 2 },
		.entries = { { CODE + 0x40, 2, 16, V8_FILE },
			     { CODE + 0x48, 5, 15, V8_FILE } },
		.load = { 0,
			  sizeof(v8.load),
			  0,
			  7,
			  7,
			  CODE,
			  CODE,
			  16,
			  1,
			  "JS:*costOf " V8_FILE ":2:16",
			  { 0x90 } },
	};

	for (size_t i = 0; i < 2; i++)
		memcpy(v8.entries[i].file, "\xab]\x03\0\0\0\0\0mnopqrst", 16);
	return v8;
}

static void read_v8(const struct v8_dump *v8, struct generated_names *names,
		    struct arena *arena)
{
	const struct generated_clock clock = { 0 };

	*names = generated_names_none();
	ck_assert_int_eq(generated_names_add_dump(names, (const uint8_t *)v8,
						  sizeof(*v8), &clock, arena,
						  "", NULL),
			 0);
	ck_assert_uint_eq(names->names.count, 1);
}

START_TEST(lines_of_v8_are_mended_or_left_out)
{
	struct arena *arena = arena_new();
	struct v8_dump v8 = v8_dump();
	struct generated_names names;

	read_v8(&v8, &names, arena);
	check_line(&names, 0, V8_FILE, 2);
	check_line(&names, 9, V8_FILE, 5);
	generated_names_free(&names);
	/* One line is of another file. */
	v8.entries[1].file[20] = 'x';
	read_v8(&v8, &names, arena);
	check_line(&names, 0, NULL, 0);
	generated_names_free(&names);
	/* One address is not of the function. */
	v8 = v8_dump();
	v8.entries[1].address += 16;
	read_v8(&v8, &names, arena);
	check_line(&names, 9, NULL, 0);
	generated_names_free(&names);
	/* The files' names are whole, as in later versions. */
	v8 = v8_dump();
	strcpy(v8.entries[0].file, V8_FILE);
	strcpy(v8.entries[1].file, V8_FILE);
	read_v8(&v8, &names, arena);
	check_line(&names, 9, V8_FILE, 5);
	generated_names_free(&names);
	arena_free(arena);
}
END_TEST

START_TEST(lines_of_a_generated_function_are_found_by_its_name)
{
	const struct function function = { .name = "workers",
					   .module = GENERATED_CODE,
					   .space = 'u' };
	struct source_line line = { 0 };
	struct flow_run run;
	struct lines *lines;

	begin();
	dump = open_file("7.dump");
	fwrite(&dumped, sizeof(dumped), 1, dump);
	finish();
	ck_assert_int_eq(flow_run_open(&run, fixture.path, NULL), 0);
	lines = lines_new(run.recording);
	ck_assert_ptr_nonnull(lines);
	ck_assert(lines_find(lines, &function, 9, &line));
	ck_assert_str_eq(line.file, "aa.java");
	ck_assert_int_eq(line.line, 12);
	ck_assert(!lines_find(lines, &function, 0, &line));
	lines_free(lines);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}
END_TEST

/* Lists that no program writes: overlapping functions as large as the address
 * space, or many of a gigabyte.
 */
static const struct {
	int lines;
	const char *range;
} hostile[] = {
	{ 2, "1000 ffffffffffffe000" },
	{ 10000, "1000 40000000" },
};

START_TEST(a_list_of_too_many_pages_makes_the_code_unknown)
{
	struct flow_run run;

	begin();
	add_mapping(&(struct step){ MAPPED, 1000, NULL, RWX, NULL });
	add_copy(&(struct step){ READ, 2000, "A", 0, NULL });
	map = open_file("7.map");
	fputs("# 1 5\n", map);
	for (int i = 0; i < hostile[_i].lines; i++)
		fprintf(map, "%s f%d\n", hostile[_i].range, i);
	finish();
	ck_assert_int_eq(flow_run_open(&run, fixture.path, NULL), 0);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("generated_code")
{
	TEST_TIMES(code_is_known_where_it_is_certain, SCENARIOS);
	TEST_EACH(a_list_of_too_many_pages_makes_the_code_unknown, hostile);
	TEST(a_jitdump_has_lines);
	TEST(lines_of_v8_are_mended_or_left_out);
	TEST(lines_of_a_generated_function_are_found_by_its_name);
}

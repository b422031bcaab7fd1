/* SPDX-License-Identifier: MIT */
/* A user address has the symbol of the file that was mapped there at the time. */
#include "common/array.h"
#include "decoder/code/code_space.h"
#include "decoder/code/process_maps.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/graph/block_graph.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/made_elf.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each program has one function, at the same address: only their names differ.
 */
#define BASE 0x400000
#define FUNCTION (BASE + MADE_ELF_CODE)
#define LIBRARY 0x7f0000000000

/* Process 7 runs first; its child 8 stays in it, while 7 executes second at
 * 2000, maps a library at 3000 and another at the same address at 4000,
 * anonymous memory over that at 5000, and executes first again at 6000. Process
 * 9, forked from 8 after that, has the mappings of 8.
 */
static const struct {
	int32_t pid;
	uint64_t time_ns;
	uint64_t address;
	const char *name;
} places[] = {
	{ 7, 1000, FUNCTION, "of_first" },
	{ 7, 1999, FUNCTION, "of_first" },
	{ 8, 1500, FUNCTION, "of_first" },
	{ 8, 9000, FUNCTION, "of_first" },
	{ 9, 9000, FUNCTION, "of_first" },
	{ 7, 2500, FUNCTION, "of_second" },
	{ 7, 2500, LIBRARY + MADE_ELF_CODE, NULL },
	{ 7, 3500, LIBRARY + MADE_ELF_CODE, "of_library" },
	{ 7, 3500, FUNCTION, "of_second" },
	{ 7, 4500, LIBRARY + MADE_ELF_CODE, "of_other" },
	{ 7, 5500, LIBRARY + MADE_ELF_CODE, "[generated code]" },
	{ 7, 5500, FUNCTION, "of_second" },
	{ 7, 6500, FUNCTION, "of_first" },
	{ 7, 6500, LIBRARY + MADE_ELF_CODE, NULL },
	{ 8, 6500, LIBRARY + MADE_ELF_CODE, NULL },
};

enum { PLACES = sizeof(places) / sizeof(*places) };

static struct recording_fixture fixture;
static struct flow_run run;
static struct symbols *symbols;

/* Writes the file @path, which has one function, of_@name. */
static void write_file(const char *path, const char *name)
{
	struct made_elf elf;
	char function[32];

	snprintf(function, sizeof(function), "of_%s", name);
	made_elf_begin(&elf, EM_X86_64);
	made_elf_function(&elf, function, NULL, 0);
	made_elf_end(&elf);
	made_elf_write(&elf, path);
}

static void map_file(int32_t pid, uint64_t time_ns, const char *name,
		     uint64_t address)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fixture.path, name);
	write_file(path, name);
	recording_fixture_map_at(&fixture, pid, time_ns, path, address,
				 MADE_ELF_BYTES, 0);
}

static void execute(int32_t pid, uint64_t time_ns, const char *name)
{
	recording_fixture_exec(&fixture, pid, time_ns);
	map_file(pid, time_ns + 1, name, BASE);
}

static void set_up(void)
{
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	map_file(7, 0, "first", BASE);
	recording_fixture_fork(&fixture, 7, 1200, 8);
	execute(7, 2000, "second");
	map_file(7, 3000, "library", LIBRARY);
	map_file(7, 4000, "other", LIBRARY);
	recording_fixture_map_at(&fixture, 7, 5000, "//anon", LIBRARY,
				 MADE_ELF_BYTES, 0);
	execute(7, 6000, "first");
	recording_fixture_fork(&fixture, 8, 7000, 9);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
}

static void tear_down(void)
{
	symbols_close(symbols);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static const char *name_of(uint32_t function)
{
	if (function == FUNCTION_UNKNOWN)
		return NULL;
	return function_at(symbols_functions(symbols), function)->name;
}

/* Fails unless @function is the expected one of row @index. */
static void check(size_t index, uint32_t function)
{
	const char *expected = places[index].name;
	const char *name = name_of(function);
	bool is_right = expected && name ? !strcmp(expected, name) :
					   expected == name;

	ck_assert_msg(is_right, "process %d at %d: %s, not %s",
		      places[index].pid, (int)places[index].time_ns,
		      name ? name : "nothing", expected ? expected : "nothing");
}

START_TEST(symbols_are_of_the_time)
{
	struct symbol symbol;
	struct symbol_range range;

	symbols_find_range(symbols, places[_i].pid, places[_i].time_ns,
			   places[_i].address, &symbol, &range);
	check((size_t)_i, symbol.function);
	ck_assert(range.start <= places[_i].address &&
		  places[_i].address < range.end);
	ck_assert_uint_gt(range.until_ns, places[_i].time_ns);
}
END_TEST

START_TEST(a_cache_follows_the_time)
{
	struct symbol_cache *cache = symbol_cache_new(symbols);

	ck_assert_ptr_nonnull(cache);
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < PLACES; i++) {
			symbol_cache_switch(cache, places[i].pid);
			check(i, symbol_cache_find(cache, places[i].time_ns,
						   places[i].address)
					 ->function);
		}
	symbol_cache_free(cache);
}
END_TEST

START_TEST(blocks_are_named_by_the_code_that_is_there)
{
	const struct flow_input input = flow_run_input(&run, 0);
	const uint64_t kernel_start = symbols_arch(symbols)->kernel_start;
	struct code_space *code;
	struct block_graph *graph;

	ck_assert_int_eq(code_space_open(&input, kernel_start, CODE_VIEW_MEMORY,
					 &code),
			 0);
	graph = block_graph_new(code, symbols);
	ck_assert_ptr_nonnull(graph);
	for (size_t i = 0; i < PLACES; i++) {
		uint32_t index;

		ck_assert_int_eq(code_space_set_process(code, places[i].pid,
							places[i].time_ns),
				 0);
		index = block_graph_find(graph, places[i].address,
					 INSTRUCTION_X86_64);
		ck_assert_uint_ne(index, BLOCK_NONE);
		check(i, block_graph_blocks(graph)[index].function);
	}
	block_graph_free(graph);
	code_space_close(code);
}
END_TEST

/* The range that is found among the maps of a time is that of the time. */
START_TEST(maps_and_time_find_the_same)
{
	struct process_maps *maps = process_maps_new(run.recording);
	struct array mapped = ARRAY_OF(struct process_map);
	struct symbol_range ranges[2];
	struct symbol found[2];

	ck_assert_ptr_nonnull(maps);
	ck_assert_uint_ne(process_maps_at(maps, places[_i].pid,
					  places[_i].time_ns, &mapped),
			  0);
	symbols_find_range(symbols, places[_i].pid, places[_i].time_ns,
			   places[_i].address, &found[0], &ranges[0]);
	symbols_find_mapped(symbols, &mapped, places[_i].address, &found[1],
			    &ranges[1]);
	ck_assert_uint_eq(found[0].function, found[1].function);
	ck_assert_uint_eq(found[0].start, found[1].start);
	ck_assert_uint_eq(found[0].end, found[1].end);
	ck_assert_uint_eq(ranges[0].start, ranges[1].start);
	ck_assert_uint_eq(ranges[0].end, ranges[1].end);
	array_free(&mapped);
	process_maps_free(maps);
}
END_TEST

/* Maps the program at @path, with a build id that no file here has. */
static void map_other_build(int32_t pid, const char *path)
{
	const struct fixture_origin origin = { pid, pid, 0 };
	struct {
		int32_t pid, tid;
		uint64_t address, size, offset;
		uint8_t id_size, zeros[3], id[20];
		uint32_t protection, flags;
		char path[128];
	} record = {
		.pid = pid,
		.tid = pid,
		.address = BASE,
		.size = MADE_ELF_BYTES,
		.id_size = 20,
		.id = { (uint8_t)pid },
		.protection = PROT_READ | PROT_EXEC,
	};

	snprintf(record.path, sizeof(record.path), "%s", path);
	recording_fixture_record(&fixture, PERF_RECORD_MMAP2,
				 PERF_RECORD_MISC_USER |
					 PERF_RECORD_MISC_MMAP_BUILD_ID,
				 &record, sizeof(record), &origin);
}

/* Makes a folder @name with a link "program" to this program, which has a build
 * id, and maps that as of another build.
 */
static void map_changed(int32_t pid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fixture.path, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/program", fixture.path, name);
	ck_assert_int_eq(symlink("/proc/self/exe", path), 0);
	map_other_build(pid, path);
}

/* Programs whose files changed have no module; they may share their base name,
 * but no function.
 */
START_TEST(changed_programs_of_one_name_are_two)
{
	struct symbol found[2];
	const char *name;

	tear_down();
	recording_fixture_begin(&fixture);
	map_changed(7, "a");
	map_changed(8, "b");
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	symbols_find(symbols, 7, 1000, FUNCTION, &found[0]);
	symbols_find(symbols, 8, 1000, FUNCTION, &found[1]);
	ck_assert_str_eq(name_of(found[0].function), "[program]");
	name = name_of(found[1].function);
	ck_assert_int_eq(strncmp(name, "[/", 2), 0);
	ck_assert_ptr_nonnull(strstr(name, "/b/program]"));
}
END_TEST

/* perf inject --jit maps files that it makes of a jitdump, at the times of the
 * jitdump and with the event ID 0. Here they were moved with the recording.
 */
START_TEST(code_that_perf_injected_is_beside_the_recording)
{
	struct symbol found;
	char path[128];

	tear_down();
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	snprintf(path, sizeof(path), "%s/jitted-7-0.so", fixture.path);
	write_file(path, "jitted");
	recording_fixture_map_at(&fixture, 7, 3000, "//anon", LIBRARY,
				 MADE_ELF_BYTES, 0);
	fixture.id = 0;
	recording_fixture_map_at(&fixture, 7, 4000, "/gone/jitted-7-0.so",
				 LIBRARY, MADE_ELF_BYTES, 0);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	symbols_find(symbols, 7, 3500, LIBRARY + MADE_ELF_CODE, &found);
	ck_assert_str_eq(name_of(found.function), "[generated code]");
	symbols_find(symbols, 7, 4500, LIBRARY + MADE_ELF_CODE, &found);
	ck_assert_str_eq(name_of(found.function), "of_jitted");
}
END_TEST

/* A jump of a named function to unnamed code: in its own file that may be a
 * part of it, in another it is not.
 */
START_TEST(a_jump_to_another_file_leaves_the_function)
{
	static const uint8_t jump[] = { 0xff, 0xe0 };
	static const uint8_t nops[64] = { 0x90, 0x90, 0x90, 0x90, 0xc3 };
	struct flow_input input;
	struct code_space *code;
	struct block_graph *graph;
	char path[128];
	uint32_t from;
	FILE *file;

	tear_down();
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	map_file(7, 0, "named", BASE);
	snprintf(path, sizeof(path), "%s/named", fixture.path);
	file = fopen(path, "r+e");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, MADE_ELF_CODE, SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(jump, 1, sizeof(jump), file), sizeof(jump));
	fclose(file);
	recording_fixture_program(&fixture, 7, "unnamed", LIBRARY, nops,
				  sizeof(nops));
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	input = flow_run_input(&run, 0);
	ck_assert_int_eq(code_space_open(&input,
					 symbols_arch(symbols)->kernel_start,
					 CODE_VIEW_MEMORY, &code),
			 0);
	ck_assert_int_eq(code_space_set_process(code, 7, 1000), 0);
	graph = block_graph_new(code, symbols);
	from = block_graph_find(graph, FUNCTION, INSTRUCTION_X86_64);
	ck_assert_uint_eq(
		edge_word_kind(block_graph_jump(graph, from, LIBRARY + 2)),
		EDGE_KIND_OTHER);
	ck_assert_uint_eq(edge_word_kind(block_graph_jump(
				  graph, from, BASE + MADE_ELF_FRAMES + 8)),
			  EDGE_KIND_INSIDE);
	block_graph_free(graph);
	code_space_close(code);
}
END_TEST

/* A mapping that was found before is not valid where a later one replaces it. */
START_TEST(a_later_mapping_replaces_a_part)
{
	static const struct {
		uint64_t address;
		uint8_t byte;
		size_t left;
	} expected[] = {
		{ LIBRARY, 0x90, 4096 },
		{ LIBRARY + 4096, 0xcc, 4096 },
		{ LIBRARY + 8192, 0x90, 4096 },
		{ LIBRARY + 4100, 0xcc, 4092 },
	};
	static uint8_t bytes[2][3 * 4096];
	struct flow_input input;
	struct code_space *code;

	memset(bytes[0], 0x90, sizeof(bytes[0]));
	memset(bytes[1], 0xcc, sizeof(bytes[1]));
	tear_down();
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	recording_fixture_program(&fixture, 7, "whole", LIBRARY, bytes[0],
				  3 * 4096);
	recording_fixture_program(&fixture, 7, "part", LIBRARY + 4096, bytes[1],
				  4096);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	input = flow_run_input(&run, 0);
	ck_assert_int_eq(code_space_open(&input,
					 symbols_arch(symbols)->kernel_start,
					 CODE_VIEW_MEMORY, &code),
			 0);
	ck_assert_int_eq(code_space_set_process(code, 7, 1000), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		size_t left;
		const uint8_t *found =
			code_space_bytes(code, expected[i].address, &left);

		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(*found, expected[i].byte);
		ck_assert_uint_eq(left, expected[i].left);
	}
	code_space_close(code);
}
END_TEST

/* The same start three times, then a larger mapping, then a smaller one. */
START_TEST(covered_mappings_are_left_out)
{
	static const uint64_t sizes[] = { 4096, 4096, 4096, 8192, 4096 };
	struct array found = ARRAY_OF(struct process_map);
	const struct process_map *items;
	struct process_maps *maps;

	tear_down();
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	map_file(7, 0, "first", BASE);
	for (uint64_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		recording_fixture_map_at(&fixture, 7, 1000 + i, "//anon",
					 LIBRARY, sizes[i], 0);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	maps = process_maps_new(run.recording);
	ck_assert_uint_gt(process_maps_at(maps, 7, 2000, &found), 0);
	ck_assert_uint_eq(found.count, 3);
	items = found.items;
	ck_assert_uint_eq(items[0].address, BASE);
	ck_assert_uint_eq(items[1].size_bytes, 8192);
	ck_assert_uint_eq(items[2].size_bytes, 4096);
	array_free(&found);
	process_maps_free(maps);
}
END_TEST

static void ignore_change(void *ctx, uint64_t start, uint64_t end)
{
	(void)ctx;
	(void)start;
	(void)end;
}

/* Processes 7 and 8 alternate for longer than the view can go back: it starts
 * again from the beginning. What was found before, in files below another root,
 * must stay valid.
 */
START_TEST(code_is_found_after_a_jump_over_many_switches)
{
	enum { FIRST_NS = 1000, SWITCHES = 6000 };
	static uint8_t bytes[4096];
	struct flow_input input;
	struct code_space *code;

	tear_down();
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	for (int32_t pid = 7; pid <= 8; pid++) {
		memset(bytes, pid, sizeof(bytes));
		recording_fixture_program(&fixture, pid,
					  pid == 7 ? "seven" : "eight", LIBRARY,
					  bytes, sizeof(bytes));
	}
	for (int32_t i = 0; i < SWITCHES; i++) {
		int32_t next[2] = { 7 + i % 2, 7 + i % 2 };
		const struct fixture_origin origin = { 8 - i % 2, 8 - i % 2,
						       FIRST_NS + (uint64_t)i };

		recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
					 PERF_RECORD_MISC_SWITCH_OUT, next,
					 sizeof(next), &origin);
	}
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	recording_fixture_write(&fixture);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	input = flow_run_input(&run, 0);
	ck_assert_int_eq(code_space_open(&input,
					 symbols_arch(symbols)->kernel_start,
					 CODE_VIEW_MEMORY, &code),
			 0);
	for (uint64_t i = 0; i < 6; i++) {
		/* first near the end, then at the start, and so on */
		uint64_t at = i % 2 ? 10 + i / 2 : SWITCHES - 10 + i / 2;
		const uint8_t *found;
		size_t left;

		ck_assert_int_eq(code_space_go_to(code, FIRST_NS + at,
						  ignore_change, NULL),
				 0);
		found = code_space_bytes(code, LIBRARY, &left);
		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(*found, 7 + at % 2);
	}
	code_space_close(code);
}
END_TEST

SUITE("user_times")
{
	FIXTURE(set_up, tear_down);
	TEST_TIMES(symbols_are_of_the_time, PLACES);
	TEST_TIMES(maps_and_time_find_the_same, PLACES);
	TEST(a_cache_follows_the_time);
	TEST(blocks_are_named_by_the_code_that_is_there);
	TEST(changed_programs_of_one_name_are_two);
	TEST(code_that_perf_injected_is_beside_the_recording);
	TEST(a_jump_to_another_file_leaves_the_function);
	TEST(a_later_mapping_replaces_a_part);
	TEST(covered_mappings_are_left_out);
	TEST(code_is_found_after_a_jump_over_many_switches);
}

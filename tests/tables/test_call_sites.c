/* SPDX-License-Identifier: MIT */
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"
#include "tables/call_sites/call_sites_internal.h"
#include "tables/table.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <string.h>

/* Only kernel code is traced, as by record --events=attribution. */
struct story {
	struct recording_fixture files;
	struct recording *recording;
	struct known_events *events;
	struct symbols *symbols;
	struct task_names *names;
	struct attribution_fixture *fixture;
	struct attribution_input input;
	struct call_sites *sites;
};

static struct symbols *make_symbols(void)
{
	static const char text[] = "ffffffff81000000 T asm_exc_page_fault\n"
				   "ffffffff81000100 T exc_page_fault\n"
				   "ffffffff81000200 T error_return\n"
				   "ffffffff81000300 T entry_SYSCALL_64\n"
				   "ffffffff81000400 T __x64_sys_read\n";
	struct symbols *symbols;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, sizeof(text) - 1,
					   "", 0, &symbols),
			 0);
	return symbols;
}

static void begin_story(struct story *story)
{
	*story = (struct story){ .symbols = make_symbols(),
				 .names = task_names_empty() };
	recording_fixture_begin(&story->files);
	recording_fixture_write(&story->files);
	ck_assert_int_eq(
		recording_open(story->files.path, NULL, &story->recording), 0);
	story->events = known_events_new(story->recording);
	story->fixture = attribution_fixture_of(story->symbols);
	story->input = (struct attribution_input){
		.recording = story->recording,
		.events = story->events,
		.symbols = story->symbols,
		.names = story->names,
		.kinds = attribution_fixture_kinds(story->fixture),
		.window = TIME_WINDOW_ALL,
	};
	story->input.trackers = trackers_new(&story->input);
	ck_assert_ptr_nonnull(story->input.trackers);
	story->sites = call_sites_new(&story->input);
	ck_assert_ptr_nonnull(story->sites);
	attribution_fixture_follow(story->fixture, story->input.trackers);
	at(story->fixture, 10);
	starts(story->fixture, 0, 7);
}

static void finish(struct story *story)
{
	ends(story->fixture);
	ck_assert_int_eq(trackers_end(story->input.trackers), 0);
	ck_assert_int_eq(call_sites_end(story->sites), 0);
}

static void end_story(struct story *story)
{
	call_sites_free(story->sites);
	trackers_free(story->input.trackers);
	attribution_fixture_free(story->fixture);
	task_names_close(story->names);
	known_events_free(story->events);
	symbols_close(story->symbols);
	recording_close(story->recording);
	recording_fixture_end(&story->files);
}

static void fault(struct story *story, uint64_t begin_ns, int64_t ip)
{
	struct attribution_fixture *f = story->fixture;

	at(f, begin_ns);
	enter(f, 0, "asm_exc_page_fault");
	at(f, begin_ns + 10);
	enter(f, 0, "exc_page_fault");
	at(f, begin_ns + 20);
	event(f, 0, EVENT_PAGE_FAULT_USER, 0x1000, ip, 0);
	at(f, begin_ns + 30);
	leave(f, 0);
}

/* A fault's exit code is reached by a jump, at the entry's depth: it is not an
 * entry of its own, which would have no call site.
 */
START_TEST(the_way_out_is_no_entry)
{
	struct story story;
	const struct call_site *site;

	begin_story(&story);
	for (uint64_t i = 1; i < 4; i++) {
		fault(&story, i * 100, 0x5000);
		at(story.fixture, i * 100 + 40);
		jump(story.fixture, 0, "error_return");
		at(story.fixture, i * 100 + 50);
		leave(story.fixture, 0);
	}
	finish(&story);
	ck_assert_uint_eq(call_sites_count(story.sites), 1);
	site = call_sites_at(story.sites, 0);
	ck_assert_uint_eq(site->address, 0x5000);
	ck_assert_uint_eq(site->entries, 3);
	ck_assert_uint_eq(site->class_ns[TIME_FAULT], 150);
	end_story(&story);
}
END_TEST

START_TEST(each_instruction_is_a_site)
{
	struct story story;

	begin_story(&story);
	fault(&story, 100, 0x5000);
	leave(story.fixture, 0);
	fault(&story, 200, 0x6000);
	leave(story.fixture, 0);
	finish(&story);
	ck_assert_uint_eq(call_sites_count(story.sites), 2);
	ck_assert_uint_eq(call_sites_at(story.sites, 0)->address, 0x5000);
	ck_assert_uint_eq(call_sites_at(story.sites, 1)->address, 0x6000);
	end_story(&story);
}
END_TEST

/* Neither the trace nor an event has the origin of the entry. */
START_TEST(an_unknown_place_is_none)
{
	struct story story;
	const struct call_site *site;
	uint32_t read;

	begin_story(&story);
	read = attribution_fixture_function(story.fixture, "__x64_sys_read");
	at(story.fixture, 100);
	enter(story.fixture, 0, "entry_SYSCALL_64");
	enter(story.fixture, 0, "__x64_sys_read");
	at(story.fixture, 170);
	leave(story.fixture, 0);
	leave(story.fixture, 0);
	finish(&story);
	ck_assert_uint_eq(call_sites_count(story.sites), 1);
	site = call_sites_at(story.sites, 0);
	ck_assert_uint_eq(site->address, 0);
	ck_assert_uint_eq(site->purpose, read);
	ck_assert_uint_eq(site->class_ns[TIME_SYSTEM_CALL], 70);
	end_story(&story);
}
END_TEST

/* Return addresses of open functions, outermost first, and the address at which
 * the kernel was entered, if known.
 */
#define KERNEL_PLACE UINT64_C(0xffffffff81000123)
static const struct entry_row {
	const char *title;
	uint64_t returns[4];
	uint32_t depth;
	bool is_seen;
	uint32_t entry;
} entry_rows[] = {
	{ "user code is traced", { 0, 0x400000, 0x401000 }, 2, true, 2 },
	{ "the purpose is known further inside",
	  { 0, 0x401000, KERNEL_PLACE, KERNEL_PLACE },
	  3,
	  true,
	  1 },
	{ "the entry was not seen",
	  { 0x400000, 0, KERNEL_PLACE, KERNEL_PLACE },
	  3,
	  false,
	  0 },
	{ "the kernel alone is traced", { 0, KERNEL_PLACE }, 1, false, 0 },
	{ "from the kernel", { KERNEL_PLACE }, 0, false, 0 },
};

START_TEST(the_entry_is_where_user_code_was_left)
{
	const struct entry_row *row = &entry_rows[_i];
	struct symbols *symbols = make_symbols();
	struct path_frame frames[4] = { 0 };
	uint32_t depth = row->depth;

	for (size_t i = 0; i < 4; i++)
		frames[i].return_address = row->returns[i];
	ck_assert_msg(call_site_find_entry(symbols, frames, &depth) ==
			      row->is_seen,
		      "%s", row->title);
	if (row->is_seen)
		ck_assert_msg(depth == row->entry, "%s", row->title);
	symbols_close(symbols);
}
END_TEST

/* Return addresses of open functions, outermost first, from main() at 0x401000
 * to the kernel; and the expected position of the site.
 */
#define MAIN 0x401000
#define FSYNC 0x402000
#define INNER 0x403000
#define INNER_ARCH 0x404000
#define UNNAMED 0x405000
static const struct place_row {
	const char *title;
	uint64_t functions[4]; /* 0: the kernel */
	uint64_t calls[4];     /* of the function after, in that order */
	const char *function;
	uint64_t offset;
	const char *caller;
} place_rows[] = {
	{ "the instruction is in a function with a name",
	  { MAIN, FSYNC, 0 },
	  { MAIN + 9, FSYNC + 7 },
	  "fsync",
	  5,
	  "main" },
	{ "it is in a function that glibc alone calls",
	  { MAIN, FSYNC, INNER, 0 },
	  { MAIN + 9, FSYNC + 7, INNER + 2 },
	  "fsync",
	  6,
	  "main" },
	{ "it is in the second of two such functions",
	  { FSYNC, INNER, INNER_ARCH, 0 },
	  { FSYNC + 7, INNER + 3, INNER_ARCH + 2 },
	  "fsync",
	  6,
	  NULL },
	{ "it is in a function without a name",
	  { MAIN, FSYNC, UNNAMED, 0 },
	  { MAIN + 9, FSYNC + 7, UNNAMED + 2 },
	  "fsync",
	  6,
	  "main" },
	{ "no function has a name",
	  { UNNAMED, UNNAMED, 0 },
	  { UNNAMED + 9, UNNAMED + 7 },
	  "[libc.so.6+0x5000]",
	  5,
	  "[libc.so.6+0x5000]" },
	/* The unwinder does not find fsync()'s frame in this case. */
	{ "the function with the name jumped to the one without",
	  { MAIN, FSYNC, UNNAMED, 0 },
	  { MAIN + 9, 0, UNNAMED + 2 },
	  "fsync",
	  0,
	  "main" },
};

static struct symbols *make_user_symbols(void)
{
	static const char text[] = "401000 T main\n"
				   "402000 T fsync\n"
				   "403000 T __internal_syscall_cancel\n"
				   "404000 T __syscall_cancel_arch\n"
				   "405000 T [libc.so.6+0x5000]\n"
				   "406000 T after\n"
				   "ffffffff81000300 T entry_SYSCALL_64\n";
	struct symbols *symbols;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, sizeof(text) - 1,
					   "", 0, &symbols),
			 0);
	return symbols;
}

static void assert_place(const struct place_row *row,
			 const struct symbols *symbols,
			 const struct call_site *site)
{
	const struct function_table *functions = symbols_functions(symbols);

	ck_assert_msg(!strcmp(function_at(functions, site->function)->name,
			      row->function),
		      "%s", row->title);
	ck_assert_msg(site->offset == row->offset, "%s", row->title);
	if (row->caller)
		ck_assert_msg(
			site->caller != FUNCTION_NONE &&
				!strcmp(function_at(functions, site->caller)
						->name,
					row->caller),
			"%s", row->title);
	else
		ck_assert_msg(site->caller == FUNCTION_NONE, "%s", row->title);
}

static uint32_t function_of(const struct symbols *symbols, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, 7, 0, address, &symbol);
	return symbol.function;
}

START_TEST(a_function_with_a_name_stands_for_those_it_calls)
{
	const struct place_row *row = &place_rows[_i];
	struct symbols *symbols = make_user_symbols();
	struct path_frame frames[4] = { 0 };
	struct call_site site = {
		.pid = 7,
		.purpose = (uint32_t)SITE_SYSTEM_CALL,
		.caller = FUNCTION_NONE,
	};
	uint32_t depth = 0;

	while (row->functions[depth]) {
		frames[depth].function =
			function_of(symbols, row->functions[depth]);
		frames[depth + 1].return_address = row->calls[depth];
		depth++;
	}
	call_site_locate_return(&site, symbols, row->calls[depth - 1]);
	call_site_find_caller(&site, symbols, frames, depth);
	assert_place(row, symbols, &site);
	symbols_close(symbols);
}
END_TEST

START_TEST(a_function_with_a_name_stands_for_those_it_calls_on_stacks)
{
	const struct place_row *row = &place_rows[_i];
	struct symbols *symbols = make_user_symbols();
	struct call_site site = { .pid = 7, .caller = FUNCTION_NONE };
	uint64_t addresses[4];
	size_t count = 0, depth = 0;

	while (row->functions[depth])
		depth++;
	call_site_locate_call(&site, symbols, row->calls[depth - 1]);
	while (depth--)
		addresses[count++] = row->calls[depth] - 1;
	call_site_find_unwound(&site, symbols, addresses, count);
	assert_place(row, symbols, &site);
	symbols_close(symbols);
}
END_TEST

/* fsync() of libc, called by libstdc++, by a template in the program, and by
 * main().
 */
static struct symbols *make_library_symbols(void)
{
	static const char text[] = "401000 T main\n"
				   "402000 T fsync\t[libc.so.6]\n"
				   "403000 T flush\t[libstdc++.so.6]\n"
				   "404000 T std::list::insert\n"
				   "405000 T helper\t[plugin.so]\n"
				   "406000 T after\n"
				   "ffffffff81000300 T entry_SYSCALL_64\n";
	struct symbols *symbols;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, text, sizeof(text) - 1,
					   "", 0, &symbols),
			 0);
	return symbols;
}

#define FLUSH 0x403000
#define INSERT 0x404000
#define HELPER 0x405000
#define AFTER 0x406000
static const struct caller_row {
	const char *title;
	uint64_t functions[5]; /* as in struct place_row */
	const char *caller;
	uint64_t address;
} caller_rows[] = {
	{ "libraries called it", { MAIN, FLUSH, FSYNC, 0 }, "main", MAIN + 9 },
	{ "a template called it",
	  { MAIN, INSERT, FLUSH, FSYNC, 0 },
	  "main",
	  MAIN + 9 },
	{ "another file called it",
	  { MAIN, HELPER, FSYNC, 0 },
	  "helper",
	  HELPER + 9 },
	{ "the program's own instruction",
	  { FLUSH, MAIN, AFTER, 0 },
	  "main",
	  MAIN + 9 },
	{ "only libraries are known", { FLUSH, FSYNC, 0 }, "flush", FLUSH + 9 },
};

START_TEST(the_caller_is_the_programs_own)
{
	const struct caller_row *row = &caller_rows[_i];
	struct symbols *symbols = make_library_symbols();
	struct path_frame frames[5] = { 0 };
	struct call_site traced = {
		.pid = 7,
		.purpose = (uint32_t)SITE_SYSTEM_CALL,
		.caller = FUNCTION_NONE,
	};
	struct call_site copied = traced;
	uint64_t addresses[5];
	uint32_t depth = 0;
	size_t count = 0;

	while (row->functions[depth]) {
		frames[depth].function =
			function_of(symbols, row->functions[depth]);
		frames[depth + 1].return_address = row->functions[depth] + 9;
		depth++;
	}
	while (count < depth) {
		addresses[count] = row->functions[depth - 1 - count] + 8;
		count++;
	}
	call_site_locate_return(&traced, symbols,
				row->functions[depth - 1] + 9);
	call_site_find_caller(&traced, symbols, frames, depth);
	call_site_locate_call(&copied, symbols, row->functions[depth - 1] + 9);
	call_site_find_unwound(&copied, symbols, addresses, count);
	ck_assert_uint_eq(traced.caller, copied.caller);
	ck_assert_str_eq(
		function_at(symbols_functions(symbols), copied.caller)->name,
		row->caller);
	ck_assert_uint_eq(traced.caller_address, row->address);
	ck_assert_uint_eq(copied.caller_address, row->address);
	symbols_close(symbols);
}
END_TEST

SUITE("call_sites")
{
	TEST(the_way_out_is_no_entry);
	TEST(each_instruction_is_a_site);
	TEST(an_unknown_place_is_none);
	TEST_EACH(the_entry_is_where_user_code_was_left, entry_rows);
	TEST_EACH(a_function_with_a_name_stands_for_those_it_calls, place_rows);
	TEST_TIMES(a_function_with_a_name_stands_for_those_it_calls_on_stacks,
		   sizeof(place_rows) / sizeof(place_rows[0]) - 1);
	TEST_EACH(the_caller_is_the_programs_own, caller_rows);
}

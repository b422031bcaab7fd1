/* SPDX-License-Identifier: MIT */
/* The sentences about causes and their parts. */
#include "explain/sentences_internal.h"

#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

static const char kernel[] = "ffffffff81000000 T _text\n"
			     "ffffffff81000100 T __x64_sys_fsync\n"
			     "ffffffff81000200 T __x64_sys_clock_nanosleep\n"
			     "ffffffff81000300 T __x64_sys_openat\n"
			     "ffffffff81000400 T _etext\n";

/* A thread of the command and another one of its process. */
enum { FIRST, SECOND };

struct fixture {
	struct symbols *symbols;
	struct task_names *names;
	struct lives lives;
	struct attribution_input input;
	struct explanation explanation;
};

static void begin_with(struct fixture *f, const char *comm)
{
	const char *const comms[] = { comm, "pool" };

	memset(f, 0, sizeof(*f));
	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kernel,
					   sizeof(kernel) - 1, "", 0,
					   &f->symbols),
			 0);
	f->names = task_names_empty();
	f->lives = LIVES_NONE;
	for (uint32_t i = 0; i < 2; i++) {
		struct life *life = lives_reach(&f->lives, i);

		life->tid = (int32_t)i + 10;
		life->pid = 10;
		ck_assert_int_eq(task_names_add(f->names, life->tid, comms[i]),
				 0);
	}
	f->input.symbols = f->symbols;
	f->input.names = f->names;
	f->explanation.input = &f->input;
	f->explanation.causes = causes_of(&f->lives, f->names);
}

static void begin(struct fixture *f)
{
	begin_with(f, "app");
}

static void end(struct fixture *f)
{
	causes_free(&f->explanation.causes);
	lives_free(&f->lives);
	task_names_close(f->names);
	symbols_close(f->symbols);
}

static uint32_t call_of(struct fixture *f, const char *name, const char *file)
{
	const struct function_table *functions = symbols_functions(f->symbols);
	uint32_t function = 0;

	while (strcmp(function_at(functions, function)->base, name) != 0) {
		function++;
		ck_assert_uint_lt(function, function_count(functions));
	}
	return lives_add_call(&f->lives, function, file);
}

/* Adds a wait of @kind for 100 ns in @sleep, which may be NULL. */
static void add(struct fixture *f, enum link_kind kind,
		const struct life_sleep *sleep, const struct path_cause *cause)
{
	const struct path_link link = { .kind = kind,
					.thread = cause ? SECOND : FIRST,
					.begin_ns = 0,
					.end_ns = 100,
					.ns = 100,
					.function = FUNCTION_NONE,
					.other = LIFE_NONE,
					.sleep = sleep,
					.causes = cause,
					.cause_count = cause != NULL };

	ck_assert_int_eq(causes_add(&f->explanation.causes, &link), 0);
}

static struct life_sleep sleep_in(uint32_t call, uint32_t refused)
{
	return (struct life_sleep){ .call = call,
				    .refused = refused,
				    .inside = FUNCTION_NONE,
				    .user = FUNCTION_NONE };
}

static void expect_texts(struct fixture *f, const char *sentence,
			 const char *details)
{
	const struct cause *first;
	struct text_line line = { .size = 0 };

	causes_sort(&f->explanation.causes);
	first = f->explanation.causes.all.items.items;
	sentence_cause(&line, &f->explanation, first);
	ck_assert_str_eq(line.text, sentence);
	line = (struct text_line){ .size = 0 };
	ck_assert(sentence_details(&line, &f->explanation, first));
	ck_assert_str_eq(line.text, details);
}

START_TEST(many_waits_are_counted)
{
	struct life_sleep sleeps[10];
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < 10; i++) {
		sleeps[i] = sleep_in(call_of(&f, "__x64_sys_fsync", NULL),
				     FUNCTION_NONE);
		add(&f, LINK_DISK, &sleeps[i], NULL);
	}
	expect_texts(&f, "app waited for the disk",
		     "in fsync 1.00 us (10 waits)");
	end(&f);
}
END_TEST

/* If no file has half of the time of its call, none is named. */
START_TEST(calls_of_several_files)
{
	static const char *const files[] = { "/db/a", "/db/b", "/db/c" };
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < 3; i++) {
		struct life_sleep sleep =
			sleep_in(call_of(&f, "__x64_sys_fsync", files[i]),
				 FUNCTION_NONE);

		add(&f, LINK_DISK, &sleep, NULL);
	}
	expect_texts(&f, "app waited for the disk",
		     "in fsync of several files 300 ns");
	end(&f);
}
END_TEST

START_TEST(a_call_of_one_file)
{
	static const char *const files[] = { "/db/a", "/db/a", "/db/c" };
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < 3; i++) {
		struct life_sleep sleep =
			sleep_in(call_of(&f, "__x64_sys_fsync", files[i]),
				 FUNCTION_NONE);

		add(&f, LINK_DISK, &sleep, NULL);
	}
	expect_texts(&f, "app waited for the disk",
		     "in fsync of /db/a 200 ns, in fsync of /db/c 100 ns");
	end(&f);
}
END_TEST

/* A program that tries again after a while names what it tries. */
START_TEST(a_sleep_after_a_refused_call)
{
	struct life_sleep sleep;
	struct fixture f;

	begin(&f);
	sleep = sleep_in(call_of(&f, "__x64_sys_clock_nanosleep", NULL),
			 call_of(&f, "__x64_sys_openat", "/run/app.lock"));
	add(&f, LINK_TIMER, &sleep, NULL);
	expect_texts(&f, "app slept until a timer expired",
		     "in clock_nanosleep, each after a refused openat of "
		     "/run/app.lock 100 ns");
	end(&f);
}
END_TEST

/* The options chose app alone, which waits for a thread of its process. */
START_TEST(another_thread_of_the_process)
{
	struct life_sleep sleep;
	struct path_cause reply = { .kind = CAUSE_REPLY,
				    .waiter = FIRST,
				    .actor = SECOND };
	struct fixture f;

	begin(&f);
	sleep = sleep_in(FUNCTION_NONE, FUNCTION_NONE);
	reply.sleep = &sleep;
	add(&f, LINK_USER, NULL, &reply);
	expect_texts(&f, "app waited for pool, another thread of it",
		     "in that time pool ran its code 100 ns");
	end(&f);
}
END_TEST

/* Waits for another thread: in one call, or in two with half of the time each. */
static const struct {
	const char *calls[2];
	enum link_kind kind; /* of the time of the other thread */
	const char *details;
} places[] = {
	{ { "__x64_sys_fsync", "__x64_sys_fsync" },
	  LINK_USER,
	  "in fsync of data; in that time pool ran its code 200 ns" },
	{ { "__x64_sys_fsync", "__x64_sys_openat" },
	  LINK_USER,
	  "in that time pool ran its code 200 ns" },
	{ { "__x64_sys_fsync", "__x64_sys_openat" },
	  LINK_TIMER,
	  "in that time pool slept in clock_nanosleep 200 ns" },
};

START_TEST(a_wait_for_a_thread_names_its_main_place)
{
	struct life_sleep sleeps[2];
	struct life_sleep pools;
	struct path_cause lock = { .kind = CAUSE_LOCK,
				   .waiter = FIRST,
				   .actor = SECOND };
	struct fixture f;

	begin(&f);
	pools = sleep_in(call_of(&f, "__x64_sys_clock_nanosleep", NULL),
			 FUNCTION_NONE);
	for (size_t i = 0; i < 2; i++) {
		sleeps[i] =
			sleep_in(call_of(&f, places[_i].calls[i], "/var/data"),
				 FUNCTION_NONE);
		lock.sleep = &sleeps[i];
		add(&f, places[_i].kind,
		    places[_i].kind == LINK_TIMER ? &pools : NULL, &lock);
	}
	expect_texts(&f, "app waited for a lock that pool held",
		     places[_i].details);
	end(&f);
}
END_TEST

/* A program that waits for a reply of another process of its name. */
START_TEST(another_process_of_the_name)
{
	struct life_sleep sleep;
	struct path_cause reply = { .kind = CAUSE_REPLY,
				    .waiter = FIRST,
				    .actor = SECOND };
	struct fixture f;

	begin_with(&f, "pool");
	lives_reach(&f.lives, SECOND)->pid = 11;
	sleep = sleep_in(FUNCTION_NONE, FUNCTION_NONE);
	reply.sleep = &sleep;
	add(&f, LINK_USER, NULL, &reply);
	expect_texts(&f, "pool waited for another process of this name",
		     "in that time pool ran its code 100 ns");
	end(&f);
}
END_TEST

/* Causes of several programs add up; the greatest three are named. */
START_TEST(smaller_causes_are_summed_by_kind)
{
	struct fixture f;
	struct path_cause lock = { .kind = CAUSE_LOCK,
				   .waiter = FIRST,
				   .actor = SECOND };
	struct text_line line = { .size = 0 };

	begin(&f);
	for (int i = 0; i < 9; i++)
		add(&f, LINK_USER, NULL, NULL);
	for (int i = 0; i < 2; i++)
		add(&f, LINK_DISK, NULL, NULL);
	for (int i = 0; i < 4; i++)
		add(&f, LINK_CALL, NULL, NULL);
	for (int i = 0; i < 3; i++)
		add(&f, LINK_USER, NULL, &lock);
	add(&f, LINK_TIMER, NULL, NULL);
	causes_sort(&f.explanation.causes);
	sentence_rest(&line, &f.explanation, 1);
	ck_assert_str_eq(line.text, "system calls 400 ns, waits for locks 300 "
				    "ns, waits for the disk 200 ns");
	line = (struct text_line){ .size = 0 };
	sentence_rest(&line, &f.explanation, 4);
	ck_assert_str_eq(line.text, "sleeps until a timer 100 ns");
	end(&f);
}
END_TEST

/* Names of threads, and how a command that a person copies has them. */
static const struct {
	const char *comm;
	const char *word;
} words[] = {
	{ "app", "app" },
	{ "a';reboot;'", "$'a\\';reboot;\\''" },
};

START_TEST(a_name_is_one_word_in_a_command)
{
	struct text_line line = { 0 };
	const struct cause *cause;
	const char *found;
	struct fixture f;

	begin_with(&f, words[_i].comm);
	add(&f, LINK_USER, NULL, NULL);
	cause = array_at(&f.explanation.causes.all.items, 0);
	sentence_command(&line, &f.explanation, cause);
	found = strstr(line.text, "--comm ");
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found + strlen("--comm "), words[_i].word);
	end(&f);
}
END_TEST

/* Time in functions that are named after their address is a file's without
 * names. Functions of the kernel's modules are not meant.
 */
START_TEST(files_without_names_are_listed)
{
	static const struct {
		const char *path;
		const char *name;
		char space;
		uint64_t ns;
	} runs[] = {
		{ "/usr/bin/git", "git+0x4000", 'u', 10 },
		{ "/usr/lib/libz.so.1", "libz.so.1+0x5000", 'u', 60 },
		{ "/usr/bin/git", "[git+0x6000]", 'u', 15 },
		{ "/usr/lib/git-core/git", "[git]", 'u', 5 },
		{ "/usr/bin/git", "main", 'u', 500 },
		{ "ext4", "ext4+0x7000", 'k', 500 },
	};
	struct cause_detail details[6] = { 0 };
	struct function_table *functions = function_table_new();
	struct text_line line = { .size = 0 };

	ck_assert_ptr_nonnull(functions);
	for (uint32_t i = 0; i < 6; i++) {
		const char *module = function_table_module(
			functions, runs[i].path, strlen(runs[i].path));

		details[i].kind = LINK_USER;
		details[i].ns = runs[i].ns;
		details[i].function = function_table_add(functions,
							 runs[i].name,
							 strlen(runs[i].name),
							 module, runs[i].space);
	}
	ck_assert(!sentence_nameless(&line, functions, details, 6, 91));
	ck_assert(sentence_nameless(&line, functions, details, 6, 90));
	ck_assert_str_eq(line.text, "No function names (see --debuginfod): "
				    "libz.so.1, git");
	ck_assert(!sentence_nameless(&line, functions, details + 4, 2, 0));
	function_table_free(functions);
}
END_TEST

SUITE("sentences")
{
	TEST(many_waits_are_counted);
	TEST(calls_of_several_files);
	TEST(a_call_of_one_file);
	TEST(a_sleep_after_a_refused_call);
	TEST(another_thread_of_the_process);
	TEST(another_process_of_the_name);
	TEST(smaller_causes_are_summed_by_kind);
	TEST(files_without_names_are_listed);
	TEST_EACH(a_wait_for_a_thread_names_its_main_place, places);
	TEST_EACH(a_name_is_one_word_in_a_command, words);
}

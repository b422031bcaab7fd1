/* SPDX-License-Identifier: MIT */
/* A store in a file: uploads are whole or absent, and questions have the
 * answers that their rows were made for.
 */
#include "common/error.h"
#include "store/answer/answer.h"
#include "store/ask/store_diff.h"
#include "store/ask/store_requests.h"
#include "store/sqlite/sqlite_store.h"
#include "store/target/store_target.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/store_rows.h"
#include "tests/run_suite.h"

#include "sql/rows/sql_table.h"
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };
static struct scratch_folder folder;
static char path[128];
static struct store_target *target;

static void open_store(void)
{
	folder = scratch_folder_new();
	scratch_folder_path(&folder, "store.db", path, sizeof(path));
	target = sqlite_store_open(path, SQLITE_STORE_WRITE, &log_said);
	ck_assert_ptr_nonnull(target);
	ck_assert_int_eq(target->class->prepare(target), 0);
}

static void close_store(void)
{
	target->class->close(target);
	scratch_folder_free(&folder);
}

/* A recording called @id of a host, with one label. */
struct made {
	const char *id;
	const char *host;
	const char *kernel;
	struct store_label label;
	int64_t walls_ns[4]; /* of its system calls, 0: end of list */
};

static const struct made recordings[] = {
	{ "a1",
	  "east",
	  "6.1.0-50-amd64",
	  { "team", "it's \\me" },
	  { 10, 30, 900 } },
	{ "a2", "east", "6.12.9+deb13", { "team", "web" }, { 20, 40 } },
	{ "b1", "west", "6.12.9-amd64", { "team", "web" }, { 100 } },
};

static struct row_chunk *make_calls(const struct made *made)
{
	struct row_chunk *rows = store_rows_new(TABLE_SYSCALL);

	for (int i = 0; made->walls_ns[i]; i++) {
		store_rows_add(rows);
		store_rows_number(rows, "begin_ns", 1000000000LL * (i + 1));
		store_rows_number(rows, "end_ns",
				  1000000000LL * (i + 1) + made->walls_ns[i]);
		store_rows_number(rows, "wall_ns", made->walls_ns[i]);
		store_rows_text(rows, "call", i % 2 ? "read" : "open");
		store_rows_text(rows, "comm", "cat");
		store_rows_number(rows, "tid", 7);
		store_rows_text(rows, "ended", "returned");
		store_rows_number(rows, "is_recorder", 0);
	}
	return rows;
}

static struct row_chunk *make_row(const struct made *made)
{
	struct row_chunk *row = store_rows_new(TABLE_RECORDING);

	store_rows_add(row);
	store_rows_text(row, "host", made->host);
	store_rows_text(row, "kernel", made->kernel);
	store_rows_text(row, "path", "/var/my traces/it's");
	return row;
}

static struct array labels_of(const struct made *made)
{
	struct array labels = ARRAY_OF(struct store_label);
	struct store_label *label = array_add(&labels);

	ck_assert_ptr_nonnull(label);
	*label = made->label;
	return labels;
}

static int upload(const struct made *made, bool is_finished)
{
	struct array labels = labels_of(made);
	struct store_entry entry = { .labels = &labels, .added_on = "here" };
	struct row_chunk *calls = make_calls(made);
	struct row_chunk *row = make_row(made);
	bool is_there = false;
	int error;

	snprintf(entry.id, sizeof(entry.id), "%s", made->id);
	store_entry_set_time(&entry, 1769817600);
	entry.wanted[TABLE_SYSCALL] = true;
	error = target->class->begin(target, &entry, &is_there);
	if (!error && !is_there)
		error = target->class->add(target, calls);
	if (!error && !is_there && is_finished)
		error = target->class->finish(target, &entry, row);
	target->class->end(target);
	row_chunk_free(calls);
	row_chunk_free(row);
	array_free(&labels);
	return error ? error : is_there;
}

static void upload_all(void)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(*recordings); i++)
		ck_assert_int_eq(upload(&recordings[i], true), 0);
}

static int64_t ask_number(const char *query)
{
	struct answer answer;
	int64_t number;

	ck_assert_int_eq(store_target_query(target, query, &answer), 0);
	ck_assert_uint_eq(answer_rows(&answer), 1);
	number = answer_number(&answer, 0, 0);
	answer_free(&answer);
	return number;
}

START_TEST(an_upload_is_whole_or_absent)
{
	ck_assert_int_eq(upload(&recordings[0], false), 0);
	ck_assert_int_eq(ask_number("SELECT count(*) FROM syscall"), 0);
	ck_assert_int_eq(ask_number("SELECT count(*) FROM recording"), 0);
	ck_assert_int_eq(upload(&recordings[0], true), 0);
	ck_assert_int_eq(ask_number("SELECT count(*) FROM syscall"), 3);
	ck_assert_int_eq(upload(&recordings[0], true), 1);
	ck_assert_int_eq(ask_number("SELECT count(*) FROM syscall"), 3);
	ck_assert_int_eq(ask_number("SELECT count(*) FROM label"), 1);
}
END_TEST

/* Conditions on recordings, and how many system calls those have. */
static const struct {
	const char *condition;
	int64_t calls;
} filters[] = {
	{ "host=east", 5 },	      { "kernel=6.12", 3 },
	{ "kernel=6.1", 3 },	      { "kernel=6", 6 },
	{ "team=it's \\me", 3 },      { "team=web", 3 },
	{ "day=2026-01-31", 6 },      { "team=' OR 1=1 --", 0 },
	{ "kernel=6.12.9+deb13", 2 },
};

START_TEST(conditions_choose_recordings)
{
	char *condition = strdup(filters[_i].condition);
	char *conditions[] = { condition };
	const struct measure_choice choice = {
		.measure = measure_find("syscall"),
		.recordings = { conditions, 1, 1, sizeof(*conditions) },
	};
	sqlite3_str *query = sqlite3_str_new(NULL);
	struct answer answer;

	upload_all();
	sqlite3_str_appendall(query, "SELECT count(*) FROM ");
	measure_query_rows(&choice, target, "", query);
	sqlite3_str_appendall(query, " AS rows");
	ck_assert_int_eq(measure_query_run(target, query, &answer), 0);
	ck_assert_int_eq(answer_number(&answer, 0, 0), filters[_i].calls);
	answer_free(&answer);
	free(condition);
}
END_TEST

/* The query has room left, so that memory runs out for a part of it alone: the
 * rest would be a query for other recordings, or no query.
 */
START_TEST(a_condition_without_memory_is_no_query)
{
	char *condition = strdup(filters[_i].condition);
	char *conditions[] = { condition };
	const struct array list = { conditions, 1, 1, sizeof(*conditions) };
	sqlite3_str *query = sqlite3_str_new(NULL);
	char *text;

	sqlite3_str_appendchar(query, 2000, ' ');
	sqlite3_hard_heap_limit64(sqlite3_memory_used());
	recording_filter_append(&list, target, query);
	sqlite3_hard_heap_limit64(0);
	text = sqlite3_str_finish(query);
	ck_assert_ptr_null(text);
	free(condition);
}
END_TEST

/* open took 10, 900, 20 and 100 ns, and read 30 and 40. */
START_TEST(a_report_has_ranks_by_keys)
{
	const struct store_report report = {
		.choice = { .measure = measure_find("syscall"),
			    .recordings = ARRAY_OF(char *) },
		.keys = { "item", "host" },
		.key_count = 2,
		.top = UINT64_MAX,
	};
	static const char *const wanted[][2] = { { "open", "east" },
						 { "open", "west" },
						 { "read", "east" } };
	/* recordings, count, total, p50, p90, p99, max */
	static const int64_t numbers[][7] = { { 2, 3, 930, 20, 900, 900, 900 },
					      { 1, 1, 100, 100, 100, 100, 100 },
					      { 2, 2, 70, 30, 40, 40, 40 } };
	struct answer answer;

	upload_all();
	ck_assert_int_eq(store_report_ask(&report, target, &answer), 0);
	ck_assert_uint_eq(answer_rows(&answer), 3);
	for (size_t row = 0; row < 3; row++) {
		for (size_t i = 0; i < 2; i++)
			ck_assert_str_eq(answer_text(&answer, row, i),
					 wanted[row][i]);
		for (size_t i = 0; i < 7; i++)
			ck_assert_int_eq(answer_number(&answer, row, i + 2),
					 numbers[row][i]);
	}
	answer_free(&answer);
}
END_TEST

START_TEST(an_outlier_comes_with_its_command)
{
	const struct store_slow slow = {
		.choice = { .measure = measure_find("syscall"),
			    .recordings = ARRAY_OF(char *) },
		.times = 10,
		.top = UINT64_MAX,
	};
	struct answer answer;

	upload_all();
	ck_assert_int_eq(store_slow_ask(&slow, target, &answer), 0);
	ck_assert_uint_eq(answer_rows(&answer), 1);
	ck_assert_str_eq(answer_text(&answer, 0, 0), "open");
	ck_assert_int_eq(answer_number(&answer, 0, 1), 900);
	ck_assert_int_eq(answer_number(&answer, 0, 2), 20);
	ck_assert_str_eq(answer_text(&answer, 0, 11),
			 "ktrace-hw timeline -i $'/var/my traces/it\\'s' "
			 "--since @3.000000000 --until @3.000000901");
	answer_free(&answer);
}
END_TEST

START_TEST(a_recording_on_both_sides_is_refused)
{
	char a[] = "host=east";
	char b[] = "team=web";
	char *sides[] = { a, b };
	const struct store_diff diff = {
		.measure = measure_find("syscall"),
		.statistic = diff_statistic_find("p50"),
		.sides = { { &sides[0], 1, 1, sizeof(*sides) },
			   { &sides[1], 1, 1, sizeof(*sides) } },
		.top = UINT64_MAX,
	};
	struct answer answer;

	upload_all();
	ck_assert_int_eq(store_diff_ask(&diff, target, &answer),
			 -ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(said, "1 recordings are on both sides"));
}
END_TEST

static const struct {
	const char *change;
	const char *text;
} others[] = {
	{ "PRAGMA user_version = 0", "add the recordings to a new store" },
	{ "PRAGMA user_version = 99", "use a newer ktrace-hw" },
	{ "PRAGMA application_id = 1", "is a database, but not a store" },
};

START_TEST(other_databases_are_refused)
{
	sqlite3 *db = NULL;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, others[_i].change, NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	ck_assert_int_eq(target->class->check(target), -ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(said, others[_i].text));
	ck_assert_int_eq(target->class->prepare(target), -ERROR_UNSUPPORTED);
}
END_TEST

/* Opens @name in the folder for writing, and returns whether it opened. */
static bool opens(const char *name)
{
	char of[160];
	struct store_target *store;

	scratch_folder_path(&folder, name, of, sizeof(of));
	store = sqlite_store_open(of, SQLITE_STORE_WRITE, &log_said);
	if (store)
		store->class->close(store);
	return store != NULL;
}

/* Another user could place a journal there, which SQLite copies into the store.
 */
START_TEST(a_store_in_a_folder_of_everybody_is_refused)
{
	ck_assert(opens("own.db"));
	ck_assert_int_eq(chmod(folder.path, 01777), 0);
	ck_assert(!opens("own.db"));
	ck_assert_ptr_nonnull(strstr(said, "other users can place files"));
	ck_assert(!opens("new.db"));
	ck_assert_int_eq(chmod(folder.path, 0770), 0);
	ck_assert(opens("new.db"));
}
END_TEST

START_TEST(root_opens_no_store_through_links_of_others)
{
	char link[160];

	if (geteuid()) {
		puts("skipped: only root can act as two users");
		return;
	}
	scratch_folder_path(&folder, "link.db", link, sizeof(link));
	ck_assert_int_eq(symlink("store.db", link), 0);
	ck_assert(opens("link.db"));
	ck_assert_int_eq(lchown(link, 65534, 65534), 0);
	ck_assert(!opens("link.db"));
	ck_assert_ptr_nonnull(strstr(said, "another user made a link"));
	ck_assert_int_eq(chown(folder.path, 65534, 65534), 0);
	ck_assert(!opens("store.db"));
	ck_assert_ptr_nonnull(strstr(said, "other users can place files"));
	ck_assert_int_eq(chown(folder.path, 0, 0), 0);
}
END_TEST

SUITE("sqlite_store")
{
	FIXTURE(open_store, close_store);
	TEST(an_upload_is_whole_or_absent);
	TEST_EACH(conditions_choose_recordings, filters);
	TEST_EACH(a_condition_without_memory_is_no_query, filters);
	TEST(a_report_has_ranks_by_keys);
	TEST(an_outlier_comes_with_its_command);
	TEST(a_recording_on_both_sides_is_refused);
	TEST(a_store_in_a_folder_of_everybody_is_refused);
	TEST(root_opens_no_store_through_links_of_others);
	TEST_EACH(other_databases_are_refused, others);
}

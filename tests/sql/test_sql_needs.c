/* SPDX-License-Identifier: MIT */
/* Columns without data are NULL, and what a query reads of them is reported, with
 * the command that records it.
 */
#include "sql/rows/sql_table.h"

#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/sqlite/query_rows.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"
#include "tests/run_suite.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define BIT(event) (UINT64_C(1) << (event))
#define SCHED (BIT(EVENT_SCHED_SWITCH) | BIT(EVENT_SCHED_WAKING))
#define SYSCALLS (BIT(EVENT_SYS_ENTER) | BIT(EVENT_SYS_EXIT))

enum kind { NONE, DEFAULT, WITH_SYSCALLS, WITH_USER, USER_ONLY, KINDS };

static const struct recorded kinds[KINDS] = {
	[NONE] = { .has_functions = true,
		   .has_kernel = true,
		   .events = BIT(EVENT_SCHED_SWITCH) },
	[DEFAULT] = { .has_functions = true,
		      .has_kernel = true,
		      .events = SCHED },
	[WITH_SYSCALLS] = { .has_functions = true,
			    .has_kernel = true,
			    .has_user_stacks = true,
			    .events = SCHED | SYSCALLS },
	[WITH_USER] = { .has_functions = true,
			.has_kernel = true,
			.has_user = true,
			.events = SCHED | SYSCALLS },
	[USER_ONLY] = { .has_functions = true,
			.has_user = true,
			.events = SCHED },
};

static const struct sql_table *table_of(const char *name)
{
	const struct sql_table *table = sql_table_find(name);

	ck_assert_ptr_nonnull(table);
	return table;
}

/* @columns: names, each with a space before and after. */
static uint64_t bits_of(const struct sql_table *table, const char *columns)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < table->column_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), " %s ", table->columns[i].name);
		if (strstr(columns, name))
			bits |= SQL_COLUMN(i);
	}
	return bits;
}

#define VALUES " number arg0 arg1 arg2 arg3 arg4 arg5 result "

#define FILES " path file "

/* The columns that are NULL in all rows. */
static const struct {
	enum kind kind;
	const char *table;
	const char *columns;
} nulls[] = {
	{ NONE, "syscall", VALUES FILES "asleep_ns runnable_ns " },
	{ DEFAULT, "syscall", VALUES FILES },
	{ WITH_SYSCALLS, "syscall", FILES },
	{ DEFAULT, "sleep", " fd user_stack " },
	{ WITH_SYSCALLS, "sleep", "" },
	{ WITH_USER, "sleep", "" },
	{ NONE, "thread", " asleep_ns interrupt_benefited_ns " },
	{ DEFAULT, "thread", " interrupt_benefited_ns " },
	{ USER_ONLY, "thread",
	  " system_call_ns fault_ns kernel_ns interrupt_benefited_ns "
	  "interrupt_stolen_ns tracer_ns system_calls faults " },
	{ DEFAULT, "process",
	  " interrupt_benefited_ns interrupt_elsewhere_ns "
	  "kernel_elsewhere_ns " },
	{ NONE, "thread_state", " waker_tid " },
	{ USER_ONLY, "thread_state", " function work " },
	{ DEFAULT, "interrupt", " irq " },
	{ NONE, "lock_wait", " releaser_pid releaser_tid releaser_comm " },
	{ DEFAULT, "request_sleep", " fd " },
	{ NONE, "recording", "" },
	{ NONE, "call", "" },
};

START_TEST(columns_without_data_are_null)
{
	const struct sql_table *table = table_of(nulls[_i].table);

	ck_assert_uint_eq(sql_needs_nulls(table, &kinds[nulls[_i].kind]),
			  bits_of(table, nulls[_i].columns));
}
END_TEST

#define NO(columns, event) \
	"Not recorded: " columns ": the recording has no " event "\n"
#define NO_WAKING(columns) \
	NO(columns, "sched:sched_waking (record --events=sched).")
#define NO_KERNEL(columns) \
	"Not recorded: " columns \
	": the kernel was not traced (perf record -e " \
	"intel_pt//k, or ktrace-hw record).\n"

static const struct {
	enum kind kind;
	const char *table;
	const char *columns; /* that the query reads */
	const char *text;
} reads[] = {
	/* The rows count, whatever the columns. */
	{ NONE, "sleep", " fd tid ", NO_WAKING("sleep") },
	{ NONE, "wakeup", "", NO_WAKING("wakeup") },
	{ USER_ONLY, "fault", " function ", NO_KERNEL("fault") },
	{ DEFAULT, "sleep", " tid stack ", "" },
	{ DEFAULT, "sleep", " tid fd ",
	  NO("sleep.fd", "raw_syscalls:sys_enter (record "
			 "--events=sched,syscalls).") },
	{ DEFAULT, "sleep", " user_stack fd ",
	  NO("sleep.fd, sleep.user_stack",
	     "raw_syscalls:sys_enter, user stacks at system calls (record "
	     "--events=sched,syscalls --user-stacks).") },
	{ WITH_USER, "sleep", " user_stack fd ", "" },
	{ USER_ONLY, "sleep", " function tid ", NO_KERNEL("sleep.function") },
	{ DEFAULT, "syscall", " result arg2 call ",
	  NO("syscall.arg2, syscall.result",
	     "raw_syscalls:sys_enter, raw_syscalls:sys_exit (record "
	     "--events=sched,syscalls).") },
	{ NONE, "syscall", " asleep_ns runnable_ns ",
	  NO_WAKING("syscall.asleep_ns, syscall.runnable_ns") },
	/* Both events are missing for these: they are named once. */
	{ DEFAULT, "thread", " interrupt_benefited_ns ",
	  NO("thread.interrupt_benefited_ns",
	     "workqueue:workqueue_execute_start, timer:hrtimer_expire_entry "
	     "(record --events=attribution).") },
	/* The data is missing in some rows only. */
	{ WITH_SYSCALLS, "lock_wait", "",
	  NO("lock_wait of the kernel's locks, lock_wait of locks of files",
	     "lock:contention_begin, filelock:flock_lock_inode (record "
	     "--events=locks,syscalls).") },
	{ NONE, "recording", " path ", "" },
	{ NONE, "gap", "", "" },
};

static char *explained(enum kind kind, const struct sql_reads *of)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(
		sql_needs_explain(sql_tables_all(), &kinds[kind], of, out), 0);
	fclose(out);
	return text;
}

START_TEST(what_a_query_reads_in_vain_is_reported)
{
	const struct sql_table *table = table_of(reads[_i].table);
	struct sql_reads of = { 0 };
	char *text;

	of.tables[table->id] = true;
	of.columns[table->id] = bits_of(table, reads[_i].columns);
	text = explained(reads[_i].kind, &of);
	ck_assert_str_eq(text, reads[_i].text);
	free(text);
}
END_TEST

/* Asserts that each of @names, separated by spaces, is a column. */
static void check_names(const struct sql_table *table, const char *names)
{
	char *copy = strdup(names ? names : "");

	for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
		char padded[64];

		snprintf(padded, sizeof(padded), " %s ", name);
		ck_assert_msg(bits_of(table, padded), "%s.%s", table->name,
			      name);
	}
	free(copy);
}

/* A need of all rows is first: nothing after it is reported. */
START_TEST(needs_name_columns_of_their_table)
{
	const struct sql_table *table = sql_table_at((enum sql_table_id)_i);

	for (uint32_t i = 0; i < table->need_count; i++) {
		const struct sql_need *need = &table->needs[i];

		check_names(table, need->columns);
		if (!need->columns && !need->rows)
			ck_assert(!i || !table->needs[i - 1].columns);
	}
}
END_TEST

struct fact {
	uint64_t begin_ns;
	double share;
	const char *name;
	uint32_t count;
	int32_t tid;
	int32_t waker_tid;
	bool is_cut;
};

#define OF_FACT(member) MEMBER(struct fact, member)

static const struct column fact_columns[] = {
	NS_COLUMN("begin_ns", "", .role = ROLE_BEGIN, OF_FACT(begin_ns)),
	INT_COLUMN("put", ""),
	REAL_COLUMN("share", "", OF_FACT(share)),
	TEXT_COLUMN("name", "", OF_FACT(name)),
	INT_COLUMN("count", "", OF_FACT(count)),
	TEXT_COLUMN("put_text", ""),
	INT_COLUMN("tid", "", OF_FACT(tid)),
	INT_COLUMN("waker_tid", "", ID_MEMBER(struct fact, waker_tid)),
	INT_COLUMN("is_cut", "", OF_FACT(is_cut)),
	INT_COLUMN("put_unknown", ""),
};

/* Members that are identities are NULL if negative, others are not. */
START_TEST(a_row_has_members_and_what_is_put)
{
	static const struct sql_table table = { COLUMN_LIST(fact_columns) };
	const struct row_choice choice = ROW_CHOICE_ALL;
	const struct fact fact = {
		1ULL << 40, 0.5, "it", 1U << 31, -2, -1, true
	};
	struct row_out out = {
		.table = &table,
		.queue = row_queue_new(),
		.choice = &choice,
		.enough = UINT32_MAX,
	};
	const union sql_cell *cells;

	ck_assert(row_out_start(&out, &fact));
	row_put_number(&out, -3);
	row_put_text(&out, "put");
	row_put_known(&out, false, 0);
	row_out_end(&out);
	cells = row_chunk_cells(out.chunk, 0);
	ck_assert_int_eq(cells[0].number, 1LL << 40);
	ck_assert_int_eq(cells[1].number, -3);
	ck_assert_double_eq(cells[2].real, 0.5);
	ck_assert_str_eq(cells[3].text, "it");
	ck_assert_int_eq(cells[4].number, 1LL << 31);
	ck_assert_str_eq(cells[5].text, "put");
	ck_assert_int_eq(cells[6].number, -2);
	ck_assert_int_eq(cells[8].number, 1);
	ck_assert_uint_eq(out.chunk->nulls[0], SQL_COLUMN(7) | SQL_COLUMN(9));
	row_chunk_free(out.chunk);
	row_queue_free(out.queue);
}
END_TEST

static void write_number(FILE *file, const void *ctx)
{
	fprintf(file, "%d", *(const int *)ctx);
}

static const struct column written_columns[] = {
	NS_COLUMN("begin_ns", "", .role = ROLE_BEGIN, OF_FACT(begin_ns)),
	TEXT_COLUMN("written", ""),
};

/* A row that a query rejects for its members does not begin. A shorter text
 * does not end with a part of the longer one before it.
 */
START_TEST(a_row_begins_if_its_members_are_wanted)
{
	static const struct sql_table table = { COLUMN_LIST(written_columns) };
	struct row_choice choice = ROW_CHOICE_ALL;
	struct row_out out = {
		.table = &table,
		.queue = row_queue_new(),
		.choice = &choice,
		.enough = UINT32_MAX,
	};
	int numbers[] = { 1234, 7, 5 };

	choice.is_limited = true;
	choice.begin = (struct time_window){ 10, 12 };
	for (uint64_t i = 0; i < 3; i++) {
		const struct fact fact = { .begin_ns = 10 + i };

		ck_assert_int_eq(row_out_start(&out, &fact), i < 2);
		if (i == 2)
			continue;
		row_put_written(&out, write_number, &numbers[i]);
		row_out_end(&out);
	}
	out.drops = true;
	ck_assert(!row_out_start(&out, &(struct fact){ .begin_ns = 10 }));
	ck_assert_int_eq(out.status, 0);
	ck_assert_uint_eq(out.chunk->count, 2);
	ck_assert_str_eq(row_chunk_cells(out.chunk, 0)[1].text, "1234");
	ck_assert_str_eq(row_chunk_cells(out.chunk, 1)[1].text, "7");
	row_out_close(&out);
	row_queue_free(out.queue);
}
END_TEST

START_TEST(a_row_begins_with_what_was_not_recorded)
{
	struct row_choice choice = ROW_CHOICE_ALL;
	struct row_out out = {
		.table = table_of("sleep"),
		.queue = row_queue_new(),
		.choice = &choice,
		.not_recorded = SQL_COLUMN(3),
	};

	ck_assert_ptr_nonnull(row_out_begin(&out));
	row_out_null(&out, 1);
	ck_assert_uint_eq(out.chunk->nulls[0], SQL_COLUMN(3) | SQL_COLUMN(1));
	row_chunk_free(out.chunk);
	row_queue_free(out.queue);
}
END_TEST

/* Queries of tables with the names and some columns of a recording's. */
static const struct {
	const char *query;
	const char *columns; /* of sleep; NULL: the table is not read */
} queries[] = {
	{ "SELECT fd FROM sleep", " fd " },
	{ "SELECT 1 FROM sleep WHERE fd = 3 ORDER BY tid", " fd tid " },
	{ "SELECT * FROM sleep", " fd tid comm " },
	{ "SELECT count(*) FROM sleep", "" },
	{ "SELECT count(*) FROM main.Sleep", "" },
	{ "WITH s AS (SELECT tid FROM sleep) SELECT * FROM s", " tid " },
	{ "SELECT 1; SELECT comm FROM sleep; SELECT fd FROM sleep",
	  " comm fd " },
	{ "SELECT fd FROM other.sleep", NULL },
	{ "SELECT a FROM mine", NULL },
};

START_TEST(the_columns_that_a_query_reads_are_found)
{
	const struct sql_table *table = table_of("sleep");
	const char *columns = queries[_i].columns;
	struct sql_reads of;
	FILE *out = fopen("/dev/null", "we");
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db,
				      "CREATE TABLE sleep(fd, tid, comm);"
				      "CREATE TABLE mine(a);"
				      "ATTACH ':memory:' AS other;"
				      "CREATE TABLE other.sleep(fd)",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	ck_assert_int_eq(query_rows_write(db, queries[_i].query, RECORD_CSV,
					  &of, out),
			 0);
	ck_assert(of.tables[TABLE_SLEEP] == (columns != NULL));
	ck_assert_uint_eq(of.columns[TABLE_SLEEP],
			  columns ? bits_of(table, columns) : 0);
	sqlite3_close(db);
	fclose(out);
}
END_TEST

SUITE("sql_needs")
{
	TEST_EACH(columns_without_data_are_null, nulls);
	TEST_EACH(what_a_query_reads_in_vain_is_reported, reads);
	TEST_TIMES(needs_name_columns_of_their_table, SQL_TABLES);
	TEST(a_row_has_members_and_what_is_put);
	TEST(a_row_begins_if_its_members_are_wanted);
	TEST(a_row_begins_with_what_was_not_recorded);
	TEST_EACH(the_columns_that_a_query_reads_are_found, queries);
}

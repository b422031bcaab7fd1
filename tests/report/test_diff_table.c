/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_table.h"
#include "tests/run_suite.h"
#include "view/answer/file_data.h"

#include <stdlib.h>
#include <string.h>

START_TEST(csv_is_read_as_it_was_written)
{
	struct csv_rows rows;

	ck_assert_int_eq(csv_rows_read(&rows, strdup("name,count,last\n"
						     "\"a,\"\"b\"\"\n\",12,\n"
						     ",0.5,\"\"\n")),
			 0);
	ck_assert_uint_eq(csv_rows_count(&rows), 2);
	ck_assert_str_eq(csv_rows_text(&rows, 0, "name"), "a,\"b\"\n");
	ck_assert_str_eq(csv_rows_text(&rows, 0, "last"), "");
	ck_assert_str_eq(csv_rows_text(&rows, 1, "name"), "");
	ck_assert_str_eq(csv_rows_text(&rows, 1, "absent"), "");
	ck_assert(csv_rows_number(&rows, 0, "count") == 12);
	ck_assert(csv_rows_number(&rows, 1, "count") == 0.5);
	csv_rows_free(&rows);
}
END_TEST

START_TEST(nothing_has_no_rows)
{
	struct csv_rows rows;

	ck_assert_int_eq(csv_rows_read(&rows, strdup("")), 0);
	ck_assert_uint_eq(csv_rows_count(&rows), 0);
	csv_rows_free(&rows);
}
END_TEST

static void add(struct diff_table *table, int side, const char *name,
		double count, double total_ns)
{
	const struct diff_value value = { count, total_ns, total_ns / 2 };

	ck_assert_int_eq(diff_table_add(table, side, DIFF_SYSCALLS, "sh", name,
					&value),
			 0);
}

/* Makes two recordings of side A, @recordings of side B: read() takes longer,
 * poll() differs only by noise, open() is gone and close() new; write() is
 * unchanged.
 */
static struct diff_table made_table(int recordings)
{
	struct diff_table table = diff_table_new();

	for (int i = 0; i < 2; i++) {
		diff_table_begin(&table, 0);
		add(&table, 0, "read", 2, 1000 + 100 * i);
		add(&table, 0, "poll", 1, 1000 + 2000 * i);
		add(&table, 0, "write", 1, 10);
		if (i)
			add(&table, 0, "open", 1, 40);
	}
	for (int i = 0; i < recordings; i++) {
		diff_table_begin(&table, 1);
		/* Two processes of one name. */
		add(&table, 1, "read", 1, 3000);
		add(&table, 1, "read", 1, 50);
		add(&table, 1, "poll", 1, 2500);
		add(&table, 1, "write", 1, 10);
		add(&table, 1, "close", 1, 7);
	}
	diff_table_end(&table);
	return table;
}

static char *written(enum record_format format, uint64_t top)
{
	struct diff_table table = made_table(2);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(diff_table_write(&table, format, top, out), 0);
	fclose(out);
	diff_table_free(&table);
	return text;
}

START_TEST(records_have_all)
{
	char *text = written(RECORD_CSV, UINT64_MAX);

	ck_assert_str_eq(
		text,
		"section,comm,name,change_ns,note,total_a_ns,total_b_ns,"
		"count_a,count_b,mean_a_ns,mean_b_ns,p99_a_ns,p99_b_ns\n"
		"syscall,sh,read,2000,,1050,3050,2,2,525,1525,525,1500\n"
		"syscall,sh,poll,500,noise,2000,2500,1,1,2000,2500,1000,1250\n"
		"syscall,sh,open,-20,gone,20,0,1,0,40,0,20,0\n"
		"syscall,sh,close,7,new,0,7,0,1,0,7,0,4\n"
		"syscall,sh,write,0,noise,10,10,1,1,10,10,5,5\n");
	free(text);
}
END_TEST

static const struct {
	double a_ns[2];
	double b_ns[2];
	double percent;
	bool is_slower;
} slower[] = {
	{ { 100, 102 }, { 150, 151 }, 10, true },
	{ { 100, 102 }, { 150, 151 }, 48, true },
	{ { 100, 102 }, { 150, 151 }, 50, false },
	/* within the noise of a side */
	{ { 100, 140 }, { 150, 151 }, 10, false },
	{ { 100, 102 }, { 150, 210 }, 10, false },
	{ { 100, 160 }, { 150, 151 }, 10, false },
	/* faster, unchanged, new, gone */
	{ { 150, 151 }, { 100, 102 }, 0, false },
	{ { 100, 100 }, { 100, 100 }, 0, false },
	{ { 0, 0 }, { 100, 100 }, 0, false },
	{ { 100, 100 }, { 0, 0 }, 0, false },
};

static bool is_slower(int recordings, int index)
{
	struct diff_table table = diff_table_new();
	bool is;

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < recordings; i++) {
			double ns = side ? slower[index].b_ns[i] :
					   slower[index].a_ns[i];

			diff_table_begin(&table, side);
			if (ns > 0)
				add(&table, side, "read", 1, ns);
		}
	diff_table_end(&table);
	is = diff_row_is_slower(array_at(&table.rows, 0), table.recordings,
				slower[index].percent);
	diff_table_free(&table);
	return is;
}

START_TEST(slower_is_more_than_the_limit_and_noise)
{
	ck_assert_int_eq(is_slower(2, _i), slower[_i].is_slower);
	/* One recording per side cannot show noise. */
	ck_assert(!is_slower(1, _i));
}
END_TEST

START_TEST(text_leaves_out_random_differences)
{
	char *text = written(RECORD_TABLE, UINT64_MAX);

	ck_assert_ptr_nonnull(strstr(text, "\nsh    read   +2.00 us        "));
	ck_assert_ptr_nonnull(strstr(text, "\nsh    open   -20 ns    gone  "));
	ck_assert_ptr_null(strstr(text, "poll"));
	ck_assert_ptr_null(strstr(text, "write"));
	ck_assert_ptr_nonnull(strstr(text, "Noise: 2 larger changes"));
	free(text);
}
END_TEST

START_TEST(top_counts_rows_of_a_section)
{
	char *text = written(RECORD_CSV, 1);

	ck_assert_ptr_nonnull(strstr(text, ",read,"));
	ck_assert_ptr_null(strstr(text, ",open,"));
	free(text);
}
END_TEST

/* Means of a side's recordings: one of A, two of B. */
START_TEST(text_has_the_tracers_time)
{
	struct diff_table table = diff_table_new();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	diff_table_begin(&table, 0);
	diff_table_add_tracer(&table, 0, 3000);
	diff_table_add_tracer(&table, 0, 2000);
	for (int i = 0; i < 2; i++) {
		diff_table_begin(&table, 1);
		diff_table_add_tracer(&table, 1, 7000);
	}
	diff_table_end(&table);
	ck_assert_int_eq(
		diff_table_write(&table, RECORD_TABLE, UINT64_MAX, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, ", 5.00 us in A, 7.00 us in B.\n"));
	free(text);
	diff_table_free(&table);
}
END_TEST

/* System calls have changes, but one recording lacks them; processes have none,
 * with and without options.
 */
START_TEST(missing_columns_are_not_compared)
{
	struct diff_table table = made_table(1);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	diff_table_leave_out(&table, DIFF_SYSCALLS, NULL);
	ck_assert_int_eq(diff_table_note(&table, strdup("b: Not recorded: x")),
			 0);
	ck_assert_int_eq(
		diff_table_write(&table, RECORD_TABLE, UINT64_MAX, out), 0);
	table.is_chosen = true;
	ck_assert_int_eq(
		diff_table_write(&table, RECORD_TABLE, UINT64_MAX, out), 0);
	fclose(out);
	ck_assert_ptr_null(strstr(text, "read"));
	ck_assert_ptr_nonnull(
		strstr(text, "System calls\n\n  not recorded, see below\n"));
	ck_assert_ptr_nonnull(strstr(text, "went\n\n  no change\n"));
	ck_assert_ptr_nonnull(strstr(text, "went\n\n  no change of the tasks"));
	ck_assert_ptr_nonnull(
		strstr(text, "\nNot compared, because a recording lacks it:\n"
			     "b: Not recorded: x\n"));
	free(text);
	diff_table_free(&table);
}
END_TEST

START_TEST(a_part_that_a_recording_lacks_is_left_out_alone)
{
	struct diff_table table = made_table(1);

	diff_table_leave_out(&table, DIFF_SYSCALLS, "poll");
	diff_table_leave_out(&table, DIFF_SLEEPS, "write");
	ck_assert_uint_eq(table.rows.count, 4);
	ck_assert(!table.is_left_out[DIFF_SYSCALLS]);
	diff_table_free(&table);
}
END_TEST

START_TEST(a_page_has_names_as_texts)
{
	static const char *const sides[] = { "one,two", "</script>" };
	struct diff_table table = diff_table_new();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	diff_table_begin(&table, 1);
	add(&table, 1, "<!--</script>\"", 2, 10);
	diff_table_end(&table);
	diff_data_write(&table, sides, UINT64_MAX, out);
	fclose(out);
	ck_assert_str_eq(text,
			 "{\"a\":[\"one\",\"two\"],\"b\":[\"\\u003c/script>\"],"
			 "\"left_out\":[],\"notes\":[],\"is_chosen\":false,"
			 "\"rows\":[{\"section\":\"syscall\",\"comm\":\"sh\","
			 "\"name\":\"\\u003c!--\\u003c/script>\\\"\","
			 "\"note\":\"new\",\"change_ns\":10,"
			 "\"a\":{\"total_ns\":0,\"count\":0,\"mean_ns\":0,"
			 "\"p99_ns\":0},\"b\":{\"total_ns\":10,\"count\":2,"
			 "\"mean_ns\":5,\"p99_ns\":5}}]}");
	free(text);
	diff_table_free(&table);
}
END_TEST

SUITE("diff_table")
{
	TEST(csv_is_read_as_it_was_written);
	TEST(nothing_has_no_rows);
	TEST(records_have_all);
	TEST_EACH(slower_is_more_than_the_limit_and_noise, slower);
	TEST(text_leaves_out_random_differences);
	TEST(top_counts_rows_of_a_section);
	TEST(text_has_the_tracers_time);
	TEST(missing_columns_are_not_compared);
	TEST(a_part_that_a_recording_lacks_is_left_out_alone);
	TEST(a_page_has_names_as_texts);
}

/* SPDX-License-Identifier: MIT */
/* Processes of one name with little time are one row. */
#include "tables/processes/time_account.h"
#include "tests/run_suite.h"

static void add(struct array *rows, int32_t pid, const char *comm, bool is_own,
		uint64_t wall_ns, uint64_t busy_ns)
{
	struct time_account *row = array_add(rows);

	ck_assert_ptr_nonnull(row);
	row->pid = pid;
	row->comm = comm;
	row->is_own = is_own;
	row->threads = 1;
	row->wall_ns = wall_ns;
	row->busy_ns = busy_ns;
	row->kernel_work_elsewhere = 3;
}

static const struct time_account *at(const struct array *rows, size_t index)
{
	return array_at(rows, index);
}

START_TEST(small_processes_of_one_name_are_one_row)
{
	struct array rows = ARRAY_OF(struct time_account);

	add(&rows, 10, "bash", true, 10000, 50);
	add(&rows, 11, "bash", true, 99, 9);
	add(&rows, 12, "sed", true, 98, 8);
	add(&rows, 13, "bash", true, 97, 7);
	add(&rows, 14, "bash", true, 96, 6);
	/* Another program's, which sleeps. */
	add(&rows, 15, "bash", false, 10000, 5);
	/* A tenth is not small. */
	add(&rows, 16, "sed", true, 1000, 9);
	time_accounts_fold(&rows);
	ck_assert_uint_eq(rows.count, 5);
	ck_assert_int_eq(at(&rows, 0)->pid, 10);
	ck_assert_uint_eq(at(&rows, 0)->folded, 0);
	ck_assert_uint_eq(at(&rows, 1)->folded, 3);
	ck_assert_uint_eq(at(&rows, 1)->wall_ns, 99 + 97 + 96);
	ck_assert_uint_eq(at(&rows, 1)->threads, 3);
	ck_assert_uint_eq(at(&rows, 1)->kernel_work_elsewhere, 9);
	ck_assert_int_eq(at(&rows, 2)->pid, 12);
	ck_assert_uint_eq(at(&rows, 2)->folded, 0);
	ck_assert_int_eq(at(&rows, 3)->pid, 15);
	ck_assert_int_eq(at(&rows, 4)->pid, 16);
	array_free(&rows);
}
END_TEST

/* A sum that is no longer small remains open for more of its name. */
START_TEST(a_sum_grows_beyond_the_limit)
{
	struct array rows = ARRAY_OF(struct time_account);

	add(&rows, 9, "make", true, 10000, 0);
	for (int32_t pid = 10; pid < 40; pid++)
		add(&rows, pid, "sh", true, 90, 0);
	time_accounts_fold(&rows);
	ck_assert_uint_eq(rows.count, 2);
	ck_assert_uint_eq(at(&rows, 1)->folded, 30);
	ck_assert_uint_eq(at(&rows, 1)->wall_ns, 30 * 90);
	array_free(&rows);
}
END_TEST

SUITE("time_accounts_fold")
{
	TEST(small_processes_of_one_name_are_one_row);
	TEST(a_sum_grows_beyond_the_limit);
}

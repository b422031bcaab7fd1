/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/interrupts/path_sums.h"
#include "tests/run_suite.h"

struct fixture {
	struct interrupt_rows *rows;
	struct path_sums paths;
	struct owners *owners;
	uint32_t work;
};

static void make(struct fixture *fixture)
{
	const struct interrupt_row work = { .kind = INTERRUPT_HARD,
					    .pid = -1,
					    .irq = -1,
					    .function = 1,
					    .victim = 3,
					    .victim_pid = 5,
					    .victim_tid = 5 };

	fixture->rows = interrupt_rows_new();
	fixture->paths = PATH_SUMS_NONE;
	fixture->owners = owners_new(fixture->rows, &fixture->paths);
	fixture->work = interrupt_rows_work(fixture->rows, &work);
	ck_assert_uint_eq(fixture->work, 0);
}

static void end(struct fixture *fixture)
{
	ck_assert(!owners_failed(fixture->owners));
	owners_free(fixture->owners);
	path_sums_free(&fixture->paths);
	interrupt_rows_free(fixture->rows);
}

static void bill(struct fixture *fixture, struct owner *owner, uint64_t ns)
{
	owner_charge(fixture->owners, owner,
		     &(struct interrupt_charge){ .work = fixture->work,
						 .count = 1,
						 .ns = ns,
						 .span.is_shown = true });
}

/* Time of process @pid with that certainty. */
static uint64_t charged(const struct fixture *fixture, int32_t pid,
			enum interrupt_certainty certainty)
{
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(fixture->rows, i)); i++)
		if (row->pid == pid)
			return row->certain_ns[certainty];
	return 0;
}

START_TEST(what_waits_goes_to_who_it_was)
{
	struct fixture f;
	struct owner *owner;

	make(&f);
	owner = owner_open(f.owners);
	bill(&f, owner, 10);
	ck_assert_ptr_null(interrupt_rows_at(f.rows, 0));
	owner_resolve_to(f.owners, owner, owner_process(f.owners, 7),
			 CERTAIN_INFERRED);
	bill(&f, owner, 5);
	owner_resolve_to(f.owners, owner, owner_process(f.owners, 8),
			 CERTAIN_EXACT);
	owner_drop(f.owners, owner);
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 15);
	ck_assert_uint_eq(charged(&f, 8, CERTAIN_EXACT), 0);
	end(&f);
}
END_TEST

START_TEST(what_nobody_knows_of_is_nobodys)
{
	struct fixture f;
	struct owner *owner;

	make(&f);
	owner = owner_open(f.owners);
	owner_refer(owner);
	bill(&f, owner, 10);
	owner_drop(f.owners, owner);
	ck_assert_ptr_null(interrupt_rows_at(f.rows, 0));
	owner_drop(f.owners, owner);
	bill(&f, owner_process(f.owners, 0), 3);
	ck_assert_uint_eq(charged(&f, -1, CERTAIN_NOBODY), 13);
	end(&f);
}
END_TEST

/* Weights that no number of nanoseconds divides by. */
START_TEST(shares_add_up)
{
	struct array shares = ARRAY_OF(struct owner_share);
	struct fixture f;
	uint64_t sum = 0;
	double count = 0;

	make(&f);
	for (int32_t pid = 1; pid <= 7; pid++)
		owner_shares_add(f.owners, &shares,
				 owner_process(f.owners, pid), pid * 1.1,
				 CERTAIN_EXACT);
	for (uint64_t ns = 0; ns < 100; ns++)
		owner_shares_charge(f.owners, &shares,
				    &(struct interrupt_charge){ .work = f.work,
								.count = 1,
								.ns = ns,
								.span.is_shown =
									true });
	for (size_t i = 0; i < 7; i++) {
		sum += interrupt_rows_at(f.rows, i)->total_ns;
		count += interrupt_rows_at(f.rows, i)->count;
	}
	ck_assert_uint_eq(sum, 99 * 100 / 2);
	ck_assert_double_eq_tol(count, 100, 1e-6);
	owner_shares_free(f.owners, &shares);
	end(&f);
}
END_TEST

START_TEST(what_is_inferred_stays_so)
{
	struct fixture f;
	struct owner *outer;
	struct owner *inner;

	make(&f);
	outer = owner_open(f.owners);
	inner = owner_open(f.owners);
	bill(&f, outer, 10);
	owner_resolve_to(f.owners, outer, inner, CERTAIN_INFERRED);
	owner_drop(f.owners, outer);
	owner_resolve_to(f.owners, inner, owner_process(f.owners, 7),
			 CERTAIN_EXACT);
	owner_drop(f.owners, inner);
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 10);
	end(&f);
}
END_TEST

/* Two slices of work that each are for whom the other is. */
START_TEST(circles_are_nobodys)
{
	struct fixture f;
	struct owner *one;
	struct owner *other;

	make(&f);
	one = owner_open(f.owners);
	other = owner_open(f.owners);
	bill(&f, one, 10);
	bill(&f, other, 20);
	owner_resolve_to(f.owners, one, other, CERTAIN_EXACT);
	owner_resolve_to(f.owners, other, one, CERTAIN_EXACT);
	owner_drop(f.owners, one);
	owner_drop(f.owners, other);
	ck_assert_uint_eq(charged(&f, -1, CERTAIN_NOBODY), 30);
	end(&f);
}
END_TEST

/* Adds a slice's calls on paths 1 to 7, of 1, 2, 4 ... ns: 127. */
static void add_paths(struct interrupt_slice *slice)
{
	for (uint32_t path = 1; path <= 7; path++) {
		struct path_work *work = array_add(&slice->paths);

		ck_assert_ptr_nonnull(work);
		work->path = path;
		work->ns = 1 << (path - 1);
		work->entries[HOW_CALL] = 3;
	}
	slice->span.own_ns = 127;
	slice->span.shown_ns = 127;
	slice->span.is_shown = true;
}

/* Asserts that each process has, by each certainty, as much of the paths as of
 * the work.
 */
static void expect_paths_as_work(const struct fixture *fixture)
{
	const struct interrupt_row *row;
	const struct path_sum *sum;
	uint64_t all_ns = 0;

	for (size_t i = 0; (row = interrupt_rows_at(fixture->rows, i)); i++) {
		uint64_t certain_ns[CERTAINTIES] = { 0 };

		for (size_t j = 0; (sum = path_sums_at(&fixture->paths, j));
		     j++)
			for (int how = 0; how < CERTAINTIES; how++)
				if (sum->pid == row->pid)
					certain_ns[how] += sum->certain_ns[how];
		ck_assert_mem_eq(certain_ns, row->certain_ns,
				 sizeof(certain_ns));
		all_ns += row->total_ns;
	}
	ck_assert_uint_eq(all_ns, 127);
}

/* Asserts that all processes together have all time and entries of a path. */
static void expect_whole_paths(const struct fixture *fixture)
{
	uint64_t sum_ns[8] = { 0 };
	double entries[8] = { 0 };
	const struct path_sum *sum;

	for (size_t i = 0; (sum = path_sums_at(&fixture->paths, i)); i++) {
		sum_ns[sum->path] += sum->ns;
		entries[sum->path] += sum->entries[HOW_CALL];
	}
	for (int path = 1; path <= 7; path++) {
		ck_assert_uint_eq(sum_ns[path], 1 << (path - 1));
		ck_assert_double_eq_tol(entries[path], 3, 1e-6);
	}
}

/* Work for several by weights that divide none of its paths' times. */
START_TEST(paths_go_with_the_time)
{
	struct interrupt_slice slice =
		interrupt_slice_of(INTERRUPT_HARD, ROLE_NONE);
	struct fixture f;

	make(&f);
	add_paths(&slice);
	for (int32_t pid = 1; pid <= 3; pid++)
		owner_shares_add(f.owners, &slice.effects,
				 owner_process(f.owners, pid), pid,
				 pid == 2 ? CERTAIN_INFERRED : CERTAIN_EXACT);
	owner_shares_add(f.owners, &slice.effects, owner_nobody(f.owners), 1.5,
			 CERTAIN_EXACT);
	interrupt_slice_end(f.owners, &slice, f.work, NULL);
	expect_paths_as_work(&f);
	expect_whole_paths(&f);
	end(&f);
}
END_TEST

/* One of them is known later, and is several, one of whom is known last. */
START_TEST(paths_go_with_the_time_that_waits)
{
	struct interrupt_slice slice =
		interrupt_slice_of(INTERRUPT_HARD, ROLE_NONE);
	struct array shares = ARRAY_OF(struct owner_share);
	struct fixture f;
	struct owner *later;
	struct owner *last;

	make(&f);
	later = owner_open(f.owners);
	last = owner_open(f.owners);
	add_paths(&slice);
	owner_shares_add(f.owners, &slice.effects, owner_process(f.owners, 1),
			 1, CERTAIN_EXACT);
	owner_shares_add(f.owners, &slice.effects, later, 2, CERTAIN_EXACT);
	interrupt_slice_end(f.owners, &slice, f.work, NULL);
	owner_shares_add(f.owners, &shares, last, 1, CERTAIN_INFERRED);
	owner_shares_add(f.owners, &shares, owner_process(f.owners, 2), 3,
			 CERTAIN_EXACT);
	owner_resolve(f.owners, later, &shares);
	owner_shares_free(f.owners, &shares);
	owner_drop(f.owners, later);
	owner_resolve_to(f.owners, last, owner_process(f.owners, 1),
			 CERTAIN_EXACT);
	owner_drop(f.owners, last);
	expect_paths_as_work(&f);
	expect_whole_paths(&f);
	end(&f);
}
END_TEST

static Suite *owners_suite(void)
{
	Suite *suite = suite_create("owners");
	TCase *tcase = tcase_create("owners");

	tcase_add_test(tcase, what_waits_goes_to_who_it_was);
	tcase_add_test(tcase, what_nobody_knows_of_is_nobodys);
	tcase_add_test(tcase, shares_add_up);
	tcase_add_test(tcase, what_is_inferred_stays_so);
	tcase_add_test(tcase, circles_are_nobodys);
	tcase_add_test(tcase, paths_go_with_the_time);
	tcase_add_test(tcase, paths_go_with_the_time_that_waits);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(owners_suite());
}

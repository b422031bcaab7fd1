/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_slice.h"
#include "common/container_of.h"
#include "tables/profile/slice_works_internal.h"
#include "tests/run_suite.h"

enum { SERIAL = 5, WHOLE_NS = 127 };

/* A slice of work for several processes, and its work by call path. */
struct fixture {
	struct charge_callback callback;
	struct interrupt_rows *rows;
	struct owners *owners;
	struct slice_works *works;
	struct path_sums sums;
	struct interrupt_slice slice;
	uint32_t work;
};

static void consume_charge(struct charge_callback *callback,
			   const struct interrupt_row *work, int32_t pid,
			   const struct interrupt_charge *charge)
{
	struct fixture *fixture =
		container_of(callback, struct fixture, callback);

	(void)work;
	ck_assert(slice_works_charge(fixture->works, &fixture->sums, pid,
				     charge));
}

/* Adds calls on paths 1 to 7, of 1, 2, 4 ... ns: WHOLE_NS. */
static void add_paths(struct fixture *fixture, uint64_t serial)
{
	for (uint32_t path = 1; path <= 7; path++)
		ck_assert(slice_works_add(
			fixture->works, serial,
			&(struct path_work){ .path = path,
					     .ns = 1 << (path - 1),
					     .entries[HOW_CALL] =
						     3 * ENTRY_PARTS }));
}

/* Makes a slice of @own_ns, with WHOLE_NS in the window. */
static void make(struct fixture *fixture, uint64_t own_ns)
{
	const struct interrupt_row work = { .kind = INTERRUPT_HARD, .pid = -1 };

	*fixture = (struct fixture){
		.callback.consume = consume_charge,
		.rows = interrupt_rows_new(),
		.works = slice_works_new(),
		.sums = PATH_SUMS_NONE,
		.slice = interrupt_slice_of(INTERRUPT_HARD, ROLE_NONE),
	};
	fixture->owners = owners_new(fixture->rows, false);
	fixture->work = interrupt_rows_work(fixture->rows, &work);
	interrupt_rows_listen(fixture->rows, &fixture->callback);
	fixture->slice.span = (struct slice_span){ .serial = SERIAL,
						   .own_ns = own_ns,
						   .shown_ns = WHOLE_NS,
						   .is_shown = true };
	add_paths(fixture, SERIAL);
}

static void share(struct fixture *fixture, struct owner *owner, double weight,
		  enum interrupt_certainty certainty)
{
	owner_shares_add(fixture->owners, &fixture->slice.effects, owner,
			 weight, certainty);
}

static void end_slice(struct fixture *fixture)
{
	interrupt_slice_end(fixture->owners, &fixture->slice, fixture->work,
			    NULL);
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

		for (size_t j = 0; (sum = path_sums_at(&fixture->sums, j)); j++)
			for (int how = 0; how < CERTAINTIES; how++)
				if (sum->pid == row->pid)
					certain_ns[how] += sum->certain_ns[how];
		ck_assert_mem_eq(certain_ns, row->certain_ns,
				 sizeof(certain_ns));
		all_ns += row->total_ns;
	}
	ck_assert_uint_eq(all_ns, WHOLE_NS);
}

/* Asserts that all processes together have all time and entries of a path. */
static void expect_whole_paths(const struct fixture *fixture)
{
	uint64_t sum_ns[8] = { 0 };
	uint64_t entries[8] = { 0 };
	const struct path_sum *sum;

	for (size_t i = 0; (sum = path_sums_at(&fixture->sums, i)); i++) {
		sum_ns[sum->path] += sum->ns;
		entries[sum->path] += sum->entries[HOW_CALL];
	}
	for (int path = 1; path <= 7; path++) {
		ck_assert_uint_eq(sum_ns[path], 1 << (path - 1));
		ck_assert_uint_eq(entries[path], 3 * ENTRY_PARTS);
	}
}

static void end(struct fixture *fixture)
{
	expect_paths_as_work(fixture);
	expect_whole_paths(fixture);
	ck_assert(!owners_failed(fixture->owners));
	owners_free(fixture->owners);
	interrupt_rows_free(fixture->rows);
	slice_works_free(fixture->works);
	path_sums_free(&fixture->sums);
}

/* The weights divide none of the paths' times evenly, and the window cuts the
 * slice.
 */
START_TEST(paths_go_with_the_time)
{
	struct fixture f;

	make(&f, _i ? 1001 : WHOLE_NS);
	for (int32_t pid = 1; pid <= 3; pid++)
		share(&f, owner_process(f.owners, pid), pid,
		      pid == 2 ? CERTAIN_INFERRED : CERTAIN_EXACT);
	share(&f, owner_nobody(f.owners), 1.5, CERTAIN_EXACT);
	end_slice(&f);
	end(&f);
}
END_TEST

/* One owner is resolved later, to several threads, one of them last.
 */
START_TEST(paths_go_with_the_time_that_waits)
{
	struct array shares = ARRAY_OF(struct owner_share);
	struct fixture f;
	struct owner *later;
	struct owner *last;

	make(&f, _i ? 1001 : WHOLE_NS);
	later = owner_open(f.owners);
	last = owner_open(f.owners);
	share(&f, later, 2, CERTAIN_EXACT);
	share(&f, owner_process(f.owners, 1), 1, CERTAIN_EXACT);
	end_slice(&f);
	owner_shares_add(f.owners, &shares, last, 1, CERTAIN_INFERRED);
	owner_shares_add(f.owners, &shares, owner_process(f.owners, 2), 3,
			 CERTAIN_EXACT);
	owner_resolve(f.owners, later, &shares, CERTAIN_EXACT);
	owner_shares_free(f.owners, &shares);
	owner_drop(f.owners, later);
	owner_resolve_to(f.owners, last, owner_process(f.owners, 1),
			 CERTAIN_EXACT);
	owner_drop(f.owners, last);
	end(&f);
}
END_TEST

START_TEST(what_nobody_was_charged_with_is_nobodys)
{
	const struct path_sum *sum;
	struct fixture f;

	make(&f, WHOLE_NS);
	share(&f, owner_process(f.owners, 1), 1, CERTAIN_EXACT);
	end_slice(&f);
	add_paths(&f, SERIAL + 1);
	ck_assert(slice_works_end(f.works, &f.sums));
	for (uint32_t i = 0; i < 14; i++) {
		sum = path_sums_at(&f.sums, i);
		ck_assert_ptr_nonnull(sum);
		ck_assert_int_eq(sum->pid, i < 7 ? 1 : -1);
		ck_assert_uint_eq(sum->ns, 1 << i % 7);
	}
	owners_free(f.owners);
	interrupt_rows_free(f.rows);
	slice_works_free(f.works);
	path_sums_free(&f.sums);
}
END_TEST

SUITE("slice_works")
{
	TEST_TIMES(paths_go_with_the_time, 2);
	TEST_TIMES(paths_go_with_the_time_that_waits, 2);
	TEST(what_nobody_was_charged_with_is_nobodys);
}

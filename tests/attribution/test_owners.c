/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/owners_internal.h"
#include "tests/run_suite.h"

struct fixture {
	struct interrupt_rows *rows;
	struct owners *owners;
	uint32_t work;
};

static void make_with(struct fixture *fixture, bool has_losses)
{
	const struct interrupt_row work = { .kind = INTERRUPT_HARD,
					    .pid = -1,
					    .irq = -1,
					    .function = 1,
					    .victim = 3,
					    .victim_pid = 5,
					    .victim_tid = 5 };

	fixture->rows = interrupt_rows_new();
	fixture->owners = owners_new(fixture->rows, has_losses);
	fixture->work = interrupt_rows_work(fixture->rows, &work);
	ck_assert_uint_eq(fixture->work, 0);
}

static void make(struct fixture *fixture)
{
	make_with(fixture, false);
}

static void end(struct fixture *fixture)
{
	ck_assert(!owners_failed(fixture->owners));
	owners_free(fixture->owners);
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

/* Weights that no number of nanoseconds can be divided by exactly. */
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

/* Two slices of work, each for the other's beneficiary. */
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

/* Charges 20 to two open owners and resolves them to @pids. */
static void charge_two(struct fixture *f, const int32_t pids[2])
{
	struct array shares = ARRAY_OF(struct owner_share);
	struct owner *open[2];

	for (size_t i = 0; i < 2; i++) {
		open[i] = owner_open(f->owners);
		owner_shares_add(f->owners, &shares, open[i], 1, CERTAIN_EXACT);
	}
	owner_shares_charge(f->owners, &shares,
			    &(struct interrupt_charge){ .work = f->work,
							.count = 1,
							.ns = 20,
							.span.is_shown =
								true });
	owner_shares_free(f->owners, &shares);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_ptr_null(interrupt_rows_at(f->rows, 0));
		owner_resolve_to(f->owners, open[i],
				 owner_process(f->owners, pids[i]),
				 CERTAIN_EXACT);
		owner_drop(f->owners, open[i]);
	}
}

START_TEST(processes_known_later_share_as_inferred)
{
	struct fixture f;

	make(&f);
	charge_two(&f, (const int32_t[]){ 7, 8 });
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 10);
	ck_assert_uint_eq(charged(&f, 8, CERTAIN_INFERRED), 10);
	end(&f);
}
END_TEST

START_TEST(shares_of_one_process_known_later_are_exact)
{
	struct fixture f;

	make(&f);
	charge_two(&f, (const int32_t[]){ 7, 7 });
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_EXACT), 20);
	end(&f);
}
END_TEST

/* An object that nothing can resolve any more is nobody's, and what was done
 * for it and for a process was not the process's alone.
 */
START_TEST(shares_with_a_lost_object_are_inferred)
{
	struct array shares = ARRAY_OF(struct owner_share);
	struct owner *lost;
	struct owner *both;
	struct fixture f;

	make(&f);
	lost = owner_open(f.owners);
	both = owner_open(f.owners);
	owner_shares_add(f.owners, &shares, lost, 1, CERTAIN_EXACT);
	owner_shares_add(f.owners, &shares, owner_process(f.owners, 7), 1,
			 CERTAIN_EXACT);
	owner_resolve(f.owners, both, &shares, CERTAIN_EXACT);
	bill(&f, both, 20);
	owner_shares_free(f.owners, &shares);
	ck_assert_ptr_null(interrupt_rows_at(f.rows, 0));
	owner_drop(f.owners, lost);
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 10);
	ck_assert_uint_eq(charged(&f, -1, CERTAIN_NOBODY), 10);
	owner_drop(f.owners, both);
	end(&f);
}
END_TEST

/* A timer that arms itself again and again: each owner is that of the one
 * before.
 */
START_TEST(chains_of_owners_do_not_grow)
{
	struct owner *first;
	struct owner *last;
	struct fixture f;

	make(&f);
	first = owner_open(f.owners);
	last = owner_refer(first);
	for (size_t i = 0; i < 1000000; i++) {
		struct owner *next = owner_open(f.owners);

		owner_resolve_to(f.owners, next, last, CERTAIN_INFERRED);
		owner_drop(f.owners, last);
		last = next;
	}
	bill(&f, last, 10);
	owner_resolve_to(f.owners, first, owner_process(f.owners, 7),
			 CERTAIN_EXACT);
	owner_drop(f.owners, first);
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 10);
	owner_drop(f.owners, last);
	end(&f);
}
END_TEST

/* A lost event may have been the one that shows another owner. */
START_TEST(nothing_of_processes_is_exact_after_losses)
{
	struct fixture f;

	make_with(&f, true);
	bill(&f, owner_process(f.owners, 7), 10);
	bill(&f, owner_system(f.owners), 5);
	bill(&f, owner_nobody(f.owners), 3);
	ck_assert_uint_eq(charged(&f, 7, CERTAIN_INFERRED), 10);
	ck_assert_uint_eq(charged(&f, 0, CERTAIN_EXACT), 5);
	ck_assert_uint_eq(charged(&f, -1, CERTAIN_NOBODY), 3);
	end(&f);
}
END_TEST

SUITE("owners")
{
	TEST(what_waits_goes_to_who_it_was);
	TEST(what_nobody_knows_of_is_nobodys);
	TEST(shares_add_up);
	TEST(what_is_inferred_stays_so);
	TEST(circles_are_nobodys);
	TEST(processes_known_later_share_as_inferred);
	TEST(shares_of_one_process_known_later_are_exact);
	TEST(shares_with_a_lost_object_are_inferred);
	TEST(chains_of_owners_do_not_grow);
	TEST(nothing_of_processes_is_exact_after_losses);
}

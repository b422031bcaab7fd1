/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claims.h"
#include "tests/run_suite.h"

struct fixture {
	struct interrupt_rows *rows;
	struct claims *claims;
	uint32_t work;
};

static struct fixture make(void)
{
	const struct interrupt_work work = { .kind = INTERRUPT_HARD,
					     .irq = -1,
					     .function = 1,
					     .victim = 3,
					     .victim_pid = 5,
					     .victim_tid = 5 };
	struct fixture fixture = { .rows = interrupt_rows_new() };

	fixture.claims = claims_new(fixture.rows, NULL);
	fixture.work = interrupt_rows_work(fixture.rows, &work);
	ck_assert_uint_eq(fixture.work, 0);
	return fixture;
}

static void end(struct fixture *fixture)
{
	ck_assert(!claims_failed(fixture->claims));
	claims_free(fixture->claims);
	interrupt_rows_free(fixture->rows);
}

static void bill(struct fixture *fixture, struct claim *claim, uint64_t ns)
{
	claim_bill(fixture->claims, claim,
		   &(struct interrupt_share){
			   .work = fixture->work, .count = 1, .ns = ns });
}

/* Time of process @pid with that certainty. */
static uint64_t billed(const struct fixture *fixture, int32_t pid,
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
	struct fixture f = make();
	struct claim *claim = claim_open(f.claims);

	bill(&f, claim, 10);
	ck_assert_ptr_null(interrupt_rows_at(f.rows, 0));
	claim_settle_one(f.claims, claim, claim_process(f.claims, 7),
			 CERTAIN_INFERRED);
	bill(&f, claim, 5);
	claim_settle_one(f.claims, claim, claim_process(f.claims, 8),
			 CERTAIN_EXACT);
	claim_drop(f.claims, claim);
	ck_assert_uint_eq(billed(&f, 7, CERTAIN_INFERRED), 15);
	ck_assert_uint_eq(billed(&f, 8, CERTAIN_EXACT), 0);
	end(&f);
}
END_TEST

START_TEST(what_nobody_knows_of_is_nobodys)
{
	struct fixture f = make();
	struct claim *claim = claim_open(f.claims);

	claim_refer(claim);
	bill(&f, claim, 10);
	claim_drop(f.claims, claim);
	ck_assert_ptr_null(interrupt_rows_at(f.rows, 0));
	claim_drop(f.claims, claim);
	bill(&f, claim_process(f.claims, 0), 3);
	ck_assert_uint_eq(billed(&f, -1, CERTAIN_NOBODY), 13);
	end(&f);
}
END_TEST

/* Weights that no number of nanoseconds divides by. */
START_TEST(shares_add_up)
{
	struct array stakes = ARRAY_OF(struct stake);
	struct fixture f = make();
	uint64_t sum = 0;
	double count = 0;

	for (int32_t pid = 1; pid <= 7; pid++)
		stakes_add(f.claims, &stakes, claim_process(f.claims, pid),
			   pid * 1.1, CERTAIN_EXACT);
	for (uint64_t ns = 0; ns < 100; ns++)
		stakes_bill(f.claims, &stakes,
			    &(struct interrupt_share){
				    .work = f.work, .count = 1, .ns = ns });
	for (size_t i = 0; i < 7; i++) {
		sum += interrupt_rows_at(f.rows, i)->total_ns;
		count += interrupt_rows_at(f.rows, i)->count;
	}
	ck_assert_uint_eq(sum, 99 * 100 / 2);
	ck_assert_double_eq_tol(count, 100, 1e-6);
	stakes_free(f.claims, &stakes);
	end(&f);
}
END_TEST

START_TEST(doubt_stays)
{
	struct fixture f = make();
	struct claim *outer = claim_open(f.claims);
	struct claim *inner = claim_open(f.claims);

	bill(&f, outer, 10);
	claim_settle_one(f.claims, outer, inner, CERTAIN_INFERRED);
	claim_drop(f.claims, outer);
	claim_settle_one(f.claims, inner, claim_process(f.claims, 7),
			 CERTAIN_EXACT);
	claim_drop(f.claims, inner);
	ck_assert_uint_eq(billed(&f, 7, CERTAIN_INFERRED), 10);
	end(&f);
}
END_TEST

/* Two pieces of work that each are for whom the other is. */
START_TEST(circles_are_nobodys)
{
	struct fixture f = make();
	struct claim *one = claim_open(f.claims);
	struct claim *other = claim_open(f.claims);

	bill(&f, one, 10);
	bill(&f, other, 20);
	claim_settle_one(f.claims, one, other, CERTAIN_EXACT);
	claim_settle_one(f.claims, other, one, CERTAIN_EXACT);
	claim_drop(f.claims, one);
	claim_drop(f.claims, other);
	ck_assert_uint_eq(billed(&f, -1, CERTAIN_NOBODY), 30);
	end(&f);
}
END_TEST

static Suite *claims_suite(void)
{
	Suite *suite = suite_create("claims");
	TCase *tcase = tcase_create("claims");

	tcase_add_test(tcase, what_waits_goes_to_who_it_was);
	tcase_add_test(tcase, what_nobody_knows_of_is_nobodys);
	tcase_add_test(tcase, shares_add_up);
	tcase_add_test(tcase, doubt_stays);
	tcase_add_test(tcase, circles_are_nobodys);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(claims_suite());
}

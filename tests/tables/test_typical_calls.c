/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "common/array.h"
#include "tables/calls/hits_table.h"
#include "tests/run_suite.h"

static struct system_call call_of(uint32_t function, uint64_t on_cpu_ns,
				  uint64_t asleep_ns)
{
	struct system_call call = {
		.begin_ns = 1000,
		.end_ns = 1000 + on_cpu_ns + asleep_ns,
		.function = function,
	};

	call.class_ns[TIME_SYSTEM_CALL] = on_cpu_ns;
	call.class_ns[TIME_ASLEEP] = asleep_ns;
	return call;
}

START_TEST(medians_are_of_each_function)
{
	static const uint64_t asleep[] = { 0, 100, 50, 0, 0 };
	struct typical_calls calls = typical_calls_none();
	struct call_times times;

	for (uint64_t i = 0; i < 5; i++) {
		struct system_call call = call_of(3, 10 + i, asleep[i]);

		ck_assert_int_eq(typical_calls_add(&calls, &call), 0);
	}
	ck_assert_uint_eq(typical_calls_of(&calls, 3, &times), 5);
	ck_assert_uint_eq(times.ns[CALL_ON_CPU], 12);
	ck_assert_uint_eq(times.ns[CALL_ASLEEP], 0);
	ck_assert_uint_eq(times.ns[CALL_WALL], 14);
	ck_assert_uint_eq(typical_calls_of(&calls, 4, &times), 0);
	ck_assert_uint_eq(times.ns[CALL_WALL], 0);
	typical_calls_free(&calls);
}
END_TEST

START_TEST(hits_are_found_by_time)
{
	static const uint64_t times_ns[] = { 10, 20, 20, 30 };
	struct array hits = ARRAY_OF(struct hit);

	ck_assert_uint_eq(hit_list_from(&hits, 5), 0);
	for (size_t i = 0; i < 4; i++) {
		struct hit *hit = array_add(&hits);

		ck_assert_ptr_nonnull(hit);
		hit->what.hit_ns = times_ns[i];
	}
	ck_assert_uint_eq(hit_list_from(&hits, 0), 0);
	ck_assert_uint_eq(hit_list_from(&hits, 10), 0);
	ck_assert_uint_eq(hit_list_from(&hits, 11), 1);
	ck_assert_uint_eq(hit_list_from(&hits, 20), 1);
	ck_assert_uint_eq(hit_list_from(&hits, 21), 3);
	ck_assert_uint_eq(hit_list_from(&hits, 31), 4);
	array_free(&hits);
}
END_TEST

SUITE("typical_calls")
{
	TEST(medians_are_of_each_function);
	TEST(hits_are_found_by_time);
}

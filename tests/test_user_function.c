/* SPDX-License-Identifier: MIT */
#include "collector/trigger/user_function.h"
#include "common/error.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* Returns the offset in this program's file of @address, as it is mapped. */
static uint64_t offset_of(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t found = 0;
	char line[4200];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		uint64_t begin;
		uint64_t end;
		uint64_t offset;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &begin,
			   &end, &offset) == 3 &&
		    address >= begin && address < end)
			found = address - begin + offset;
	}
	fclose(maps);
	return found;
}

START_TEST(a_function_of_this_program)
{
	uint64_t offset;

	ck_assert_int_eq(user_function_offset("/proc/self/exe",
					      "user_function_offset", &offset),
			 0);
	ck_assert_uint_ne(offset, 0);
	ck_assert_uint_eq(offset,
			  offset_of((uint64_t)(uintptr_t)user_function_offset));
}
END_TEST

START_TEST(what_is_not_there)
{
	uint64_t offset;

	ck_assert_int_eq(user_function_offset("/nonexistent", "main", &offset),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(user_function_offset("/etc/passwd", "main", &offset),
			 -ERROR_FORMAT);
	ck_assert_int_eq(user_function_offset("/", "main", &offset),
			 -ERROR_FORMAT);
	ck_assert_int_eq(user_function_offset("/proc/self/exe", "no_such",
					      &offset),
			 -ERROR_NOT_FOUND);
	/* Defined elsewhere: a function of the C library. */
	ck_assert_int_eq(user_function_offset("/proc/self/exe", "fopen",
					      &offset),
			 -ERROR_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("user_function");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, a_function_of_this_program);
	tcase_add_test(tcase, what_is_not_there);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}

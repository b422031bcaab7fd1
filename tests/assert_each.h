/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_ASSERT_EACH_H
#define KT_TESTS_ASSERT_EACH_H

#include <check.h>

/* Like ck_assert(), but cheap enough for millions of items: ck_assert() writes
 * its source position to a pipe even when the condition holds.
 */
#define assert_each(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("not so: %s", #condition); \
	} while (0)

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_ASSERT_EACH_H
#define KT_TESTS_ASSERT_EACH_H

#include <check.h>

/* As ck_assert(), for millions of items: that one writes its place to a pipe
 * each time that it holds.
 */
#define assert_each(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("not so: %s", #condition); \
	} while (0)

#endif

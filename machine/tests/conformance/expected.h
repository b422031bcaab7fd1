/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_EXPECTED_H
#define KT_MACHINE_TESTS_EXPECTED_H

#include "machine/tests/conformance/item.h"
#include "machine/tests/conformance/recording.h"
#include "machine/tests/conformance/truth_reader.h"

/* The items that a correct decoder of a recording must emit, computed from one
 * CPU's truth. The truth has every session (TraceEn set to cleared) of a boot;
 * ITEM_SESSION starts each.
 */
struct expected {
	struct truth_reader reader;
	const struct recording *recording;
	uint64_t records;
	bool has_pushed_back;
	struct item pushed_back;
	bool began; /* its first item is due */
	struct truth_event begin;
};

bool expected_open(struct expected *expected, const char *truth_dir,
		   uint32_t cpu);
void expected_close(struct expected *expected);

/* Applies the filters of @recording from now on. */
void expected_use(struct expected *expected, const struct recording *recording);

/* Returns 1 and fills @item, or 0 at the end of the truth. */
int expected_next(struct expected *expected, struct item *item);
/* Makes expected_next() return @item again. */
void expected_push_back(struct expected *expected, const struct item *item);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PLAUSIBLE_FIXTURE_H
#define KT_TESTS_PLAUSIBLE_FIXTURE_H

#include "common/array.h"
#include "tests/capture_fixture.h"

#include <stdbool.h>

/* Returns whether the code of a capture might have been executed as @items
 * (struct flow_item) say, in one of the instruction sets that the blocks may
 * be of: damage may turn A64 into A32 and that into T32.  Then nobody can tell
 * that the trace was another.
 */
bool plausible_fixture_check(const struct array *items, enum capture_name kind);

#endif

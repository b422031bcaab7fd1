/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PLAUSIBLE_FIXTURE_H
#define KT_TESTS_PLAUSIBLE_FIXTURE_H

#include "common/array.h"
#include "tests/capture_fixture.h"

#include <stdbool.h>

/* Returns whether @items (struct flow_item) are a possible execution of a
 * capture's code, in any of the instruction sets its blocks may have: damage
 * may turn A64 into A32 and A32 into T32, which a decoder cannot detect.
 */
bool plausible_fixture_check(const struct array *items, enum capture_name kind);

#endif

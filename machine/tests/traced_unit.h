/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TRACED_UNIT_H
#define KT_MACHINE_TESTS_TRACED_UNIT_H

#include "machine/intel_pt/unit.h"
#include "machine/tests/memory_bus.h"
#include "tests/run_suite.h"

#include <intel-pt.h>
#include <stddef.h>

/* A unit shared by the tests of whole units: it writes into a single range of
 * 64 KiB of this memory. check runs each test in its own process.
 */
enum { RANGE = 0x10000, RANGE_MASK = 0xffff };

extern const struct pt_rates rates;

#define KERNEL 0xffffffff81000000ull
#define USER 0x0000000000401000ull
#define PLAIN (CTL_TRACE_EN | CTL_OS | CTL_BRANCH_EN)

extern struct memory_bus memory;
extern struct pt_unit unit;

/* Makes a fresh unit, before each test. */
void traced_unit_begin(void);

/* Writes @ctl to RTIT_CTL at TSC 1000. */
void start(uint64_t ctl);

/* Reports a branch, and the CPU's arrival at its destination. */
void branch(enum pt_branch kind, uint64_t next, uint64_t to, uint64_t tsc);

/* Returns the number of trace bytes in the range. */
size_t written(void);

/* Asserts the sequence of packets that the unit wrote, by libipt's names. */
void assert_packets(const char *expected);
struct pt_packet packet_at(size_t index);
/* Returns the bytes of packet @index, for fields that libipt does not decode.
 */
const uint8_t *bytes_at(size_t index);

#endif

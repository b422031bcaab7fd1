/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_STACK_SAMPLE_FIXTURE_H
#define KT_TESTS_STACK_SAMPLE_FIXTURE_H

#include "decoder/recording/sideband.h"

#include <stddef.h>
#include <stdint.h>

/* A thread's registers and stack, as recorded by record --user-stacks. */
struct made_sample {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_* */
	uint64_t mask; /* registers in the sample */
	/* in the order of perf's numbers, only these */
	const uint64_t *registers;
	const void *stack; /* content from the stack pointer upwards */
	size_t stack_size;
};

/* Returns the sample of thread 7 of process 7 at 100 ns; it borrows the arrays
 * of @made.
 */
struct sideband_record stack_sample(const struct made_sample *made);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_STACK_SAMPLE_FIXTURE_H
#define KT_TESTS_STACK_SAMPLE_FIXTURE_H

#include "decoder/recording/sideband.h"

#include <stddef.h>
#include <stdint.h>

/* A thread's registers and stack, as record --user-stacks has them. */
struct made_sample {
	uint64_t abi;		   /* PERF_SAMPLE_REGS_ABI_* */
	uint64_t mask;		   /* which registers there are */
	const uint64_t *registers; /* by perf's numbers, these alone */
	const void *stack;	   /* from the stack pointer on */
	size_t stack_size;
};

/* Returns the sample of thread 7 of process 7 at 100; it borrows what @made has.
 */
struct sideband_record stack_sample(const struct made_sample *made);

#endif

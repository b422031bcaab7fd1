/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PERF_COUNTS_FIXTURE_H
#define KT_TESTS_PERF_COUNTS_FIXTURE_H

#include "common/array.h"

#include <stdint.h>
#include <stdio.h>

/* How often perf saw a function entered. */
struct perf_count {
	char name[512]; /* as reports have it */
	uint64_t direct;
	uint64_t tail;
	uint64_t async;
};

/* Counts what `perf script --itrace=b -F cpu,ip,sym,symoff,addr,flags` says:
 *  - a "call" enters the function that it leads to, wherever it lands, but for
 *    one into the middle of the function that calls;
 *  - a jump enters a function if it leads to its start from another one;
 *  - a "hw int" or "int" enters the function that it leads to;
 *  - branches within and out of thunks are part of the branch that led into
 *    them: a call or jump in an indirect thunk's case, a return in a return
 *    thunk's, which enters nothing; also if an interrupt comes in the thunk.
 *
 * Fills @counts with struct perf_count.  @path is the recording, whose copy of
 * kallsyms tells where thunks are.
 */
void perf_counts_read(const char *path, FILE *script, struct array *counts);

/* Returns the entry for @name, adding it if it is new. */
struct perf_count *perf_counts_get(struct array *counts, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PERF_COUNTS_FIXTURE_H
#define KT_TESTS_PERF_COUNTS_FIXTURE_H

#include "common/array.h"

#include <stdint.h>
#include <stdio.h>

/* How often perf saw a function entered. */
struct perf_count {
	char name[512]; /* as in reports */
	uint64_t direct;
	uint64_t tail;
	uint64_t async;
};

/* Counts function entries in the output of `perf script --itrace=b -F
 * cpu,ip,sym,symoff,addr,flags`: - a "call" enters its target's function,
 * wherever in it the target is, except a call into the middle of the calling
 * function; - a jump enters a function if it leads to its start from another
 * one; - a "hw int" or "int" enters its target's function; - branches within
 * and out of thunks are part of the branch that led into them: a call or jump
 * for an indirect thunk, a return (which enters nothing) for a return thunk;
 * also if an interrupt occurs in the thunk.
 *
 * Fills @counts with struct perf_count. @path is the recording; thunk addresses
 * are from its copy of kallsyms.
 */
void perf_counts_read(const char *path, FILE *script, struct array *counts);

/* Returns the entry for @name, adding it if it is new. */
struct perf_count *perf_counts_get(struct array *counts, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_FILTER_H
#define KT_DECODER_TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* Maximum number of ranges; trace units have only a few. */
enum { TRACE_FILTER_RANGES = 8 };

/* The kernel code that was to be traced; no ranges mean all of it. */
struct trace_filter {
	uint32_t count;
	struct {
		uint64_t first;
		uint64_t end;
	} ranges[TRACE_FILTER_RANGES];
};

/* Returns the filter that perf stored after AUXTRACE_INFO's words: "filter
 * ADDRESS/SIZE", several separated by commas or spaces. A filter on a file's
 * addresses, or with other actions, counts as none.
 */
struct trace_filter trace_filter_of(const struct recording *recording);

/* Parses @text like trace_filter_of(). */
struct trace_filter trace_filter_read(const char *text);

/* Returns whether the filter excluded @address from the trace. */
bool trace_filter_excludes(const struct trace_filter *filter, uint64_t address);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_FILTER_H
#define KT_DECODER_TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* A trace unit has a few ranges at most. */
enum { TRACE_FILTER_RANGES = 8 };

/* The kernel code that was to be traced; without ranges all of it. */
struct trace_filter {
	uint32_t count;
	struct {
		uint64_t first;
		uint64_t end;
	} ranges[TRACE_FILTER_RANGES];
};

/* Reads the filter that perf writes behind AUXTRACE_INFO's words: "filter
 * ADDRESS/SIZE", several with commas or spaces between.  One that is about the
 * addresses of a file, or has other actions, is taken for none.
 */
struct trace_filter trace_filter_of(const struct recording *recording);

/* Reads @text, as above. */
struct trace_filter trace_filter_read(const char *text);

/* Returns whether the filter says that @address was not traced. */
bool trace_filter_excludes(const struct trace_filter *filter, uint64_t address);

#endif

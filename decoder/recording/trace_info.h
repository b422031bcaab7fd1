/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_TRACE_INFO_H
#define KT_DECODER_RECORDING_TRACE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* Converts ticks of the CPU's time stamp counter to the recording's clock, by
 * the rule of struct perf_event_mmap_page (time_shift, time_mult, time_zero).
 *
 * Ticks count from @origin, which is 0 unless the counter nears the limit of
 * the 56 bits of a TSC packet: time_conversion_set_origin(). @zero is the time
 * when the counter's value is @origin.
 */
struct time_conversion {
	uint32_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t origin; /* a value of the counter, a multiple of 1 << shift */
	bool known;	 /* false: ticks are treated as nanoseconds */
};

/* Sets the origin so that all ticks of a recording, some of which are at
 * @near_ns, are below 1 << 56, whatever the counter's value.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns);

/* Returns the nanoseconds of @ticks. */
static inline uint64_t
time_conversion_ns(const struct time_conversion *conversion, uint64_t ticks)
{
	if (!conversion->known)
		return ticks;

	uint64_t whole = ticks >> conversion->shift;
	uint64_t part = ticks & (((uint64_t)1 << conversion->shift) - 1);

	return conversion->zero + whole * conversion->mult +
	       (part * conversion->mult >> conversion->shift);
}

/* Returns the conversion of @recording. */
const struct time_conversion *
recording_time_conversion(const struct recording *recording);

/* Returns the first tick at or after @ns; 0 if the origin is later. */
uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns);

/* An AUXTRACE_INFO record: the kind of trace unit and its settings. The words
 * of priv[] are defined in perf's util/intel-pt.h and util/cs-etm.h.
 */
struct trace_info {
	uint32_t type; /* PERF_DATA_AUXTRACE_*; 0 if there is no record */
	const uint64_t *words;
	size_t word_count;
};

/* Returns word @index, 0 if the recording is too old to have it. */
static inline uint64_t trace_info_word(const struct trace_info *info,
				       size_t index)
{
	return index < info->word_count ? info->words[index] : 0;
}

/* Return the AUXTRACE_INFO of @recording, and a word of it. */
const struct trace_info *
recording_trace_info(const struct recording *recording);

uint64_t recording_trace_word(const struct recording *recording, size_t index);

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

/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_INFO_H
#define KT_DECODER_TRACE_INFO_H

#include <stddef.h>
#include <stdint.h>

struct recording;

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

#endif

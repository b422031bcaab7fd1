/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FEATURE_H
#define KT_COLLECTOR_FEATURE_H

#include "common/bytes.h"
#include "common/formats/perf_data.h"

#include <stddef.h>

struct event_list;

/* One feature section of perf.data. */
struct feature {
	enum perf_data_feature bit;
	struct byte_buffer content;
};

/* Writes the sections that describe machine, command line and events into
 * @features, in ascending order of their bits.
 *
 * @program, @argc and @argv are the recorder's command line. Readers recognize
 * the recorder among the tasks by @program; NULL: its name is the calling
 * task's name in the kernel. Returns the number of sections, at most
 * FEATURES_OF_SYSTEM.
 */
enum { FEATURES_OF_SYSTEM = 16 };
size_t features_of_system(struct feature *features, const char *program,
			  int argc, char *const *argv,
			  const struct event_list *events);

void features_free(struct feature *features, size_t count);

#endif

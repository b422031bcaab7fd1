/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROGRESS_H
#define KT_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A progress line for long work. Shows nothing if standard error is not a
 * terminal.
 */
struct progress {
	bool is_shown;
	bool has_line;
	uint64_t first_ns; /* recording's clock */
	uint64_t last_ns;
	uint64_t drawn_ms; /* time of the last update, machine's clock */
	uint32_t calls;
};

struct progress progress_of(uint64_t first_ns, uint64_t last_ns);

/* Shows that the work has reached @time_ns. Cheap enough to call for every run
 * of events.
 */
void progress_at(struct progress *progress, uint64_t time_ns);

/* Removes the line. */
void progress_end(struct progress *progress);

#endif

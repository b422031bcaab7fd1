/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TIMELINE_H
#define KT_MACHINE_TESTS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An entry or exit in the output of `ktrace-hw timeline --format=csv`. */
struct line {
	bool is_exit;
	bool is_unseen;
	uint32_t cpu;
	int32_t tid;
	uint64_t time_ns;
	uint64_t early_ns;
	uint64_t late_ns;
	const char *function; /* owned by the timeline */
};

struct timeline {
	struct line *lines;
	size_t count;
	size_t room;
	char **texts; /* the input's lines */
	size_t text_count;
	size_t text_room;
};

/* Reads all of @file. Returns false, after a message on stderr, if it is not
 * such a CSV.
 */
bool timeline_read(struct timeline *timeline, FILE *file);
void timeline_free(struct timeline *timeline);

#endif

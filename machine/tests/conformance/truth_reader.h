/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TRUTH_READER_H
#define KT_MACHINE_TESTS_TRUTH_READER_H

#include "machine/truth/format.h"

#include <stdbool.h>
#include <stddef.h>

struct truth_event {
	uint8_t kind; /* enum truth_kind */
	bool has_sp;
	uint64_t tsc;
	uint64_t from;
	uint64_t to;
	uint64_t sp;
	uint32_t pid;
	uint32_t tgid;
};

/* Reads a file of the format in machine/truth/format.h. */
struct truth_reader {
	uint8_t *file; /* mapped */
	size_t size;
	size_t at;
	bool cut; /* the last record is incomplete */
	/* set by the user: also read TRUTH_INTERRUPTS, with pid as its value */
	bool with_interrupts;
	struct truth_event last;
};

/* Returns false, after a message on stderr, if @path is not such a file. */
bool truth_reader_open(struct truth_reader *reader, const char *path);

/* Like truth_reader_open(), but opens the file of @cpu in the folder @truth. */
bool truth_reader_open_cpu(struct truth_reader *reader, const char *truth,
			   uint32_t cpu);

/* Returns whether the file of @cpu exists; the first CPU's must. */
bool truth_has_cpu(const char *truth, uint32_t cpu);

void truth_reader_close(struct truth_reader *reader);

/* Returns 1 and fills @event, or 0 at the end. */
int truth_reader_next(struct truth_reader *reader, struct truth_event *event);

#endif

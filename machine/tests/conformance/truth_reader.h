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
	bool cut; /* the last record is not whole */
	struct truth_event last;
};

/* False, with a message to stderr, if @path is no such file. */
bool truth_reader_open(struct truth_reader *reader, const char *path);

/* The same of CPU @cpu's file in the folder @truth. */
bool truth_reader_open_cpu(struct truth_reader *reader, const char *truth,
			   uint32_t cpu);

/* Returns whether there is such a file; of the first CPU there has to be. */
bool truth_has_cpu(const char *truth, uint32_t cpu);

void truth_reader_close(struct truth_reader *reader);

/* Returns 1 and fills @event, or 0 at the end. */
int truth_reader_next(struct truth_reader *reader, struct truth_event *event);

#endif

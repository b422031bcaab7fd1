/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_WRITER_H
#define KT_MACHINE_TRUTH_WRITER_H

#include <stdbool.h>
#include <stdint.h>

/* A record before it is encoded; see format.h. */
struct truth_record {
	uint64_t tsc;
	uint64_t from;
	uint64_t to;
	uint64_t sp;
	uint32_t pid; /* TRUTH_INTERRUPTS: whether they are on */
	uint32_t tgid;
	uint8_t tag;
};

struct writer;

/* Creates @dir/truth.<cpu>. Returns NULL with errno on failure. */
struct writer *writer_open(const char *dir, unsigned int cpu);

void writer_write(struct writer *writer, const struct truth_record *record);

/* Returns false with errno if some records are not in the file. Accepts NULL.
 */
bool writer_close(struct writer *writer);

#endif

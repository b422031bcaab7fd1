/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_HEAD_H
#define KT_COMMON_KEPT_HEAD_H

#include "common/chunk_file.h"

#include <stdbool.h>
#include <stdint.h>

/* The header of a file of cached records. */
struct kept_head {
	uint64_t key;	     /* hash of the inputs of the records */
	struct chunk chunks; /* position of the list of struct kept_chunk */
};

enum { KEPT_HEAD_BYTES = 40 };

/* Writes the header. Returns whether that succeeded. */
bool kept_head_write(const struct kept_head *head, int fd);

/* Reads the header. Returns whether it is valid and has @key. */
bool kept_head_read(struct kept_head *head, int fd, uint64_t key);

#endif

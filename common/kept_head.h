/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_HEAD_H
#define KT_COMMON_KEPT_HEAD_H

#include "common/chunk_file.h"

#include <stdbool.h>
#include <stdint.h>

/* The begin of a file of kept records. */
struct kept_head {
	uint64_t key;	     /* what the records depend on */
	struct chunk chunks; /* where the list of struct kept_chunk lies */
};

enum { KEPT_HEAD_BYTES = 40 };

/* Writes the head.  Returns whether it could. */
bool kept_head_write(const struct kept_head *head, int fd);

/* Reads it.  Returns whether it is one, with @key. */
bool kept_head_read(struct kept_head *head, int fd, uint64_t key);

#endif

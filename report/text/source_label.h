/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SOURCE_LABEL_H
#define KT_REPORT_SOURCE_LABEL_H

#include <stdint.h>

struct function_table;
struct lines;

/* The source location of a function. */
struct source_label {
	char text[512]; /* truncated if longer; "" if unknown */
};

/* Returns "fs/read_write.c:450"; "" if @lines is NULL. */
struct source_label source_label_of(struct lines *lines,
				    const struct function_table *functions,
				    uint32_t function);

#endif

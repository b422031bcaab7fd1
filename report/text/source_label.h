/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SOURCE_LABEL_H
#define KT_REPORT_SOURCE_LABEL_H

#include <stdint.h>

struct function_table;
struct lines;

/* Where a function begins in source code. */
struct source_label {
	char text[512]; /* longer ones are cut; "" if not known */
};

/* Returns "fs/read_write.c:450".  @lines NULL: nothing was asked for. */
struct source_label source_label_of(struct lines *lines,
				    const struct function_table *functions,
				    uint32_t function);

#endif

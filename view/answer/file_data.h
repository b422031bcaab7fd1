/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_FILE_DATA_H
#define KT_VIEW_FILE_DATA_H

#include "view/answer/answer.h"

/* Writes what a page in a file has in place of a server, as JSON of @most_bytes
 * or so: slices on the first level that fits, profiles of fewer parts of time,
 * and a notice of what is left out.
 *
 * Returns 0 or a negative enum error.
 */
int file_data_write(const struct view_sources *sources, uint64_t most_bytes,
		    FILE *out);

#endif

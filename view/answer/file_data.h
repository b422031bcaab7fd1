/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_FILE_DATA_H
#define KT_VIEW_FILE_DATA_H

#include "view/answer/answer.h"

/* Writes the data of a page in a file, which has no server, as JSON of about
 * @most_bytes: slices of the first level that fits, profiles of fewer parts of
 * time, and a note about the data left out.
 *
 * Returns 0 or a negative enum error.
 */
int file_data_write(const struct view_sources *sources, uint64_t most_bytes,
		    FILE *out);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_JOINED_DATA_INTERNAL_H
#define KT_ARCHIVE_JOINED_DATA_INTERNAL_H

#include "archive/archive_file_internal.h"
#include "common/array.h"
#include "common/bytes.h"

#include <stdint.h>

struct recording;

/* The files data, data.0, data.1 … of a recording as the one file that perf can
 * read: the records of all of them, then the features, with a new index of the
 * trace (perf's auxtrace_index). A file that ends inside its last record, as
 * that of a killed recorder, loses at most the trace that was not written.
 *
 *	data     header records          features index
 *	data.0                  records
 *	joined   header records records  features index
 */
struct joined_data {
	struct array pieces; /* struct data_piece, in order */
	uint64_t size;	     /* of all pieces */
	struct byte_buffer index;
	struct byte_buffer heads; /* of records that are cut */
};

/* Joins the files of @recording. @bytes is a copy of its file data, of @size
 * bytes, and is changed. Borrows both. Returns 0, -ERROR_MEMORY, or
 * -ERROR_FORMAT if the features do not fit the file; the caller frees @joined
 * in any case.
 */
int joined_data_make(struct joined_data *joined,
		     const struct recording *recording, uint8_t *bytes,
		     uint64_t size);

void joined_data_free(struct joined_data *joined);

#endif

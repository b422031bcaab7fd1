/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_part.h"
#include "common/error.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/record_lists.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/recording_scan.h"

#include <stdlib.h>

int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **opened)
{
	struct recording *part = malloc(sizeof(*part));
	int error;

	if (!part)
		return -ERROR_MEMORY;
	*part = *whole;
	part->counts = (struct recording_counts){ 0 };
	part->info.first_time_ns = 0;
	part->info.last_time_ns = 0;
	part->streams = stream_list_new();
	part->coresight_units = ARRAY_OF(struct coresight_unit);
	part->coresight_streams = NULL;
	part->file = (struct data_file){
		.map = { .bytes = bytes, .size = size },
		.path = whole->files.data,
		.log = whole->log,
		.is_pipe = true,
		.data_size = size,
	};
	part->record_lists = record_lists_new();
	error = record_store_open(&part->store, &part->file);
	if (!error && !part->record_lists)
		error = -ERROR_MEMORY;
	if (!error)
		error = recording_scan(part);
	if (!error)
		error = stream_list_finish(&part->streams, &part->events,
					   false);
	if (!error)
		error = coresight_streams_make(part);
	if (error)
		recording_part_close(part);
	else
		*opened = part;
	return error;
}

void recording_part_close(struct recording *part)
{
	if (!part)
		return;
	coresight_streams_free(part->coresight_streams);
	array_free(&part->coresight_units);
	record_lists_free(part->record_lists);
	record_store_close(&part->store);
	stream_list_free(&part->streams);
	free(part);
}

/* SPDX-License-Identifier: MIT */
#include "store/entry/content_id.h"

#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/stream_window.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Uses only the header, so the program need not link with the library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PART_BYTES = 1 << 20 };

/* Hashes the final NUL too, so that the boundary between two texts counts. */
static void add_text(XXH3_state_t *state, const char *text)
{
	XXH3_128bits_update(state, text, strlen(text) + 1);
}

static void add_number(XXH3_state_t *state, uint64_t number)
{
	XXH3_128bits_update(state, &number, sizeof(number));
}

static void add_info(XXH3_state_t *state, const struct recording *recording)
{
	const struct recording_info *info = recording_info(recording);

	add_text(state, info->hostname);
	add_text(state, info->os_release);
	add_text(state, info->arch);
	add_text(state, info->command);
	add_number(state, info->first_time_ns);
	add_number(state, info->last_time_ns);
	add_number(state, recording_counts(recording)->records);
}

static int add_stream(XXH3_state_t *state, const struct aux_stream *stream,
		      const struct log *log)
{
	struct stream_bytes bytes;
	size_t released = 0;
	int error = stream_bytes_open(&bytes, stream, log);

	if (error)
		return error;
	add_number(state, (uint64_t)(int64_t)stream->cpu);
	add_number(state, bytes.size);
	for (size_t at = 0; at < bytes.size; at += PART_BYTES) {
		size_t size = bytes.size - at;

		XXH3_128bits_update(state, bytes.bytes + at,
				    size < PART_BYTES ? size : PART_BYTES);
		released = stream_bytes_release(&bytes, released, at);
	}
	stream_bytes_close(&bytes);
	return 0;
}

int content_id_make(const struct recording *recording, const struct log *log,
		    char id[STORE_ID_TEXT])
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;
	int error = 0;

	if (!state)
		return -ERROR_MEMORY;
	XXH3_128bits_reset(state);
	add_info(state, recording);
	for (size_t i = 0; !error && i < recording_stream_count(recording); i++)
		error = add_stream(state, recording_stream(recording, i), log);
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(id, STORE_ID_TEXT, "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)hash.high64, (uint64_t)hash.low64);
	return error;
}

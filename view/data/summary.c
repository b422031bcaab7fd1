/* SPDX-License-Identifier: MIT */
#include "view/data/summary.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t length(const struct view_slice *slice)
{
	return slice->end_ns - slice->begin_ns;
}

void longest_consume(struct longest *longest, const struct view_slice *slice)
{
	uint32_t at = longest->kept;

	longest->count++;
	longest->sum_ns += length(slice);
	if (at == LONGEST_KEPT) {
		at--;
		if (length(&longest->slices[at]) >= length(slice))
			return;
	} else {
		longest->kept++;
	}
	for (; at && length(&longest->slices[at - 1]) < length(slice); at--)
		longest->slices[at] = longest->slices[at - 1];
	longest->slices[at] = *slice;
}

static void pack_slice(struct view_slice *slice, struct pack *pack)
{
	pack_u64(pack, &slice->begin_ns);
	pack_u64(pack, &slice->end_ns);
	pack_u64(pack, &slice->busy_ns);
	pack_u32(pack, &slice->track);
	pack_u32(pack, &slice->depth);
	pack_u32(pack, &slice->name);
	pack_u32(pack, &slice->detail);
	pack_i32(pack, &slice->waker_tid);
	pack_u32(pack, &slice->count);
}

/* Writes or reads @longest. */
static void longest_pack(struct longest *longest, struct pack *pack)
{
	pack_u64(pack, &longest->count);
	pack_u64(pack, &longest->sum_ns);
	pack_u32(pack, &longest->kept);
	pack_check(pack, longest->kept <= LONGEST_KEPT);
	for (uint32_t i = 0; i < longest->kept && !pack->failed; i++)
		pack_slice(&longest->slices[i], pack);
}

static const char magic[8] = "ktview07";

enum { HEAD_BYTES = sizeof(magic) + 8 + 24 };

static struct view_summary *make(void)
{
	struct view_summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return NULL;
	pthread_mutex_init(&summary->lock, NULL);
	summary->draft.fd = -1;
	summary->file.end = HEAD_BYTES;
	summary->threads = ARRAY_OF(struct view_thread);
	summary->fibers = ARRAY_OF(struct view_fiber);
	summary->slices = slice_store_new(&summary->file);
	summary->calls = call_sums_new(&summary->file);
	if (summary->slices && summary->calls)
		return summary;
	view_summary_free(summary);
	return NULL;
}

void view_summary_free(struct view_summary *summary)
{
	if (!summary)
		return;
	if (summary->file.fd != summary->draft.fd && summary->file.fd > 0)
		close(summary->file.fd);
	output_draft_close(&summary->draft);
	slice_store_free(summary->slices);
	call_sums_free(summary->calls);
	array_free(&summary->threads);
	array_free(&summary->fibers);
	free(summary->explanation);
	free(summary->reports);
	free(summary->function_ns);
	pthread_mutex_destroy(&summary->lock);
	free(summary);
}

struct view_summary *view_summary_new(const char *path, const struct log *log)
{
	struct view_summary *summary = make();

	if (!summary)
		return NULL;
	if (output_draft_open(&summary->draft, path)) {
		summary->file.fd = summary->draft.fd;
		return summary;
	}
	output_draft_close(&summary->draft);
	/* The folder is not writable: use a temporary file for this run. */
	summary->file.fd = output_temporary_file(log);
	if (summary->file.fd >= 0)
		return summary;
	view_summary_free(summary);
	return NULL;
}

static void pack_thread(struct view_thread *thread, struct pack *pack)
{
	pack_i32(pack, &thread->tid);
	pack_i32(pack, &thread->pid);
	pack_i32(pack, &thread->cpu);
	for (size_t i = 0; i < VIEW_STATES; i++) {
		pack_u64(pack, &thread->state_ns[i]);
		pack_u64(pack, &thread->state_count[i]);
	}
}

/* Writes or reads *@owned, which the summary owns. */
static void pack_text(char **owned, struct pack *pack)
{
	const char *text = *owned;
	uint32_t size = text ? (uint32_t)strlen(text) : 0;

	pack_u32(pack, &size);
	if (!pack->is_reading) {
		byte_buffer_add(&pack->out, text, size);
		return;
	}
	text = (const char *)byte_reader_bytes(&pack->reader, size);
	if (text && size)
		*owned = strndup(text, size);
	pack_check(pack, text && (!size || *owned));
}

static void pack_all(struct view_summary *summary, struct pack *pack)
{
	uint32_t threads = (uint32_t)summary->threads.count;
	uint32_t fibers = (uint32_t)summary->fibers.count;

	pack_u64(pack, &summary->first_ns);
	pack_u64(pack, &summary->begin_ns);
	pack_u64(pack, &summary->last_ns);
	pack_u64(pack, &summary->resolution_ns);
	pack_u32(pack, &summary->levels);
	pack_check(pack, summary->levels > 0 &&
				 summary->levels <= SLICE_LEVELS_MOST &&
				 summary->first_ns <= summary->last_ns &&
				 summary->resolution_ns > 0);
	pack_u32(pack, &threads);
	pack_check(pack, threads <= TRACK_MOST);
	for (uint32_t i = 0; i < threads && !pack->failed; i++) {
		struct view_thread *thread = array_reach(&summary->threads, i);

		if (thread)
			pack_thread(thread, pack);
		pack_check(pack, thread);
	}
	pack_u32(pack, &fibers);
	pack_check(pack, fibers <= TRACK_MOST);
	for (uint32_t i = 0; i < fibers && !pack->failed; i++) {
		struct view_fiber *fiber = array_reach(&summary->fibers, i);

		pack_check(pack, fiber);
		if (!fiber)
			break;
		pack_i32(pack, &fiber->pid);
		pack_u32(pack, &fiber->fiber);
	}
	for (size_t i = 0; i < LIST_COUNT; i++)
		longest_pack(&summary->lists[i], pack);
	pack_text(&summary->explanation, pack);
	pack_text(&summary->reports, pack);
	slice_store_pack(summary->slices, pack);
	call_sums_pack(summary->calls, pack, summary->functions);
}

/* Writes the head: the key, and the position of all data outside of chunks. */
static int write_head(struct view_summary *summary, uint64_t key,
		      struct chunk *rest)
{
	struct pack pack = pack_to_write();
	int fd = summary->file.fd;
	bool is_written;

	pack_u64(&pack, &key);
	chunk_pack(rest, &pack);
	is_written = !pack.failed &&
		     pwrite(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		     pwrite(fd, pack.out.bytes, pack.out.size, sizeof(magic)) ==
			     (ssize_t)pack.out.size;
	pack_free(&pack);
	return is_written ? 0 : -ERROR_SYSTEM;
}

int view_summary_save(struct view_summary *summary, uint64_t key)
{
	struct pack pack = pack_to_write();
	struct chunk rest;
	int status = slice_store_flush(summary->slices);

	if (!status)
		status = call_sums_flush(summary->calls);
	if (!status) {
		pack_all(summary, &pack);
		status = pack.failed || pack.out.size > CHUNK_MOST ?
				 -ERROR_MEMORY :
				 chunk_file_add(&summary->file, pack.out.bytes,
						pack.out.size, &rest);
	}
	pack_free(&pack);
	if (!status)
		status = write_head(summary, key, &rest);
	if (!status &&
	    (summary->draft.fd < 0 || !output_draft_finish(&summary->draft)))
		status = -ERROR_SYSTEM;
	return status;
}

static bool read_head(int fd, uint64_t key, struct chunk *rest)
{
	uint8_t head[HEAD_BYTES] = { 0 };
	struct pack pack = pack_to_read(head + sizeof(magic),
					sizeof(head) - sizeof(magic));
	uint64_t found;

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, magic, sizeof(magic)) != 0)
		return false;
	pack_u64(&pack, &found);
	chunk_pack(rest, &pack);
	return pack_is_whole(&pack) && found == key;
}

static bool read_rest(struct view_summary *summary, uint64_t key)
{
	struct chunk rest;
	struct pack pack;
	void *bytes;

	if (!read_head(summary->file.fd, key, &rest))
		return false;
	bytes = chunk_file_read(&summary->file, &rest);
	if (!bytes)
		return false;
	pack = pack_to_read(bytes, rest.size);
	pack_all(summary, &pack);
	free(bytes);
	return pack_is_whole(&pack);
}

struct view_summary *view_summary_load(const char *path, uint64_t key,
				       uint32_t functions)
{
	struct view_summary *summary = make();

	if (!summary)
		return NULL;
	summary->functions = functions;
	summary->file.fd = regular_file_open_cached(path);
	if (summary->file.fd < 0 || !read_rest(summary, key)) {
		view_summary_free(summary);
		return NULL;
	}
	summary->reached_ns = summary->last_ns;
	summary->is_complete = true;
	return summary;
}

uint64_t view_summary_resolution(const struct view_summary *summary,
				 uint32_t level)
{
	return summary->resolution_ns << 2 * level;
}

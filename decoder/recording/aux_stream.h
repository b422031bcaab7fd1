/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_AUX_STREAM_H
#define KT_DECODER_RECORDING_AUX_STREAM_H

#include "common/array.h"
#include "common/files/file_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_file;
struct event_table;
struct log;
struct record;
struct sideband_record;

/* The trace bytes of a recording as streams (struct aux_stream),
 * one for each CPU or thread: collected while the recording is opened, and read
 * by the decoders.
 *
 *	AUXTRACE, AUX, samples ► struct stream_list ► struct aux_stream
 *	                          (collects)              │
 *	      struct loss_cursor, stream_bytes, stream_window ► decoders
 *
 * A stream consists of slices of the recording's file and of losses between
 * them. A decoder reads its recorded bytes, without the losses, as one range of
 * addresses: struct stream_bytes maps or joins all of them, struct
 * stream_window makes a part readable at a time.
 *
 * 1. The kernel's offsets count lost bytes too; positions count recorded bytes
 *    only. struct loss_cursor converts offsets of losses to positions.
 * 2. stream_list_finish() runs once, after the last record. Streams are
 *    constant from then on: threads may share them, but each needs windows and
 *    cursors of its own.
 * 3. A record that is too short for its kind, or of an impossible CPU, is
 *    refused and changes nothing: see stream_list_add().
 *
 * Memory: at most BUDGET_STREAMS streams. Bytes are not copied, except those of
 * joined slices, to a temporary file or to a window's buffer.
 */

/* A slice of a stream's bytes. */
struct aux_piece {
	uint64_t offset; /* in the stream, as the kernel counts */
	uint64_t size_bytes;
	uint64_t file_offset;
	const uint8_t *bytes;
	/* Only for CoreSight: */
	uint32_t unit;	   /* index of the CPU's coresight_unit */
	bool is_formatted; /* in frames, with other sources' bytes */
	uint8_t first_id;  /* trace ID of the first byte in frames, or 0 */
	bool begins_anew;  /* the trace unit was started right before */
};

/* A position in the stream where bytes are known to be missing. */
struct aux_loss {
	uint64_t offset; /* kernel's offset of the first byte after the loss */
	/* time of the record that reports the loss; 0 if unknown */
	uint64_t time_ns;
	uint64_t flags; /* SIDEBAND_AUX_* of the AUX record */
};

/* The trace that a unit wrote from start to stop: an AUX record. */
struct aux_span {
	uint64_t offset; /* in the stream, as the kernel counts */
	uint64_t size_bytes;
	uint64_t flags;	  /* SIDEBAND_AUX_* */
	uint64_t time_ns; /* 0 if unknown */
	int32_t cpu;	  /* -1 if unknown */
};

/* The trace of one CPU, or of one thread (then cpu is -1). */
struct aux_stream {
	uint32_t index; /* perf's idx */
	int32_t cpu;
	int32_t pid; /* the thread, in a stream of a thread; otherwise -1 */
	int32_t tid;
	uint64_t size_bytes;
	const struct aux_piece *pieces; /* in order, not overlapping */
	size_t piece_count;
	const struct aux_loss *losses; /* in order */
	size_t loss_count;
	bool cut;	 /* the file ended inside it */
	uint64_t end_ns; /* CoreSight: end of tracing; 0 if unknown */
	/* CoreSight: from when to when its CPU ran without being traced, if the
	 * stream has no pieces; else 0
	 */
	uint64_t untraced_from_ns;
	uint64_t untraced_until_ns;
};

/* PSB, the packet where a decoder can start: Intel SDM, volume 3, 33.4.2.17. */
enum { INTEL_PSB_SIZE = 16 };

extern const uint8_t intel_psb[INTEL_PSB_SIZE];

/* Returns the position of the first PSB in @bytes at or after @from, @size if
 * there is none.
 */
size_t intel_psb_find(const uint8_t *bytes, size_t size, size_t from);

/* Makes the bytes from @from up to @to readable, as far as they exist, and may
 * make all others unreadable. Returns the current address of byte 0, which need
 * not be readable.
 */
typedef const uint8_t *intel_psb_reach_bytes(void *ctx, size_t from, size_t to);

/* Like intel_psb_find(), for bytes that are not all readable: calls @reach with
 * @ctx to make them so. If @reach is NULL, reads @bytes.
 */
size_t intel_psb_reach(const uint8_t *bytes, size_t size, size_t from,
		       intel_psb_reach_bytes *reach, void *ctx);

/* A stream's recorded bytes, contiguous in memory: in place if they are one
 * slice, else in a temporary file.
 */
struct stream_bytes {
	const uint8_t *bytes;
	size_t size;
	struct file_map joined;
};

/* Makes all bytes of @stream, which is borrowed, readable. Returns 0, or
 * -ERROR_SYSTEM; logs to @log if the temporary file cannot be created or
 * written.
 */
int stream_bytes_open(struct stream_bytes *bytes,
		      const struct aux_stream *stream, const struct log *log);

void stream_bytes_close(struct stream_bytes *bytes);

/* Informs the system that the bytes before @position will not be read again, so
 * that memory does not grow with the trace. @from is 0 in the first call, then
 * the previous result.
 */
size_t stream_bytes_release(const struct stream_bytes *bytes, size_t from,
			    size_t position);

/* Iterates over a stream's losses, which have the kernel's offsets, and
 * converts them to positions in the recorded bytes. To start, set @stream,
 * which is borrowed, and zero the rest.
 */
struct loss_cursor {
	const struct aux_stream *stream;
	size_t loss;	    /* index of the next loss */
	size_t piece;	    /* first slice that may contain it */
	size_t piece_start; /* in the recorded bytes */
};

/* Advances to the first loss after recorded byte @from, which must not
 * decrease. Returns its position, or the number of recorded bytes if no loss is
 * left among them.
 */
size_t loss_cursor_next(struct loss_cursor *cursor, size_t from);

/* Returns whether a loss is left: at the position that loss_cursor_next()
 * returned, or after the last recorded byte.
 */
bool loss_cursor_is_at_loss(const struct loss_cursor *cursor);

/* For a stream that ends with a loss, returns the time of the record of that
 * loss, until which its trace is missing; 0 if it does not end with one.
 */
uint64_t loss_at_end_ns(const struct aux_stream *stream);

/* A sync point of a stream with its time. */
struct sync_point {
	size_t position; /* in the stream's bytes */
	uint64_t ticks;
};

/* Access to the timed sync points of a stream, without reading the trace
 * between them.
 */
struct point_search {
	size_t size; /* of the stream */
	/* Finds the first timed sync point at or after @from within the first
	 * @size bytes. Returns whether there is one.
	 */
	bool (*next)(void *ctx, size_t size, size_t from,
		     struct sync_point *point);
	void *ctx;
};

/* Finds the last sync point that is not later than @ticks, by bisection: sync
 * points are ordered by time. In a damaged stream, where they are not, it may
 * find another one. Returns whether there is one.
 */
bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point);

/* A window on a stream's recorded bytes in one range of addresses. A stream of
 * one slice in a file is read in place; several slices, which are not adjacent
 * there, are copied when they are reached, always into the same small buffer,
 * which stays in the processor's cache.
 */
struct stream_window {
	/* address of byte 0, which need not be readable */
	const uint8_t *bytes;
	size_t size;
	const struct aux_stream *stream;
	const struct data_file *file;
	uint8_t *copy;	    /* NULL: the bytes are in place */
	size_t *ends;	    /* the end of each slice in the stream's bytes */
	size_t copied_from; /* the copied bytes: from here */
	size_t copied_to;   /* up to here */
	size_t way;	 /* number of bytes copied sequentially since a jump */
	size_t released; /* in place: end of the bytes given back */
};

/* Opens a window on @stream. Borrows @stream, and @file, which may contain its
 * slices. Returns 0 or -ERROR_MEMORY.
 */
int stream_window_open(struct stream_window *window,
		       const struct aux_stream *stream,
		       const struct data_file *file);

void stream_window_close(struct stream_window *window);

/* Makes the bytes from @from up to @to readable, as far as they exist, and no
 * others: earlier bytes may have moved. Returns the new address of byte 0,
 * which need not be readable: window->bytes.
 */
const uint8_t *stream_window_reach(struct stream_window *window, size_t from,
				   size_t to);

/* Must be called when the bytes before @to will not be read soon, so that
 * memory does not grow with the trace.
 */
void stream_window_release(struct stream_window *window, size_t to);

/* Returns how many bytes at the start of @next also end @before, when both are
 * snapshots of one ring of Intel PT: the longest end of @before that @next
 * starts with, found by the sync points in @next; 0 if there is none.
 */
size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size);

/* Collects the trace bytes of a recording into streams: one for each CPU, or
 * one for each thread.
 */
struct stream_list {
	struct array builders; /* struct stream_builder */
	struct array streams;  /* struct aux_stream, once finished */
	struct array reports;  /* AUX records */
	/* uint64_t for each CPU: the largest end of its AUX records, counted as
	 * the offsets of slices
	 */
	struct array ends;
	/* three empty arrays for the next stream, or zeroed */
	struct array spare[3];
	bool has_records; /* AUXTRACE records were added */
	bool has_samples; /* samples with trace were added */
	bool is_full;	  /* there were more than BUDGET_STREAMS */
};

struct stream_list stream_list_new(void);

/* Removes everything. Keeps the memory of one stream. */
void stream_list_clear(struct stream_list *list);

void stream_list_free(struct stream_list *list);

/* Adds an AUXTRACE record. Returns 0, -ERROR_MEMORY, -ERROR_FORMAT if it is too
 * short for its kind or of an impossible CPU, or -ERROR_UNSUPPORTED if it needs
 * a new stream and there are BUDGET_STREAMS already.
 */
int stream_list_add(struct stream_list *list, const struct record *record);

/* Adds a buffer that was read whole from one CPU's sink. Borrows the bytes;
 * @flags as in an AUX record. Returns 0, or -ERROR_MEMORY, also if the buffer
 * needs a new stream and there are BUDGET_STREAMS already.
 */
int stream_list_add_buffer(struct stream_list *list, uint32_t index,
			   int32_t cpu, const uint8_t *bytes, size_t size,
			   uint64_t flags);

/* Adds the @size bytes of trace in a sample, @file_offset in the file: the
 * newest bytes of the buffer of @cpu, or of thread @tid if @cpu is -1. In a
 * recording with such samples, slices are copies of a ring. Samples after an
 * AUXTRACE record are ignored. Returns 0, even if it ignores the sample, for
 * this reason or because of an impossible CPU; -ERROR_MEMORY or
 * -ERROR_UNSUPPORTED as stream_list_add().
 */
int stream_list_add_sample(struct stream_list *list, int32_t cpu, int32_t tid,
			   const uint8_t *bytes, size_t size,
			   uint64_t file_offset);

/* Adds a parsed AUX record. @id is the event's, by which its entry in ID_INDEX
 * is found. Records without a loss are only needed for trace units that restart
 * with each record. Returns 0 or -ERROR_MEMORY.
 */
int stream_list_report(struct stream_list *list,
		       const struct sideband_record *aux, uint64_t id);

/* Notes the end of a parsed AUX record, with or without a loss. Returns 0 or
 * -ERROR_MEMORY.
 */
int stream_list_expect(struct stream_list *list,
		       const struct sideband_record *aux);

/* Makes the streams: trims overlaps, finds holes and inserts the losses. A
 * stream that ends before the AUX records of its CPU do is cut.
 * @is_snapshot: slices are copies of a ring, and only their bytes show where
 * two of them overlap. Returns 0 or -ERROR_MEMORY.
 */
int stream_list_finish(struct stream_list *list,
		       const struct event_table *events, bool is_snapshot);

/* Returns the number of CPUs that have AUX records of trace, but no stream: the
 * file with their trace was lost, or the recorder was killed before it wrote
 * any. Sets *@cpu to the first. Must be called after stream_list_finish().
 */
size_t stream_list_missing(const struct stream_list *list, int32_t *cpu);

/* Returns the AUX records (struct aux_span) of stream @index, in the order of
 * the file. Must be called after stream_list_finish(). The list has only those
 * that stream_list_report() or stream_list_add_buffer() added, and none of a
 * snapshot's AUX records.
 */
const struct array *stream_list_spans(const struct stream_list *list,
				      size_t index);

#endif

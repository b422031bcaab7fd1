/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_SOURCE_H
#define KT_DECODER_BRANCH_SOURCE_H

#include "decoder/flow/trace_branch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct flow_input;
struct recording;

/* Decodes one stream's trace into branches, whatever hardware made it. */
struct branch_source {
	const struct branch_source_ops *ops;
};

/* No such position. */
#define NO_SYNC UINT64_MAX

/* Each kind of trace hardware fills one. */
struct branch_source_ops {
	const char *name;
	/* Returns 0 and *@source, or a negative enum error. */
	int (*open)(const struct flow_input *input,
		    struct branch_source **source);
	/* As branch_source_next(). */
	int (*next)(struct branch_source *source,
		    struct trace_branch_batch *batch);
	/* As branch_source_seek(). */
	int (*seek)(struct branch_source *source, uint64_t position);
	/* As branch_source_next_sync(). */
	uint64_t (*next_sync)(struct branch_source *source, uint64_t from);
	/* As branch_source_sync_before(); NULL: its sync points have no times.
	 */
	uint64_t (*sync_before)(struct branch_source *source, uint64_t time_ns,
				uint64_t distance, uint64_t *at_ns);
	void (*close)(struct branch_source *source);
};

extern const struct branch_source_ops intel_branch_source;
extern const struct branch_source_ops coresight_branch_source;

/* Returns whether coresight_branch_source.open() supports the stream: ETMv4 and
 * ETE without conditional instructions, loads, stores, data or Q elements.
 */
bool coresight_source_fits(const struct recording *recording,
			   const struct aux_stream *stream);

/* Returns whether there is a source for the stream. A decoder of such a stream
 * that starts one sync point early almost always has complete state at the
 * next.
 */
bool branch_source_fits(const struct recording *recording,
			const struct aux_stream *stream);

/* Opens the source that fits the recording's trace hardware, at the start of
 * the stream. Borrows everything in @input.
 *
 * Returns 0 and *@source, -ERROR_UNSUPPORTED if there is none for the stream,
 * another negative enum error if it cannot be set up.
 */
int branch_source_open(const struct flow_input *input,
		       struct branch_source **source);

/* Closes @source, which may be NULL. */
void branch_source_close(struct branch_source *source);

/* Provides the next branches, one or more, valid until the next call. A branch
 * without a time of its own is in one batch with the next that has one.
 *
 * Returns 1, 0 at the end, or -ERROR_MEMORY.
 */
static inline int branch_source_next(struct branch_source *source,
				     struct trace_branch_batch *batch)
{
	return source->ops->next(source, batch);
}

/* Seeks to the sync point at @position, a result of branch_source_next_sync(),
 * or to an earlier one if the time would not be known there otherwise. Seeks
 * forwards and backwards, also from the end. Returns 0 or -ERROR_MEMORY.
 */
static inline int branch_source_seek(struct branch_source *source,
				     uint64_t position)
{
	return source->ops->seek(source, position);
}

/* Returns the first position from @from on, in the stream's bytes, where
 * decoding can start without any earlier state (a TRACE_SYNC of that position);
 * NO_SYNC if there is none. Only for a source from which branches are not read.
 */
static inline uint64_t branch_source_next_sync(struct branch_source *source,
					       uint64_t from)
{
	return source->ops->next_sync(source, from);
}

/* Returns a position like branch_source_next_sync(), about @distance bytes
 * before the last one whose time is not later than @time_ns, and its time;
 * NO_SYNC if none is known. The trace between sync points is not read. Only for
 * a source from which branches are not read.
 */
static inline uint64_t branch_source_sync_before(struct branch_source *source,
						 uint64_t time_ns,
						 uint64_t distance,
						 uint64_t *at_ns)
{
	if (!source->ops->sync_before)
		return NO_SYNC;
	return source->ops->sync_before(source, time_ns, distance, at_ns);
}

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_SOURCE_H
#define KT_DECODER_FLOW_SOURCE_H

/* The interface of decoders that are based on a library (libipt, OpenCSD): one
 * stream of a recording as items of flow.h, block by block.
 *
 *	stream ─► flow_source_open(): ops of the unit ─► flow_source_next() ─► items
 *
 * States: open; at the end, after FLOW_END was provided; closed.
 *
 * 1. FLOW_END is the last item, once. Afterwards flow_source_next() returns 0.
 * 2. Items are valid until the next call.
 * 3. An imperfect trace is a FLOW_GAP item; only lack of memory is an error.
 * 4. A source belongs to one thread; struct flow_input is shared read-only.
 */

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>

struct aux_stream;
struct block_cache;
struct code_image;
struct log;
struct recording;

/* The decoder of one stream, whatever hardware made it. */
struct flow_source {
	const struct flow_source_ops *ops;
};

/* The arguments for opening a source; all borrowed and shared, read-only except
 * @blocks, so that sources of different streams may run in different threads.
 */
struct flow_input {
	const struct recording *recording;
	const struct aux_stream *stream;
	const struct code_image *image;
	const struct log *log;
	bool without_bounds; /* time bounds are not needed */
	/* instructions that switch interrupts off and on are events, too. For
	 * streams of execution/ only: other decoders ignore it.
	 */
	bool with_interrupts;
	/* if with_interrupts: changes of the preemption counter at this
	 * address, relative to the gs base, are events, too; 0: there is none
	 */
	uint64_t preempt_counter;
	/* in execution/: blocks that the streams share; NULL: none */
	struct block_cache *blocks;
};

/* The functions of one kind of trace hardware. */
struct flow_source_ops {
	const char *name;
	/* Returns 0 and *@source, or a negative enum error. */
	int (*open)(const struct flow_input *input,
		    struct flow_source **source);
	/* Implements flow_source_next(). */
	int (*next)(struct flow_source *source, const struct flow_item **items);
	/* Implements flow_source_next_switch(); NULL: it has no such records. */
	const struct flow_item *(*next_switch)(const struct flow_source *source);
	void (*close)(struct flow_source *source);
};

extern const struct flow_source_ops libipt_source;
extern const struct flow_source_ops coresight_source;

/* Opens the source that fits input->recording's trace hardware.
 *
 * Returns 0 and *@source, to be closed by flow_source_close(). Returns
 * -ERROR_UNSUPPORTED if no source supports the hardware, another negative enum
 * error if it cannot be set up, with the reason in the log.
 */
int flow_source_open(const struct flow_input *input,
		     struct flow_source **source);

/* Provides the next items, from 1 to a few thousand.
 *
 * *@items stays valid until the next call. Returns their count, 0 after
 * FLOW_END was provided, or a negative enum error only for lack of memory: an
 * imperfect trace is a FLOW_GAP.
 */
int flow_source_next(struct flow_source *source,
		     const struct flow_item **items);

/* Returns the first FLOW_SWITCH after the items provided so far; NULL if the
 * source has no records of switches, or none is left.
 */
const struct flow_item *
flow_source_next_switch(const struct flow_source *source);

/* Closes @source, which may be NULL. */
void flow_source_close(struct flow_source *source);

#endif

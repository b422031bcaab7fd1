/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_SOURCE_H
#define KT_DECODER_FLOW_SOURCE_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>

struct aux_stream;
struct code_image;
struct log;
struct recording;

/* One stream being decoded, whatever hardware made it. */
struct flow_source {
	const struct flow_source_ops *ops;
};

/* This is what a source is opened on; all borrowed, all shared read-only:
 * sources of different streams may run in different threads.
 */
struct flow_input {
	const struct recording *recording;
	const struct aux_stream *stream;
	const struct code_image *image;
	const struct log *log;
	bool without_bounds; /* nobody asks how well times are known */
};

/* Each kind of trace hardware fills one. */
struct flow_source_ops {
	const char *name;
	/* Returns 0 and *@source, or a negative enum error. */
	int (*open)(const struct flow_input *input,
		    struct flow_source **source);
	/* As flow_source_next(). */
	int (*next)(struct flow_source *source, const struct flow_item **items);
	/* As flow_source_next_switch(); NULL: it has no such records. */
	const struct flow_item *(*next_switch)(const struct flow_source *source);
	void (*close)(struct flow_source *source);
};

extern const struct flow_source_ops libipt_source;
extern const struct flow_source_ops coresight_source;

/* Opens the source that fits input->recording's trace hardware.
 *
 * Returns 0 and *@source, to be closed by flow_source_close().
 * Returns -ERROR_UNSUPPORTED if no source knows the hardware,
 * another negative enum error if it cannot be set up; the log knows why.
 */
int flow_source_open(const struct flow_input *input,
		     struct flow_source **source);

/* Provides the next items, from 1 to a few thousand.
 *
 * *@items stays valid until the next call.  Returns their count, 0 after
 * FLOW_END was delivered, a negative enum error only for lack of memory: an
 * imperfect trace is a FLOW_GAP.
 */
int flow_source_next(struct flow_source *source,
		     const struct flow_item **items);

/* The first FLOW_SWITCH beyond the items provided, as far as it is known from
 * records beside the trace; NULL if there is none.
 */
const struct flow_item *
flow_source_next_switch(const struct flow_source *source);

/* NULL is allowed. */
void flow_source_close(struct flow_source *source);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_TAPE_FIXTURE_H
#define KT_TESTS_TAPE_FIXTURE_H

#include "analysis/cpu_pipeline.h"
#include "common/array.h"
#include "symbolize/events/function_event.h"

#include <stddef.h>

struct session;

enum { TAPE_BATCH = 512 };

/* One CPU's events, decoded, and how far they have been replayed. */
struct tape {
	struct cpu_pipeline from; /* closed; used to find an event's task */
	struct array events;	  /* struct function_event */
	size_t next;
	struct function_event batch[TAPE_BATCH]; /* hot, as from a decoder */
};

/* Decodes the first @limit events, or a batch more, of stream @index into the
 * zeroed @tape, to be freed by tape_free().
 *
 * Returns 0 or a negative enum error.
 */
int tape_record(struct tape *tape, const struct session *session, size_t index,
		size_t limit);
void tape_free(struct tape *tape);

void tape_rewind(struct tape *tape);

/* Provides the next events of the struct tape at @tape: an event_batch_next. */
int tape_replay(void *tape, const struct function_event **batch);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RECORD_FEED_H
#define KT_EXECUTION_RECORD_FEED_H

#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stddef.h>

struct execution_state;
struct flow_input;
struct symbols;

/* One stream's records with their times, in order: what execution_stream joins
 * with the switches between tasks.
 */
struct record_feed;

/* Some records and the marks between them: of index 0 to @count, which is behind
 * the last record of all.
 */
struct record_run {
	const union timed_record *records;
	size_t count;
	const struct event_mark *marks;
	size_t mark_count;
};

/* The part of a stream that matters: what branches from the byte @from on make
 * execution do, up to the first entry from user space that is later than
 * @until_ns for certain.  What comes before says where addresses and the clock
 * begin.
 */
struct stream_part {
	uint64_t from;
	uint64_t until_ns;
};

#define STREAM_PART_ALL ((struct stream_part){ 0, UINT64_MAX })

/* Borrows all arguments.  @lists_blocks: records are flow items, not events.
 * Returns 0 and *@feed, or a negative enum error.
 */
int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **feed);
void record_feed_close(struct record_feed *feed);

/* Begins anew with @part of the stream of @input, whose code is that which the feed was
 * opened with and not older: what is known of that stays.  For Intel PT.
 * Borrows @input's recording and stream as record_feed_open() does.
 *
 * Returns 0 or a negative enum error: the feed can then only be closed, or
 * renewed.
 */
int record_feed_renew(struct record_feed *feed, const struct flow_input *input,
		      struct stream_part part);

/* Provides the next records, or the marks behind the last, valid until the next
 * call.
 *
 * Returns 1, 0 at the end, or -ERROR_MEMORY.
 */
int record_feed_next(struct record_feed *feed, struct record_run *run);

/* The same, the records being in @room, for EVENT_TIMES_ROOM of them. */
int record_feed_next_in(struct record_feed *feed, union timed_record *room,
			struct record_run *run);

/* Makes the records say, by a MARK_SYNC each, when the first synchronisation
 * points at or behind @first and @second are passed.
 */
void record_feed_watch(struct record_feed *feed, uint64_t first,
		       uint64_t second);

/* The same of the second alone. */
void record_feed_watch_end(struct record_feed *feed, uint64_t second);

/* Returns the state at the point of the first or second such mark. */
const struct execution_state *record_feed_state(const struct record_feed *feed,
						unsigned int which);

/* Begins anew, knowing nothing, a little before the synchronisation point at
 * @position, which must be behind all that was read: by then all is known.
 * Where too little runs to measure it, @rate is what is taken for
 * instruction_pace.rate, 0 for not known.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int record_feed_begin(struct record_feed *feed, uint64_t position,
		      uint64_t rate);

/* Begins anew with @state.  Returns 0 or -ERROR_MEMORY. */
int record_feed_resume(struct record_feed *feed,
		       const struct execution_state *state);

/* At the end: whether the trace unit was off then, and when it was. */
bool record_feed_is_off(const struct record_feed *feed);
uint64_t record_feed_end_ns(const struct record_feed *feed);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_RECORD_FEED_H
#define KT_EXECUTION_FOLLOW_RECORD_FEED_H

#include "execution/atoms/follow_atoms.h"
#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_input;
struct symbols;

/* One stream's records with their times, in order: events of control flow, or
 * flow items for a list of blocks. execution_stream.c merges them with the
 * kernel's task switches.
 *
 *	branch_reader ──► follow_run, follow_branch ──► execution.times
 *	   (decoder)        (follow/, atoms/)              │ finished records
 *	                                                   ▼
 *	                                            record_feed_next()
 *
 * States: open; at the end, after record_feed_next() returned 0.
 * record_feed_restart(), _begin() and _resume() lead back to open from either.
 *
 * 1. Records are only provided when their times are final. Their times never
 *    decrease.
 * 2. A mark is provided together with the record after it
 *    (event_marks_ready()).
 * 3. A feed that starts from a state (record_feed_resume()) provides the same
 *    records as one that decoded everything before.
 *
 * A feed is used by one thread at a time and starts none. Its memory is fixed
 * apart from the graph of blocks. Functions return -ERROR_MEMORY; trace that
 * cannot be followed is a gap in the records.
 */
struct record_feed;

/* The state of an execution right after a sync point: everything that
 * determines the records that follow. An execution that starts there with the
 * same state makes the same records. It contains addresses, not blocks, so it
 * is valid for any graph. The return stack is not part of it, because it is
 * empty at a sync point. Nor is the running process: follow_restore_code()
 * finds it from next_change_ns and the time bounds of the sync point.
 */
struct execution_state {
	uint64_t position; /* of the sync point, in the stream's bytes */
	uint64_t block_ip; /* 0: the position is unknown */
	uint64_t from_ip;  /* 0: unknown */
	uint64_t last_ip;
	uint64_t return_address;
	uint64_t nmi_return;
	uint32_t targets_ahead;
	uint64_t page_table;
	uint64_t guest_page_table;
	uint64_t machine;
	uint64_t sync_low_ns; /* time bounds of the sync point */
	uint64_t sync_high_ns;
	uint64_t next_change_ns; /* identifies the version of the code */
	struct time_bounds before;
	uint8_t edge_kind;
	uint8_t exit;
	uint8_t block_set; /* enum instruction_set of the block at block_ip */
	uint8_t from_set;
	uint8_t set;
	uint8_t next_set;
	uint8_t listed_set;
	bool at_branch;
	bool is_lost;
	bool is_off;
	bool outside;
	bool has_wrong_ip_base;
	uint8_t guest;
	bool is_table_lost;
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct atom_point atoms; /* if each branch has an atom */
	/* of struct event_times: */
	uint32_t waiting;
	uint64_t last_ns;
	uint64_t known_ns;
	uint64_t work;
	struct instruction_pace pace;
};

/* Sets *@state to one where everything is unknown except that the sync point at
 * @position is passed at @time_ns.
 */
void execution_state_unknown(struct execution_state *state, uint64_t position,
			     uint64_t time_ns);

/* Returns whether executions that continue from @a and @b make the same
 * records.
 */
bool execution_state_is_same(const struct execution_state *a,
			     const struct execution_state *b);

/* Consecutive records and the marks between them. A mark's index is 0 to count;
 * count means after the last record of the stream. Borrowed from the feed.
 */
struct record_run {
	const union timed_record *records;
	size_t count;
	const struct event_mark *marks;
	size_t mark_count;
};

/* The wanted part of a stream: from the byte at position from, up to the first
 * entry from user space that is certainly later than until_ns. Earlier branches
 * are decoded for addresses and the clock, but not followed.
 *
 * read_bytes: if not 0, this number of bytes at the start of the stream are the
 * last bytes of the previous stream. They are not read again: the state after
 * the previous stream continues.
 *
 * starts_in_call: the wanted part starts within a system call, and is followed
 * from the next entry from user space, or from a loss before it.
 */
struct stream_part {
	uint64_t from;
	uint64_t read_bytes;
	uint64_t until_ns;
	bool starts_in_call;
};

/* Opens a feed of the stream of @input, from its start. Borrows all arguments.
 * @lists_blocks: records are flow items, not events. Returns 0 and *@feed, or a
 * negative enum error.
 */
int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **feed);

void record_feed_close(struct record_feed *feed);

/* Restarts the feed with @part of the stream of @input, whose code image must
 * be the one that the feed was opened with: the blocks read so far are cached.
 * Only for Intel PT. Borrows @input's recording and stream like
 * record_feed_open().
 *
 * Returns 0 or a negative enum error: the feed can then only be closed, or
 * restarted.
 */
int record_feed_restart(struct record_feed *feed,
			const struct flow_input *input,
			struct stream_part part);

/* Provides the next records, or the marks after the last one, valid until the
 * next call.
 *
 * Returns 1, 0 at the end, or -ERROR_MEMORY.
 */
int record_feed_next(struct record_feed *feed, struct record_run *run);

/* Like record_feed_next(), but writes the records to @room, which has space for
 * EVENT_TIMES_ROOM.
 */
int record_feed_next_in(struct record_feed *feed, union timed_record *room,
			struct record_run *run);

/* Watches for the first sync points at or after the positions @first and
 * @second. A MARK_SYNC is provided where each is passed.
 */
void record_feed_watch(struct record_feed *feed, uint64_t first,
		       uint64_t second);

/* Like record_feed_watch(), but only for the second. */
void record_feed_watch_end(struct record_feed *feed, uint64_t second);

/* Returns the state at the watched sync point @which: 0 or 1. Valid once its
 * MARK_SYNC was provided.
 */
const struct execution_state *record_feed_state(const struct record_feed *feed,
						unsigned int which);

/* Restarts with all state unknown, a little before the sync point at @position,
 * which must be after everything read so far: at the sync point the state is
 * almost always complete. @rate is used as instruction_pace.rate until enough
 * has run to measure it; 0: unknown.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int record_feed_begin(struct record_feed *feed, uint64_t position,
		      uint64_t rate);

/* Restarts at @state. Returns 0 or -ERROR_MEMORY. */
int record_feed_resume(struct record_feed *feed,
		       const struct execution_state *state);

/* Return whether the trace unit is off, and the time of the last record, as far
 * as the stream was read.
 */
bool record_feed_is_off(const struct record_feed *feed);

uint64_t record_feed_end_ns(const struct record_feed *feed);

#endif

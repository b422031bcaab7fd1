/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CHECKPOINTS_H
#define KT_CMD_CHECKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_pipeline;
struct event_merge;
struct session;
struct step_callback;
struct stream_checkpoint;
struct task_stacks;

/* Checkpoints of a recording, one every megabyte of trace, from which
 * decoding can go on.  The first decode that comes to the end leaves them.
 *
 * What a callback packs is in checkpoints of its own, beside those that all
 * others need: the first decode for such a callback leaves them.
 */
struct checkpoints;

/* Sets *@key to what checkpoints of the session's recording, and all else that is
 * kept beside it, depend on (checkpoint_index_key()).  Returns whether any may be.
 */
bool checkpoints_find_key(const struct session *session, uint64_t *key);

/* Returns whether the recording has those that most callbacks go on from. */
bool checkpoints_fit(const struct session *session, uint64_t key);

/* Borrows its arguments.  Returns NULL where the recording has none, and none
 * can be written.
 */
struct checkpoints *checkpoints_open(const struct session *session,
				     struct step_callback *callback);
void checkpoints_close(struct checkpoints *checkpoints);

/* Returns whether the recording has those that the callback needs. */
bool checkpoints_are_there(const struct checkpoints *checkpoints);

/* Loads the last one before the session's window: sets @stacks, which has its
 * CPUs, one of @places for each stream, and the callback, if it packs.
 *
 * Returns 1, 0 if there is none, @stacks being untouched, or a negative enum
 * error, such as -ERROR_FORMAT where it makes no sense: then @stacks is of no
 * use, and the callback as it was.
 */
int checkpoints_load(const struct checkpoints *checkpoints,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places);

/* Returns whether checkpoints are to be written. */
bool checkpoints_are_kept(const struct checkpoints *checkpoints);

/* Writes one if it is time for it and this is a place for one: the last of
 * the events merged was of @kind.
 */
void checkpoints_pass(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge, uint8_t kind);

/* All was decoded: what was written becomes the recording's index. */
void checkpoints_finish(struct checkpoints *checkpoints);

#endif

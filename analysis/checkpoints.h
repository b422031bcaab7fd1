/* SPDX-License-Identifier: MIT */
#ifndef KT_ANALYSIS_CHECKPOINTS_H
#define KT_ANALYSIS_CHECKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_pipeline;
struct event_merge;
struct pass_input;
struct step_callback;
struct stream_checkpoint;
struct task_stacks;

/* Checkpoints of a recording, one every 256 KB of trace, from which decoding
 * can resume. The first decode that reaches the end writes them.
 *
 * Checkpoints with the state that a callback packs are in a file of their own,
 * one every megabyte, beside the file that all other callbacks use. The first
 * decode to the end with such a callback writes them.
 */
struct checkpoints;

/* Sets *@key to the key of the pass's recording for checkpoints and other
 * cached data (checkpoint_index_key()). Returns whether the recording can have
 * checkpoints and has a key.
 */
bool checkpoints_find_key(const struct pass_input *pass, uint64_t *key);

/* Returns whether the recording has checkpoints with @key for callbacks that
 * pack no state.
 */
bool checkpoints_fit(const struct pass_input *pass, uint64_t key);

/* Opens the recording's checkpoints, or starts to write them if there are none
 * with its key and the pass decodes to the end. Borrows its arguments. Returns
 * NULL if there are no checkpoints and none will be written.
 */
struct checkpoints *checkpoints_open(const struct pass_input *pass,
				     struct step_callback *callback);
void checkpoints_close(struct checkpoints *checkpoints);

/* Returns whether the recording has the checkpoints that the callback needs.
 * @checkpoints may be NULL: none.
 */
bool checkpoints_are_there(const struct checkpoints *checkpoints);

/* Loads the last checkpoint before the pass's window: sets @stacks, to which
 * all CPUs must have been added; an element of @places for each stream; and the
 * callback's state, if it packs one.
 *
 * Returns 1; 0 if there is no checkpoint, with all unchanged; or -ERROR_FORMAT
 * for invalid data. After -ERROR_FORMAT @stacks and @places must not be used,
 * but the callback is unchanged: if the invalid data are its own, its pack()
 * must have restored it. Logs that a file is damaged, and discards it, so that
 * the next pass over the whole recording writes it again; the result may then
 * also be 0.
 */
int checkpoints_load(const struct checkpoints *checkpoints,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places);

/* Returns how many bytes of trace, of all streams, the pass decodes from
 * @places to the first checkpoint at or after pass->done_ns, near which it may
 * end; UINT64_MAX if that is not known. @checkpoints may be NULL.
 */
uint64_t checkpoints_bytes_to_end(const struct checkpoints *checkpoints,
				  const struct stream_checkpoint *places);

/* Returns whether this pass writes checkpoints. @checkpoints may be NULL. */
bool checkpoints_are_kept(const struct checkpoints *checkpoints);

/* Writes a checkpoint if one is due and @kind, the kind of the last merged
 * event, allows it: with several streams, it must be FUNCTION_SWITCH. Called
 * only if checkpoints_are_kept().
 */
void checkpoints_pass(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge, uint8_t kind);

/* Makes the written checkpoints, if there are any, the recording's index. Call
 * it after the whole recording was decoded. @checkpoints may be NULL.
 */
void checkpoints_finish(struct checkpoints *checkpoints);

#endif

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
 * State that a callback packs is stored in separate checkpoints, one every
 * megabyte, beside the ones that all other callbacks use: the first decode for
 * such a callback writes them.
 */
struct checkpoints;

/* Sets *@key to the key of checkpoints and other cached data of the pass's
 * recording (checkpoint_index_key()). Returns whether the recording can have
 * any.
 */
bool checkpoints_find_key(const struct pass_input *pass, uint64_t *key);

/* Returns whether the recording has checkpoints with @key for callbacks that
 * pack no state.
 */
bool checkpoints_fit(const struct pass_input *pass, uint64_t key);

/* Opens the recording's checkpoints, or starts to write them if there are none
 * with its key. Borrows its arguments. Returns NULL if the recording has no
 * checkpoints and none can be written.
 */
struct checkpoints *checkpoints_open(const struct pass_input *pass,
				     struct step_callback *callback);
void checkpoints_close(struct checkpoints *checkpoints);

/* Returns whether the recording has the checkpoints that the callback needs. */
bool checkpoints_are_there(const struct checkpoints *checkpoints);

/* Loads the last checkpoint before the pass's window: sets @stacks, to which
 * all CPUs must have been added; an element of @places for each stream; and the
 * state of the callback, if it packs one.
 *
 * Returns 1; 0 if there is no checkpoint, with @stacks untouched; or a negative
 * enum error, such as -ERROR_FORMAT for invalid data: @stacks is then unusable,
 * and the callback unchanged.
 */
int checkpoints_load(const struct checkpoints *checkpoints,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places);

/* Returns how many bytes of trace, of all streams, are between @places and the
 * first checkpoint from pass->done_ns on, where it may end; UINT64_MAX if
 * that is not known.
 */
uint64_t checkpoints_bytes_to_end(const struct checkpoints *checkpoints,
				  const struct stream_checkpoint *places);

/* Returns whether this decode writes checkpoints. */
bool checkpoints_are_kept(const struct checkpoints *checkpoints);

/* Writes a checkpoint if one is due and @kind, the kind of the last merged
 * event, allows it: with several streams, only after FUNCTION_SWITCH.
 */
void checkpoints_pass(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge, uint8_t kind);

/* Makes the written checkpoints the recording's index. Call it after the whole
 * recording was decoded.
 */
void checkpoints_finish(struct checkpoints *checkpoints);

#endif

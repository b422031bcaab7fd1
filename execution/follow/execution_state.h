/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_STATE_H
#define KT_EXECUTION_EXECUTION_STATE_H

#include "execution/atoms/atom_point.h"
#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of an execution right after a sync point: everything that
 * determines the records that follow. An execution that starts there with the
 * same state makes the same records. It contains addresses, not blocks, so it
 * is valid for any graph. The return stack is not part of it, because it is
 * empty at a sync point. Nor is the running process: follow_restore_code() finds
 * it from next_change_ns and the time bounds of the sync point.
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
	struct moment before;
	uint8_t passage;
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
	bool is_rebased;
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

/* Sets *@state to the state of @execution, which has just passed the sync point
 * at @position. May write the times of finished records.
 */
void execution_state_take(struct execution_state *state,
			  struct execution *execution, uint64_t position);

/* Sets *@state to one where everything is unknown except that the sync point at
 * @position is passed at @time_ns.
 */
void execution_state_unknown(struct execution_state *state, uint64_t position,
			     uint64_t time_ns);

/* Makes @execution continue from @state. The recording and unit must be the
 * same. Returns 0 or -ERROR_MEMORY.
 */
int execution_state_put(const struct execution_state *state,
			struct execution *execution);

/* Returns whether executions that continue from @a and @b make the same
 * records.
 */
bool execution_state_is_same(const struct execution_state *a,
			     const struct execution_state *b);

#endif

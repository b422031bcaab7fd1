/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_STATE_H
#define KT_EXECUTION_EXECUTION_STATE_H

#include "execution/atoms/atom_point.h"
#include "execution/walk/execution.h"

#include <stdbool.h>
#include <stdint.h>

/* All that following an execution hangs on, as it is right behind a
 * synchronisation point: who begins there with the same state finds the same.
 * Addresses instead of blocks, so that it holds for any graph.
 */
struct execution_state {
	uint64_t position; /* of the synchronisation point */
	uint64_t block_ip; /* 0: execution is not followed */
	uint64_t from_ip;  /* 0: it came from nowhere known */
	uint64_t last_ip;
	uint64_t return_address;
	uint64_t nmi_return;
	uint32_t targets_ahead;
	uint64_t page_table;
	uint64_t guest_page_table;
	uint64_t machine;
	uint64_t sync_low_ns; /* bounds of the synchronisation point */
	uint64_t sync_high_ns;
	uint64_t next_change_ns; /* which stands for the code's version */
	struct moment before;
	uint8_t passage;
	uint8_t exit;
	uint8_t block_set; /* enum instruction_set, of these: */
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
	struct atom_point atoms; /* where each branch has an atom */
	/* Of struct event_times: */
	uint32_t waiting;
	uint64_t last_ns;
	uint64_t known_ns;
	uint64_t work;
	struct instruction_pace pace;
};

/* Sets *@state to that of @execution, which has just passed the point at
 * @position.
 */
void execution_state_take(struct execution_state *state,
			  struct execution *execution, uint64_t position);

/* Sets *@state to that of who knows nothing but that the point at @position is
 * passed at @time_ns.
 */
void execution_state_unknown(struct execution_state *state, uint64_t position,
			     uint64_t time_ns);

/* Makes @execution go on from @state.  Its code must not be newer.  Returns 0
 * or -ERROR_MEMORY.
 */
int execution_state_put(const struct execution_state *state,
			struct execution *execution);

/* Returns whether what follows is the same for both. */
bool execution_state_is_same(const struct execution_state *a,
			     const struct execution_state *b);

#endif

/* SPDX-License-Identifier: MIT */
#include "execution/follow/execution_open.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/time_conversion.h"
#include "execution/atoms/follow_atoms.h"
#include "execution/follow/follow_code.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"

static int open_code(struct execution *execution,
		     const struct flow_input *input,
		     const struct symbols *symbols)
{
	const struct arch *arch = arch_for(recording_arch(input->recording));
	int error = code_space_open(input, arch->kernel_start, CODE_VIEW_MEMORY,
				    &execution->code);

	if (error)
		return error;
	execution->kernel_start = arch->kernel_start;
	execution->counts_switches =
		symbols && symbols_have_role(symbols, CODE_SWITCH_POINT) &&
		recording_traces_kernel(input->recording);
	/* Arm's trace units report tasks themselves: see follow_atoms.c. */
	if (recording_trace(input->recording) == RECORDING_TRACE_INTEL_PT)
		code_space_order_by_trace(execution->code);
	execution->graph = block_graph_new(execution->code, symbols);
	if (!execution->graph)
		return -ERROR_MEMORY;
	execution->blocks = block_graph_blocks(execution->graph);
	return 0;
}

int execution_open(struct execution *execution, const struct flow_input *input,
		   const struct symbols *symbols, bool lists_blocks)
{
	int error = open_code(execution, input, symbols);

	if (error)
		return error;
	execution->symbols = symbols;
	execution_set_conversion(execution,
				 recording_time_conversion(input->recording));
	execution->lists_blocks = lists_blocks;
	execution->times.without_bounds = input->without_bounds;
	execution->filter = trace_filter_of(input->recording);
	execution_reset(execution);
	follow_update_code(execution);
	return follow_atoms_init(execution, input) < 0 ? -ERROR_MEMORY : 0;
}

int execution_renew(struct execution *execution, const struct flow_input *input)
{
	execution->marks.count = 0;
	execution_set_conversion(execution,
				 recording_time_conversion(input->recording));
	return_stack_clear(&execution->returns);
	execution->fold = (struct thunk_fold){ 0 };
	execution->folds.count = 0;
	execution_reset(execution);
	execution->may_be_ahead = true;
	execution->next_change = 0;
	follow_atoms_close(execution);
	return follow_atoms_init(execution, input) < 0 ? -ERROR_MEMORY : 0;
}

void execution_begin(struct execution *execution, uint64_t rate)
{
	execution_reset(execution);
	execution->times.pace.rate = rate;
	follow_atoms_reset(execution);
	execution->may_be_ahead = true;
	execution->next_change = 0;
}

void execution_close(struct execution *execution)
{
	follow_atoms_close(execution);
	block_graph_free(execution->graph);
	code_space_close(execution->code);
}

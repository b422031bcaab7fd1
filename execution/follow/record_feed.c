/* SPDX-License-Identifier: MIT */
#include "execution/follow/record_feed.h"

#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/atoms/follow_atoms.h"
#include "execution/follow/follow_internal.h"
#include "execution/follow/follow_run_internal.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* One stream's records from a position on: a reader of branches, an execution
 * that follows them, and a watch for sync points.
 *
 *	branch_reader ─► follow_*() ─► execution ─► records
 *	                                   │ at a watched sync point
 *	                                   ▼
 *	                   struct execution_state, and a MARK_SYNC
 *
 * A state is all that the records after a sync point depend on: two executions
 * in equal states (execution_state_is_same()) emit the same records from there
 * on. Segments of several threads are joined there (segment_ring.h), and a
 * checkpoint stores it. A state cannot be saved while records wait for the
 * first known time; then the next sync point is used.
 */

/* Reads the branches of a stream one by one, and seeks. A zeroed reader is
 * closed.
 */
struct branch_reader {
	struct branch_source *source;
	const struct trace_branch *next;
	const struct trace_branch *end; /* end of the current batch */
	uint64_t position; /* the batch's position in the stream's bytes */
};

/* Watches for two sync points of a stream and saves the state in which
 * execution passes each.
 */
struct sync_watch {
	uint64_t watched[2]; /* positions at or before the sync points */
	unsigned int passed; /* number of sync points passed */
	/* number of records up to the last one passed, plus the next one */
	size_t wanted;
	struct execution_state states[2]; /* at the sync points */
};

static void branch_reader_close(struct branch_reader *reader)
{
	branch_source_close(reader->source);
	*reader = (struct branch_reader){ 0 };
}

/* Skips @count more branches of the current batch. */
static inline void branch_reader_skip(struct branch_reader *reader,
				      uint32_t count)
{
	reader->next += count;
}

/* Returns the position of @branch, of the current batch, in the stream's bytes.
 */
static inline uint64_t
branch_reader_position(const struct branch_reader *reader,
		       const struct trace_branch *branch)
{
	return reader->position + branch->position;
}

/* Opens the stream of @input at its start. Closes the stream that was open.
 * Returns like branch_source_open().
 */
static int branch_reader_open(struct branch_reader *reader,
			      const struct flow_input *input)
{
	branch_reader_close(reader);
	return branch_source_open(input, &reader->source);
}

/* Like branch_source_seek(). Drops the current batch. */
static int branch_reader_seek(struct branch_reader *reader, uint64_t position)
{
	reader->next = NULL;
	reader->end = NULL;
	return branch_source_seek(reader->source, position);
}

/* Continues with the stream of @input after its first @read_bytes bytes, as
 * branch_source_go_on(). Returns whether it does.
 */
static bool branch_reader_go_on(struct branch_reader *reader,
				const struct flow_input *input,
				uint64_t read_bytes)
{
	reader->next = NULL;
	reader->end = NULL;
	return read_bytes && reader->source &&
	       branch_source_go_on(reader->source, input, read_bytes);
}

/* Returns the next branch, or NULL and *@status: 0 at the end, or
 * -ERROR_MEMORY. The branches after it, up to reader->end, are available, too.
 */
static const struct trace_branch *
branch_reader_next(struct branch_reader *reader, int *status)
{
	*status = 1;
	while (reader->next == reader->end) {
		struct trace_branch_batch batch = { 0 };

		reader->next = NULL;
		reader->end = NULL;
		*status = branch_source_next(reader->source, &batch);
		if (*status <= 0)
			return NULL;
		reader->next = batch.branches;
		reader->end = batch.branches + batch.count;
		reader->position = batch.position;
	}
	return reader->next++;
}

static uint64_t ip_of(const struct execution *execution, uint32_t block)
{
	return block == BLOCK_NONE ? 0 : execution->blocks[block].ip;
}

static uint8_t set_of(const struct execution *execution, uint32_t block)
{
	if (block == BLOCK_NONE)
		return 0;
	return block_graph_info(execution->graph, block)->set;
}

static uint32_t find(struct execution *execution, uint64_t ip, uint8_t set)
{
	return ip ? walk_find_set(execution, ip, set) : BLOCK_NONE;
}

/* Sets *@state to the state of @execution, which has just passed the sync point
 * at @position. May write the times of finished records.
 */
static void execution_state_save(struct execution_state *state,
				 struct execution *execution, uint64_t position)
{
	*state = (struct execution_state){
		.position = position,
		.block_ip = ip_of(execution, execution->block),
		.from_ip = ip_of(execution, execution->from),
		.block_set = set_of(execution, execution->block),
		.from_set = set_of(execution, execution->from),
		.last_ip = walk_last_ip(execution),
		.return_address = execution->calls.return_address,
		.nmi_return = execution->calls.nmi_return,
		.listed_set = execution->sets.listed,
		.targets_ahead = execution->targets_ahead,
		.page_table = execution->page_table,
		.guest_page_table = execution->guest.page_table,
		.machine = execution->guest.machine,
		.guest = execution->guest.state,
		.is_table_lost = execution->evidence.is_table_lost,
		.sync_low_ns = execution->sync.low_ns,
		.sync_high_ns = execution->sync.high_ns,
		.next_change_ns = code_space_next_change_ns(execution->code),
		.before = execution->bounds.before,
		.edge_kind = execution->edge_kind,
		.exit = execution->exit,
		.set = execution->sets.current,
		.next_set = execution->sets.next,
		.at_branch = execution->bounds.at_branch,
		.is_lost = execution->is_lost,
		.is_off = execution->is_off,
		.outside = execution->outside,
		.has_wrong_ip_base = execution->has_wrong_ip_base,
		.fold = execution->calls.fold,
		.folds = execution->calls.folds,
		.last_ns = event_times_floor_ns(&execution->times),
		.waiting = (uint32_t)event_times_waiting(&execution->times),
		.known_ns = execution->times.known_ns,
		.work = execution->times.work,
		.pace = execution->times.pace,
	};
	atom_point_save(&state->atoms, execution);
}

void execution_state_unknown(struct execution_state *state, uint64_t position,
			     uint64_t time_ns)
{
	*state = (struct execution_state){
		.position = position,
		.nmi_return = NO_NMI,
		.listed_set = INSTRUCTION_SETS,
		.is_table_lost = true,
		.sync_low_ns = time_ns,
		.sync_high_ns = time_ns,
		.next_change_ns = time_ns + 1,
		.before.high = UINT64_MAX,
		.edge_kind = EDGE_KIND_OTHER,
		.exit = EXIT_UNTRACED,
		.set = INSTRUCTION_X86_64,
		.next_set = INSTRUCTION_X86_64,
		.is_lost = true,
		.pace = INSTRUCTION_PACE_FIRST,
		.atoms.state = atom_point_first(),
	};
}

/* Makes @execution continue from @state. The recording and unit must be the
 * same. Returns 0 or -ERROR_MEMORY.
 */
static int execution_state_restore(const struct execution_state *state,
				   struct execution *execution)
{
	struct event_times *times = &execution->times;
	int status;

	execution->block = BLOCK_NONE;
	execution->atoms.reported = BLOCK_NONE;
	execution->bounds.before = state->before;
	execution->bounds.at_branch = state->at_branch;
	execution->bounds.has_index = false;
	execution->sync.low_ns = state->sync_low_ns;
	execution->sync.high_ns = state->sync_high_ns;
	execution->evidence.is_table_lost = state->is_table_lost;
	status = follow_restore_code(execution, state->next_change_ns);
	if (!status)
		status = atom_point_restore(&state->atoms, execution,
					    state->next_change_ns);
	if (status < 0)
		return status;
	return_stack_clear(&execution->calls.returns);
	execution->calls.untraced = 0;
	execution->sets.current = state->set;
	execution->sets.next = state->next_set;
	execution->from = find(execution, state->from_ip, state->from_set);
	execution->block = find(execution, state->block_ip, state->block_set);
	execution->last_ip = state->last_ip;
	execution->calls.return_address = state->return_address;
	execution->calls.nmi_return = state->nmi_return;
	execution->sets.listed = state->listed_set;
	execution->targets_ahead = state->targets_ahead;
	execution->page_table = state->page_table;
	execution->guest.page_table = state->guest_page_table;
	execution->guest.machine = state->machine;
	execution->guest.state = state->guest;
	execution->edge_kind = state->edge_kind;
	execution->exit = state->exit;
	execution->is_lost = state->is_lost;
	execution->is_off = state->is_off;
	execution->outside = state->outside;
	execution->has_wrong_ip_base = state->has_wrong_ip_base;
	execution->calls.fold = state->fold;
	execution->calls.folds = state->folds;
	event_times_init(times);
	times->last_ns = state->last_ns;
	times->known_ns = state->known_ns;
	times->work = state->work;
	times->pace = state->pace;
	times->elsewhere = state->waiting;
	return 0;
}

static bool is_same_fold(const struct thunk_fold *a, const struct thunk_fold *b)
{
	if (!a->active || !b->active)
		return a->active == b->active;
	return a->exit == b->exit && a->from == b->from &&
	       a->return_address == b->return_address;
}

static bool are_same_folds(const struct thunk_fold_stack *a,
			   const struct thunk_fold_stack *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned int i = 0; i < a->count; i++)
		if (a->saved[i].address != b->saved[i].address ||
		    !is_same_fold(&a->saved[i].fold, &b->saved[i].fold))
			return false;
	return true;
}

static bool are_same_bounds(const struct time_bounds *a,
			    const struct time_bounds *b)
{
	return a->low == b->low && a->high == b->high &&
	       a->known_ns == b->known_ns;
}

static bool is_same_place(const struct execution_state *a,
			  const struct execution_state *b)
{
	return a->position == b->position && a->block_ip == b->block_ip &&
	       a->from_ip == b->from_ip && a->last_ip == b->last_ip &&
	       a->block_set == b->block_set && a->from_set == b->from_set &&
	       a->nmi_return == b->nmi_return &&
	       a->next_change_ns == b->next_change_ns &&
	       a->edge_kind == b->edge_kind && a->exit == b->exit &&
	       a->set == b->set && a->next_set == b->next_set &&
	       a->is_lost == b->is_lost && a->is_off == b->is_off &&
	       a->outside == b->outside &&
	       a->has_wrong_ip_base == b->has_wrong_ip_base &&
	       a->is_table_lost == b->is_table_lost &&
	       a->sync_low_ns == b->sync_low_ns &&
	       a->sync_high_ns == b->sync_high_ns &&
	       is_same_fold(&a->fold, &b->fold) &&
	       are_same_folds(&a->folds, &b->folds);
}

/* Compares the members that the next events depend on. The return address is
 * left out: it matters only for a call or interruption that has not arrived
 * yet, which sets it anyway.
 */
bool execution_state_is_same(const struct execution_state *a,
			     const struct execution_state *b)
{
	return is_same_place(a, b) && are_same_bounds(&a->before, &b->before) &&
	       a->at_branch == b->at_branch && a->last_ns == b->last_ns &&
	       a->known_ns == b->known_ns && a->work == b->work &&
	       a->waiting == b->waiting &&
	       atom_point_is_same(&a->atoms, &b->atoms) &&
	       a->pace.rate == b->pace.rate && a->listed_set == b->listed_set &&
	       a->targets_ahead == b->targets_ahead &&
	       a->page_table == b->page_table && a->guest == b->guest &&
	       a->guest_page_table == b->guest_page_table &&
	       a->machine == b->machine;
}

/* Returns whether all watched sync points were passed. */
static inline bool sync_watch_is_over(const struct sync_watch *watch)
{
	return watch->passed == 2;
}

/* Starts watching for the first sync points at or after the positions @first
 * and @second; or only for the second.
 */
static void sync_watch_begin(struct sync_watch *watch, uint64_t first,
			     uint64_t second)
{
	watch->watched[0] = first;
	watch->watched[1] = second;
	watch->passed = 0;
}

static void sync_watch_begin_second(struct sync_watch *watch, uint64_t second)
{
	sync_watch_begin(watch, 0, second);
	watch->passed = 1;
}

/* Must be called when @execution has passed the sync point at @position. If it
 * is watched, saves the state and adds a MARK_SYNC. While records wait for the
 * first known time, no state is complete: then the next sync point is used
 * instead.
 */
static void sync_watch_pass(struct sync_watch *watch,
			    struct execution *execution, uint64_t position)
{
	const struct event_times *times = &execution->times;

	if (sync_watch_is_over(watch) ||
	    position < watch->watched[watch->passed])
		return;
	/* Without a known time the state would be incomplete: the first known
	 * time also determines the times of the waiting records.
	 */
	if (!times->known_ns && event_times_waiting(times))
		return;
	execution_state_save(&watch->states[watch->passed++], execution,
			     position);
	execution_mark(execution, MARK_SYNC);
	watch->wanted = times->count + 1;
}

/* Must be called when the first @gone finished records are removed. */
static void sync_watch_drop(struct sync_watch *watch, size_t gone)
{
	watch->wanted -= gone < watch->wanted ? gone : watch->wanted;
}

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
	execution->traces_kernel = recording_traces_kernel(input->recording);
	execution->counts_switches =
		symbols && symbols_have_role(symbols, CODE_SWITCH_POINT) &&
		execution->traces_kernel;
	/* Arm's trace units report tasks themselves: see follow_atoms.c. */
	if (recording_trace(input->recording) == RECORDING_TRACE_INTEL_PT)
		code_space_order_by_trace(execution->code);
	execution->graph = block_graph_new(execution->code, symbols);
	if (!execution->graph)
		return -ERROR_MEMORY;
	block_graph_share(execution->graph, input->blocks);
	if (input->with_interrupts)
		block_graph_set_interrupts(execution->graph,
					   input->preempt_counter);
	execution->blocks = block_graph_blocks(execution->graph);
	return 0;
}

/* Sets up @execution, which is zeroed, for @input's stream, before its first
 * branch. Borrows all arguments. @lists_blocks: records are flow items, not
 * events.
 *
 * Returns 0 or a negative enum error: it can then only be closed.
 */
static int execution_open(struct execution *execution,
			  const struct flow_input *input,
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
	if (follow_update_code(execution) < 0)
		return -ERROR_MEMORY;
	return follow_atoms_init(execution, input) < 0 ? -ERROR_MEMORY : 0;
}

/* Restarts with the stream of @input, whose code image must be the same. Keeps
 * the blocks that were read, but no other state. Returns 0, or -ERROR_MEMORY:
 * it can then only be closed, or restarted.
 */
static int execution_restart(struct execution *execution,
			     const struct flow_input *input)
{
	execution->marks.count = 0;
	execution_set_conversion(execution,
				 recording_time_conversion(input->recording));
	return_stack_clear(&execution->calls.returns);
	execution->calls.fold = (struct thunk_fold){ 0 };
	execution->calls.folds.count = 0;
	execution_reset(execution);
	execution->changes.may_be_ahead = true;
	execution->changes.next = 0;
	follow_atoms_close(execution);
	return follow_atoms_init(execution, input) < 0 ? -ERROR_MEMORY : 0;
}

/* Like execution_restart(), but for a stream that continues the one before: the
 * state of the trace unit, the code and the pace are still those of its end.
 */
static int execution_go_on(struct execution *execution,
			   const struct flow_input *input)
{
	const struct instruction_sets sets = execution->sets;
	const struct guest_position guest = execution->guest;
	const struct code_changes changes = execution->changes;
	uint64_t page_table = execution->page_table;
	struct instruction_pace pace = execution->times.pace;
	int error = execution_restart(execution, input);

	execution->sets = sets;
	execution->guest = guest;
	execution->changes = changes;
	execution->page_table = page_table;
	pace.is_across = true;
	execution->times.pace = pace;
	return error;
}

/* Restarts at another position of the same stream, with all state unknown.
 * @rate as for record_feed_begin().
 */
static void execution_begin(struct execution *execution, uint64_t rate)
{
	execution_reset(execution);
	execution->times.pace.rate = rate;
	follow_atoms_reset(execution);
	execution->changes.may_be_ahead = true;
	execution->changes.next = 0;
}

/* Closes @execution, which may be half-built. */
static void execution_close(struct execution *execution)
{
	follow_atoms_close(execution);
	block_graph_free(execution->graph);
	code_space_close(execution->code);
}

/* Once everything watched was passed, branches are followed a few at a time, so
 * that little is followed in vain.
 */
enum { FEW_BRANCHES = 64 };

struct record_feed {
	struct branch_reader reader;
	/* struct stream_part, with its end in 256ths of a tick */
	uint64_t from;
	uint64_t until;
	bool is_in_call; /* as stream_part.starts_in_call */
	bool at_end;
	struct sync_watch watch;
	struct execution execution;
};

int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **opened)
{
	struct record_feed *feed = calloc(1, sizeof(*feed));
	int error;

	if (!feed)
		return -ERROR_MEMORY;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	feed->until = UINT64_MAX;
	error = branch_reader_open(&feed->reader, input);
	if (!error)
		error = execution_open(&feed->execution, input, symbols,
				       lists_blocks);
	if (error)
		record_feed_close(feed);
	else
		*opened = feed;
	return error;
}

int record_feed_restart(struct record_feed *feed,
			const struct flow_input *input, struct stream_part part)
{
	bool goes_on =
		branch_reader_go_on(&feed->reader, input, part.read_bytes);
	int error = goes_on ? execution_go_on(&feed->execution, input) :
			      execution_restart(&feed->execution, input);

	feed->at_end = false;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	feed->from = part.from;
	feed->is_in_call = part.starts_in_call;
	feed->until = execution_ticks_after(&feed->execution, part.until_ns);
	if (!goes_on)
		return error ? error : branch_reader_open(&feed->reader, input);
	branch_source_pause_at(feed->reader.source, feed->until);
	return error;
}

void record_feed_close(struct record_feed *feed)
{
	if (!feed)
		return;
	branch_reader_close(&feed->reader);
	execution_close(&feed->execution);
	free(feed);
}

/* Returns whether @branch is in the system call in which the part starts. That
 * call may switch the unit off and on, for other tasks.
 */
static bool is_in_call(struct record_feed *feed,
		       const struct trace_branch *branch)
{
	if (!feed->is_in_call)
		return false;
	switch ((int)branch->kind) {
	case TRACE_STOP:
	case TRACE_STOP_THERE:
		return false;
	case TRACE_START:
		feed->is_in_call =
			!feed->execution.outside ||
			follow_is_switched_on(&feed->execution, branch);
		return feed->is_in_call;
	case TRACE_OVERFLOW:
	case TRACE_GAP:
	case TRACE_BREAK:
	case TRACE_END:
		feed->is_in_call = false;
		return false;
	default:
		return true;
	}
}

/* Returns whether @branch is before the wanted part, and not needed for it. A
 * mode or page table holds until it is set again.
 */
static bool is_before(struct record_feed *feed,
		      const struct trace_branch *branch, uint64_t position)
{
	return (position < feed->from || is_in_call(feed, branch)) &&
	       branch->kind != TRACE_MODE &&
	       branch->kind != TRACE_ADDRESS_SPACE &&
	       branch->kind != TRACE_MACHINE;
}

static bool is_beyond(const struct record_feed *feed,
		      const struct trace_branch *branch)
{
	return branch->kind == TRACE_START && branch->low > feed->until &&
	       feed->execution.outside;
}

/* Ends the wanted part at @position, as if the stream ended there. The rest is
 * before no wanted part; it stays unread, unless the source must read it.
 */
static int end_early(struct record_feed *feed, uint64_t position)
{
	static const struct trace_branch end = {
		.kind = TRACE_END,
		.is_timed = true,
		.high = UINT64_MAX,
	};

	int status = follow_branch(&feed->execution, &end, &end + 1, position);

	feed->from = UINT64_MAX;
	branch_source_stop(feed->reader.source);
	return status < 0 ? status : 1;
}

/* Follows @branch and the ones after it in the batch, if they are of the most
 * frequent kinds. Returns 1, 0 if @branch is not of such a kind, or
 * -ERROR_MEMORY.
 */
static int follow_usual(struct record_feed *feed,
			const struct trace_branch *branch)
{
	const struct trace_branch *end = feed->reader.end;
	int count;

	if (feed->execution.atoms.is_on)
		return 0;
	if (sync_watch_is_over(&feed->watch) && end - branch > FEW_BRANCHES)
		end = branch + FEW_BRANCHES;
	count = follow_run(&feed->execution, branch, end,
			   feed->reader.position);
	if (count <= 0)
		return count;
	branch_reader_skip(&feed->reader, (uint32_t)count - 1);
	return 1;
}

/* Skips bits and targets before the wanted part that are at hand. */
static void skip_unwanted(struct record_feed *feed)
{
	struct branch_reader *reader = &feed->reader;

	if (!feed->is_in_call && feed->from != UINT64_MAX)
		return;
	while (reader->next != reader->end &&
	       reader->next->kind <= TRACE_TARGET)
		reader->next++;
}

static int follow_next(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	const struct trace_branch *branch;
	uint64_t position;
	int status;

	skip_unwanted(feed);
	branch = branch_reader_next(&feed->reader, &status);
	if (!branch)
		return status;
	position = branch_reader_position(&feed->reader, branch);
	if (is_before(feed, branch, position))
		return 1;
	status = follow_usual(feed, branch);
	if (status)
		return status;
	if (is_beyond(feed, branch))
		return end_early(feed, position);
	status = follow_branch(execution, branch, feed->reader.end, position);
	if (branch->kind == TRACE_SYNC)
		sync_watch_pass(&feed->watch, execution, position);
	return status < 0 ? status : 1;
}

/* Returns whether enough records are finished to provide them. After the last
 * watched sync point only the records before it are needed.
 */
static bool has_enough(const struct record_feed *feed)
{
	const struct event_times *times = &feed->execution.times;

	return !event_times_wants_more(times) ||
	       (sync_watch_is_over(&feed->watch) &&
		times->finished >= feed->watch.wanted);
}

/* Follows branches until enough records are finished, or the end. */
static int fill(struct record_feed *feed)
{
	struct event_times *times = &feed->execution.times;
	int status = 1;

	while (status > 0 && !has_enough(feed))
		status = follow_next(feed);
	feed->at_end = !status;
	if (!times->finished)
		event_times_flush(times);
	return status < 0 ? status : 0;
}

static size_t ready_marks(const struct record_feed *feed)
{
	return event_marks_ready(&feed->execution.marks,
				 feed->execution.times.finished, feed->at_end);
}

/* Removes the records and marks that were provided. */
static void drop_taken(struct record_feed *feed)
{
	struct event_times *times = &feed->execution.times;
	size_t gone = times->finished;

	event_marks_drop(&feed->execution.marks, ready_marks(feed), gone);
	if (!gone)
		return;
	sync_watch_drop(&feed->watch, gone);
	event_times_drop(times);
}

int record_feed_next(struct record_feed *feed, struct record_run *run)
{
	return record_feed_next_in(feed, NULL, run);
}

int record_feed_next_in(struct record_feed *feed, union timed_record *room,
			struct record_run *run)
{
	struct execution *execution = &feed->execution;

	drop_taken(feed);
	event_times_finish_in(&execution->times, room);
	while (!execution->times.finished && !feed->at_end) {
		int status = fill(feed);

		if (status < 0)
			return status;
	}
	/* A pause may be detected after the last record was provided. */
	if (!execution->times.finished && !execution->marks.count)
		return 0;
	event_times_write(&execution->times);
	*run = (struct record_run){
		.records = room ? room : execution->times.records,
		.count = execution->times.finished,
		.marks = execution->marks.marks,
		.mark_count = ready_marks(feed),
	};
	return 1;
}

void record_feed_watch(struct record_feed *feed, uint64_t first,
		       uint64_t second)
{
	sync_watch_begin(&feed->watch, first, second);
}

void record_feed_watch_end(struct record_feed *feed, uint64_t second)
{
	sync_watch_begin_second(&feed->watch, second);
}

const struct execution_state *record_feed_state(const struct record_feed *feed,
						unsigned int which)
{
	return &feed->watch.states[which];
}

static int seek(struct record_feed *feed, uint64_t position)
{
	feed->at_end = false;
	feed->execution.marks.count = 0;
	return branch_reader_seek(&feed->reader, position);
}

int record_feed_begin(struct record_feed *feed, uint64_t position,
		      uint64_t rate)
{
	execution_begin(&feed->execution, rate);
	return seek(feed, position);
}

/* Reads branches from the position @from up to and including the sync point at
 * @position, and follows only those that set up the unit (TRACE_SESSION).
 * Returns 1, 0 if there is no such sync point, or -ERROR_MEMORY.
 */
static int reach_sync(struct record_feed *feed, uint64_t from,
		      uint64_t position)
{
	int status = seek(feed, from);
	const struct trace_branch *branch;

	while (status >= 0 &&
	       (branch = branch_reader_next(&feed->reader, &status))) {
		uint64_t at = branch_reader_position(&feed->reader, branch);

		if (branch->kind == TRACE_SESSION)
			status = follow_branch(&feed->execution, branch,
					       branch + 1, at);
		else if (branch->kind == TRACE_SYNC && at >= position)
			return at == position;
	}
	return status;
}

int record_feed_resume(struct record_feed *feed,
		       const struct execution_state *state)
{
	int status = reach_sync(feed, state->position, state->position);

	/* The search from state->position on started in bytes that look like a
	 * sync point but are none, and missed the sync point: search from the
	 * stream's start.
	 */
	if (!status)
		status = reach_sync(feed, 0, state->position);
	if (status < 0)
		return status;
	return execution_state_restore(state, &feed->execution);
}

bool record_feed_is_off(const struct record_feed *feed)
{
	return feed->execution.is_off;
}

uint64_t record_feed_end_ns(const struct record_feed *feed)
{
	return feed->execution.times.last_ns;
}

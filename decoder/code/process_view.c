/* SPDX-License-Identifier: MIT */
#include "decoder/code/process_view.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/code/process_maps.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>
#include <string.h>

/* A switch record, read from the feed. */
struct past_switch {
	uint64_t time_ns;
	/* time when the switch was over, see switch_feed_done_ns(); UINT64_MAX
	 * if unknown
	 */
	uint64_t done_ns;
	int32_t pid;
	int32_t pid_before;
	bool is_arrival; /* see switch_feed_is_arrival() */
};

/* At most half of the records in the ring are ahead of the position. */
enum { PAST_SWITCHES = 4096, MOST_AHEAD = PAST_SWITCHES / 2 };

struct process_view {
	struct process_maps *maps;
	struct switch_feed *switches;
	struct array current; /* struct process_map */
	int32_t pid;	      /* -1: unknown */
	uint64_t loaded_ns;   /* the time of @current */
	uint64_t next_map_ns;
	/* a next_map_ns whose change does not only add code; 0: none is known
	 */
	uint64_t replaces_ns;
	/* ring buffer of the last switch records read */
	struct past_switch past[PAST_SWITCHES];
	size_t past_count; /* number of all switch records read */
	size_t undone;	   /* number of the last of them after the position */
	bool by_trace;	   /* see process_view_order_by_trace() */
	bool is_unknown;   /* several processes were possible at the entry */
	bool is_placed;	   /* the position is certain: invariant 3 */
};

/* Returns the process that runs before the first switch: of the task that the
 * kernel reported when tracing started, or that the first switch takes off the
 * CPU.
 */
static int32_t first_process(const struct recording *recording,
			     const struct aux_stream *stream)
{
	struct sideband *sideband =
		sideband_open_stream(recording,
				     SIDEBAND_BIT(SIDEBAND_ITRACE_START) |
					     SIDEBAND_BIT(SIDEBAND_SWITCH),
				     stream);
	struct sideband_record record;
	int32_t pid = -1;

	while (sideband && sideband_next(sideband, &record) == 1) {
		if (stream->cpu >= 0 ? record.cpu != stream->cpu :
				       record.tid != stream->tid)
			continue;
		if (record.kind == SIDEBAND_SWITCH && !record.change.out)
			break;
		pid = record.pid;
		break;
	}
	sideband_close(sideband);
	return pid;
}

static struct past_switch *past_at(struct process_view *view, size_t index)
{
	return &view->past[index % PAST_SWITCHES];
}

static uint64_t next_switch_ns(const struct process_view *view)
{
	const struct flow_item *item = switch_feed_peek(view->switches);

	if (view->undone)
		return view
			->past[(view->past_count - view->undone) % PAST_SWITCHES]
			.time_ns;
	return item ? item->time_ns : UINT64_MAX;
}

static int load_maps(struct process_view *view, uint64_t time_ns)
{
	view->current.count = 0;
	view->loaded_ns = time_ns;
	view->next_map_ns =
		process_maps_at(view->maps, view->pid, time_ns, &view->current);
	return view->next_map_ns ? 0 : -ERROR_MEMORY;
}

struct process_view *process_view_new(const struct recording *recording,
				      const struct aux_stream *stream)
{
	struct process_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->current = ARRAY_OF(struct process_map);
	view->maps = process_maps_new(recording);
	view->switches = switch_feed_new(recording, stream);
	view->pid = first_process(recording, stream);
	if (!view->maps || !view->switches || load_maps(view, 0) < 0) {
		process_view_free(view);
		return NULL;
	}
	return view;
}

void process_view_free(struct process_view *view)
{
	if (!view)
		return;
	process_maps_free(view->maps);
	switch_feed_free(view->switches);
	array_free(&view->current);
	free(view);
}

void process_view_order_by_trace(struct process_view *view)
{
	view->by_trace = true;
}

uint64_t process_view_next_change_ns(const struct process_view *view)
{
	uint64_t switch_ns = next_switch_ns(view);

	if (view->is_unknown)
		return switch_ns;
	return switch_ns < view->next_map_ns ? switch_ns : view->next_map_ns;
}

/* Returns whether there is a switch up to @time_ns. UINT64_MAX means all
 * switches, but as the time of a switch it means none.
 */
static bool has_switch_by(const struct process_view *view, uint64_t time_ns)
{
	uint64_t switch_ns = next_switch_ns(view);

	return switch_ns <= time_ns && switch_ns != UINT64_MAX;
}

/* Reads the next record of the feed into the ring. The position stays before
 * it.
 */
static int read_switch(struct process_view *view)
{
	const struct flow_item *item = switch_feed_peek(view->switches);
	struct past_switch *past = past_at(view, view->past_count);
	int32_t pid = view->pid;
	int status;

	if (view->past_count)
		pid = past_at(view, view->past_count - 1)->pid;
	*past = (struct past_switch){
		.time_ns = item->time_ns,
		.done_ns = UINT64_MAX,
		.is_arrival = switch_feed_is_arrival(view->switches),
		.pid_before = pid,
		.pid = flow_switch_pid(item) >= 0 ? flow_switch_pid(item) : pid,
	};
	view->past_count++;
	view->undone++;
	status = switch_feed_advance(view->switches);
	past->done_ns = switch_feed_done_ns(view->switches);
	return status;
}

/* Moves the position past the next record. */
static int pass_switch(struct process_view *view)
{
	if (!view->undone && read_switch(view) < 0)
		return -ERROR_MEMORY;
	view->pid = past_at(view, view->past_count - view->undone--)->pid;
	return 0;
}

/* Reads records up to @time_ns, as long as at most MOST_AHEAD are ahead. */
static int read_ahead(struct process_view *view, uint64_t time_ns)
{
	const struct flow_item *item;

	while (view->undone < MOST_AHEAD &&
	       (item = switch_feed_peek(view->switches)) &&
	       item->time_ns <= time_ns)
		if (read_switch(view) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static bool overlap(const struct process_map *a, const struct process_map *b)
{
	return a->address < b->address + b->size_bytes &&
	       b->address < a->address + a->size_bytes;
}

/* Returns whether @later contains all of @maps and otherwise only code at
 * addresses that were unused: execution cannot depend on the time of that.
 */
static bool only_adds(const struct array *maps, const struct array *later)
{
	if (!process_maps_begin_with(later, maps))
		return false;
	for (size_t i = maps->count; i < later->count; i++)
		for (size_t j = 0; j < i; j++)
			if (overlap(array_at(later, i), array_at(later, j)))
				return false;
	return true;
}

static bool is_mapped(const struct array *maps, uint64_t ip)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct process_map *map = array_at(maps, i);

		if (ip - map->address < map->size_bytes)
			return true;
	}
	return false;
}

static void swap(struct array *a, struct array *b)
{
	struct array kept = *a;

	*a = *b;
	*b = kept;
}

/* Applies changes of the mappings up to @time_ns, up to the first that does not
 * only add code. Returns 0 or -ERROR_MEMORY.
 */
static int add_maps(struct process_view *view, uint64_t time_ns)
{
	struct array later = ARRAY_OF(struct process_map);
	int status = 0;

	while (view->next_map_ns <= time_ns &&
	       view->next_map_ns != UINT64_MAX) {
		uint64_t loaded_ns = view->next_map_ns;
		uint64_t next_ns;

		later.count = 0;
		next_ns = process_maps_at(view->maps, view->pid, loaded_ns,
					  &later);
		if (!next_ns) {
			status = -ERROR_MEMORY;
			break;
		}
		if (!only_adds(&view->current, &later)) {
			view->replaces_ns = view->next_map_ns;
			break;
		}
		swap(&view->current, &later);
		view->loaded_ns = loaded_ns;
		view->next_map_ns = next_ns;
	}
	array_free(&later);
	return status;
}

bool process_view_is_due(const struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns)
{
	if (!view->by_trace)
		return process_view_next_change_ns(view) <= time_ns;
	if (has_switch_by(view, low_ns))
		return true;
	return !view->is_unknown && (view->next_map_ns <= low_ns ||
				     (view->next_map_ns <= time_ns &&
				      view->next_map_ns != view->replaces_ns));
}

/* After a switch to an unknown task no user code runs here, so the previous
 * mappings may stay.
 */
int process_view_advance(struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns)
{
	uint64_t passed_ns = view->by_trace ? low_ns : time_ns;
	bool was_unknown = view->is_unknown;
	int32_t before = view->pid;

	if (view->by_trace && !has_switch_by(view, low_ns)) {
		if (!view->is_unknown && low_ns >= view->next_map_ns &&
		    load_maps(view, low_ns) < 0)
			return -ERROR_MEMORY;
		return view->is_unknown ? 0 : add_maps(view, time_ns);
	}
	view->is_unknown = false;
	view->is_placed = false;
	while (has_switch_by(view, passed_ns))
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	if (!was_unknown && view->pid == before && time_ns >= view->loaded_ns &&
	    time_ns < view->next_map_ns)
		return 0;
	return load_maps(view, time_ns);
}

/* Returns the record before the position, or NULL. */
static const struct past_switch *last_passed(struct process_view *view)
{
	if (view->past_count == view->undone)
		return NULL;
	return past_at(view, view->past_count - view->undone - 1);
}

/* Moves the position back before all records after @time_ns. Returns false if
 * some of them are no longer in the ring.
 */
static bool undo_switches(struct process_view *view, uint64_t time_ns)
{
	size_t kept = view->past_count < PAST_SWITCHES ? view->past_count :
							 PAST_SWITCHES;
	const struct past_switch *last;

	while (view->undone < kept) {
		last = last_passed(view);
		if (last->time_ns <= time_ns)
			return true;
		view->pid = last->pid_before;
		view->undone++;
	}
	return kept == view->past_count;
}

int process_view_sync(struct process_view *view, uint64_t low_ns,
		      uint64_t high_ns)
{
	const struct past_switch *last;
	bool was_unknown = view->is_unknown;
	int32_t before = view->pid;

	if (!undo_switches(view, low_ns))
		return 0;
	view->is_unknown = false;
	view->is_placed = false;
	while (has_switch_by(view, low_ns))
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	if ((was_unknown || view->pid != before || low_ns < view->loaded_ns ||
	     low_ns >= view->next_map_ns) &&
	    load_maps(view, low_ns) < 0)
		return -ERROR_MEMORY;
	last = last_passed(view);
	view->is_placed = next_switch_ns(view) > high_ns &&
			  (!last || last->done_ns <= low_ns);
	return 1;
}

/* The processes that may run at an entry into user space. Candidate 0 is the
 * current process, candidate n the next process of the nth record ahead.
 */
struct candidates {
	size_t count;	/* number of records between the bounds */
	size_t chosen;	/* number of the candidate */
	size_t passed;	/* number of records passed up to the lower bound */
	int32_t before; /* the process at the previous entry; -1: unknown */
	bool is_cut;	/* more records are between the bounds than were read */
};

/* Returns the record ahead with index @number. */
static const struct past_switch *ahead(struct process_view *view, size_t number)
{
	return past_at(view, view->past_count - view->undone + number);
}

static int32_t candidate_pid(struct process_view *view, size_t number)
{
	return number ? ahead(view, number - 1)->pid : view->pid;
}

/* Passes the records up to the lower bound and finds the candidates. Returns 0
 * or -ERROR_MEMORY.
 */
static int find_candidates(struct process_view *view,
			   const struct process_entry *entry,
			   struct candidates *candidates)
{
	const struct flow_item *item;

	*candidates = (struct candidates){
		.before = process_view_pid(view),
	};
	while (has_switch_by(view, entry->low_ns)) {
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
		candidates->passed++;
	}
	if (read_ahead(view, entry->high_ns) < 0)
		return -ERROR_MEMORY;
	while (candidates->count < view->undone &&
	       ahead(view, candidates->count)->time_ns <= entry->high_ns)
		candidates->count++;
	item = switch_feed_peek(view->switches);
	candidates->is_cut = candidates->count == view->undone && item &&
			     item->time_ns <= entry->high_ns;
	return 0;
}

static bool is_one_process(struct process_view *view,
			   const struct candidates *candidates)
{
	for (size_t i = 1; i <= candidates->count; i++)
		if (candidate_pid(view, i) != view->pid)
			return false;
	return true;
}

/* Chooses by the number of switch points: invariant 3. */
static bool choose_by_count(struct process_view *view,
			    struct candidates *candidates,
			    const struct process_entry *entry)
{
	size_t switches = (size_t)entry->switches;

	if (!view->is_placed || entry->switches < 0 ||
	    switches < candidates->passed ||
	    switches - candidates->passed > candidates->count)
		return false;
	for (size_t i = 0; i < candidates->count; i++)
		if (ahead(view, i)->is_arrival)
			return false;
	candidates->chosen = switches - candidates->passed;
	return true;
}

/* Chooses the process of the previous entry, whose page table is in use. */
static bool choose_by_table(struct process_view *view,
			    struct candidates *candidates,
			    const struct process_entry *entry)
{
	if (!entry->is_same_table || candidates->before < 0)
		return false;
	for (size_t i = 0; i <= candidates->count; i++) {
		if (candidate_pid(view, i) != candidates->before)
			continue;
		candidates->chosen = i;
		return true;
	}
	return false;
}

/* Returns whether process @pid has code at the entry's address at some time
 * between the bounds, or -ERROR_MEMORY. Sets @maps to the mappings of that time.
 */
static int has_code(struct process_view *view, int32_t pid,
		    const struct process_entry *entry, struct array *maps)
{
	uint64_t time_ns = entry->low_ns;

	do {
		maps->count = 0;
		time_ns = process_maps_at(view->maps, pid, time_ns, maps);
		if (!time_ns)
			return -ERROR_MEMORY;
		if (is_mapped(maps, entry->ip))
			return 1;
	} while (time_ns <= entry->high_ns && time_ns != UINT64_MAX);
	return 0;
}

/* Chooses the only process with code at the entry's address, or the first of
 * several with equal mappings, as after fork. Returns 1, 0 if none is chosen,
 * or -ERROR_MEMORY.
 */
static int choose_by_code(struct process_view *view,
			  struct candidates *candidates,
			  const struct process_entry *entry)
{
	struct array first = ARRAY_OF(struct process_map);
	struct array maps = ARRAY_OF(struct process_map);
	int found = 0;

	for (size_t i = 0; entry->ip && i <= candidates->count; i++) {
		int32_t pid = candidate_pid(view, i);
		int status;

		if (found && pid == candidate_pid(view, candidates->chosen))
			continue;
		status = has_code(view, pid, entry, found ? &maps : &first);
		if (status < 0 || (status && found &&
				   !process_maps_are_same(&maps, &first))) {
			found = status < 0 ? status : 0;
			break;
		}
		if (status && !found)
			candidates->chosen = i;
		found |= status;
	}
	array_free(&first);
	array_free(&maps);
	return found;
}

/* Returns 1 if one process was chosen, 0, or -ERROR_MEMORY. If candidates are
 * missing, only the page table can decide: it names a process, while the other
 * rules compare all candidates.
 */
static int choose_process(struct process_view *view,
			  struct candidates *candidates,
			  const struct process_entry *entry)
{
	if (candidates->is_cut) {
		view->is_placed = false;
		return choose_by_table(view, candidates, entry);
	}
	if (choose_by_count(view, candidates, entry))
		return 1;
	view->is_placed = !candidates->count;
	if (is_one_process(view, candidates) ||
	    choose_by_table(view, candidates, entry))
		return 1;
	return choose_by_code(view, candidates, entry);
}

/* Returns @entry with its bounds narrowed to the time that the chosen process
 * runs, between the records around the position.
 */
static struct process_entry narrow(struct process_view *view,
				   const struct process_entry *entry)
{
	struct process_entry narrowed = *entry;
	const struct past_switch *last = last_passed(view);
	uint64_t next_ns = next_switch_ns(view);

	if (last && last->time_ns > narrowed.low_ns)
		narrowed.low_ns = last->time_ns;
	if (next_ns < narrowed.high_ns)
		narrowed.high_ns = next_ns;
	return narrowed;
}

/* The mappings of a process before and after a change between the bounds. */
struct map_change {
	const struct array *old;
	const struct array *new;
	bool is_exec; /* old mappings are gone; otherwise new ones overlap them
		       */
};

enum map_choice {
	MAPS_OLD,
	MAPS_NEW,
	MAPS_EITHER, /* both are possible */
};

/* Chooses the mappings with code at the entry's address; if both have code
 * there and an exec is between them, by the page table, because an exec gives
 * the process another one. @is_first: the process is that of the previous
 * entry.
 */
static enum map_choice choose_maps(const struct map_change *change,
				   const struct process_entry *entry,
				   bool is_first)
{
	bool in_old = entry->ip && is_mapped(change->old, entry->ip);
	bool in_new = entry->ip && is_mapped(change->new, entry->ip);

	if (in_old != in_new)
		return in_new ? MAPS_NEW : MAPS_OLD;
	if (change->is_exec && is_first && entry->is_same_table)
		return MAPS_OLD;
	if (change->is_exec && is_first && entry->is_other_table &&
	    !entry->switches)
		return MAPS_NEW;
	return MAPS_EITHER;
}

/* Removes the current mappings that are replaced in @later. The result is of no
 * single time, so loaded_ns makes process_view_sync() load the mappings again.
 */
static void drop_replaced(struct process_view *view, const struct array *later)
{
	size_t count = view->current.count;

	view->loaded_ns = UINT64_MAX;
	for (size_t i = count; i-- > 0;)
		for (size_t j = count; j < later->count; j++)
			if (overlap(array_at(later, i), array_at(later, j))) {
				array_remove(&view->current, i, 1);
				break;
			}
}

/* Applies the next change of mappings, which is between the bounds and does not
 * only add code, if the entry is after it. Of mappings that may be either, those
 * that a change replaces are removed; after exec nothing is known.
 *
 * Returns an enum map_choice, MAPS_EITHER only if nothing is known; or
 * -ERROR_MEMORY.
 */
static int pass_map_change(struct process_view *view,
			   const struct process_entry *entry, bool is_first)
{
	struct array later = ARRAY_OF(struct process_map);
	struct map_change change = { .old = &view->current, .new = &later };
	int choice = -ERROR_MEMORY;

	if (process_maps_at(view->maps, view->pid, entry->high_ns, &later)) {
		change.is_exec =
			!process_maps_begin_with(&later, &view->current);
		choice = choose_maps(&change, entry, is_first);
		if (choice == MAPS_EITHER && !change.is_exec)
			choice = MAPS_OLD;
		if (choice == MAPS_OLD && !change.is_exec)
			drop_replaced(view, &later);
	}
	array_free(&later);
	if (choice == MAPS_NEW && load_maps(view, view->next_map_ns) < 0)
		return -ERROR_MEMORY;
	return choice;
}

/* Loads the mappings of the current process as they are at @entry, whose bounds
 * are narrowed. @is_same: the previous entry was into the same process. Returns
 * 1, 0 if they are unknown, or -ERROR_MEMORY.
 */
static int load_entry(struct process_view *view,
		      const struct process_entry *entry, bool is_same)
{
	int choice = MAPS_NEW;

	if (load_maps(view, entry->low_ns) < 0)
		return -ERROR_MEMORY;
	while (choice == MAPS_NEW) {
		if (add_maps(view, entry->high_ns) < 0)
			return -ERROR_MEMORY;
		if (view->next_map_ns > entry->high_ns ||
		    view->next_map_ns == UINT64_MAX)
			return 1;
		choice = pass_map_change(view, entry, is_same);
	}
	return choice < 0 ? choice : choice == MAPS_OLD;
}

/* Returns whether the current mappings, if they are those of the same process, are
 * valid between the bounds of @entry.
 */
static bool is_loaded(const struct process_view *view,
		      const struct process_entry *entry)
{
	return entry->low_ns >= view->loaded_ns &&
	       entry->high_ns < view->next_map_ns;
}

int process_view_enter(struct process_view *view,
		       const struct process_entry *entry)
{
	struct candidates candidates;
	struct process_entry narrowed;
	bool was_unknown = view->is_unknown;
	int status = find_candidates(view, entry, &candidates);

	if (status < 0)
		return status;
	view->is_unknown = false;
	status = choose_process(view, &candidates, entry);
	if (status > 0) {
		for (; candidates.chosen; candidates.chosen--)
			pass_switch(view);
		narrowed = narrow(view, entry);
		if (was_unknown || view->pid != candidates.before ||
		    !is_loaded(view, &narrowed))
			status = load_entry(view, &narrowed,
					    view->pid == candidates.before);
	}
	if (!status) {
		view->is_unknown = true;
		view->current.count = 0;
	}
	return status;
}

int process_view_go_back(struct process_view *view, uint64_t time_ns)
{
	if (!undo_switches(view, time_ns))
		return 0;
	view->is_unknown = false;
	view->is_placed = false;
	return load_maps(view, time_ns) < 0 ? -ERROR_MEMORY : 1;
}

int process_view_go_to_end(struct process_view *view)
{
	return load_maps(view, UINT64_MAX);
}

int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns)
{
	view->pid = pid;
	return load_maps(view, time_ns);
}

int32_t process_view_pid(const struct process_view *view)
{
	return view->is_unknown ? -1 : view->pid;
}

const struct array *process_view_maps(const struct process_view *view)
{
	return &view->current;
}

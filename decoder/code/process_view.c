/* SPDX-License-Identifier: MIT */
#include "decoder/code/process_view.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/code/process_images_internal.h"
#include "decoder/code/process_maps.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Which process, program and thread runs at the current position of a stream.
 *
 * Without by_trace the switch records decide by their times. By trace, the
 * times of both the records and the trace are bounds, so several processes are
 * possible. At each entry to user space:
 *
 *	records between the bounds ─► candidates: processes that may run
 *	their mappings ─► images (process_images.h), each with a time
 *	evidence: the page table, the code at the address ─► possible images
 *
 * The images that fit the strongest evidence are merged: code that all of them
 * agree on is known, the rest is not mapped (process_images_merge()). The
 * result is valid until the bounds pass another record or image
 * (set_next_change()).
 *
 * The last PAST_SWITCHES records are in a ring; the member undone is the number
 * of those that are ahead of the position. Invariants are numbered in
 * process_view.h.
 */

/* A switch record, read from the feed. */
struct past_switch {
	uint64_t time_ns;
	/* time when the switch was over, see switch_feed_done_ns(); UINT64_MAX
	 * if unknown
	 */
	uint64_t done_ns;
	int32_t pid;
	int32_t pid_before;
	int32_t tid; /* -1: unknown */
	int32_t tid_before;
	bool is_arrival; /* see switch_feed_is_arrival() */
};

/* The size of the ring, and how many records ahead of the position read_ahead()
 * reads at most. After going back, all of the ring may be ahead.
 */
enum { PAST_SWITCHES = 4096, MOST_AHEAD = PAST_SWITCHES / 2 };

#define PROGRAM_UNKNOWN UINT64_MAX

/* A process and its program. */
struct program {
	int32_t pid;	  /* -1: unknown, or one of several */
	uint64_t from_ns; /* process_maps_program_ns() or PROGRAM_UNKNOWN */
};

struct process_view {
	const struct process_maps *maps; /* borrowed */
	struct switch_feed *switches;
	struct array current; /* struct process_map */
	int32_t pid;	      /* at the position; -1: unknown */
	int32_t tid;	      /* at the position; -1: unknown */
	/* time of the mappings in current, unless by_trace */
	uint64_t loaded_ns;
	uint64_t next_map_ns; /* time until which current is valid */
	/* ring buffer of the last switch records read */
	struct past_switch past[PAST_SWITCHES];
	size_t past_count; /* number of all switch records read */
	size_t undone;	   /* how many of these are after the position */
	bool by_trace;	   /* see process_view_order_by_trace() */

	/* The members below are only used if by_trace. */
	struct process_entry entry; /* the last one */
	/* lower bound of the current time: invariant 1 */
	uint64_t floor_ns;
	/* the images of all candidates between the entry's bounds */
	struct process_images images;
	/* the images are those of the records with numbers from images_begin up
	 * to images_end, exclusive
	 */
	size_t images_begin;
	size_t images_end;
	struct array chosen; /* size_t: indices of the possible images */
	/* once floor_ns reaches this time, fewer images are possible */
	uint64_t settled_ns;
	struct program found; /* the program of all chosen images */
	/* the only possible thread; -1: several or unknown */
	int32_t found_tid;
	/* the program at the entry before the last one */
	struct program before;
	bool is_unknown; /* no image is possible */
	bool is_stale;	 /* mappings may have changed while in the kernel */
	bool is_placed;	 /* the position is certain: invariant 3 */
};

/* Finds the task that runs before the first switch: the task that the kernel
 * reported when tracing started, or that the first switch takes off the CPU.
 */
static void find_first_task(struct process_view *view,
			    const struct recording *recording,
			    const struct aux_stream *stream)
{
	struct sideband *sideband =
		sideband_open_stream(recording,
				     SIDEBAND_BIT(SIDEBAND_ITRACE_START) |
					     SIDEBAND_BIT(SIDEBAND_SWITCH),
				     stream);
	struct sideband_record record;

	view->pid = -1;
	view->tid = -1;
	while (sideband && sideband_next(sideband, &record) == 1) {
		if (stream->cpu >= 0 ? record.cpu != stream->cpu :
				       record.tid != stream->tid)
			continue;
		if (record.kind == SIDEBAND_SWITCH && !record.change.out)
			break;
		view->pid = record.pid;
		view->tid = record.tid;
		break;
	}
	sideband_close(sideband);
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
				      const struct aux_stream *stream,
				      const struct process_maps *maps)
{
	struct process_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->current = ARRAY_OF(struct process_map);
	view->images = PROCESS_IMAGES_NONE;
	view->chosen = ARRAY_OF(size_t);
	view->maps = maps;
	view->switches = switch_feed_new(recording, stream);
	find_first_task(view, recording, stream);
	if (!view->switches || load_maps(view, 0) < 0) {
		process_view_free(view);
		return NULL;
	}
	return view;
}

void process_view_free(struct process_view *view)
{
	if (!view)
		return;
	switch_feed_free(view->switches);
	array_free(&view->current);
	array_free(&view->chosen);
	process_images_free(&view->images);
	free(view);
}

/* Sets the current entry to one at an unknown address between the bounds. */
static void forget_entry(struct process_view *view, uint64_t low_ns,
			 uint64_t high_ns)
{
	view->floor_ns = low_ns;
	view->is_placed = false;
	view->before = (struct program){ -1, PROGRAM_UNKNOWN };
	view->entry = (struct process_entry){
		.low_ns = low_ns,
		.high_ns = high_ns,
		.switches = -1,
	};
}

void process_view_order_by_trace(struct process_view *view)
{
	view->by_trace = true;
	view->found = (struct program){ view->pid, PROGRAM_UNKNOWN };
	view->found_tid = -1;
	view->settled_ns = UINT64_MAX;
	forget_entry(view, 0, 0);
}

uint64_t process_view_next_change_ns(const struct process_view *view)
{
	uint64_t next_ns = next_switch_ns(view);

	if (view->is_unknown)
		return next_ns;
	if (!view->is_stale && view->next_map_ns < next_ns)
		next_ns = view->next_map_ns;
	if (view->by_trace && !view->is_stale && view->settled_ns < next_ns)
		next_ns = view->settled_ns;
	return next_ns;
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
	int32_t tid = view->tid;
	int status;

	if (view->past_count) {
		pid = past_at(view, view->past_count - 1)->pid;
		tid = past_at(view, view->past_count - 1)->tid;
	}
	*past = (struct past_switch){
		.time_ns = item->time_ns,
		.done_ns = UINT64_MAX,
		.is_arrival = switch_feed_is_arrival(view->switches),
		.pid_before = pid,
		.tid_before = tid,
		.tid = flow_switch_tid(item),
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
	const struct past_switch *past;

	if (!view->undone && read_switch(view) < 0)
		return -ERROR_MEMORY;
	assert(view->undone <= view->past_count &&
	       view->undone <= PAST_SWITCHES);
	past = past_at(view, view->past_count - view->undone--);
	view->pid = past->pid;
	view->tid = past->tid;
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

/* Returns the record before the position, or NULL. */
static const struct past_switch *last_passed(struct process_view *view)
{
	if (view->past_count == view->undone)
		return NULL;
	return past_at(view, view->past_count - view->undone - 1);
}

/* Returns the record ahead with index @number. */
static const struct past_switch *ahead(struct process_view *view, size_t number)
{
	return past_at(view, view->past_count - view->undone + number);
}

/* The records between the bounds of an entry. Candidate 0 is the process at the
 * position, candidate n the next process of the nth of the records.
 */
struct candidates {
	size_t passed; /* number of records passed up to the lower bound */
	size_t count;  /* number of records ahead, between the bounds */
	bool is_cut;   /* there are more, beyond MOST_AHEAD */
};

static int32_t candidate_pid(struct process_view *view, size_t number)
{
	return number ? ahead(view, number - 1)->pid : view->pid;
}

static int32_t candidate_tid(struct process_view *view, size_t number)
{
	return number ? ahead(view, number - 1)->tid : view->tid;
}

/* Passes the records up to @low_ns, and finds those up to @high_ns. Returns 0
 * or -ERROR_MEMORY.
 */
static int find_candidates(struct process_view *view, uint64_t low_ns,
			   uint64_t high_ns, struct candidates *candidates)
{
	const struct flow_item *item;

	*candidates = (struct candidates){ 0 };
	while (has_switch_by(view, low_ns)) {
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
		candidates->passed++;
	}
	if (read_ahead(view, high_ns) < 0)
		return -ERROR_MEMORY;
	while (candidates->count < view->undone &&
	       ahead(view, candidates->count)->time_ns <= high_ns)
		candidates->count++;
	item = switch_feed_peek(view->switches);
	candidates->is_cut = candidates->count == view->undone && item &&
			     item->time_ns <= high_ns;
	return 0;
}

/* Returns the number of switch points minus the records that have passed, or -1
 * if that number does not decide: invariant 3.
 */
static int64_t count_switches(struct process_view *view,
			      const struct candidates *candidates,
			      const struct process_entry *entry)
{
	size_t switches = (size_t)entry->switches;

	if (!view->is_placed || candidates->is_cut || entry->switches < 0 ||
	    switches < candidates->passed ||
	    switches - candidates->passed > candidates->count)
		return -1;
	for (size_t i = 0; i < candidates->count; i++)
		if (ahead(view, i)->is_arrival)
			return -1;
	return (int64_t)(switches - candidates->passed);
}

static int add_pid(struct array *pids, int32_t pid)
{
	for (size_t i = 0; i < pids->count; i++)
		if (*(int32_t *)array_at(pids, i) == pid)
			return 0;
	return array_append(pids, &pid);
}

/* Returns whether the loaded images are those of the candidates between the
 * lower bound and @high_ns.
 */
static bool has_images(const struct process_view *view, uint64_t high_ns,
		       size_t end)
{
	const struct process_images *images = &view->images;
	size_t position = view->past_count - view->undone;

	/* The last load stopped, because there were too many images. Other
	 * bounds may need fewer.
	 */
	if (images->is_cut &&
	    (view->floor_ns != images->low_ns || high_ns != images->high_ns))
		return false;
	return position >= view->images_begin && end == view->images_end &&
	       view->floor_ns >= images->low_ns && high_ns < images->next_ns;
}

/* Loads the images of the candidates between the lower bound and @high_ns.
 * Returns 0 or -ERROR_MEMORY.
 */
static int load_images(struct process_view *view,
		       const struct candidates *candidates, uint64_t high_ns)
{
	size_t position = view->past_count - view->undone;
	size_t end = position + candidates->count;
	struct array pids = ARRAY_OF(int32_t);
	int status = 0;

	if (has_images(view, high_ns, end))
		return 0;
	for (size_t i = 0; !status && i <= candidates->count; i++)
		status = add_pid(&pids, candidate_pid(view, i));
	if (!status)
		status = process_images_load(&view->images, view->maps, &pids,
					     view->floor_ns, high_ns);
	array_free(&pids);
	view->images_begin = position;
	view->images_end = end;
	view->chosen.count = 0;
	return status;
}

/* Returns the first time from the lower bound to @high_ns at which candidate
 * @number runs and its process has @image, UINT64_MAX if there is none. If
 * there are more records than are read, any process may run after the last
 * record that is read. Of several records with one time, the last one is the
 * switch to the task that runs.
 */
static uint64_t time_of_candidate(struct process_view *view,
				  const struct candidates *candidates,
				  size_t number,
				  const struct process_image *image,
				  uint64_t high_ns)
{
	bool is_last = number == candidates->count;
	uint64_t end_ns = is_last ? high_ns : ahead(view, number)->time_ns;
	bool is_replaced = number && !is_last &&
			   ahead(view, number - 1)->time_ns == end_ns;
	uint64_t begin_ns = image->from_ns > view->floor_ns ? image->from_ns :
							      view->floor_ns;

	if (number && ahead(view, number - 1)->time_ns > begin_ns)
		begin_ns = ahead(view, number - 1)->time_ns;
	if (!is_replaced && begin_ns <= end_ns && begin_ns < image->to_ns &&
	    (candidate_pid(view, number) == image->pid ||
	     (is_last && candidates->is_cut)))
		return begin_ns;
	return UINT64_MAX;
}

/* Like time_of_candidate(), for the first candidate that can have @image. */
static uint64_t first_time(struct process_view *view,
			   const struct candidates *candidates,
			   const struct process_image *image, uint64_t high_ns)
{
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i <= candidates->count && first_ns == UINT64_MAX;
	     i++)
		first_ns =
			time_of_candidate(view, candidates, i, image, high_ns);
	return first_ns;
}

/* Returns whether the page table allows that @image's process runs at the
 * current entry: a page table belongs to one program of one process, which an
 * exec ends.
 */
static bool fits_table(const struct process_view *view,
		       const struct process_image *image)
{
	const struct process_entry *entry = &view->entry;
	bool is_before = image->pid == view->before.pid &&
			 (view->before.from_ns == PROGRAM_UNKNOWN ||
			  image->program_ns == view->before.from_ns);

	if (entry->is_same_table)
		return is_before;
	if (entry->is_other_table && !entry->switches)
		return !is_before || view->before.from_ns == PROGRAM_UNKNOWN;
	return true;
}

/* Kinds of evidence that an image must fit. */
enum { BY_TABLE = 1, BY_ADDRESS = 2 };

/* Sets @found to the indices of the images that are possible at the current
 * entry by @evidence, and *@first_ns to the first time at which one of them is
 * possible. Returns 0 or -ERROR_MEMORY.
 */
static int find_images(struct process_view *view,
		       const struct candidates *candidates, uint64_t high_ns,
		       unsigned int evidence, struct array *found,
		       uint64_t *first_ns)
{
	found->count = 0;
	*first_ns = UINT64_MAX;
	for (size_t i = 0; i < view->images.items.count; i++) {
		const struct process_image *image =
			process_images_at(&view->images, i);
		uint64_t time_ns;

		if ((evidence & BY_TABLE && !fits_table(view, image)) ||
		    (evidence & BY_ADDRESS &&
		     !process_image_is_mapped(image, view->entry.ip)))
			continue;
		time_ns = first_time(view, candidates, image, high_ns);
		if (time_ns == UINT64_MAX)
			continue;
		if (time_ns < *first_ns)
			*first_ns = time_ns;
		if (array_append(found, &i) < 0)
			return -ERROR_MEMORY;
	}
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

/* Sets @found to the images that are possible by the strongest evidence that
 * any image fits: none if nothing is known. Returns 0 or -ERROR_MEMORY.
 */
static int choose_images(struct process_view *view,
			 const struct candidates *candidates, uint64_t high_ns,
			 struct array *found, uint64_t *first_ns)
{
	bool has_table = view->before.pid >= 0 && view->entry.is_same_table;
	bool has_address = view->entry.ip != 0;
	const struct {
		unsigned int evidence;
		bool is_usable;
	} tries[] = {
		{ BY_TABLE | BY_ADDRESS,
		  has_address && (has_table || !candidates->is_cut) },
		{ BY_TABLE, has_table },
		{ BY_ADDRESS, has_address && !candidates->is_cut },
		{ 0,
		  !candidates->is_cut &&
			  (!has_address || is_one_process(view, candidates)) },
	};
	int status = 0;

	found->count = 0;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		if (!tries[i].is_usable || view->images.is_cut)
			continue;
		status = find_images(view, candidates, high_ns,
				     tries[i].evidence, found, first_ns);
		if (status < 0 || found->count)
			break;
	}
	return status;
}

static bool are_same(const struct array *a, const struct array *b)
{
	return a->count == b->count &&
	       (!a->count ||
		!memcmp(a->items, b->items, a->count * a->item_size));
}

static const struct process_image *chosen_image(const struct process_view *view,
						size_t i)
{
	return process_images_at(&view->images,
				 *(size_t *)array_at(&view->chosen, i));
}

/* Sets the process and its program, if all chosen images are of one. */
static void set_program(struct process_view *view)
{
	const struct process_image *first = NULL;

	for (size_t i = 0; i < view->chosen.count; i++) {
		const struct process_image *image = chosen_image(view, i);

		if (!first) {
			first = image;
			view->found.pid = image->pid;
			view->found.from_ns = image->program_ns;
		}
		if (image->pid != view->found.pid)
			view->found.pid = -1;
		if (image->pid != view->found.pid ||
		    image->program_ns != view->found.from_ns)
			view->found.from_ns = PROGRAM_UNKNOWN;
	}
}

/* Returns whether candidate @number can run with one of the chosen images. */
static bool can_run(struct process_view *view,
		    const struct candidates *candidates, size_t number,
		    uint64_t high_ns)
{
	for (size_t i = 0; i < view->chosen.count; i++)
		if (time_of_candidate(view, candidates, number,
				      chosen_image(view, i),
				      high_ns) != UINT64_MAX)
			return true;
	return false;
}

/* Sets the thread, if all candidates that can run are one. */
static void set_thread(struct process_view *view,
		       const struct candidates *candidates, uint64_t high_ns)
{
	bool is_first = true;

	view->found_tid = -1;
	for (size_t i = 0; i <= candidates->count; i++) {
		int32_t tid = candidate_tid(view, i);

		if (!can_run(view, candidates, i, high_ns))
			continue;
		if (candidates->is_cut || tid < 0 ||
		    (!is_first && tid != view->found_tid)) {
			view->found_tid = -1;
			return;
		}
		view->found_tid = tid;
		is_first = false;
	}
}

/* Sets when the chosen images must be determined again: when the lower bound
 * reaches the end of one of them (settled_ns), or when the upper bound reaches
 * the next change of mappings (next_map_ns).
 */
static void set_next_change(struct process_view *view, uint64_t high_ns)
{
	view->settled_ns = UINT64_MAX;
	view->next_map_ns = view->images.next_ns;
	for (size_t i = 0; i < view->chosen.count; i++) {
		const struct process_image *image = chosen_image(view, i);
		uint64_t *next_ns = image->to_ns <= high_ns ?
					    &view->settled_ns :
					    &view->next_map_ns;

		if (image->to_ns < *next_ns)
			*next_ns = image->to_ns;
	}
}

static void swap(struct array *a, struct array *b)
{
	struct array kept = *a;

	*a = *b;
	*b = kept;
}

/* Maps the code that is certain from the current entry up to @high_ns, by the
 * entry's evidence and the lower bound. Moves the lower bound to the first
 * possible time. Returns 1, 0 if no process is possible, or -ERROR_MEMORY.
 */
static int map_certain(struct process_view *view,
		       const struct candidates *candidates, uint64_t high_ns)
{
	struct array found = ARRAY_OF(size_t);
	uint64_t first_ns = UINT64_MAX;
	int status = load_images(view, candidates, high_ns);

	if (!status)
		status = choose_images(view, candidates, high_ns, &found,
				       &first_ns);
	view->is_unknown = !found.count;
	view->is_stale = false;
	if (!status && found.count && !are_same(&found, &view->chosen)) {
		swap(&found, &view->chosen);
		status = process_images_merge(&view->images, &view->chosen,
					      &view->current);
	}
	array_free(&found);
	if (status < 0)
		return status;
	view->found_tid = -1;
	if (view->is_unknown) {
		view->chosen.count = 0;
		view->current.count = 0;
		view->found = (struct program){ -1, PROGRAM_UNKNOWN };
	} else {
		set_thread(view, candidates, high_ns);
		view->floor_ns = first_ns;
		while (has_switch_by(view, first_ns))
			if (pass_switch(view) < 0)
				return -ERROR_MEMORY;
		set_program(view);
	}
	set_next_change(view, high_ns);
	return !view->is_unknown;
}

/* Like map_certain(), after moving the lower bound to @low_ns. Records after
 * the entry's upper bound are not candidates, even if they are before @high_ns:
 * the thread that entered still runs, so these switches are to come.
 */
static int map_between(struct process_view *view, uint64_t low_ns,
		       uint64_t high_ns)
{
	struct candidates candidates;
	uint64_t entered_ns = view->entry.high_ns;

	if (low_ns > view->floor_ns)
		view->floor_ns = low_ns;
	if (entered_ns < view->floor_ns)
		entered_ns = view->floor_ns;
	if (high_ns < entered_ns)
		high_ns = entered_ns;
	if (find_candidates(view, view->floor_ns, entered_ns, &candidates) < 0)
		return -ERROR_MEMORY;
	return map_certain(view, &candidates, high_ns);
}

bool process_view_is_due(const struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns)
{
	if (!view->by_trace)
		return process_view_next_change_ns(view) <= time_ns;
	if (!low_ns)
		return !view->is_stale && view->next_map_ns <= time_ns;
	return has_switch_by(view, low_ns) ||
	       (!view->is_unknown &&
		(view->is_stale || view->settled_ns <= low_ns ||
		 view->next_map_ns <= time_ns));
}

/* Like process_view_advance(), if ordered by the trace. */
static int advance_by_trace(struct process_view *view, uint64_t low_ns,
			    uint64_t time_ns)
{
	const struct past_switch *last;
	int status;

	if (!low_ns) {
		view->is_stale = true;
		return 0;
	}
	if (has_switch_by(view, low_ns)) {
		view->is_placed = false;
		while (has_switch_by(view, low_ns))
			if (pass_switch(view) < 0)
				return -ERROR_MEMORY;
		last = last_passed(view);
		if (last->time_ns > view->entry.high_ns)
			forget_entry(view, last->time_ns, low_ns);
	}
	status = map_between(view, low_ns, time_ns);
	return status < 0 ? status : 0;
}

/* Like advance_by_trace() if the trace decides. Otherwise applies the switches
 * until @time_ns. After a switch to an unknown task the previous mappings stay,
 * because no user code runs then.
 */
int process_view_advance(struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns)
{
	int32_t before = view->pid;

	if (view->by_trace)
		return advance_by_trace(view, low_ns, time_ns);
	while (has_switch_by(view, time_ns))
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	if (view->pid == before && time_ns >= view->loaded_ns &&
	    time_ns < view->next_map_ns)
		return 0;
	return load_maps(view, time_ns);
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
		view->tid = last->tid_before;
		view->undone++;
	}
	return kept == view->past_count;
}

int process_view_sync(struct process_view *view, uint64_t low_ns,
		      uint64_t high_ns)
{
	const struct past_switch *last;
	int status;

	if (!undo_switches(view, low_ns))
		return 0;
	forget_entry(view, low_ns, high_ns);
	while (has_switch_by(view, low_ns))
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	last = last_passed(view);
	view->is_placed = next_switch_ns(view) > high_ns &&
			  (!last || last->done_ns <= low_ns);
	status = map_between(view, low_ns, high_ns);
	return status < 0 ? status : 1;
}

/* Returns whether the mappings are certain and unchanged at @entry: one image
 * is possible, and no switch record or change of mappings is before the entry's
 * upper bound.
 */
static bool is_mapped_already(const struct process_view *view,
			      const struct process_entry *entry)
{
	return view->chosen.count == 1 && !view->is_stale &&
	       next_switch_ns(view) > entry->high_ns &&
	       view->settled_ns == UINT64_MAX &&
	       entry->high_ns < view->next_map_ns;
}

int process_view_enter(struct process_view *view,
		       const struct process_entry *entry)
{
	struct candidates candidates;
	int64_t switches;

	view->before = view->found;
	view->entry = *entry;
	if (entry->low_ns > view->floor_ns)
		view->floor_ns = entry->low_ns;
	if (is_mapped_already(view, entry)) {
		view->is_placed = true;
		view->found_tid = view->tid;
		return 1;
	}
	if (find_candidates(view, view->floor_ns, entry->high_ns, &candidates) <
	    0)
		return -ERROR_MEMORY;
	switches = count_switches(view, &candidates, entry);
	view->is_placed = switches >= 0 || !candidates.count;
	for (; switches > 0; switches--) {
		view->floor_ns = ahead(view, 0)->time_ns;
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	}
	/* Times cannot separate the next record from those that were counted. */
	if (switches >= 0 && next_switch_ns(view) <= view->floor_ns)
		view->is_placed = false;
	else if (switches >= 0 && next_switch_ns(view) <= entry->high_ns)
		view->entry.high_ns = next_switch_ns(view) - 1;
	return map_between(view, view->floor_ns, view->entry.high_ns);
}

uint64_t process_view_floor_ns(const struct process_view *view)
{
	return view->floor_ns;
}

int process_view_go_back(struct process_view *view, uint64_t time_ns)
{
	if (!undo_switches(view, time_ns))
		return 0;
	if (!view->by_trace)
		return load_maps(view, time_ns) < 0 ? -ERROR_MEMORY : 1;
	forget_entry(view, time_ns, time_ns);
	return map_between(view, time_ns, time_ns) < 0 ? -ERROR_MEMORY : 1;
}

int process_view_go_to_end(struct process_view *view)
{
	return load_maps(view, UINT64_MAX);
}

int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns)
{
	view->pid = pid;
	view->tid = -1;
	return load_maps(view, time_ns);
}

int32_t process_view_pid(const struct process_view *view)
{
	return view->by_trace ? view->found.pid : view->pid;
}

int32_t process_view_tid(const struct process_view *view)
{
	return view->found_tid;
}

const struct array *process_view_maps(const struct process_view *view)
{
	return &view->current;
}

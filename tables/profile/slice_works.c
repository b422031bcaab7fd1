/* SPDX-License-Identifier: MIT */
#include "tables/profile/slice_works_internal.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "common/error.h"
#include "common/maps.h"

#include <stdlib.h>

/* Adds @more to @entries. Both are indexed by enum call_how. */
static inline void path_entries_add(uint64_t *entries, const uint64_t *more)
{
	for (int how = 0; how < CALL_HOWS; how++)
		entries[how] += more[how];
}

void path_sums_free(struct path_sums *sums)
{
	keyed_array_free(&sums->all);
}

static struct path_sum *sum_of(struct path_sums *sums, int32_t pid,
			       uint32_t path)
{
	return keyed_array_add(&sums->all,
			       &(struct path_sum){ .path = path, .pid = pid });
}

static bool add_work(struct path_sum *sum, const struct path_work *work)
{
	if (!sum)
		return false;
	sum->ns += work->ns;
	path_entries_add(sum->entries, work->entries);
	return true;
}

/* Adds @works (struct path_work), which were for process @pid. Returns false
 * when out of memory.
 */
static bool path_sums_add(struct path_sums *sums, int32_t pid,
			  enum interrupt_certainty certainty,
			  const struct array *works)
{
	const struct path_work *items = works->items;

	for (size_t i = 0; i < works->count; i++) {
		struct path_sum *sum = sum_of(sums, pid, items[i].path);

		if (!add_work(sum, &items[i]))
			return false;
		sum->certain_ns[certainty] += items[i].ns;
	}
	return true;
}

bool path_sums_add_own(struct path_sums *sums, int32_t pid,
		       const struct path_work *work)
{
	return add_work(sum_of(sums, pid, work->path), work);
}

const struct path_sum *path_sums_at(const struct path_sums *sums, size_t index)
{
	return index < sums->all.items.count ?
		       array_at(&sums->all.items, index) :
		       NULL;
}

/* Returns the time of all @works (struct path_work). */
static uint64_t path_works_ns(const struct array *works)
{
	const struct path_work *items = works->items;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < works->count; i++)
		sum_ns += items[i].ns;
	return sum_ns;
}

static struct path_work take(struct path_work *work, uint64_t ns, double part)
{
	struct path_work taken = { .path = work->path, .ns = ns };

	work->ns -= ns;
	for (int how = 0; how < CALL_HOWS; how++) {
		taken.entries[how] =
			(uint64_t)((double)work->entries[how] * part);
		work->entries[how] -= taken.entries[how];
	}
	return taken;
}

/* Moves @ns of the time of @works, and the share @part (up to 1) of their
 * entries, to @taken, which must be empty. Each path gives time in proportion.
 * Exactly @ns is moved, which must be at most path_works_ns(); the rest stays.
 *
 * Returns 0, or -ERROR_MEMORY without moving anything.
 *
 * Each path gives the difference of two rounded running sums: the total is
 * exactly @ns, and no path gives more than it has.
 */
static int path_works_take(struct array *works, uint64_t ns, double part,
			   struct array *taken)
{
	uint64_t whole_ns = path_works_ns(works);
	struct path_work *items = works->items;
	uint64_t sum_ns = 0;
	uint64_t given_ns = 0;

	if (array_reserve(taken, works->count) < 0)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < works->count; i++) {
		struct path_work *slot = array_add(taken);
		uint64_t until_ns = 0;

		sum_ns += items[i].ns;
		if (whole_ns)
			until_ns = (uint64_t)((unsigned __int128)sum_ns * ns /
					      whole_ns);
		*slot = take(&items[i], until_ns - given_ns, part);
		given_ns = until_ns;
	}
	return 0;
}

/* Smaller remaining shares are rounding errors. */
#define LEAST_PART 1e-9

/* The work of one slice. */
struct slice_work {
	struct array paths; /* struct path_work */
	bool is_charged;    /* a share is charged, so the slice has ended */
	uint64_t whole_ns;  /* time of all paths before the first charge */
	double left;	    /* remaining share of the slice, from 1 */
};

struct slice_works {
	struct number_map by_serial; /* struct slice_work * */
	/* The slice that was last added to, or NULL. */
	struct slice_work *last;
	uint64_t last_serial;
	/* uint32_t by path: a guess at its index in the paths of a slice, to be
	 * verified
	 */
	struct array slots;
};

struct slice_works *slice_works_new(void)
{
	struct slice_works *works = calloc(1, sizeof(*works));

	if (works)
		works->slots = ARRAY_OF(uint32_t);
	return works;
}

static void free_work(struct slice_work *work)
{
	array_free(&work->paths);
	free(work);
}

void slice_works_free(struct slice_works *works)
{
	struct slice_work *work;
	size_t place = 0;

	if (!works)
		return;
	while ((work = number_map_next_pointer(&works->by_serial, &place)))
		free_work(work);
	number_map_free(&works->by_serial);
	array_free(&works->slots);
	free(works);
}

static struct slice_work *add_slice(struct slice_works *works, uint64_t serial)
{
	struct slice_work *work = calloc(1, sizeof(*work));
	uint64_t *value = work ? number_map_add(&works->by_serial, serial) :
				 NULL;

	if (!value) {
		free(work);
		return NULL;
	}
	*value = (uintptr_t)work;
	work->paths = ARRAY_OF(struct path_work);
	work->left = 1;
	return work;
}

static struct slice_work *work_of(struct slice_works *works, uint64_t serial)
{
	if (works->last && works->last_serial == serial)
		return works->last;
	works->last = number_map_pointer(&works->by_serial, serial);
	if (!works->last)
		works->last = add_slice(works, serial);
	works->last_serial = serial;
	return works->last;
}

/* Returns the entry of @work for @path, added if it is new. */
static struct path_work *path_of(struct slice_works *works,
				 struct slice_work *work, uint32_t path)
{
	uint32_t *slot = array_reach(&works->slots, path);
	struct path_work *items = work->paths.items;

	if (!slot)
		return NULL;
	if (*slot < work->paths.count && items[*slot].path == path)
		return &items[*slot];
	*slot = (uint32_t)work->paths.count;
	items = array_add(&work->paths);
	if (items)
		items->path = path;
	return items;
}

bool slice_works_add(struct slice_works *works, uint64_t serial,
		     const struct path_work *more)
{
	struct slice_work *work = work_of(works, serial);
	struct path_work *on_path = work ? path_of(works, work, more->path) :
					   NULL;

	if (!on_path)
		return false;
	on_path->ns += more->ns;
	path_entries_add(on_path->entries, more->entries);
	return true;
}

static void forget(struct slice_works *works, uint64_t serial,
		   struct slice_work *work)
{
	if (works->last == work)
		works->last = NULL;
	number_map_remove(&works->by_serial, serial);
	free_work(work);
}

/* Moves the share of @work that @charge names. */
static bool move_part(struct slice_work *work, struct path_sums *sums,
		      int32_t pid, const struct interrupt_charge *charge)
{
	struct array taken = ARRAY_OF(struct path_work);
	uint64_t ns = interrupt_charge_part(charge, work->whole_ns);
	uint64_t left_ns = path_works_ns(&work->paths);
	/* Limited to the rest, since records of charges may be damaged. */
	bool is_moved =
		path_works_take(&work->paths, ns < left_ns ? ns : left_ns,
				charge->count / work->left, &taken) == 0 &&
		path_sums_add(sums, pid, charge->certainty, &taken);

	work->left -= charge->count;
	array_free(&taken);
	return is_moved;
}

bool slice_works_charge(struct slice_works *works, struct path_sums *sums,
			int32_t pid, const struct interrupt_charge *charge)
{
	struct slice_work *work =
		number_map_pointer(&works->by_serial, charge->span.serial);
	bool is_moved;

	if (!work)
		return true;
	if (!work->is_charged)
		work->whole_ns = path_works_ns(&work->paths);
	work->is_charged = true;
	if (work->left - charge->count > LEAST_PART)
		return move_part(work, sums, pid, charge);
	is_moved = path_sums_add(sums, pid, charge->certainty, &work->paths);
	forget(works, charge->span.serial, work);
	return is_moved;
}

bool slice_works_end(struct slice_works *works, struct path_sums *sums)
{
	const struct slice_work *work;
	size_t place = 0;
	bool is_moved = true;

	while (is_moved &&
	       (work = number_map_next_pointer(&works->by_serial, &place)))
		is_moved =
			path_sums_add(sums, -1, CERTAIN_NOBODY, &work->paths);
	return is_moved;
}

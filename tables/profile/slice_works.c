/* SPDX-License-Identifier: MIT */
#include "tables/profile/slice_works.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "common/maps.h"
#include "tables/profile/path_sums.h"

#include <stdlib.h>

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

static struct slice_work *add_work(struct slice_works *works, uint64_t serial)
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
		works->last = add_work(works, serial);
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

/* SPDX-License-Identifier: MIT */
#include "decoder/generated/generated_image.h"
#include "common/error.h"
#include "common/formats/generated_chunk.h"
#include "common/memory.h"
#include "decoder/generated/generated_names.h"

#include <string.h>

/* Makes the images of a mapping: its bytes from one time to the next. They are
 * made from sources, which are copies of pages, and functions of a jitdump
 * (struct generated_source). generated_code.h has the rules by which the bytes
 * between two sources are known.
 *
 *	sources of a page ─► consume_source() ─► changes ─► make_images() ─► images
 *	                     by granule       by time
 *
 * consume_source() compares each granule of a source with the previous source:
 *
 * - Equal bytes were there between the two sources.
 * - New bytes that are the only ones that ever were there (is_only()) were
 *   there since the mapping's start.
 * - Other new bytes replaced the old ones. The old bytes are proved up to
 *   lost_ns, the new ones from known_ns on; in between the granule is unknown.
 *
 * After the last source, a granule is unknown from the first time at which the
 * process may have changed it (lost_ns_of()). A replacement is two changes, at
 * lost_ns and at known_ns. make_images() applies the changes of all pages in
 * the order of time, and makes an image for each time.
 *
 * Invariants:
 * 1. An image that was added does not change: apply_change() changes a copy.
 * 2. When the budget is used up, the bytes that change later are unknown, never
 *    wrong.
 */

enum {
	PAGE = GENERATED_PAGE_BYTES,
	GRANULE = GENERATED_GRANULE,
	GRANULES = PAGE / GRANULE,
};

/* Upper bound of the difference between jitdump's clock and the recording's. */
enum { CLOCKS_NS = 2000 };

/* Returns the time up to which @source, a function of jitdump, certainly was
 * not there; 0: unknown.
 */
static uint64_t before(const struct generated_source *source)
{
	return source->begin_ns > CLOCKS_NS ? source->begin_ns - CLOCKS_NS : 0;
}

/* A change of some granules of a page. */
struct change {
	uint64_t time_ns;
	size_t order;	      /* among changes with the same time */
	uint64_t address;     /* of the page */
	const uint8_t *bytes; /* a page with the new bytes; NULL: unknown */
	uint64_t which[4];    /* a bit for each granule that changes */
};

/* The mmap and mprotect records of a page after since_ns, when the previous
 * bytes were last read (0: never), and until a source was read.
 */
struct protection {
	uint64_t since_ns;
	size_t count; /* number of these mmap and mprotect records */
	uint64_t first_ns;
	/* the last record, if the page cannot have been written since; else 0 */
	uint64_t last_ns;
};

/* A page while its sources are read, in the order of time. */
struct page_state {
	const struct generated_area *area;
	struct arena *arena;
	struct generated_budget *budget;
	struct array *changes;	    /* struct change */
	struct array *replacements; /* struct generated_replacement */
	uint64_t address;
	struct protection protection; /* of the current source */
	/* the page's bytes after the last source that was applied */
	uint8_t bytes[PAGE];
	/* The arrays are by granule. The copy of the page that holds the
	 * granule since its last change:
	 */
	uint8_t *owner[GRANULES];
	uint64_t seen_ns[GRANULES];    /* when it was last read; 0: never */
	uint64_t changed_ns[GRANULES]; /* known_ns of its last change */
	/* The interval since the granule was last read in which the process
	 * listed another function there; 0: it listed none.
	 */
	uint64_t listed_ns[GRANULES];
	uint64_t listed_end_ns[GRANULES];
	uint64_t named[4];  /* a bit for each granule with a listed function */
	uint64_t dumped[4]; /* a bit for each granule with bytes of jitdump */
};

bool generated_chunk_read(const uint8_t *file, size_t size, size_t *place,
			  struct generated_chunk *chunk, const uint8_t **bytes)
{
	size_t left = size - *place;

	if (left < sizeof(*chunk))
		return false;
	memcpy(chunk, file + *place, sizeof(*chunk));
	left -= sizeof(*chunk);
	if (chunk->size > left || chunk->size % PAGE || chunk->address % PAGE ||
	    chunk->address + chunk->size < chunk->address ||
	    chunk->since_ns > chunk->begin_ns ||
	    chunk->begin_ns > chunk->end_ns)
		return false;
	*bytes = file + *place + sizeof(*chunk);
	*place += sizeof(*chunk) + chunk->size;
	return true;
}

int generated_source_add(struct array *sources, struct generated_source source,
			 uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t page = start & -(uint64_t)PAGE;
		uint64_t until = end - page < PAGE ? end : page + PAGE;

		source.address = page;
		source.first = (uint16_t)(start - page);
		source.last = (uint16_t)(until - page);
		if (array_append(sources, &source) < 0)
			return -ERROR_MEMORY;
		if (source.bytes)
			source.bytes += until - start;
		start = until;
	}
	return 0;
}

void generated_sources_sort(struct array *sources)
{
	array_sort_by(sources, KEYS(RISING(struct generated_source, address),
				    RISING(struct generated_source, end_ns),
				    RISING(struct generated_source, first)));
}

static bool has_bit(const uint64_t *bits, size_t at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

static void set_bit(uint64_t *bits, size_t at)
{
	bits[at / 64] |= UINT64_C(1) << (at % 64);
}

static struct protection protection_of(const struct generated_area *area,
				       const struct generated_source *source,
				       uint64_t since_ns)
{
	struct protection found = { .since_ns = since_ns };
	bool is_proved = false;

	if (source->is_listed)
		return found;
	for (size_t i = 0; i < area->mappings->count; i++) {
		const struct generated_mapping *mapping =
			array_at(area->mappings, i);

		if (source->address < mapping->start ||
		    source->address >= mapping->end ||
		    (since_ns && mapping->time_ns <= since_ns))
			continue;
		if (mapping->time_ns > source->end_ns)
			break;
		if (!found.count++)
			found.first_ns = mapping->time_ns;
		found.last_ns = mapping->time_ns;
		is_proved = !mapping->is_writable &&
			    mapping->time_ns <= source->begin_ns;
	}
	if (!is_proved || source->is_writable)
		found.last_ns = 0;
	return found;
}

/* How a granule's new bytes differ from its old ones. */
enum granule_change {
	GRANULE_REPLACED,
	GRANULE_APPENDED, /* the new bytes replace only filling */
	GRANULE_PADDED,	  /* filling replaces filling */
};

/* Returns whether the @count bytes at @bytes are filling: one byte, repeated,
 * that is no code that runs: 0, or x86's INT3 or HLT.
 */
static bool is_filling(const uint8_t *bytes, size_t count)
{
	if (bytes[0] && bytes[0] != 0xcc && bytes[0] != 0xf4)
		return false;
	for (size_t i = 1; i < count; i++)
		if (bytes[i] != bytes[0])
			return false;
	return true;
}

static enum granule_change change_of(const uint8_t *old, const uint8_t *new)
{
	size_t at = 0;

	while (at < GRANULE && old[at] == new[at])
		at++;
	if (at == GRANULE || !is_filling(old + at, GRANULE - at))
		return GRANULE_REPLACED;
	return is_filling(new + at, GRANULE - at) ? GRANULE_PADDED :
						    GRANULE_APPENDED;
}

/* Returns whether the bytes that @source has in granule @at are the only code
 * that ever was there; @since_ns is when the previous ones were last read. For a
 * source of jitdump that holds where there was only filling before, since jitdump
 * would have listed earlier code.
 */
static bool is_only(const struct page_state *state,
		    const struct generated_source *source,
		    const struct protection *protection, size_t at,
		    enum granule_change change, uint64_t since_ns)
{
	uint64_t start = source->address + at * GRANULE;

	if (change == GRANULE_REPLACED)
		return !source->is_listed && !state->area->is_patched &&
		       generated_names_lack(state->area->names, start,
					    start + GRANULE, since_ns);
	if (change == GRANULE_PADDED || source->is_listed ||
	    (protection->last_ns && protection->count == 1))
		return true;
	return !state->area->is_patched &&
	       generated_names_are_single(state->area->names, start,
					  start + GRANULE);
}

/* Returns whether a function of @names changed between two copies of a page,
 * after it was listed.
 */
static bool is_patched(const struct generated_source *old,
		       const struct generated_source *new,
		       const struct generated_names *names)
{
	uint64_t since_ns = new->since_ns > old->end_ns ? new->since_ns :
							  old->end_ns;

	for (size_t at = 0; at < PAGE; at += GRANULE) {
		uint64_t start = old->address + at;

		if (memcmp(old->bytes + at, new->bytes + at, GRANULE) != 0 &&
		    change_of(old->bytes + at, new->bytes + at) ==
			    GRANULE_REPLACED &&
		    generated_names_are_single(names, start, start + GRANULE) &&
		    !generated_names_lack(names, start, start + GRANULE,
					  since_ns))
			return true;
	}
	return false;
}

bool generated_sources_are_patched(const struct generated_source *sources,
				   size_t count,
				   const struct generated_names *names)
{
	const struct generated_source *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (sources[i].is_listed || sources[i].is_named)
			continue;
		if (last && last->address == sources[i].address &&
		    is_patched(last, &sources[i], names))
			return true;
		last = &sources[i];
	}
	return false;
}

/* Returns whether more than half of the bytes of a granule differ, not counting
 * filling at the end of both.
 */
static bool is_rewritten(const uint8_t *old, const uint8_t *new)
{
	size_t length = GRANULE;
	size_t others = 0;

	while (length && old[length - 1] == new[length - 1] &&
	       is_filling(old + length - 1, GRANULE - length + 1))
		length--;
	for (size_t i = 0; i < length; i++)
		others += old[i] != new[i];
	return others * 2 > length;
}

static bool is_blank(const uint8_t *bytes)
{
	static const uint8_t zeros[GRANULE];

	return !memcmp(bytes, zeros, GRANULE);
}

static struct generated_replacement
replacement_of(const struct generated_source *source,
	       const struct protection *protection)
{
	struct generated_replacement found = {
		.address = source->address,
		.lost_ns = protection->since_ns,
		.known_ns = source->end_ns,
	};

	if (source->is_listed) {
		found.lost_ns = before(source);
	} else if (protection->last_ns) {
		found.known_ns = protection->last_ns;
		if (protection->since_ns)
			found.lost_ns = protection->first_ns;
	}
	return found;
}

/* The granules that one source replaces, grouped by lost_ns and known_ns.
 * Usually there are two groups: granules read before in a copy, and in jitdump.
 */
enum { MOST_REPLACEMENTS = 4 };

struct replacements {
	struct generated_replacement list[MOST_REPLACEMENTS];
	size_t count;
};

static void add_granule(struct generated_replacement *replacement, size_t at,
			bool is_new, bool was_blank)
{
	set_bit(replacement->which, at);
	if (is_new)
		set_bit(replacement->rewritten, at);
	if (was_blank)
		set_bit(replacement->blank, at);
}

/* Adds granule @at. If there are too many groups, widens the times of the last
 * one, so that more is unknown.
 */
static void add_replacement(struct replacements *replacements,
			    const struct generated_replacement *new, size_t at,
			    bool is_new, bool was_blank)
{
	struct generated_replacement *last;

	for (size_t i = 0; i < replacements->count; i++) {
		struct generated_replacement *one = &replacements->list[i];

		if (one->lost_ns != new->lost_ns ||
		    one->known_ns != new->known_ns)
			continue;
		add_granule(one, at, is_new, was_blank);
		return;
	}
	if (replacements->count < MOST_REPLACEMENTS)
		replacements->list[replacements->count++] = *new;
	last = &replacements->list[replacements->count - 1];
	if (new->lost_ns < last->lost_ns)
		last->lost_ns = new->lost_ns;
	if (new->known_ns > last->known_ns)
		last->known_ns = new->known_ns;
	add_granule(last, at, is_new, was_blank);
}

static int add_change(const struct page_state *state, uint64_t time_ns,
		      const struct generated_replacement *replacement,
		      const uint8_t *bytes)
{
	struct change change = {
		.time_ns = time_ns,
		.order = state->changes->count,
		.address = state->address,
		.bytes = bytes,
	};

	memcpy(change.which, replacement->which, sizeof(change.which));
	return array_append(state->changes, &change);
}

/* Replaces the granules of @replacement by those of state->bytes. If the budget
 * is used up, they are unknown from then on.
 */
static int replace(struct page_state *state,
		   const struct generated_replacement *replacement)
{
	bool is_full = state->budget->pages < 2;
	uint8_t *copy = is_full ? NULL : arena_alloc(state->arena, PAGE);
	int error = copy || is_full ?
			    array_append(state->replacements, replacement) :
			    -ERROR_MEMORY;

	if (error)
		return error;
	if (is_full)
		return add_change(state, replacement->lost_ns, replacement,
				  NULL);
	state->budget->pages--;
	memcpy(copy, state->bytes, PAGE);
	for (size_t i = 0; i < GRANULES; i++)
		if (has_bit(replacement->which, i)) {
			state->owner[i] = copy;
			state->changed_ns[i] = replacement->known_ns;
		}
	if (replacement->known_ns > replacement->lost_ns)
		error = add_change(state, replacement->lost_ns, replacement,
				   NULL);
	return error ? error :
		       add_change(state, replacement->known_ns, replacement,
				  copy);
}

/* Makes granule @at unknown while another function was listed there; its bytes
 * were the same before and afterwards.
 */
static void apply_listed(struct page_state *state, size_t at,
			 struct replacements *replacements)
{
	const struct generated_replacement replacement = {
		.address = state->address,
		.lost_ns = state->listed_ns[at],
		.known_ns = state->listed_end_ns[at],
	};

	if (state->listed_ns[at])
		add_replacement(replacements, &replacement, at, true, false);
	state->listed_ns[at] = 0;
}

/* Applies the bytes @new that @source has in granule @at. */
static void consume_granule(struct page_state *state,
			    const struct generated_source *source, size_t at,
			    const uint8_t *new,
			    struct replacements *replacements)
{
	uint8_t *old = state->bytes + at * GRANULE;
	uint64_t since_ns = state->seen_ns[at];
	struct generated_replacement replacement;

	if (source->since_ns > since_ns)
		since_ns = source->since_ns;
	state->seen_ns[at] = source->end_ns;
	if (source->is_listed)
		set_bit(state->dumped, at);
	else
		state->dumped[at / 64] &= ~(UINT64_C(1) << (at % 64));
	if (!memcmp(old, new, GRANULE)) {
		apply_listed(state, at, replacements);
		return;
	}
	state->listed_ns[at] = 0;
	if (since_ns != state->protection.since_ns)
		state->protection =
			protection_of(state->area, source, since_ns);
	if (is_only(state, source, &state->protection, at, change_of(old, new),
		    since_ns)) {
		memcpy(state->owner[at] + at * GRANULE, new, GRANULE);
	} else {
		replacement = replacement_of(source, &state->protection);
		add_replacement(replacements, &replacement, at,
				is_rewritten(old, new), is_blank(old));
	}
	memcpy(old, new, GRANULE);
}

/* Returns the last record of a mapping of @address until @time_ns, or NULL. */
static const struct generated_mapping *
mapping_at(const struct generated_area *area, uint64_t address,
	   uint64_t time_ns)
{
	const struct generated_mapping *last = NULL;

	for (size_t i = 0; i < area->mappings->count; i++) {
		const struct generated_mapping *mapping =
			array_at(area->mappings, i);

		if (mapping->time_ns > time_ns)
			break;
		if (address >= mapping->start && address < mapping->end)
			last = mapping;
	}
	return last;
}

/* Applies the listing of a function at granule @at. If another function was
 * listed there before, other bytes may have been there even if the next reading
 * has the same: the granule is unknown meanwhile, unless its mapping has not been
 * writable since its last change.
 */
static void consume_named(struct page_state *state,
			  const struct generated_source *source, size_t at)
{
	const struct generated_mapping *mapping =
		mapping_at(state->area, source->address, source->end_ns);
	bool is_constant = mapping && !mapping->is_writable &&
			   mapping->time_ns <= state->changed_ns[at];

	if (has_bit(state->named, at) && !is_constant &&
	    state->changed_ns[at] <= source->begin_ns) {
		if (!state->listed_ns[at])
			state->listed_ns[at] = source->begin_ns;
		state->listed_end_ns[at] = source->end_ns;
	}
	set_bit(state->named, at);
}

/* Returns the first time, after granule @at was last read, at which it may have
 * other bytes; UINT64_MAX: never. A process that made its memory writable to
 * change it makes it executable again, which is a record of its mapping.
 */
static uint64_t lost_ns_of(const struct page_state *state, size_t at)
{
	uint64_t start = state->address + at * GRANULE;

	if (!state->seen_ns[at] || has_bit(state->dumped, at) ||
	    (!state->area->is_patched &&
	     generated_names_are_single(state->area->names, start,
					start + GRANULE)))
		return UINT64_MAX;
	for (size_t i = 0; i < state->area->mappings->count; i++) {
		const struct generated_mapping *mapping =
			array_at(state->area->mappings, i);

		if (mapping->time_ns > state->seen_ns[at] &&
		    state->address >= mapping->start &&
		    state->address < mapping->end)
			return mapping->time_ns;
	}
	return UINT64_MAX;
}

/* Applies what follows the last source: listings, without another copy of the
 * page, and changes that were not read.
 */
static int lose_later(struct page_state *state)
{
	struct generated_replacement lost = { .lost_ns = UINT64_MAX };
	struct replacements replacements = { .count = 0 };
	int error = 0;

	for (size_t i = 0; i < GRANULES; i++)
		apply_listed(state, i, &replacements);
	for (size_t i = 0; i < replacements.count && !error; i++)
		error = replace(state, &replacements.list[i]);

	for (size_t i = 0; i <= GRANULES && !error; i++) {
		uint64_t lost_ns = i < GRANULES ? lost_ns_of(state, i) :
						  UINT64_MAX;

		if (lost.lost_ns != UINT64_MAX && lost_ns != lost.lost_ns) {
			error = add_change(state, lost.lost_ns, &lost, NULL);
			lost = (struct generated_replacement){ 0 };
		}
		lost.lost_ns = lost_ns;
		if (lost_ns != UINT64_MAX)
			set_bit(lost.which, i);
	}
	return error;
}

/* Applies the next source. */
static int consume_source(struct page_state *state,
			  const struct generated_source *source)
{
	struct replacements replacements = { .count = 0 };
	uint8_t bytes[PAGE];
	int error = 0;

	state->protection = protection_of(state->area, source, 0);
	memcpy(bytes, state->bytes, PAGE);
	if (source->bytes)
		memcpy(bytes + source->first, source->bytes,
		       (size_t)(source->last - source->first));
	for (size_t i = source->first / GRANULE; i * GRANULE < source->last;
	     i++)
		if (source->is_named)
			consume_named(state, source, i);
		else
			consume_granule(state, source, i, bytes + i * GRANULE,
					&replacements);
	for (size_t i = 0; i < replacements.count && !error; i++)
		error = replace(state, &replacements.list[i]);
	return error;
}

/* Removes the granules whose bytes are in @source from @unknown. */
static void clear_read(const struct generated_source *source, uint64_t *unknown)
{
	for (size_t i = source->first / GRANULE;
	     source->bytes && i * GRANULE < source->last; i++)
		unknown[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Reads the @count sources of one page; appends the page at the area's time to
 * @pages, and its changes to @changes.
 */
static int make_page(const struct generated_area *area,
		     const struct generated_source *sources, size_t count,
		     struct generated_budget *budget, struct arena *arena,
		     struct array *pages, struct array *changes,
		     struct array *replacements)
{
	struct page_state state = {
		.area = area,
		.budget = budget,
		.arena = arena,
		.changes = changes,
		.replacements = replacements,
		.address = sources->address,
	};
	struct generated_page page = { .address = sources->address };
	uint8_t *first = arena_alloc(arena, PAGE);
	int error = first ? 0 : -ERROR_MEMORY;

	page.bytes = first;
	memset(page.unknown, 0xff, sizeof(page.unknown));
	for (size_t i = 0; i < count; i++)
		clear_read(&sources[i], page.unknown);
	for (size_t i = 0; i < GRANULES; i++)
		state.owner[i] = first;
	for (size_t i = 0; i < count && !error; i++)
		error = consume_source(&state, &sources[i]);
	if (!error)
		error = lose_later(&state);
	return error ? error : array_append(pages, &page);
}

/* Appends an image with a copy of @pages. */
static int add_image(const struct generated_area *area, uint64_t time_ns,
		     const struct array *pages, struct arena *arena,
		     struct array *events)
{
	struct generated_image *image = arena_alloc(arena, sizeof(*image));
	size_t size = pages->count * sizeof(struct generated_page);

	if (!image)
		return -ERROR_MEMORY;
	image->address = area->address;
	image->size_bytes = area->size_bytes;
	image->page_count = pages->count;
	image->pages = arena_alloc(arena, size);
	if (!image->pages)
		return -ERROR_MEMORY;
	if (size)
		memcpy(image->pages, pages->items, size);
	return array_append(events, &(struct generated_event){
					    .time_ns = time_ns,
					    .names_ns = time_ns ? time_ns : 1,
					    .image = image,
				    });
}

static struct generated_page *find_page(const struct array *pages,
					uint64_t address)
{
	return array_at(
		pages,
		array_count_below(pages,
				  KEYS(RISING(struct generated_page, address)),
				  address));
}

/* Makes all granules of the pages of @changes, from number @first on, unknown:
 * called when no more images may be made.
 */
static void lose_rest(struct array *pages, const struct array *changes,
		      size_t first)
{
	for (size_t i = first; i < changes->count; i++) {
		const struct change *change = array_at(changes, i);

		memset(find_page(pages, change->address)->unknown, 0xff,
		       sizeof(change->which));
	}
}

/* Applies @change to @page, whose bytes other images share. */
static int apply_change(struct generated_page *page,
			const struct change *change,
			struct generated_budget *budget, struct arena *arena)
{
	uint8_t *copy;

	if (!change->bytes || !budget->pages) {
		for (size_t i = 0; i < 4; i++)
			page->unknown[i] |= change->which[i];
		return 0;
	}
	budget->pages--;
	copy = arena_alloc(arena, PAGE);
	if (!copy)
		return -ERROR_MEMORY;
	memcpy(copy, page->bytes, PAGE);
	for (size_t i = 0; i < GRANULES; i++)
		if (has_bit(change->which, i))
			memcpy(copy + i * GRANULE, change->bytes + i * GRANULE,
			       GRANULE);
	page->bytes = copy;
	for (size_t i = 0; i < 4; i++)
		page->unknown[i] &= ~change->which[i];
	return 0;
}

/* Applies the changes from number *@at on that are not after @time_ns, and sets
 * *@at to the next one.
 */
static int apply(struct array *pages, const struct array *changes, size_t *at,
		 uint64_t time_ns, struct generated_budget *budget,
		 struct arena *arena)
{
	int error = 0;

	for (; *at < changes->count && !error; ++*at) {
		const struct change *change = array_at(changes, *at);

		if (change->time_ns > time_ns)
			break;
		error = apply_change(find_page(pages, change->address), change,
				     budget, arena);
	}
	return error;
}

/* Makes an image of @pages at the area's time, and one at each later time of
 * @changes.
 */
static int make_images(const struct generated_area *area, struct array *pages,
		       const struct array *changes,
		       struct generated_budget *budget, struct arena *arena,
		       struct array *events)
{
	uint64_t time_ns = area->time_ns;
	size_t at = 0;
	int error = 0;

	while (!error) {
		error = apply(pages, changes, &at, time_ns, budget, arena);
		if (error)
			break;
		if (at == changes->count)
			return add_image(area, time_ns, pages, arena, events);
		if (budget->images < 2 || budget->pages < 2 * pages->count) {
			lose_rest(pages, changes, at);
			return add_image(area, time_ns, pages, arena, events);
		}
		budget->images--;
		budget->pages -= pages->count;
		error = add_image(area, time_ns, pages, arena, events);
		time_ns =
			((const struct change *)array_at(changes, at))->time_ns;
	}
	return error;
}

/* Settles the times of the names of @area. A time at which only names change
 * becomes a change without granules, so that an image starts there.
 */
static int settle_names(const struct generated_area *area,
			struct array *replacements, struct array *changes)
{
	const struct generated_extent extent = {
		.start = area->address,
		.end = area->address + area->size_bytes,
		.first_ns = area->first_ns,
		.end_ns = area->end_ns,
	};
	struct array others = ARRAY_OF(uint64_t);
	int error = generated_times_settle(area->names, &extent, replacements,
					   &others);

	for (size_t i = 0; i < others.count && !error; i++) {
		const struct change change = {
			.time_ns = *(uint64_t *)array_at(&others, i),
			.order = changes->count,
			.address = area->sources->address,
		};

		error = array_append(changes, &change);
	}
	array_free(&others);
	return error;
}

int generated_images_make(const struct generated_area *area,
			  struct generated_budget *budget, struct arena *arena,
			  struct array *events)
{
	struct array pages = ARRAY_OF(struct generated_page);
	struct array changes = ARRAY_OF(struct change);
	struct array replacements = ARRAY_OF(struct generated_replacement);
	int error = 0;

	for (size_t i = 0, count; i < area->source_count && !error;
	     i += count) {
		const struct generated_source *sources = area->sources + i;

		for (count = 1; i + count < area->source_count &&
				sources[count].address == sources->address;)
			count++;
		error = make_page(area, sources, count, budget, arena, &pages,
				  &changes, &replacements);
	}
	if (!error && area->names && area->source_count)
		error = settle_names(area, &replacements, &changes);
	array_sort_by(&changes, KEYS(RISING(struct change, time_ns),
				     RISING(struct change, order)));
	if (!error)
		error = make_images(area, &pages, &changes, budget, arena,
				    events);
	array_free(&pages);
	array_free(&changes);
	array_free(&replacements);
	return error;
}

const uint8_t *generated_image_bytes(const struct generated_image *image,
				     uint64_t address, size_t *left)
{
	const struct array pages = {
		.items = image->pages,
		.count = image->page_count,
		.item_size = sizeof(*image->pages),
	};
	uint64_t start = address & -(uint64_t)PAGE;
	size_t at = array_count_below(
		&pages, KEYS(RISING(struct generated_page, address)), start);
	size_t offset = (size_t)(address - start);
	const struct generated_page *page;
	size_t granule = offset / GRANULE;

	if (at == pages.count)
		return NULL;
	page = &image->pages[at];
	if (page->address != start || has_bit(page->unknown, granule))
		return NULL;
	do
		granule++;
	while (granule < GRANULES && !has_bit(page->unknown, granule));
	*left = granule * GRANULE - offset;
	return page->bytes + offset;
}

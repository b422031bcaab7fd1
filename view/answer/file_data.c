/* SPDX-License-Identifier: MIT */
#include "view/answer/file_data.h"

#include "common/array.h"
#include "common/error.h"
#include "common/packed_bytes.h"
#include "report/diff/diff_table.h"
#include "report/profile/profile.h"
#include "report/text/duration_text.h"
#include "view/answer/answer.h"
#include "view/answer/answer_json_internal.h"
#include "view/answer/json_out_internal.h"
#include "view/data/call_sums.h"
#include "view/data/slice_store.h"

#include <stdlib.h>
#include <string.h>

/* The profile of a page in a file, which has no server to ask: sums of few
 * parts of the recording's time, and only of call paths that are large enough.
 *
 *	call_sums ─► each thread's paths with their times ─► choose_all()
 *	─► places: paths that are kept ─► sums of each place, part by part
 *
 * A small path is merged into its caller, whose place has a smaller number, so
 * that all times still add up. A path in another part of the profile than its
 * caller is kept even if it is small.
 */

/* Maximum number of parts of the recording's time for which a page in a file
 * has call sums; a part is one or more cells.
 */
enum { FILE_PARTS_MOST = 20 };

/* A call path with less than 1/2000 of the whole time is merged into its
 * caller, unless it is in another part of the profile
 * (report/profile/profile.h).
 */
enum { FILE_PROFILE_SMALLEST = 2000 };

/* One call path of a thread, and its sums. */
struct file_place {
	uint32_t parent; /* a smaller number; CALL_PATH_NONE: a root */
	uint32_t path;
	uint32_t function; /* function number; of a root: the thread's number */
	enum profile_part part;
	bool ends_interrupt; /* CALL_INTERRUPT_END */
	uint64_t self_ns[FILE_PARTS_MOST];
	uint64_t calls[FILE_PARTS_MOST];
};

/* The call paths of all threads in the file. */
struct file_places {
	struct array places; /* struct file_place */
	uint64_t left_out;   /* number of paths left out */
	size_t part_cells;
};

/* A path of the current thread. */
struct thread_path {
	uint64_t all_ns; /* time with callees, in the whole recording */
	/* place of this path, or of its nearest included caller */
	uint32_t place;
	enum profile_part part;
	bool is_used; /* this path or one below it has sums */
};

struct finder {
	const struct view_sources *sources;
	const struct call_sums *calls;
	const struct call_path *paths;
	struct file_places *places;
	uint64_t all_ns;	     /* time of all threads */
	uint32_t thread;	     /* current thread */
	struct thread_path *of_path; /* by path, for the current thread */
	struct array used;	     /* uint32_t: paths with is_used */
};

/* Called with each sum of a thread in a span. */
typedef int finder_fn(struct finder *finder, const struct call_sum *sum,
		      size_t cell);

static int each_sum(struct finder *finder, const struct call_frame *frame,
		    size_t cell, finder_fn *consume)
{
	struct array read;
	int status = call_sums_read(finder->calls, frame, &read);
	const struct call_sum *sums = read.items;

	for (size_t i = 0; i < read.count && !status; i++)
		status = consume(finder, &sums[i], cell);
	array_free(&read);
	return status;
}

/* Calls @consume with the thread's sums, in spans of up to level @most. */
static int each_of_thread(struct finder *finder, uint32_t most,
			  finder_fn *consume)
{
	size_t count = call_sums_spans(finder->calls, 0);
	size_t cells;
	int status = 0;

	for (size_t i = 0; i < count && !status; i += cells) {
		uint32_t level = call_sums_largest(finder->calls, i, count,
						   false, most, &cells);
		const struct call_frame *frame = call_span_frame(
			call_sums_span(finder->calls, level, i / cells),
			finder->thread);

		if (frame)
			status = each_sum(finder, frame, i, consume);
	}
	return status;
}

static int add_to_all(struct finder *finder, const struct call_sum *sum,
		      size_t cell)
{
	(void)cell;
	finder->all_ns += sum->self_ns;
	return 0;
}

/* Adds a sum to its path, and marks the path and its callers as used. */
static int add_time(struct finder *finder, const struct call_sum *sum,
		    size_t cell)
{
	uint32_t path = sum->path;

	(void)cell;
	finder->of_path[path].all_ns += sum->self_ns;
	while (path != CALL_PATH_NONE && !finder->of_path[path].is_used) {
		if (array_append(&finder->used, &path) < 0)
			return -ERROR_MEMORY;
		finder->of_path[path].is_used = true;
		path = finder->paths[path].parent;
	}
	return 0;
}

/* Adds a sum to the part of time of its cell. */
static int add_to_part(struct finder *finder, const struct call_sum *sum,
		       size_t cell)
{
	struct file_place *kept = array_at(&finder->places->places,
					   finder->of_path[sum->path].place);
	size_t part = cell / finder->places->part_cells;

	kept->self_ns[part] += sum->self_ns;
	/* Calls of a path that is left out are not calls of its caller. */
	if (kept->path == sum->path)
		kept->calls[part] += sum->calls;
	return 0;
}

/* Returns whether path @path is included. A path in a different part from its
 * caller is included even if it is small, since merging would count it in the
 * wrong part.
 */
static bool is_kept(const struct finder *finder, uint32_t path,
		    enum profile_part caller_part)
{
	const struct thread_path *own = &finder->of_path[path];

	return own->all_ns * FILE_PROFILE_SMALLEST >= finder->all_ns ||
	       (own->all_ns && own->part != caller_part);
}

/* Sets the place of @path. The places of its callers must be set. */
static int choose(struct finder *finder, uint32_t path)
{
	const struct call_path *called = &finder->paths[path];
	struct thread_path *own = &finder->of_path[path];
	const struct thread_path *caller = NULL;
	struct array *places = &finder->places->places;
	struct file_place *place;

	if (path) {
		caller = &finder->of_path[called->parent];
		own->part = profile_part_of_call(finder->sources->kinds,
						 called->function,
						 called->ends_interrupt,
						 caller->part);
		own->place = caller->place;
		if (!is_kept(finder, path, caller->part)) {
			finder->places->left_out++;
			return 0;
		}
	} else {
		own->part = thread_part(finder->sources, finder->thread);
	}
	place = array_add(places);
	if (!place)
		return -ERROR_MEMORY;
	place->parent = caller ? caller->place : CALL_PATH_NONE;
	place->path = path;
	place->function = path ? called->function : finder->thread;
	place->ends_interrupt = path && called->ends_interrupt;
	place->part = own->part;
	own->place = (uint32_t)places->count - 1;
	return 0;
}

/* Adds each path's time to its caller's, and sets the places. Callers have
 * smaller numbers.
 */
static int choose_all(struct finder *finder)
{
	const uint32_t *used;
	int status = 0;

	array_sort_by(&finder->used, KEYS(RISING_NUMBER(uint32_t)));
	used = finder->used.items;
	for (size_t i = finder->used.count; i-- > 1;)
		finder->of_path[finder->paths[used[i]].parent].all_ns +=
			finder->of_path[used[i]].all_ns;
	for (size_t i = 0; i < finder->used.count && !status; i++)
		status = choose(finder, used[i]);
	return status;
}

static int find_of_thread(struct finder *finder, uint32_t thread)
{
	const uint32_t *used;
	int status;

	finder->thread = thread;
	status = each_of_thread(finder, CALL_LEVELS_MOST, add_time);
	if (!status)
		status = choose_all(finder);
	if (!status)
		status = each_of_thread(finder, 0, add_to_part);
	used = finder->used.items;
	for (size_t i = 0; i < finder->used.count; i++)
		finder->of_path[used[i]] = (struct thread_path){ 0 };
	finder->used.count = 0;
	return status;
}

static int find_all(struct finder *finder)
{
	uint32_t threads = (uint32_t)finder->sources->summary->threads.count;
	int status = 0;

	for (uint32_t i = 0; i < threads && !status; i++) {
		finder->thread = i;
		status = each_of_thread(finder, CALL_LEVELS_MOST, add_to_all);
	}
	for (uint32_t i = 0; i < threads && !status; i++)
		status = find_of_thread(finder, i);
	return status;
}

/* Returns 0 or a negative enum error. The caller must free @places either way.
 */
static int file_places_find(struct file_places *places,
			    const struct view_sources *sources)
{
	struct finder finder = {
		.sources = sources,
		.calls = sources->summary->calls,
		.places = places,
		.used = ARRAY_OF(uint32_t),
	};
	uint32_t count;
	int status = -ERROR_MEMORY;

	finder.paths = call_sums_paths(finder.calls, &count);
	*places = (struct file_places){
		.places = ARRAY_OF(struct file_place),
		.part_cells =
			call_sums_spans(finder.calls, 0) / FILE_PARTS_MOST + 1,
	};
	finder.of_path = calloc(count, sizeof(*finder.of_path));
	if (finder.of_path)
		status = find_all(&finder);
	array_free(&finder.used);
	free(finder.of_path);
	return status;
}

/* Writes the number of each place's parent (-1: none). */
static void write_parents(const struct array *places, struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "parents");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++)
		json_signed(json, (int32_t)items[i].parent);
	json_end(json, "[]");
}

/* Writes each place's function; for a root the thread's number. */
static void write_functions(const struct array *places,
			    struct answer_names *named, struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "functions");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		json_number(json, items[i].function);
		if (items[i].path)
			answer_names_add(named, items[i].function);
	}
	json_end(json, "[]");
}

/* Writes each place's profile part: a thread's own part; a call's if its
 * function alone decides it; -1 if it is inherited from the caller.
 */
static void write_profile_parts(const struct array *places,
				const struct context_kinds *kinds,
				struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "profile_parts");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		enum profile_part part = items[i].part;

		/* No function alone makes a call PROFILE_IDLE, so this value
		 * means the caller's part.
		 */
		if (items[i].path)
			part = profile_part_of_call(kinds, items[i].function,
						    items[i].ends_interrupt,
						    PROFILE_IDLE);
		json_signed(json, items[i].path && part == PROFILE_IDLE ?
					  -1 :
					  (int)part);
	}
	json_end(json, "[]");
}

/* Writes the sums of part @part of the time: place, calls, self time. */
static void write_sums(const struct array *places, size_t part,
		       struct json_out *json)
{
	const struct file_place *items = places->items;

	json_key(json, "sums");
	json_begin(json, "[]");
	for (size_t i = 0; i < places->count; i++) {
		if (!items[i].calls[part] && !items[i].self_ns[part])
			continue;
		json_number(json, i);
		json_number(json, items[i].calls[part]);
		json_number(json, items[i].self_ns[part]);
	}
	json_end(json, "[]");
}

static void write_parts(const struct file_places *places,
			const struct view_summary *summary,
			struct json_out *json)
{
	size_t count = call_sums_spans(summary->calls, 0);

	json_key(json, "parts");
	json_begin(json, "[]");
	for (size_t i = 0; i < count; i += places->part_cells) {
		size_t next = i + places->part_cells;
		uint64_t begin_ns =
			call_sums_span(summary->calls, 0, i)->begin_ns;
		uint64_t end_ns =
			call_sums_span(summary->calls, 0,
				       (next < count ? next : count) - 1)
				->end_ns;

		json_begin(json, "{}");
		json_member_signed(json, "from",
				   (int64_t)(begin_ns - summary->first_ns));
		json_member_signed(json, "to",
				   (int64_t)(end_ns - summary->first_ns));
		write_sums(&places->places, i / places->part_cells, json);
		json_end(json, "{}");
	}
	json_end(json, "[]");
}

/* Writes the members "places", "parts" and "left_out_places" of a page in a
 * file: call sums of a few parts of the recording's time.
 *
 * Returns 0 or a negative enum error.
 */
static int file_profile_write(const struct view_sources *sources,
			      struct answer_names *named, struct json_out *json)
{
	struct file_places places;
	int status = file_places_find(&places, sources);

	if (!status) {
		json_key(json, "places");
		json_begin(json, "{}");
		write_parents(&places.places, json);
		write_functions(&places.places, named, json);
		write_profile_parts(&places.places, sources->kinds, json);
		json_end(json, "{}");
		json_member_number(json, "left_out_places", places.left_out);
		write_parts(&places, sources->summary, json);
	}
	array_free(&places.places);
	return status;
}

/* Approximate size of a slice as JSON; slices may use half of the total size.
 */
enum { SLICE_BYTES = 48, PART_OF_SLICES = 2 };

/* Number of depths; deeper calls count as the deepest. */
enum { DEPTHS = 256 };

/* The slices that a page has. Many threads have many slices even on the last
 * level. Most are calls that are too short to be drawn apart there: these are
 * included down to a call depth only.
 */
struct slice_choice {
	uint32_t level;
	uint64_t short_ns; /* shorter calls have slices only at some depths */
	uint32_t depths;   /* those depths: the ones below this number */
};

/* Counts slices, and also writes them if member json is set. */
struct slice_writer {
	struct slice_callback callback;
	const struct view_summary *summary;
	const struct slice_choice *choice;
	uint64_t count; /* number of slices, without those in short_counts */
	uint64_t short_counts[DEPTHS];
	struct json_out *json; /* NULL: only count */
	struct answer_names *named;
};

static void write_slice(struct slice_callback *callback,
			const struct view_slice *slice)
{
	struct slice_writer *writer = (struct slice_writer *)callback;
	uint32_t depth = slice->depth < DEPTHS ? slice->depth : DEPTHS - 1;

	if (!track_has_calls(slice->track) ||
	    slice->end_ns - slice->begin_ns >= writer->choice->short_ns) {
		writer->count++;
	} else {
		writer->short_counts[depth]++;
		if (depth >= writer->choice->depths)
			return;
	}
	if (writer->json)
		slice_json(slice, writer->summary, writer->named, writer->json);
}

static int read_track(struct slice_writer *writer, uint32_t level,
		      uint32_t track)
{
	if (writer->json) {
		json_begin(writer->json, "{}");
		json_member_number(writer->json, "track", track);
		json_key(writer->json, "slices");
		json_begin(writer->json, "[]");
	}
	return slice_store_read(writer->summary->slices, level, track,
				TIME_WINDOW_ALL, &writer->callback);
}

static int read_tracks(struct slice_writer *writer)
{
	uint32_t level = writer->choice->level;
	uint32_t tracks = slice_store_tracks(writer->summary->slices, level);
	int status = 0;

	for (uint32_t i = 0; i < tracks && !status; i++) {
		status = read_track(writer, level, i);
		if (writer->json) {
			json_end(writer->json, "[]");
			json_end(writer->json, "{}");
		}
	}
	return status;
}

/* Returns how many depths of short calls fit beside the other slices: at least
 * one.
 */
static uint32_t find_depths(const struct slice_writer *writer, uint64_t most)
{
	uint64_t count = writer->count + writer->short_counts[0];
	uint32_t depths = 1;

	for (; depths < DEPTHS; depths++) {
		count += writer->short_counts[depths];
		if (count > most)
			break;
	}
	return depths;
}

/* Returns the first level that fits, or else the last level, and as many depths
 * of short calls as fit.
 */
static struct slice_choice choose_slices(const struct view_summary *summary,
					 uint64_t most_bytes)
{
	uint64_t most = most_bytes / (SLICE_BYTES * PART_OF_SLICES);
	struct slice_choice choice = { 0 };

	for (;; choice.level++) {
		struct slice_writer writer = {
			.callback = { .consume = write_slice },
			.summary = summary,
			.choice = &choice,
		};

		choice.short_ns =
			view_summary_resolution(summary, choice.level);
		choice.depths =
			read_tracks(&writer) ? 1 : find_depths(&writer, most);
		if (choice.depths == DEPTHS ||
		    choice.level + 1 >= summary->levels)
			return choice;
		choice.depths = 0;
	}
}

static void write_notice(const struct view_summary *summary,
			 const struct slice_choice *choice,
			 struct json_out *json)
{
	struct duration_text shortest = duration_text_of(choice->short_ns);
	char depths[64] = "";
	char text[500];

	if (choice->depths < DEPTHS)
		snprintf(depths, sizeof(depths),
			 ", and left out below call level %u", choice->depths);
	snprintf(text, sizeof(text),
		 "A saved page: adjacent slices shorter than %s are merged%s, "
		 "profiles are of fixed parts of the time, and functions with "
		 "less than 1/%u of all time count as their callers. ktrace-hw "
		 "view shows everything.",
		 shortest.text, depths, FILE_PROFILE_SMALLEST);
	json_member_text(json, "notice", text);
	json_member_number(json, "resolution_ns",
			   view_summary_resolution(summary, choice->level));
}

static int write_slices(const struct view_sources *sources,
			const struct slice_choice *choice,
			struct answer_names *named, struct json_out *json)
{
	struct slice_writer writer = {
		.callback = { .consume = write_slice },
		.summary = sources->summary,
		.choice = choice,
		.json = json,
		.named = named,
	};
	int status;

	json_key(json, "tracks");
	json_begin(json, "[]");
	status = read_tracks(&writer);
	json_end(json, "[]");
	return status;
}

/* Writes the slices and profiles as JSON. */
static int write_unpacked(const struct view_sources *sources,
			  const struct slice_choice *choice,
			  struct answer_names *named, FILE *out)
{
	struct json_out json = json_out_to(out);
	int status;

	json_begin(&json, "{}");
	status = write_slices(sources, choice, named, &json);
	if (!status)
		status = file_profile_write(sources, named, &json);
	json_end(&json, "{}");
	json_out_end(&json);
	return status;
}

/* Writes the slices and profiles as the member "packed": their JSON, which has
 * many similar numbers, compressed with gzip, in base64.
 */
static int write_packed(const struct view_sources *sources,
			const struct slice_choice *choice,
			struct answer_names *named, struct json_out *json)
{
	struct byte_buffer packed = { 0 };
	struct byte_buffer text = { 0 };
	char *bytes = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&bytes, &size);
	int status = memory ? write_unpacked(sources, choice, named, memory) :
			      -ERROR_MEMORY;

	if (memory && fclose(memory) && !status)
		status = -ERROR_MEMORY;
	if (!status) {
		byte_buffer_gzip(&packed, bytes, size);
		byte_buffer_add(&text, "\"", 1);
		byte_buffer_base64(&text, packed.bytes, packed.size);
		byte_buffer_text(&text, "\"");
		status = packed.failed || text.failed ? -ERROR_MEMORY : 0;
	}
	if (!status)
		json_member_value(json, "packed", (const char *)text.bytes);
	byte_buffer_free(&packed);
	byte_buffer_free(&text);
	free(bytes);
	return status;
}

static int write_all(const struct view_sources *sources,
		     const struct slice_choice *choice, struct json_out *json)
{
	const struct view_request none = { 0 };
	struct answer_names named;
	int status = answer_names_init(&named, sources->functions);

	if (status < 0)
		return status;
	json_begin(json, "{}");
	json_key(json, "recording");
	json_begin(json, "{}");
	if (answer_recording(sources, &none, json) != VIEW_OK)
		status = -ERROR_MEMORY;
	json_end(json, "{}");
	write_notice(sources->summary, choice, json);
	if (!status)
		status = write_packed(sources, choice, &named, json);
	answer_names_write(&named, json);
	json_end(json, "{}");
	answer_names_free(&named);
	return status;
}

int file_data_write(const struct view_sources *sources, uint64_t most_bytes,
		    FILE *out)
{
	const struct slice_choice choice =
		choose_slices(sources->summary, most_bytes);
	struct json_out json = json_out_to(out);
	int status = write_all(sources, &choice, &json);

	json_out_end(&json);
	return status;
}

static void write_side(struct json_out *json, const char *name,
		       const struct diff_side *side, uint32_t recordings)
{
	struct diff_value mean = diff_side_mean(side, recordings);

	json_key(json, name);
	json_begin(json, "{}");
	json_member_number(json, "total_ns", diff_rounded(mean.total_ns));
	json_member_number(json, "count", diff_rounded(mean.count));
	json_member_number(json, "mean_ns", diff_value_each(&mean));
	json_member_number(json, "p99_ns", diff_rounded(mean.p99_ns));
	json_end(json, "{}");
}

static void write_row(struct json_out *json, const struct diff_row *row,
		      const uint32_t recordings[2])
{
	double change_ns = diff_row_change(row, recordings);

	json_begin(json, "{}");
	json_member_text(json, "section", diff_section_name(row->section));
	json_member_text(json, "comm", row->comm);
	json_member_text(json, "name", row->name);
	json_member_text(json, "note", diff_row_note(row, recordings));
	json_member_signed(json, "change_ns",
			   change_ns < 0 ? -(int64_t)diff_rounded(-change_ns) :
					   (int64_t)diff_rounded(change_ns));
	write_side(json, "a", &row->sides[0], recordings[0]);
	write_side(json, "b", &row->sides[1], recordings[1]);
	json_end(json, "{}");
}

static void write_rows(struct json_out *json, const struct diff_table *table,
		       uint64_t top)
{
	uint64_t written[DIFF_SECTIONS] = { 0 };

	json_key(json, "rows");
	json_begin(json, "[]");
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct diff_row *row = array_at(&table->rows, i);

		if (written[row->section]++ < top)
			write_row(json, row, table->recordings);
	}
	json_end(json, "[]");
}

static void write_notes(struct json_out *json, const struct diff_table *table)
{
	json_key(json, "left_out");
	json_begin(json, "[]");
	for (int i = 0; i < DIFF_SECTIONS; i++)
		if (table->is_left_out[i])
			json_text(json,
				  diff_section_name((enum diff_section)i));
	json_end(json, "[]");
	json_key(json, "notes");
	json_begin(json, "[]");
	for (size_t i = 0; i < table->notes.count; i++)
		json_text(json, *(char **)array_at(&table->notes, i));
	json_end(json, "[]");
	json_member_bool(json, "is_chosen", table->is_chosen);
}

/* Writes the comma-separated names in @list as an array. */
static void write_names(struct json_out *json, const char *key,
			const char *list)
{
	char *copy = strdup(list);
	char *rest = copy;
	const char *name;

	json_key(json, key);
	json_begin(json, "[]");
	while ((name = strsep(&rest, ",")))
		json_text(json, name);
	json_end(json, "[]");
	free(copy);
}

void diff_data_write(const struct diff_table *table, const char *const sides[2],
		     uint64_t top, FILE *out)
{
	struct json_out json = json_out_to(out);

	json_begin(&json, "{}");
	write_names(&json, "a", sides[0]);
	write_names(&json, "b", sides[1]);
	write_notes(&json, table);
	write_rows(&json, table, top);
	json_end(&json, "{}");
	json_out_end(&json);
}

/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_space.h"
#include "decoder/code/process_maps.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/branch_internal.h"
#include "decoder/libipt/libipt_events_internal.h"
#include "decoder/libipt/libipt_segment_internal.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <intel-pt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The flow source that decodes Intel PT with libipt, independently of the
 * decoder in intel_pt/ and execution/.
 *
 *	stream ─► segments, which end where bytes are missing ─► libipt's blocks and
 *	events (libipt_events.c) ─► struct flow_batch, which determines times ─► items
 *
 * libipt_next() decodes until a batch is full or the segment ends, and inserts
 * the task switches by time. After an error, recover() continues at the next
 * PSB, with unknown state and a gap. The code that libipt reads is an image,
 * rebuilt when the recorded code or the process changes.
 */

/* Code in libipt's form: file sections with a section cache.
 *
 * The cache keeps every section mapped, with data about its blocks; without it
 * libipt unmaps and forgets a section whenever control leaves it, and is fifty
 * times slower where kernel and modules alternate.
 */
struct intel_image {
	struct pt_image_section_cache *cache;
	struct pt_image *image;
	struct pt_image *old;
	struct array sections; /* int: the regions' sections in the cache */
	struct array maps;     /* borrowed: the mappings of the process */
};

/* The code as libipt reads it: an image of the current code. */
struct libipt_code {
	struct code_space *space;
	struct intel_image *image;
	uint64_t next_change_ns;
	const struct log *log;
};

static int cache_region(struct intel_image *image,
			const struct code_region *region)
{
	const char *path = region->file_path ? region->file_path : region->path;
	int isid = pt_iscache_add_file(image->cache, path, region->file_offset,
				       region->size_bytes, region->first);
	int *section = isid < 0 ? NULL : array_add(&image->sections);

	if (section)
		*section = isid;
	return section || isid < 0 ? isid : -pte_nomem;
}

/* Returns an image of the regions only, or NULL when out of memory. */
static struct pt_image *make_image(const struct intel_image *image)
{
	struct pt_image *made = pt_image_alloc(NULL);

	for (size_t i = 0; made && i < image->sections.count; i++) {
		const int *isid = array_at(&image->sections, i);

		if (pt_image_add_cached(made, image->cache, *isid, NULL) < 0) {
			pt_image_free(made);
			return NULL;
		}
	}
	return made;
}

static void intel_image_drop_old(struct intel_image *image)
{
	pt_image_free(image->old);
	image->old = NULL;
}

static void intel_image_free(struct intel_image *image)
{
	if (!image)
		return;
	pt_image_free(image->image);
	pt_image_free(image->old);
	pt_iscache_free(image->cache);
	array_free(&image->sections);
	free(image);
}

/* Creates an image of the @regions (struct code_region), whose files must exist
 * as long as the image. Returns NULL when out of memory.
 */
static struct intel_image *intel_image_new(const struct array *regions,
					   const struct log *log)
{
	struct intel_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->sections = ARRAY_OF(int);
	image->cache = pt_iscache_alloc(NULL);
	if (!image->cache || pt_iscache_set_limit(image->cache, UINT64_MAX) < 0)
		goto fail;
	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *region = array_at(regions, i);
		int status = cache_region(image, region);

		if (status == -pte_nomem)
			goto fail;
		if (status < 0)
			log_message(log, LOG_WARNING, region->file_path,
				    region->file_offset,
				    "code at %#llx is not usable: %s",
				    (unsigned long long)region->first,
				    pt_errstr(pt_errcode(status)));
	}
	image->image = make_image(image);
	if (!image->image)
		goto fail;
	return image;
fail:
	intel_image_free(image);
	return NULL;
}

/* Returns the pt_image, owned by @image. */
static struct pt_image *intel_image_get(const struct intel_image *image)
{
	return image->image;
}

/* Adds the file of a mapping to the image. Does nothing if the mapping's name
 * is not the path of a readable file of this machine.
 */
static void add_map(const struct intel_image *image, struct pt_image *made,
		    const struct process_map *map)
{
	int isid;

	if (map->path[0] != '/')
		return;
	isid = pt_iscache_add_file(image->cache, map->path, map->file_offset,
				   map->size_bytes, map->address);
	if (isid >= 0)
		pt_image_add_cached(made, image->cache, isid, NULL);
}

/* Reads generated code, which is in no file. Returns how many bytes it read, or
 * a negative libipt error.
 */
static int read_generated(uint8_t *bytes, size_t size,
			  const struct pt_asid *asid, uint64_t address,
			  void *context)
{
	const struct intel_image *image = context;
	size_t done = 0;

	(void)asid;
	while (done < size) {
		size_t left;
		const uint8_t *piece = process_maps_generated(
			&image->maps, address + done, &left);

		if (!piece)
			break;
		if (left > size - done)
			left = size - done;
		memcpy(bytes + done, piece, left);
		done += left;
	}
	return done ? (int)done : -pte_nomap;
}

/* Rebuilds the image with the code of a process (struct process_map, oldest
 * first) in addition to the regions. The previous pt_image must not be used any
 * more after intel_image_drop_old() is called.
 *
 * Skips files that cannot be read: their code is unknown. Returns 0 or
 * -ERROR_MEMORY.
 */
static int intel_image_set_process(struct intel_image *image,
				   const struct array *maps)
{
	struct pt_image *made = make_image(image);

	if (!made)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < maps->count; i++)
		add_map(image, made, array_at(maps, i));
	image->maps = *maps;
	pt_image_set_callback(made, read_generated, image);
	intel_image_drop_old(image);
	image->old = image->image;
	image->image = made;
	return 0;
}

/* Returns an image of the current code, or NULL when out of memory. */
static struct intel_image *make_code_image(const struct libipt_code *code)
{
	struct array pieces = ARRAY_OF(struct code_region);
	struct intel_image *image = NULL;

	if (!code_space_pieces(code->space, &pieces))
		image = intel_image_new(&pieces, code->log);
	array_free(&pieces);
	return image;
}

static int set_process(const struct libipt_code *code,
		       struct intel_image *image)
{
	const struct array *maps = code_space_maps(code->space);

	return maps ? intel_image_set_process(image, maps) : 0;
}

/* Opens the code of @input as it was at the start. Returns 0 or a negative enum
 * error; must be closed either way.
 */
static int code_open(struct libipt_code *code, const struct flow_input *input)
{
	/* Spaces are not needed here. */
	int error = code_space_open(input, 0, CODE_VIEW_FILES, &code->space);

	code->log = input->log;
	if (error)
		return error;
	code->image = make_code_image(code);
	if (!code->image || set_process(code, code->image) < 0)
		return -ERROR_MEMORY;
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}

static void note_change(void *ctx, uint64_t first, uint64_t end)
{
	bool *has_changed = ctx;

	(void)first;
	(void)end;
	*has_changed = true;
}

static void code_close(struct libipt_code *code)
{
	intel_image_free(code->image);
	code_space_close(code->space);
}

/* Applies code changes up to @time_ns for @blocks. Must be called when its
 * clock has passed next_change_ns. Returns 0 or -ERROR_MEMORY.
 */
static int code_update(struct libipt_code *code, uint64_t time_ns,
		       struct pt_block_decoder *blocks)
{
	struct intel_image *image = code->image;
	bool has_changed = false;
	int error = code_space_advance(code->space, time_ns, time_ns,
				       note_change, &has_changed);

	/* libipt's cached blocks of the old bytes are freed with the old image.
	 */
	if (has_changed)
		image = make_code_image(code);
	if (error || !image || set_process(code, image) < 0 ||
	    pt_blk_set_image(blocks, intel_image_get(image)) < 0) {
		if (image != code->image)
			intel_image_free(image);
		return -ERROR_MEMORY;
	}
	if (image != code->image)
		intel_image_free(code->image);
	code->image = image;
	intel_image_drop_old(image);
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}

/* One stream. It is decoded segment by segment; a segment ends where bytes are
 * missing.
 */
struct libipt {
	struct flow_source base;
	struct flow_input input;
	struct stream_bytes bytes;
	struct intel_clock_setup clock_setup;
	struct libipt_code code;
	struct flow_batch *batch;
	struct switch_feed *switches;

	struct libipt_segment *segment; /* NULL: the next is to be opened */
	struct libipt_blocks blocks;
	struct libipt_events events;
	int status;		   /* result of libipt's last call */
	size_t next_segment;	   /* start of the next segment */
	struct loss_cursor losses; /* its next loss ends the segment */
	size_t released;	   /* end of the bytes given back */
	bool is_decoded;	   /* no bytes are left */
	uint64_t end_ns;	   /* end time of the last segment decoded */
	uint64_t end_low_ns; /* lower bound of the last segment's last branch */
	bool at_end;
};

/* Trace bytes are given back to the system in steps of this size. */
#define RELEASE_STEP ((size_t)1 << 20)

/* Number of steps between two checks of the batch's room. A step adds at most
 * three items, and a stop also those of LIBIPT_WALK_MOST instructions.
 */
enum { STEPS = 8 };

_Static_assert(STEPS *(3 + LIBIPT_WALK_MOST) <= FLOW_BATCH_SPARE,
	       "a batch has room for the items of all steps");

static bool is_at_end(const struct libipt *source)
{
	if (source->status < 0)
		return pt_errcode(source->status) == pte_eos;
	return source->status & pts_eos &&
	       !(source->status & pts_event_pending);
}

static void release_bytes(struct libipt *source)
{
	uint64_t position = libipt_segment_position(source->segment);

	if (position < source->released + RELEASE_STEP)
		return;
	source->released = stream_bytes_release(&source->bytes,
						source->released, position);
}

static int update_code(struct libipt *source)
{
	uint64_t time_ns;

	if (source->code.next_change_ns == UINT64_MAX)
		return 0;
	time_ns = libipt_segment_guess_ns(source->segment);
	return time_ns < source->code.next_change_ns ?
		       0 :
		       code_update(&source->code, time_ns,
				   libipt_segment_decoder(source->segment));
}

/* Continues at a PSB, with unknown state. */
static void consume_sync(struct libipt *source, int status, bool is_gap)
{
	if (is_gap)
		source->events.is_off = false;
	source->blocks.last_ip = 0;
	source->status = status;
}

static void recover(struct libipt *source)
{
	bool is_gap;
	int status = libipt_segment_recover(source->segment, source->status,
					    &is_gap);

	consume_sync(source, status, is_gap);
}

static int step(struct libipt *source)
{
	if (update_code(source) < 0)
		return -ERROR_MEMORY;
	if (source->status < 0)
		recover(source);
	else if (source->status & pts_event_pending)
		source->status = libipt_events_consume(&source->events,
						       source->segment,
						       source->code.space,
						       source->blocks.last_ip);
	else
		source->status = libipt_blocks_consume(
			&source->blocks, source->segment, source->code.space);
	return 0;
}

static int open_segment(struct libipt *source)
{
	size_t begin = source->next_segment;
	size_t end = loss_cursor_next(&source->losses, begin);
	const struct libipt_segment_setup setup = {
		.recording = source->input.recording,
		.clock = &source->clock_setup,
		.batch = source->batch,
		.bytes = source->bytes.bytes + begin,
		.size = end - begin,
		.begin = begin,
		.image = intel_image_get(source->code.image),
	};
	bool is_gap;
	int status;

	source->next_segment = end;
	source->segment = libipt_segment_new(&setup);
	if (!source->segment)
		return -ERROR_MEMORY;
	status = libipt_segment_sync(source->segment, 0, FLOW_GAP_UNSYNCED,
				     &is_gap);
	consume_sync(source, status, is_gap);
	return 0;
}

static void close_segment(struct libipt *source)
{
	source->end_low_ns = libipt_segment_low_ns(source->segment);
	libipt_segment_free(source->segment);
	source->segment = NULL;
}

/* Decodes until the batch is full or the segment ends. */
static int decode(struct libipt *source)
{
	while (flow_batch_has_room(source->batch)) {
		for (int i = 0; i < STEPS; i++) {
			if (is_at_end(source)) {
				close_segment(source);
				return 0;
			}
			if (step(source) < 0)
				return -ERROR_MEMORY;
		}
	}
	release_bytes(source);
	return 0;
}

/* Emits @item, the last one of a segment, at the known time @known_ns with the
 * lower bound @low_ns. Flushes the batch before and after it, since each
 * segment has a clock of its own.
 */
static void emit_last(struct libipt *source, const struct flow_item *item,
		      uint64_t low_ns, uint64_t known_ns)
{
	struct flow_stamp *stamp;

	flow_batch_flush(source->batch);
	*flow_batch_next(source->batch, &stamp) = *item;
	*stamp = (struct flow_stamp){
		.low_ns = low_ns,
		.high_ns = UINT64_MAX,
		.known_ns = known_ns,
	};
	flow_batch_add(source->batch);
	flow_batch_flush(source->batch);
}

static void end_segment(struct libipt *source)
{
	const struct aux_stream *stream = source->input.stream;
	bool is_last = source->next_segment == source->bytes.size;
	bool is_lost = !is_last || loss_cursor_is_at_loss(&source->losses);

	flow_batch_flush(source->batch);
	source->is_decoded = is_last;
	source->end_ns = flow_batch_last_ns(source->batch);
	if (is_lost || stream->cut) {
		source->events.is_off = false;
		emit_last(source,
			  &(struct flow_item){
				  .kind = FLOW_GAP,
				  .detail = is_lost ? FLOW_GAP_LOST :
						      FLOW_GAP_CUT,
				  .ip = source->next_segment,
			  },
			  source->end_low_ns, source->end_ns);
	}
}

/* Emits the end of the stream. After its last trace nothing is known, except
 * perhaps a loss.
 */
static void emit_end(struct libipt *source)
{
	uint64_t last_ns = flow_batch_last_ns(source->batch);
	bool is_timed = recording_time(source->input.recording) ==
			RECORDING_TIME_NANOSECONDS;
	uint64_t lost_ns = is_timed ? loss_at_end_ns(source->input.stream) : 0;
	uint64_t low_ns = source->end_low_ns < last_ns ? source->end_low_ns :
							 last_ns;

	if (lost_ns > last_ns)
		emit_last(source, &(struct flow_item){ .kind = FLOW_END },
			  last_ns, lost_ns);
	else
		emit_last(source, &(struct flow_item){ .kind = FLOW_END },
			  low_ns, last_ns);
}

/* Inserts switches by time among the finished items; later ones wait, unless no
 * more items follow.
 */
static int add_switches(struct libipt *source)
{
	bool is_over = source->is_decoded && source->events.is_off &&
		       !recording_is_gated(source->input.recording);
	int status = switch_feed_merge(source->switches, source->batch,
				       source->is_decoded,
				       is_over ? source->end_ns : UINT64_MAX);

	if (status != 1 || !source->is_decoded || source->at_end)
		return status < 0 ? status : 0;
	emit_end(source);
	source->at_end = true;
	return 0;
}

static int decode_more(struct libipt *source)
{
	if (!source->segment && open_segment(source) < 0)
		return -ERROR_MEMORY;
	if (decode(source) < 0)
		return -ERROR_MEMORY;
	if (!source->segment)
		end_segment(source);
	else if (!flow_batch_finished(source->batch))
		flow_batch_flush(source->batch);
	return 0;
}

static int libipt_next(struct flow_source *base, const struct flow_item **items)
{
	struct libipt *source = (struct libipt *)base;

	while (!flow_batch_finished(source->batch)) {
		if (source->at_end)
			return 0;
		if (!source->is_decoded && decode_more(source) < 0)
			return -ERROR_MEMORY;
		if (add_switches(source) < 0)
			return -ERROR_MEMORY;
	}
	return (int)flow_batch_consume(source->batch, items);
}

static const struct flow_item *
libipt_next_switch(const struct flow_source *base)
{
	return switch_feed_peek(((const struct libipt *)base)->switches);
}

static void libipt_close(struct flow_source *base)
{
	struct libipt *source = (struct libipt *)base;

	libipt_segment_free(source->segment);
	switch_feed_free(source->switches);
	flow_batch_free(source->batch);
	code_close(&source->code);
	stream_bytes_close(&source->bytes);
	free(source);
}

static bool is_slow(void *ctx, const struct flow_item *block)
{
	struct libipt *source = ctx;
	size_t left;
	const uint8_t *bytes =
		code_space_bytes(source->code.space, block->ip, &left);

	return bytes && block_looks_slow(bytes, left, block->last);
}

static int set_up(struct libipt *source)
{
	const struct flow_input *input = &source->input;
	int error =
		stream_bytes_open(&source->bytes, input->stream, input->log);

	if (error)
		return error;
	error = code_open(&source->code, input);
	if (error)
		return error;
	source->clock_setup = intel_clock_setup_of(input->recording);
	source->events.mode = UINT8_MAX;
	source->is_decoded = !source->bytes.size;
	source->batch = flow_batch_new(is_slow, source);
	source->switches = switch_feed_new(input->recording, input->stream);
	if (!source->batch || !source->switches)
		return -ERROR_MEMORY;
	return 0;
}

static int libipt_open(const struct flow_input *input,
		       struct flow_source **opened)
{
	struct libipt *source = calloc(1, sizeof(*source));

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &libipt_source;
	source->input = *input;
	source->losses.stream = input->stream;

	int error = set_up(source);

	if (error) {
		libipt_close(&source->base);
		return error;
	}
	*opened = &source->base;
	return 0;
}

const struct flow_source_ops libipt_source = {
	.name = "libipt",
	.open = libipt_open,
	.next = libipt_next,
	.next_switch = libipt_next_switch,
	.close = libipt_close,
};

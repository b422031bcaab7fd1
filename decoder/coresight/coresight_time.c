/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_memory.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/recording/time_conversion.h"

static struct flow_stamp stamp_of_instructions(const struct coresight *source)
{
	return (struct flow_stamp){
		.low_ns = source->instructions,
		.high_ns = source->instructions,
		.known_ns = source->instructions,
	};
}

uint32_t coresight_work(uint64_t cycles)
{
	return cycles < FLOW_WORK_UNKNOWN ? (uint32_t)cycles :
					    FLOW_WORK_UNKNOWN - 1;
}

/* A block is written when it ends: a time stamp before it may have been taken
 * while it ran.  The cycles since the last block say for how long it had.
 */
static bool may_run_already(const struct coresight *source,
			    const struct flow_item *item)
{
	return source->time == RECORDING_TIME_NANOSECONDS && source->known_ns &&
	       source->is_running && item->kind == FLOW_BLOCK;
}

static void allow_for_run(const struct coresight *source,
			  struct flow_stamp *stamp)
{
	stamp->low_ns = source->after_block.low_ns;
	stamp->done = coresight_work(source->cycles.carried);
}

struct flow_stamp coresight_stamp_now(struct coresight *source,
				      const struct flow_item *item)
{
	struct flow_stamp stamp = {
		.low_ns = source->low_ns,
		.high_ns = UINT64_MAX,
		.known_ns = source->known_ns,
	};

	if (may_run_already(source, item))
		allow_for_run(source, &stamp);
	source->known_ns = 0;
	return source->time == RECORDING_TIME_INSTRUCTIONS ?
		       stamp_of_instructions(source) :
		       stamp;
}

struct flow_stamp coresight_stamp_after_block(const struct coresight *source)
{
	return source->time == RECORDING_TIME_INSTRUCTIONS ?
		       stamp_of_instructions(source) :
		       source->after_block;
}

void coresight_count(struct coresight *source, uint32_t count)
{
	source->instructions += count;
	source->after_block = (struct flow_stamp){
		.low_ns = source->low_ns,
		.high_ns = UINT64_MAX,
	};
}

static void bound_entries(struct coresight *source, uint64_t high_ns)
{
	struct coresight_entry *entries = source->entries.items;

	for (; source->bounded < source->entries.count; source->bounded++) {
		struct flow_stamp *stamp = &entries[source->bounded].stamp;

		if (stamp->high_ns == UINT64_MAX)
			stamp->high_ns = high_ns;
	}
	flow_batch_bound(source->batch, high_ns);
}

void coresight_set_now(struct coresight *source, uint64_t now)
{
	bound_entries(source, now);
	if (source->after_block.high_ns == UINT64_MAX)
		source->after_block.high_ns = now;
	source->low_ns = now;
	source->known_ns = now;
}

static void advance_code(struct coresight *source, uint64_t time_ns)
{
	if (time_ns < source->next_change_ns)
		return;
	if (code_space_advance(source->code, time_ns, NULL, NULL) < 0)
		source->error = -ERROR_MEMORY;
	source->next_change_ns = code_space_next_change_ns(source->code);
	if (coresight_memory_refresh(&source->feed.tree, source->code) < 0)
		source->error = -ERROR_MEMORY;
}

void coresight_take_time(struct coresight *source, uint64_t ticks)
{
	const struct recording *recording = source->input.recording;
	uint64_t time_ns;

	if (source->time != RECORDING_TIME_NANOSECONDS || !ticks)
		return;
	time_ns =
		time_conversion_ns(recording_time_conversion(recording), ticks);
	if (time_ns < source->low_ns)
		return;
	coresight_set_now(source, time_ns);
	advance_code(source, time_ns);
}

/* Some trace units take a wait for a branch, most do not: it is anywhere in a
 * block.  Where instructions differ in length only its last one is looked at.
 */
bool coresight_is_slow(void *ctx, const struct flow_item *item)
{
	struct coresight *source = ctx;
	bool is_arm64 = recording_arch(source->input.recording) ==
			RECORDING_ARCH_ARM64;
	uint64_t last = item->ip + item->last;

	if (item->kind == FLOW_STOP)
		return true;
	for (uint64_t at = is_arm64 ? item->ip : last; at <= last; at += 4) {
		size_t left;
		const uint8_t *bytes =
			code_space_bytes(source->code, at, &left);

		if (bytes && coresight_looks_slow(bytes, left))
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_marks.h"
#include "common/formats/recording_events.h"
#include "symbolize/events/function_event.h"

#include "common/bytes.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/events/function_event.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_mark(const struct recording_event *event)
{
	return event && event->name && !strcmp(event->name, GATE_MARK_EVENT);
}

static void add_address(struct probe_mark *mark, uint64_t address)
{
	if (mark->count < GATE_CHAIN_MAX)
		mark->chain[mark->count++] = address;
}

/* Sets @mark's chain to the call chain of @sample, with @caller inserted after
 * the first address, unless it is 0.
 */
static void read_chain(const struct sideband_sample *sample, uint64_t caller,
		       struct probe_mark *mark)
{
	struct byte_reader reader =
		byte_reader_of(sample->chain, (size_t)sample->chain_count * 8);

	for (uint64_t i = 0; i < sample->chain_count; i++) {
		uint64_t address = byte_reader_u64(&reader);

		/* Skips the markers of privilege levels, which are no
		 * addresses.
		 */
		if (address >= (uint64_t)PERF_CONTEXT_MAX)
			continue;
		add_address(mark, address);
		if (mark->count == 1 && caller)
			add_address(mark, caller);
	}
}

bool probe_mark_read(const struct sideband_record *record,
		     struct probe_mark *mark)
{
	const struct sideband_sample *sample = &record->sample;
	struct gate_mark raw = { .caller = 0 };

	if (!is_mark(sample->event) || !sample->raw ||
	    sample->raw_size < GATE_MARK_OLD_SIZE)
		return false;
	/* The kernel appends some bytes of padding. */
	memcpy(&raw, sample->raw,
	       sample->raw_size < sizeof(raw) ? GATE_MARK_OLD_SIZE :
						sizeof(raw));
	if (raw.kind < GATE_BEGIN || raw.kind > GATE_LAST)
		return false;
	*mark = (struct probe_mark){
		.time_ns = record->time_ns,
		.kind = (uint8_t)raw.kind,
	};
	read_chain(sample, raw.caller, mark);
	return true;
}

/* Reads the next mark after those already read, if there is one. */
static int fill(struct gate_feed *feed)
{
	unsigned int place = (feed->first + feed->count) % 2;
	int status = feed->source(feed->ctx, &feed->marks[place]);

	if (status <= 0)
		return status;
	feed->count++;
	return 0;
}

int gate_feed_begin(struct gate_feed *feed, probe_mark_source *source,
		    void *ctx)
{
	int error;

	*feed = (struct gate_feed){ .source = source, .ctx = ctx };
	error = fill(feed);
	return error ? error : fill(feed);
}

const struct probe_mark *gate_feed_first(const struct gate_feed *feed)
{
	return feed->count ? &feed->marks[feed->first] : NULL;
}

const struct probe_mark *gate_feed_second(const struct gate_feed *feed)
{
	return feed->count > 1 ? &feed->marks[1 - feed->first] : NULL;
}

int gate_feed_advance(struct gate_feed *feed)
{
	feed->first = 1 - feed->first;
	feed->count--;
	return fill(feed);
}

/* The maximum difference of the trace's clock and perf's, in addition to the
 * known uncertainty of an event's time. It is far less than the time between
 * two marks, which takes two probes.
 */
enum { CLOCKS_NS = 50, BOUND_MAX_NS = 1000 };

static uint64_t bounded(uint32_t bound_ns)
{
	return CLOCKS_NS + (bound_ns < BOUND_MAX_NS ? bound_ns : BOUND_MAX_NS);
}

static bool is_before(const struct probe_mark *mark,
		      const struct function_event *event)
{
	return mark->time_ns <= event->time_ns + bounded(event->late_ns);
}

static bool is_long_before(const struct probe_mark *mark,
			   const struct function_event *event)
{
	return mark->time_ns + bounded(event->early_ns) < event->time_ns;
}

static enum gate_action skip_or_wait(const struct probe_mark *mark,
				     const struct function_event *event)
{
	return is_before(mark, event) ? GATE_SKIP : GATE_WAIT;
}

static enum gate_action close_or_wait(const struct probe_mark *mark,
				      const struct function_event *event)
{
	return mark->time_ns <= event->time_ns ? GATE_CLOSE : GATE_WAIT;
}

static enum gate_action resume(enum gate_state state,
			       const struct probe_mark *mark,
			       const struct probe_mark *next,
			       const struct function_event *event)
{
	/* The chosen call jumped to another chosen function, or a mark was
	 * lost.
	 */
	if (state != GATE_CLOSED)
		return skip_or_wait(mark, event);
	/* The trace that @mark resumed is missing: its buffer was full. */
	if (next && is_long_before(next, event))
		return GATE_LOSE;
	if (event->kind != FUNCTION_TRACE_START || !is_before(mark, event))
		return GATE_WAIT;
	return GATE_RESUME;
}

static enum gate_action pause_at(enum gate_state state,
				 const struct probe_mark *mark,
				 const struct function_event *event)
{
	if (state == GATE_CLOSED)
		return skip_or_wait(mark, event);
	if (state == GATE_LOST || event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_END)
		return close_or_wait(mark, event);
	if (event->kind != FUNCTION_TRACE_STOP || !is_before(mark, event))
		return GATE_WAIT;
	return GATE_PAUSE;
}

enum gate_action gate_mark_action(enum gate_state state,
				  const struct probe_mark *mark,
				  const struct probe_mark *next,
				  const struct function_event *event)
{
	switch ((enum gate_mark_kind)mark->kind) {
	case GATE_BEGIN:
	case GATE_COME:
		return resume(state, mark, next, event);
	case GATE_END:
	case GATE_LEAVE:
		return pause_at(state, mark, event);
	case GATE_FIRST:
	case GATE_LAST:
		return close_or_wait(mark, event);
	}
	return GATE_SKIP;
}

struct probe_marks {
	struct sideband *sideband;
	int32_t cpu;
};

struct probe_marks *probe_marks_open(const struct recording *recording,
				     int32_t cpu)
{
	struct probe_marks *marks = calloc(1, sizeof(*marks));

	if (!marks)
		return NULL;
	marks->cpu = cpu;
	marks->sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	if (!marks->sideband) {
		probe_marks_close(marks);
		return NULL;
	}
	return marks;
}

void probe_marks_close(struct probe_marks *marks)
{
	if (!marks)
		return;
	sideband_close(marks->sideband);
	free(marks);
}

int probe_marks_next(void *ctx, struct probe_mark *mark)
{
	struct probe_marks *marks = ctx;
	struct sideband_record record;
	int status;

	while ((status = sideband_next(marks->sideband, &record)) > 0)
		if (record.cpu == marks->cpu && probe_mark_read(&record, mark))
			return 1;
	return status;
}

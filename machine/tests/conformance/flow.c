/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/flow.h"

#include "machine/tests/conformance/cycle_times.h"
#include "machine/tests/conformance/flow_items.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

struct flow {
	struct pt_insn_decoder *decoder;
	struct pt_image *image;
	struct code *code;
	const struct trace_stream *stream;
	struct flow_items items;
	int status; /* of the last call to libipt */
	bool synced;
	uint64_t tsc;
	bool cycles; /* times come from cycle_times */
	struct cycle_times cycle_times;
	struct flow_stats stats;
};

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid,
		     uint64_t ip, void *context)
{
	struct flow *flow = context;
	size_t got = code_read(flow->code, ip, buffer, size);

	(void)asid;
	return got ? (int)got : -pte_nomap;
}

static void configure(struct pt_config *config,
		      const struct recording *recording,
		      const struct trace_stream *stream)
{
	pt_config_init(config);
	config->begin = stream->bytes;
	config->end = stream->bytes + stream->size;
	config->mtc_freq = recording->mtc_freq;
	config->nom_freq = recording->nominal_freq;
	config->cpuid_0x15_eax = recording->ctc_denominator;
	config->cpuid_0x15_ebx = recording->ctc_numerator;
}

struct flow *flow_open(const struct recording *recording,
		       const struct trace_stream *stream, struct code *code)
{
	struct flow *flow = calloc(1, sizeof(*flow));
	struct pt_config config;

	if (!flow)
		abort();
	configure(&config, recording, stream);
	flow->stream = stream;
	flow->code = code;
	flow->decoder = pt_insn_alloc_decoder(&config);
	flow->image = pt_image_alloc("guest");
	if (!flow->decoder || !flow->image ||
	    pt_image_set_callback(flow->image, read_code, flow) < 0 ||
	    pt_insn_set_image(flow->decoder, flow->image) < 0) {
		flow_close(flow);
		return NULL;
	}
	flow->cycles = recording->cycles;
	if (flow->cycles)
		cycle_times_init(&flow->cycle_times, stream->bytes,
				 stream->size);
	code_rewind(code);
	return flow;
}

void flow_close(struct flow *flow)
{
	pt_insn_free_decoder(flow->decoder);
	pt_image_free(flow->image);
	cycle_times_fini(&flow->cycle_times);
	free(flow);
}

const struct flow_stats *flow_stats(const struct flow *flow)
{
	return &flow->stats;
}

static uint64_t offset_of(struct flow *flow)
{
	uint64_t offset;

	return pt_insn_get_offset(flow->decoder, &offset) < 0 ? 0 : offset;
}

static bool sync_forward(struct flow *flow)
{
	flow->status = pt_insn_sync_forward(flow->decoder);
	flow->synced = flow->status >= 0;
	return flow->synced;
}

static void set_time(struct flow *flow, uint64_t tsc)
{
	if (tsc == flow->tsc)
		return;
	flow->tsc = tsc;
	code_advance(flow->code, tsc);
}

static void update_time(struct flow *flow)
{
	uint64_t tsc;

	if (flow->cycles)
		set_time(flow,
			 cycle_times_at(&flow->cycle_times, offset_of(flow)));
	else if (pt_insn_time(flow->decoder, &tsc, NULL, NULL) >= 0)
		set_time(flow, tsc);
}

static struct flow_place place(struct flow *flow, uint64_t before)
{
	return (struct flow_place){ .position = offset_of(flow),
				    .before = before,
				    .tsc = flow->tsc,
				    .end = flow->tsc };
}

static int take_event(struct flow *flow)
{
	struct pt_event event;
	struct flow_place at;
	int status = pt_insn_event(flow->decoder, &event, sizeof(event));

	if (flow->cycles)
		update_time(flow);
	else if (status >= 0 && event.has_tsc)
		set_time(flow, event.tsc);
	if (status < 0)
		return status;
	at = place(flow, flow->tsc);
	if (flow->cycles)
		at.end = cycle_times_at_end(&flow->cycle_times, at.position);
	flow->stats.overflows += event.type == ptev_overflow;
	flow_items_event(&flow->items, &at, &event);
	return status;
}

static int take_instruction(struct flow *flow)
{
	struct pt_insn insn = { 0 };
	struct flow_place at;
	uint64_t before = flow->tsc;
	int status = pt_insn_next(flow->decoder, &insn, sizeof(insn));

	update_time(flow);
	/* libipt may return an instruction together with an error. */
	if (insn.iclass == ptic_error)
		return status;
	at = place(flow, before);
	flow->stats.instructions++;
	flow_items_instruction(&flow->items, &at, &insn);
	return status;
}

static void fail(struct flow *flow, int code)
{
	struct flow_place at = place(flow, flow->tsc);

	flow->synced = false;
	if (code == -pte_eos)
		return;
	if (!flow->stats.errors++) {
		flow->stats.first_error = at.position;
		flow->stats.first_code = code;
	}
	flow_items_loss(&flow->items, &at);
}

static void step(struct flow *flow)
{
	int status = flow->status & pts_event_pending ? take_event(flow) :
							take_instruction(flow);

	if (status < 0)
		fail(flow, status);
	else
		flow->status = status;
}

/* libipt stops at the last packet it needs; only padding may follow. */
static void count_undecoded(struct flow *flow)
{
	const struct trace_stream *stream = flow->stream;
	uint64_t end = stream->size;
	uint64_t offset = offset_of(flow);

	while (end > offset && !stream->bytes[end - 1])
		end--;
	flow->stats.undecoded = end - offset;
}

int flow_next(struct flow *flow, struct item *item)
{
	while (!flow_items_take(&flow->items, item)) {
		if (!flow->synced) {
			count_undecoded(flow);
			if (!sync_forward(flow))
				return 0;
		}
		step(flow);
	}
	return 1;
}

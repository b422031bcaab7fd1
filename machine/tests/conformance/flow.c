/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/flow.h"

#include "machine/tests/conformance/cycle_times.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ITEMS = 4 };

struct flow {
	struct pt_insn_decoder *decoder;
	struct pt_image *image;
	struct code *code;
	const struct trace_stream *stream;
	struct item queue[MOST_ITEMS];
	int queued;
	int taken;
	int status; /* libipt's, of the last call */
	bool synced;
	uint64_t last_ip;
	uint64_t branch_ip;   /* its target is not known yet */
	uint8_t branch_class; /* 0: no such branch */
	uint64_t branch_tsc;
	bool wrote_cr3;	      /* the last instruction */
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

static void push(struct flow *flow, enum item_type type, enum item_class class,
		 uint64_t from, uint64_t to)
{
	flow->queue[flow->queued++] = (struct item){
		.type = type,
		.class = class,
		.from = from,
		.to = to,
		.to_known = true,
		.tsc = flow->tsc,
		.position = offset_of(flow),
	};
}

static void push_end(struct flow *flow, enum item_class class, uint64_t from,
		     bool to_known, uint64_t to)
{
	push(flow, ITEM_END, class, from, to);
	flow->queue[flow->queued - 1].to_known = to_known;
	if (flow->cycles)
		flow->queue[flow->queued - 1].tsc =
			cycle_times_at_end(&flow->cycle_times, offset_of(flow));
}

/* Control has arrived at @ip. */
static void resolve_branch(struct flow *flow, uint64_t ip)
{
	if (flow->branch_class) {
		push(flow, ITEM_BRANCH, flow->branch_class, flow->branch_ip,
		     ip);
		flow->queue[flow->queued - 1].tsc = flow->branch_tsc;
	}
	flow->branch_class = CLASS_NONE;
}

static enum item_class class_of(enum pt_insn_class class)
{
	switch (class) {
	case ptic_call:
		return CLASS_CALL;
	case ptic_return:
		return CLASS_RETURN;
	case ptic_jump:
		return CLASS_JUMP;
	case ptic_cond_jump:
		return CLASS_CONDITIONAL;
	case ptic_far_call:
	case ptic_far_return:
	case ptic_far_jump:
		return CLASS_FAR;
	case ptic_error:
	case ptic_other:
	case ptic_ptwrite:
		return CLASS_NONE;
	}
	return CLASS_NONE;
}

/* mov to CR3, with or without REX prefix */
static bool writes_cr3(const struct pt_insn *insn)
{
	const uint8_t *opcode = insn->raw + (insn->size == 4);

	return insn->size >= 3 && opcode[0] == 0x0f && opcode[1] == 0x22 &&
	       (opcode[2] & 0xf8) == 0xd8;
}

/* @before: the time when libipt was asked for it.  By now it may have read
 * on, up to the next branch's packet.
 */
static void take_instruction(struct flow *flow, const struct pt_insn *insn,
			     uint64_t before)
{
	resolve_branch(flow, insn->ip);
	flow->stats.instructions++;
	flow->last_ip = insn->ip;
	flow->branch_class = class_of(insn->iclass);
	flow->branch_ip = insn->ip;
	flow->branch_tsc = before;
	flow->wrote_cr3 = writes_cr3(insn);
}

static void take_disabled(struct flow *flow, const struct pt_event *event)
{
	push_end(flow, flow->branch_class, flow->last_ip, !event->ip_suppressed,
		 event->variant.disabled.ip);
	flow->queue[flow->queued - 1].early = flow->wrote_cr3;
	flow->branch_class = CLASS_NONE;
}

static void take_async_disabled(struct flow *flow, const struct pt_event *event)
{
	uint64_t at = event->variant.async_disabled.at;

	resolve_branch(flow, at);
	push_end(flow, CLASS_ASYNC, at, !event->ip_suppressed,
		 event->variant.async_disabled.ip);
}

static void take_async_branch(struct flow *flow, const struct pt_event *event)
{
	uint64_t from = event->variant.async_branch.from;

	resolve_branch(flow, from);
	push(flow, ITEM_BRANCH, CLASS_ASYNC, from,
	     event->variant.async_branch.to);
}

static void take_loss(struct flow *flow)
{
	flow->branch_class = CLASS_NONE;
	push(flow, ITEM_LOSS, CLASS_NONE, 0, 0);
}

static void take_event(struct flow *flow, const struct pt_event *event)
{
	/* The rest says nothing about the flow of control. */
	if (event->type == ptev_enabled) {
		push(flow, ITEM_START, CLASS_NONE, 0,
		     event->variant.enabled.ip);
	} else if (event->type == ptev_disabled) {
		take_disabled(flow, event);
	} else if (event->type == ptev_async_disabled) {
		take_async_disabled(flow, event);
	} else if (event->type == ptev_async_branch) {
		take_async_branch(flow, event);
	} else if (event->type == ptev_overflow) {
		flow->stats.overflows++;
		take_loss(flow);
	}
}

static void fail(struct flow *flow, int code)
{
	flow->synced = false;
	if (code == -pte_eos)
		return;
	if (!flow->stats.errors++) {
		flow->stats.first_error = offset_of(flow);
		flow->stats.first_code = code;
	}
	take_loss(flow);
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

static void step(struct flow *flow)
{
	struct pt_event event;
	struct pt_insn insn = { 0 };
	uint64_t before = flow->tsc;
	int status;

	if (flow->status & pts_event_pending) {
		status = pt_insn_event(flow->decoder, &event, sizeof(event));
		if (flow->cycles)
			update_time(flow);
		else if (status >= 0 && event.has_tsc)
			set_time(flow, event.tsc);
		if (status >= 0)
			take_event(flow, &event);
	} else {
		status = pt_insn_next(flow->decoder, &insn, sizeof(insn));
		update_time(flow);
		/* With an error there may still be an instruction. */
		if (insn.iclass != ptic_error)
			take_instruction(flow, &insn, before);
	}
	if (status < 0)
		fail(flow, status);
	else
		flow->status = status;
}

/* libipt stops at the last packet it needs: what follows may be padding. */
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
	while (flow->taken == flow->queued) {
		flow->taken = flow->queued = 0;
		if (!flow->synced) {
			count_undecoded(flow);
			if (!sync_forward(flow))
				return 0;
		}
		step(flow);
	}
	*item = flow->queue[flow->taken++];
	return 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/unit.h"
#include "machine/intel_pt/unit_state.h"

enum { LOSS_SEED = 0x6b74 };

void pt_unit_init(struct pt_unit *unit, const struct pt_bus *bus,
		  const struct pt_rates *rates, uint64_t loss_interval)
{
	*unit = (struct pt_unit){ .bus = *bus, .mode = { .cs_l = true } };
	pt_registers_reset(&unit->registers);
	pt_output_init(&unit->output, &unit->registers, &unit->bus);
	pt_timing_init(&unit->timing, &unit->output, rates);
	pt_encoder_init(&unit->encoder, &unit->output, &unit->timing);
	unit_loss_init(&unit->loss, loss_interval, LOSS_SEED);
}

bool pt_unit_is_tracing(const struct pt_unit *unit)
{
	return unit->registers.ctl & CTL_TRACE_EN;
}

static const uint64_t *cr3_for_psb(const struct pt_unit *unit)
{
	return unit->registers.ctl & CTL_OS ? &unit->cr3 : NULL;
}

static void end_loss(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (!unit->output.discarding)
		return;
	unit->output.discarding = false;
	unit_loss_end(&unit->loss);
	/* A decoder learns the mode from a transfer or from a PSB. */
	if (!pt_mode_same(unit->encoder.mode, unit->mode))
		unit->psb_due = true;
	pt_encoder_overflow(&unit->encoder, unit->packet_en ? &ip : NULL, tsc);
}

/* Counts an event for the loss option. A loss ends in pt_unit_arrive(). */
static void maybe_lose(struct pt_unit *unit)
{
	if (unit_loss_event(&unit->loss))
		unit->output.discarding = true;
}

static void start(struct pt_unit *unit, uint64_t tsc)
{
	pt_output_start(&unit->output);
	pt_timing_start(&unit->timing, tsc);
	pt_encoder_forget(&unit->encoder);
	unit->packet_en = false;
	/* A PacketByteCnt of 0 requires a PSB first. It is also 0 after
	 * software has cleared a trace.
	 */
	unit->psb_due = !unit->output.since_psb;
	unit->time_due = true;
	unit->power_state = 0;
	if (!pt_unit_wants_events(unit))
		unit->mode.interrupts = false;
}

static void stop(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (unit_trigger_en(unit)) {
		end_loss(unit, ip, tsc);
		unit_say_time(unit, tsc);
		if (unit->packet_en) {
			pt_encoder_ip(&unit->encoder, PT_FUP, ip, tsc);
			pt_encoder_pgd_no_ip(&unit->encoder, tsc);
		}
		pt_encoder_flush_tnt(&unit->encoder);
	}
	unit->packet_en = false;
	pt_output_flush(&unit->output);
}

enum pt_msr_result pt_unit_read_msr(struct pt_unit *unit, uint32_t msr,
				    uint64_t *value)
{
	if (pt_unit_is_tracing(unit))
		pt_output_flush(&unit->output);
	return pt_registers_read(&unit->registers, msr, value);
}

enum pt_msr_result pt_unit_write_msr(struct pt_unit *unit, uint32_t msr,
				     uint64_t value, uint64_t ip, uint64_t tsc)
{
	bool was_tracing = pt_unit_is_tracing(unit);

	if (msr == MSR_RTIT_CTL && was_tracing && !(value & CTL_TRACE_EN)) {
		struct pt_registers probe = unit->registers;

		if (pt_registers_write(&probe, msr, value) != PT_MSR_DONE)
			return PT_MSR_FAULT;
		stop(unit, ip, tsc);
	}

	enum pt_msr_result result =
		pt_registers_write(&unit->registers, msr, value);

	if (result == PT_MSR_DONE && !was_tracing && pt_unit_is_tracing(unit))
		start(unit, tsc);
	return result;
}

static void leave(struct pt_unit *unit, uint64_t to, uint64_t tsc)
{
	if (unit_context_en(unit, to))
		pt_encoder_ip(&unit->encoder, PT_TIP_PGD, to, tsc);
	else
		pt_encoder_pgd_no_ip(&unit->encoder, tsc);
	unit->packet_en = false;
}

static void transfer(struct pt_unit *unit, uint64_t to, uint64_t tsc)
{
	pt_encoder_mode(&unit->encoder, unit->mode, tsc);
	pt_encoder_ip(&unit->encoder, PT_TIP, to, tsc);
}

/* A call to the next instruction only reads the IP. Neither the unit nor
 * decoders expect a return from it.
 */
static void note_call(struct pt_unit *unit, uint64_t next, uint64_t to)
{
	if (to != next)
		pt_encoder_call(&unit->encoder, next);
}

static void stay(struct pt_unit *unit, enum pt_branch kind, uint64_t next,
		 uint64_t to, uint64_t tsc)
{
	switch (kind) {
	case PT_BRANCH_NONE:
	case PT_BRANCH_JUMP:
		break;
	case PT_BRANCH_CONDITIONAL:
		pt_encoder_tnt(&unit->encoder, to != next, tsc);
		break;
	case PT_BRANCH_CALL:
		note_call(unit, next, to);
		break;
	case PT_BRANCH_INDIRECT_CALL:
		pt_encoder_call(&unit->encoder, next);
		transfer(unit, to, tsc);
		break;
	case PT_BRANCH_INDIRECT_JUMP:
		transfer(unit, to, tsc);
		break;
	case PT_BRANCH_RETURN:
		pt_encoder_return(&unit->encoder, to, tsc);
		break;
	case PT_BRANCH_FAR:
	case PT_BRANCH_IRET:
		pt_return_stack_clear(&unit->encoder.returns);
		transfer(unit, to, tsc);
		break;
	}
}

/* Reports an event of the control flow. Returns whether packets must be written
 * for it.
 */
static bool happens(struct pt_unit *unit, uint64_t tsc)
{
	if (!unit_trigger_en(unit))
		return false;
	maybe_lose(unit);
	unit_say_time(unit, tsc);
	return unit->packet_en;
}

void pt_unit_branch(struct pt_unit *unit, enum pt_branch kind, uint64_t next,
		    uint64_t to, uint64_t tsc)
{
	if (!happens(unit, tsc))
		return;
	if (unit_traces(unit, to) || kind == PT_BRANCH_NONE)
		stay(unit, kind, next, to, tsc);
	else
		leave(unit, to, tsc);
}

void pt_unit_async(struct pt_unit *unit, uint64_t from, uint64_t to,
		   uint64_t tsc)
{
	if (!happens(unit, tsc))
		return;
	pt_encoder_ip(&unit->encoder, PT_FUP, from, tsc);
	pt_return_stack_clear(&unit->encoder.returns);
	if (unit_traces(unit, to))
		transfer(unit, to, tsc);
	else
		leave(unit, to, tsc);
}

static bool psb_due(const struct pt_unit *unit)
{
	unsigned frequency = (unit->registers.ctl & CTL_PSB_FREQ) >>
			     CTL_PSB_FREQ_SHIFT;

	return unit->psb_due || unit->output.since_psb >= 2048ull << frequency;
}

static void trace_stop(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (unit->packet_en)
		leave(unit, ip, tsc);
	pt_encoder_trace_stop(&unit->encoder, tsc);
	pt_output_flush(&unit->output);
	unit->registers.status |= STATUS_STOPPED;
}

static void enter(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	pt_return_stack_clear(&unit->encoder.returns);
	pt_encoder_mode(&unit->encoder, unit->mode, tsc);
	pt_encoder_ip(&unit->encoder, PT_TIP_PGE, ip, tsc);
	unit->packet_en = true;
}

void pt_unit_enter_machine(struct pt_unit *unit, uint64_t tsc)
{
	if (!unit_trigger_en(unit) || !unit->packet_en)
		return;
	unit_say_time(unit, tsc);
	pt_encoder_pgd_no_ip(&unit->encoder, tsc);
	unit->packet_en = false;
}

void pt_unit_arrive(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (!unit_trigger_en(unit))
		return;
	unit_say_time(unit, tsc);
	if (!unit->loss.left)
		end_loss(unit, ip, tsc);
	if (unit_context_en(unit, ip) &&
	    pt_filter_stops(&unit->registers, ip)) {
		trace_stop(unit, ip, tsc);
		return;
	}
	if (unit->packet_en && !unit_context_en(unit, ip))
		leave(unit, ip, tsc);
	if (psb_due(unit)) {
		if (unit->psb_due)
			unit->encoder.mode = unit->mode;
		pt_encoder_psb(&unit->encoder, unit->packet_en ? &ip : NULL,
			       cr3_for_psb(unit), tsc);
		unit->psb_due = false;
	} else if (unit->time_due) {
		pt_timing_absolute(&unit->timing, tsc);
	}
	unit->time_due = false;
	if (unit->packet_en || !unit_traces(unit, ip))
		return;
	if (unit->registers.ctl & CTL_BRANCH_EN)
		enter(unit, ip, tsc);
	else if (unit->registers.ctl & CTL_EVENT_EN)
		unit_send_mode(unit, ip, tsc);
}

void pt_unit_mode(struct pt_unit *unit, bool cs_l, bool cs_d)
{
	unit->mode.cs_l = cs_l;
	unit->mode.cs_d = cs_d;
}

void pt_unit_cr3(struct pt_unit *unit, uint64_t cr3, bool moved, uint64_t ip,
		 uint64_t tsc)
{
	bool before = unit_context_en(unit, ip);

	unit->cr3 = cr3;
	if (!moved || !unit_trigger_en(unit) || !(unit->registers.ctl & CTL_OS))
		return;
	if (before || unit_context_en(unit, ip)) {
		unit_say_time(unit, tsc);
		pt_encoder_pip(&unit->encoder, cr3, tsc);
	}
}

void pt_unit_ptwrite(struct pt_unit *unit, uint64_t value, unsigned size,
		     uint64_t ip, uint64_t tsc)
{
	if (!unit_trigger_en(unit) || !(unit->registers.ctl & CTL_PTW_EN) ||
	    !unit_traces(unit, ip))
		return;
	unit_say_time(unit, tsc);
	pt_encoder_ptwrite(&unit->encoder, value, size, ip, tsc);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/encoder.h"

static uint64_t ctl(const struct pt_encoder *encoder)
{
	return encoder->output->registers->ctl;
}

void pt_encoder_init(struct pt_encoder *encoder, struct pt_output *output,
		     struct pt_timing *timing)
{
	*encoder = (struct pt_encoder){
		.output = output,
		.timing = timing,
		.mode = { .cs_l = true },
	};
}

void pt_encoder_forget(struct pt_encoder *encoder)
{
	encoder->tnt_bits = 0;
	encoder->tnt_count = 0;
	encoder->last_ip_valid = false;
	pt_return_stack_clear(&encoder->returns);
}

static bool is_damaged(struct pt_encoder *encoder, enum pt_fault_kind kind)
{
	return unit_fault_strikes(&encoder->output->fault, kind);
}

static void put(struct pt_encoder *encoder, const uint8_t *bytes, size_t size)
{
	pt_output_put(encoder->output, bytes, size);
}

void pt_encoder_flush_tnt(struct pt_encoder *encoder)
{
	uint8_t bytes[PT_PACKET_MAX];

	if (!encoder->tnt_count)
		return;
	pt_timing_cycles(encoder->timing, encoder->tnt_tsc);
	put(encoder, bytes,
	    pt_packet_tnt(bytes, encoder->tnt_bits, encoder->tnt_count));
	encoder->tnt_bits = 0;
	encoder->tnt_count = 0;
}

void pt_encoder_time(struct pt_encoder *encoder, uint64_t tsc)
{
	if (!pt_timing_is_due(encoder->timing, tsc))
		return;
	pt_encoder_flush_tnt(encoder);
	pt_timing_catch_up(encoder->timing, tsc);
}

/* With cycle packets on, the time of a bit matters more than a few bytes. */
static unsigned tnt_capacity(const struct pt_encoder *encoder)
{
	return ctl(encoder) & CTL_CYC_EN ? PT_SHORT_TNT_MAX : PT_LONG_TNT_MAX;
}

void pt_encoder_tnt(struct pt_encoder *encoder, bool taken, uint64_t tsc)
{
	if (ctl(encoder) & CTL_DIS_TNT ||
	    is_damaged(encoder, PT_FAULT_TNT_LOST))
		return;
	taken ^= is_damaged(encoder, PT_FAULT_TNT_WRONG);
	encoder->tnt_bits = encoder->tnt_bits << 1 | taken;
	encoder->tnt_count++;
	encoder->tnt_tsc = tsc;
	if (encoder->tnt_count >= tnt_capacity(encoder))
		pt_encoder_flush_tnt(encoder);
}

static enum pt_ip_bytes compress(const struct pt_encoder *encoder, uint64_t ip)
{
	uint64_t changed = ip ^ encoder->last_ip;

	if (encoder->last_ip_valid && !(changed >> 16))
		return PT_IP_UPDATE_16;
	if (encoder->last_ip_valid && !(changed >> 32))
		return PT_IP_UPDATE_32;
	if ((uint64_t)((int64_t)(ip << 16) >> 16) == ip)
		return PT_IP_SIGN_EXTEND_48;
	return PT_IP_FULL;
}

void pt_encoder_ip(struct pt_encoder *encoder, enum pt_ip_packet packet,
		   uint64_t ip, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	if (packet == PT_FUP && is_damaged(encoder, PT_FAULT_FUP_LOST))
		return;
	if (packet == PT_TIP)
		ip += is_damaged(encoder, PT_FAULT_IP_OFF);
	put(encoder, bytes,
	    pt_packet_ip(bytes, packet, compress(encoder, ip), ip));
	encoder->last_ip = ip;
	encoder->last_ip_valid = true;
}

void pt_encoder_pgd_no_ip(struct pt_encoder *encoder, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_ip(bytes, PT_TIP_PGD, PT_IP_NONE, 0));
}

void pt_encoder_call(struct pt_encoder *encoder, uint64_t return_address)
{
	pt_return_stack_push(&encoder->returns, return_address);
}

void pt_encoder_return(struct pt_encoder *encoder, uint64_t target,
		       uint64_t tsc)
{
	if (is_damaged(encoder, PT_FAULT_RETURN_WRONG))
		target = encoder->last_ip;
	if (!(ctl(encoder) & CTL_DIS_RETC) &&
	    pt_return_stack_match(&encoder->returns, target))
		pt_encoder_tnt(encoder, true, tsc);
	else
		pt_encoder_ip(encoder, PT_TIP, target, tsc);
}

bool pt_encoder_mode(struct pt_encoder *encoder, struct pt_mode mode,
		     uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	if (pt_mode_same(encoder->mode, mode) || encoder->output->discarding)
		return false;
	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_mode_exec(bytes, mode));
	encoder->mode = mode;
	return true;
}

void pt_encoder_pip(struct pt_encoder *encoder, uint64_t cr3, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_pip(bytes, cr3));
}

void pt_encoder_psb(struct pt_encoder *encoder, const uint64_t *ip,
		    const uint64_t *cr3, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	pt_output_restart_count(encoder->output);
	if (!is_damaged(encoder, PT_FAULT_PSB_LOST))
		put(encoder, bytes, pt_packet_psb(bytes));
	encoder->last_ip = 0;
	encoder->last_ip_valid = true;
	pt_return_stack_clear(&encoder->returns);
	pt_timing_absolute(encoder->timing, tsc);
	pt_timing_bus_ratio(encoder->timing);
	if (ctl(encoder) & CTL_BRANCH_EN)
		put(encoder, bytes, pt_packet_mode_tsx(bytes, false, false));
	if (ctl(encoder) & (CTL_BRANCH_EN | CTL_EVENT_EN))
		put(encoder, bytes, pt_packet_mode_exec(bytes, encoder->mode));
	if (cr3)
		put(encoder, bytes, pt_packet_pip(bytes, *cr3));
	if (ip)
		pt_encoder_ip(encoder, PT_FUP, *ip, tsc);
	put(encoder, bytes, pt_packet_psbend(bytes));
}

void pt_encoder_overflow(struct pt_encoder *encoder, const uint64_t *ip,
			 uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_forget(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	if (is_damaged(encoder, PT_FAULT_OVF_LOST))
		ip = NULL;
	else
		put(encoder, bytes, pt_packet_ovf(bytes));
	pt_timing_start(encoder->timing, tsc);
	pt_timing_absolute(encoder->timing, tsc);
	if (ip)
		pt_encoder_ip(encoder, PT_FUP, *ip, tsc);
}

void pt_encoder_trace_stop(struct pt_encoder *encoder, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_trace_stop(bytes));
}

void pt_encoder_ptwrite(struct pt_encoder *encoder, uint64_t value,
			unsigned size, uint64_t ip, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];
	bool fup = ctl(encoder) & CTL_FUP_ON_PTW;

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_ptwrite(bytes, value, size, fup));
	if (fup)
		pt_encoder_ip(encoder, PT_FUP, ip, tsc);
}

void pt_encoder_event(struct pt_encoder *encoder, enum pt_flow_event event,
		      uint8_t vector, const uint64_t *fault, const uint64_t *ip,
		      uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	if (fault)
		put(encoder, bytes, pt_packet_evd_page_fault(bytes, *fault));
	put(encoder, bytes, pt_packet_cfe(bytes, event, vector, ip));
	if (ip)
		pt_encoder_ip(encoder, PT_FUP, *ip, tsc);
}

void pt_encoder_mwait(struct pt_encoder *encoder, uint32_t hints,
		      uint32_t extensions, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_mwait(bytes, hints, extensions));
}

void pt_encoder_power_entry(struct pt_encoder *encoder, unsigned state,
			    unsigned sub_state, const uint64_t *ip,
			    uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_encoder_flush_tnt(encoder);
	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_pwre(bytes, state, sub_state));
	put(encoder, bytes, pt_packet_exstop(bytes, ip));
	if (ip)
		pt_encoder_ip(encoder, PT_FUP, *ip, tsc);
}

void pt_encoder_power_exit(struct pt_encoder *encoder, unsigned state,
			   uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_timing_cycles(encoder->timing, tsc);
	put(encoder, bytes, pt_packet_pwrx_interrupt(bytes, state));
}

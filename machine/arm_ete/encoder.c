/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/encoder.h"

void ete_encoder_init(struct ete_encoder *encoder,
		      const struct ete_registers *registers,
		      struct trace_buffer *buffer)
{
	*encoder = (struct ete_encoder){
		.registers = registers,
		.buffer = buffer,
	};
}

void ete_encoder_restart(struct ete_encoder *encoder,
			 const struct ete_time *time)
{
	const struct unit_fault fault = encoder->fault;

	ete_encoder_init(encoder, encoder->registers, encoder->buffer);
	encoder->fault = fault;
	encoder->counted_cycles = time->cycles;
}

static bool is_damaged(struct ete_encoder *encoder, enum ete_fault_kind kind)
{
	return unit_fault_strikes(&encoder->fault, kind);
}

static bool configured(const struct ete_encoder *encoder, uint64_t bits)
{
	return ete_register(encoder->registers, TRCCONFIGR) & bits;
}

static void put(struct ete_encoder *encoder, const uint8_t *bytes, size_t size)
{
	static const uint8_t zeros[ETE_PACKET_MAX];

	if (encoder->discarding)
		return;
	if (is_damaged(encoder, ETE_FAULT_BYTES_ZERO))
		bytes = zeros;
	trace_buffer_put(encoder->buffer, bytes, size);
	encoder->since_sync += size;
}

static void put_atoms(struct ete_encoder *encoder)
{
	while (encoder->atoms.count) {
		uint8_t packet = ete_atoms_take(&encoder->atoms);

		put(encoder, &packet, 1);
	}
}

static uint32_t cycle_threshold(const struct ete_encoder *encoder)
{
	uint32_t threshold = ete_register(encoder->registers, TRCCCCTLR);

	return threshold > ETE_CYCLE_THRESHOLD_MIN ? threshold :
						     ETE_CYCLE_THRESHOLD_MIN;
}

void ete_encoder_sync(struct ete_encoder *encoder)
{
	uint32_t threshold = cycle_threshold(encoder);
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	if (!is_damaged(encoder, ETE_FAULT_SYNC_LOST))
		put(encoder, bytes, ete_packet_async(bytes));
	put(encoder, bytes,
	    ete_packet_trace_info(bytes, configured(encoder, CONFIGR_CCI) ?
						 &threshold :
						 NULL));
	ete_addresses_clear(&encoder->addresses);
	ete_return_stack_clear(&encoder->returns);
	encoder->context_known = false;
	encoder->last_timestamp = encoder->sent_timestamp = 0;
	encoder->since_sync = 0;
}

bool ete_encoder_sync_is_due(const struct ete_encoder *encoder)
{
	uint64_t power = ete_register(encoder->registers, TRCSYNCPR);

	return power >= ETE_SYNC_PERIOD_MIN && encoder->since_sync >> power;
}

bool ete_encoder_overflow(struct ete_encoder *encoder)
{
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	encoder->discarding = false;
	if (is_damaged(encoder, ETE_FAULT_OVERFLOW_LOST))
		return false;
	put(encoder, bytes, ete_packet_overflow(bytes));
	return true;
}

void ete_encoder_trace_on(struct ete_encoder *encoder)
{
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	put(encoder, bytes, ete_packet_trace_on(bytes));
	ete_return_stack_clear(&encoder->returns);
	encoder->context_known = false;
}

enum { CYCLES_ADDED = 1 << 18 };

/* Writes a cycle count for the element that was just sent and was committed at
 * @time.
 */
static void count_cycles(struct ete_encoder *encoder,
			 const struct ete_time *time)
{
	uint64_t cycles = time->cycles - encoder->counted_cycles;
	uint32_t threshold = cycle_threshold(encoder);
	uint8_t bytes[ETE_PACKET_MAX];

	if (!configured(encoder, CONFIGR_CCI) || cycles < threshold)
		return;
	put_atoms(encoder);
	encoder->counted_cycles = time->cycles;
	if (is_damaged(encoder, ETE_FAULT_CYCLES_WRONG))
		cycles += CYCLES_ADDED;
	if (cycles - threshold > ETE_CYCLES_MAX)
		put(encoder, bytes, ete_packet_cycles_unknown(bytes));
	else
		put(encoder, bytes,
		    ete_packet_cycles(bytes, (uint32_t)cycles - threshold));
}

void ete_encoder_atom(struct ete_encoder *encoder, bool taken,
		      const struct ete_time *time)
{
	if (is_damaged(encoder, ETE_FAULT_ATOM_LOST))
		return;
	ete_atoms_add(&encoder->atoms,
		      taken ^ is_damaged(encoder, ETE_FAULT_ATOM_WRONG));
	if (ete_atoms_is_full(&encoder->atoms)) {
		uint8_t packet = ete_atoms_take(&encoder->atoms);

		put(encoder, &packet, 1);
	}
	count_cycles(encoder, time);
}

void ete_encoder_link(struct ete_encoder *encoder, uint64_t next)
{
	if (configured(encoder, CONFIGR_RS))
		ete_return_stack_push(&encoder->returns, next);
}

bool ete_encoder_returns_to(struct ete_encoder *encoder, uint64_t target)
{
	return configured(encoder, CONFIGR_RS) &&
	       (ete_return_stack_match(&encoder->returns, target) ||
		is_damaged(encoder, ETE_FAULT_RETURN_WRONG));
}

static bool is_known(const struct ete_encoder *encoder,
		     const struct ete_context *context)
{
	const struct ete_context *known = &encoder->context;

	return encoder->context_known && context->el == known->el &&
	       context->context_id == known->context_id &&
	       context->vmid == known->vmid;
}

static struct ete_context traced_part(const struct ete_encoder *encoder,
				      const struct ete_context *context)
{
	struct ete_context part = *context;

	part.has_context_id = configured(encoder, CONFIGR_CID);
	part.has_vmid = configured(encoder, CONFIGR_VMID);
	if (!part.has_context_id)
		part.context_id = 0;
	if (!part.has_vmid)
		part.vmid = 0;
	return part;
}

enum { INSTRUCTION = 4 };

void ete_encoder_address(struct ete_encoder *encoder, uint64_t address,
			 const struct ete_context *context)
{
	struct ete_context part = traced_part(encoder, context);
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	if (is_damaged(encoder, ETE_FAULT_ADDRESS_OFF))
		address += INSTRUCTION;
	if (is_known(encoder, &part)) {
		put(encoder, bytes,
		    ete_addresses_put(&encoder->addresses, bytes, address));
		return;
	}
	put(encoder, bytes,
	    ete_addresses_put_context(&encoder->addresses, bytes, address,
				      &part));
	encoder->context = part;
	encoder->context_known = true;
}

void ete_encoder_context(struct ete_encoder *encoder,
			 const struct ete_context *context)
{
	struct ete_context part = traced_part(encoder, context);
	uint8_t bytes[ETE_PACKET_MAX];

	if (is_known(encoder, &part))
		return;
	put_atoms(encoder);
	put(encoder, bytes, ete_packet_context(bytes, &part));
	encoder->context = part;
	encoder->context_known = true;
}

void ete_encoder_exception(struct ete_encoder *encoder, enum ete_exception type,
			   uint64_t return_address, const struct ete_time *time)
{
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	if (is_damaged(encoder, ETE_FAULT_EXCEPTION_LOST))
		return;
	put(encoder, bytes, ete_packet_exception(bytes, type));
	put(encoder, bytes,
	    ete_addresses_put(&encoder->addresses, bytes, return_address));
	count_cycles(encoder, time);
}

/* Returns the timestamp to send at @time. */
static uint64_t sent_timestamp(struct ete_encoder *encoder,
			       const struct ete_time *time)
{
	enum { LATE_NS = 100000, PERCENT = 100 };

	if (is_damaged(encoder, ETE_FAULT_FAST_CLOCK))
		return time->timestamp + time->timestamp / PERCENT;
	if (is_damaged(encoder, ETE_FAULT_TIME_WRONG))
		return time->timestamp + LATE_NS;
	return time->timestamp;
}

void ete_encoder_timestamp(struct ete_encoder *encoder,
			   const struct ete_time *time)
{
	uint64_t sent = sent_timestamp(encoder, time);
	uint64_t passed = time->cycles - encoder->counted_cycles;
	uint32_t cycles = (uint32_t)passed;
	bool counting = configured(encoder, CONFIGR_CCI) &&
			passed <= ETE_CYCLES_MAX;
	uint8_t bytes[ETE_PACKET_MAX];

	put_atoms(encoder);
	put(encoder, bytes,
	    ete_packet_timestamp(bytes, sent, encoder->sent_timestamp,
				 counting ? &cycles : NULL));
	encoder->sent_timestamp = sent;
	encoder->last_timestamp = time->timestamp;
}

void ete_encoder_drain(struct ete_encoder *encoder)
{
	put_atoms(encoder);
	trace_buffer_flush(encoder->buffer);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/unit.h"
#include "machine/arm_ete/filter.h"

enum { LOSS_SEED = 0x6b74 };

bool ete_unit_init(struct ete_unit *unit, const struct ete_bus *bus,
		   uint64_t loss_interval)
{
	*unit = (struct ete_unit){ 0 };
	ete_registers_reset(&unit->registers);
	unit_loss_init(&unit->loss, loss_interval, LOSS_SEED);
	unit->buffer = trace_buffer_new(bus);
	ete_encoder_init(&unit->encoder, &unit->registers, unit->buffer);
	return unit->buffer;
}

void ete_unit_free(struct ete_unit *unit)
{
	trace_buffer_free(unit->buffer);
	unit->buffer = NULL;
}

bool ete_unit_is_enabled(const struct ete_unit *unit)
{
	return ete_register(&unit->registers, TRCPRGCTLR) & PRGCTLR_EN;
}

void ete_unit_drain(struct ete_unit *unit)
{
	if (ete_unit_is_enabled(unit))
		ete_encoder_drain(&unit->encoder);
}

uint64_t ete_unit_read(struct ete_unit *unit, unsigned offset)
{
	uint64_t value = ete_registers_read(&unit->registers, offset);

	if (offset == TRCVICTLR && unit->started)
		value |= VICTLR_SSSTATUS;
	return value;
}

/* Counts an event for the loss option. A loss ends in ete_unit_arrive(). */
static void maybe_lose(struct ete_unit *unit)
{
	if (unit_loss_event(&unit->loss))
		unit->encoder.discarding = true;
}

static void end_loss(struct ete_unit *unit)
{
	if (!unit->encoder.discarding || unit->loss.left)
		return;
	if (!ete_encoder_overflow(&unit->encoder)) {
		unit->needs_target = true;
		return;
	}
	unit->sync_due = true;
	unit->active = false;
}

/* Reports the loss when tracing ends. */
static void finish_loss(struct ete_unit *unit)
{
	unit_loss_end(&unit->loss);
	end_loss(unit);
}

static void enable(struct ete_unit *unit, const struct ete_time *time)
{
	trace_buffer_clear(unit->buffer);
	ete_encoder_restart(&unit->encoder, time);
	unit->active = false;
	unit->needs_target = false;
	unit->sync_due = true;
	unit->was_stopped = false;
}

void ete_unit_write(struct ete_unit *unit, unsigned offset, uint64_t value,
		    const struct ete_time *time)
{
	bool was_enabled = ete_unit_is_enabled(unit);

	finish_loss(unit);
	ete_unit_drain(unit);
	ete_registers_write(&unit->registers, offset, value);
	if (offset == TRCVICTLR)
		unit->started = value & VICTLR_SSSTATUS;
	if (!was_enabled && ete_unit_is_enabled(unit))
		enable(unit, time);
}

void ete_unit_write_permission(struct ete_unit *unit, uint64_t trfcr)
{
	finish_loss(unit);
	ete_unit_drain(unit);
	unit->registers.trfcr = trfcr;
}

uint64_t ete_unit_read_buffer(struct ete_unit *unit, enum trb_register which)
{
	ete_unit_drain(unit);
	return trace_buffer_read(unit->buffer, which);
}

/* A newly enabled buffer may be decoded on its own, so it needs an A-sync. */
void ete_unit_write_buffer(struct ete_unit *unit, enum trb_register which,
			   uint64_t value)
{
	ete_unit_drain(unit);
	trace_buffer_write(unit->buffer, which, value);
	if (which == TRBLIMITR_EL1 && trace_buffer_is_enabled(unit->buffer))
		unit->sync_due = true;
	if (ete_unit_is_enabled(unit))
		trace_buffer_flush(unit->buffer);
}

void ete_unit_context_id(struct ete_unit *unit, uint32_t id)
{
	unit->context_id = id;
}

static struct ete_context context_at(const struct ete_unit *unit, uint64_t ip)
{
	return (struct ete_context){
		.el = ete_filter_level(ip),
		.context_id = unit->context_id,
	};
}

static void send_address(struct ete_unit *unit, uint64_t ip)
{
	struct ete_context context = context_at(unit, ip);

	ete_encoder_address(&unit->encoder, ip, &context);
	unit->needs_target = false;
}

void ete_unit_branch(struct ete_unit *unit, enum ete_branch kind, uint64_t next,
		     uint64_t to, const struct ete_time *time)
{
	struct ete_encoder *encoder = &unit->encoder;

	if (!unit->active || kind == ETE_BRANCH_NONE)
		return;
	maybe_lose(unit);
	ete_encoder_atom(encoder, kind != ETE_BRANCH_CONDITIONAL || to != next,
			 time);
	unit->at_target = true;
	switch (kind) {
	case ETE_BRANCH_NONE:
	case ETE_BRANCH_CONDITIONAL:
	case ETE_BRANCH_DIRECT:
	case ETE_BRANCH_ISB:
		break;
	case ETE_BRANCH_LINK:
		ete_encoder_link(encoder, next);
		break;
	case ETE_BRANCH_INDIRECT:
		unit->needs_target = !ete_encoder_returns_to(encoder, to);
		break;
	case ETE_BRANCH_INDIRECT_LINK:
		ete_encoder_link(encoder, next);
		unit->needs_target = true;
		break;
	case ETE_BRANCH_EXCEPTION_RETURN:
		unit->needs_target = true;
		break;
	}
}

/* A start or stop point applies to the whole block of code that contains it. */
static bool started(struct ete_unit *unit, uint64_t ip, uint64_t end)
{
	bool before = unit->started;

	unit->started = ete_filter_started(&unit->registers, before, ip, end);
	return before || unit->started;
}

static bool traced(struct ete_unit *unit, uint64_t ip, uint64_t end)
{
	return started(unit, ip, end) &&
	       ete_filter_level_traced(&unit->registers, ip) &&
	       ete_filter_range(&unit->registers, ip);
}

/* Timestamps are written after a discontinuity and whenever the timestamp event
 * is true. Resource selector 1 is always true; others select a counter, which
 * counts cycles down and reloads. More than one timestamp in so many ticks
 * would add little.
 */
enum { TICKS_BETWEEN_TIMESTAMPS = 512 };

static bool timestamp_ticks(const struct ete_unit *unit, uint64_t *ticks)
{
	enum { SELECTOR = 0xf, TRUE = 1, GROUP_COUNTER = 2 };
	const struct ete_registers *registers = &unit->registers;
	unsigned selector = ete_register(registers, TRCTSCTLR) & SELECTOR;

	*ticks = TICKS_BETWEEN_TIMESTAMPS;
	if (selector <= TRUE)
		return selector;
	if ((ete_register(registers, TRCRSCTLR2 + 4 * (selector - 2)) >> 16 &
	     0xf) != GROUP_COUNTER)
		return false;
	if (ete_register(registers, TRCCNTRLDVR0) >= *ticks)
		*ticks = ete_register(registers, TRCCNTRLDVR0) + 1;
	return true;
}

static bool timestamp_is_due(const struct ete_unit *unit,
			     const struct ete_time *time)
{
	uint64_t ticks;

	if (!(ete_register(&unit->registers, TRCCONFIGR) & CONFIGR_TS) ||
	    !time->known)
		return false;
	return unit->time_due ||
	       (timestamp_ticks(unit, &ticks) &&
		time->timestamp - unit->encoder.last_timestamp >= ticks);
}

static bool sync_is_due(struct ete_unit *unit)
{
	bool stopped = trace_buffer_is_stopped(unit->buffer);

	/* Software may decode the following trace on its own. */
	if (stopped && !unit->was_stopped)
		unit->sync_due = true;
	unit->was_stopped = stopped;
	return unit->sync_due || ete_encoder_sync_is_due(&unit->encoder);
}

static void synchronize(struct ete_unit *unit)
{
	ete_encoder_sync(&unit->encoder);
	unit->sync_due = false;
	unit->needs_target = true;
	unit->time_due = true;
}

static void enter(struct ete_unit *unit)
{
	if (sync_is_due(unit))
		synchronize(unit);
	ete_encoder_trace_on(&unit->encoder);
	unit->active = true;
	unit->needs_target = true;
	unit->time_due = true;
}

/* Synchronizes only where a branch or exception has arrived: an address in the
 * middle of a block would hide the code before it from a decoder.
 */
static void go_on(struct ete_unit *unit)
{
	if (unit->at_target && sync_is_due(unit))
		synchronize(unit);
}

void ete_unit_arrive(struct ete_unit *unit, uint64_t ip, uint64_t end,
		     const struct ete_time *time)
{
	struct ete_context context;

	if (!ete_unit_is_enabled(unit))
		return;
	if (ete_filter_level(ip) && trace_buffer_is_due(unit->buffer))
		trace_buffer_flush(unit->buffer);
	end_loss(unit);
	if (!traced(unit, ip, end)) {
		unit->active = false;
		return;
	}
	if (!unit->active)
		enter(unit);
	else
		go_on(unit);
	unit->at_target = false;
	context = context_at(unit, ip);
	if (unit->needs_target)
		send_address(unit, ip);
	else
		ete_encoder_context(&unit->encoder, &context);
	if (timestamp_is_due(unit, time)) {
		ete_encoder_timestamp(&unit->encoder, time);
		unit->time_due = false;
	}
}

void ete_unit_exception(struct ete_unit *unit, enum ete_exception type,
			uint64_t from, const struct ete_time *time)
{
	if (!unit->active)
		return;
	maybe_lose(unit);
	if (unit->needs_target)
		send_address(unit, from);
	ete_encoder_exception(&unit->encoder, type, from, time);
	unit->needs_target = true;
	unit->at_target = true;
}

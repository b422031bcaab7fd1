/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/trace_buffer.h"

#include <stdlib.h>
#include <string.h>

/* TRBLIMITR.FM: the behaviour at the limit. */
enum fill_mode {
	FILL_STOP = 0,
	FILL_WRAP = 1,
	FILL_CIRCULAR = 3,
};

/* Bytes are collected before they are written. While collection is stopped all
 * bytes must be held until the interrupt has been handled.
 */
enum { GATHER = 512, HELD_FIRST = 1 << 16, PAGE = 4096 };

struct trace_buffer {
	struct ete_bus bus;
	uint64_t registers[TRB_REGISTERS];
	uint8_t *held;
	size_t used, room;
	uint64_t page;	   /* address with a known translation, or 1 */
	uint64_t physical; /* its physical address */
};

struct trace_buffer *trace_buffer_new(const struct ete_bus *bus)
{
	struct trace_buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer)
		return NULL;
	buffer->bus = *bus;
	buffer->page = 1;
	buffer->room = HELD_FIRST;
	buffer->held = malloc(buffer->room);
	if (buffer->held)
		return buffer;
	trace_buffer_free(buffer);
	return NULL;
}

void trace_buffer_free(struct trace_buffer *buffer)
{
	if (buffer)
		free(buffer->held);
	free(buffer);
}

bool trace_buffer_is_enabled(const struct trace_buffer *buffer)
{
	return buffer->registers[TRBLIMITR_EL1] & TRBLIMITR_E;
}

/* Reaching the limit must be noticed immediately. */
bool trace_buffer_is_due(const struct trace_buffer *buffer)
{
	uint64_t left = (buffer->registers[TRBLIMITR_EL1] & TRBLIMITR_LIMIT) -
			buffer->registers[TRBPTR_EL1];

	return buffer->used >= GATHER || buffer->used >= left;
}

bool trace_buffer_is_stopped(const struct trace_buffer *buffer)
{
	return buffer->registers[TRBSR_EL1] & TRBSR_S;
}

uint64_t trace_buffer_read(const struct trace_buffer *buffer,
			   enum trb_register which)
{
	/* Byte alignment; the access flag is updated. */
	enum { IDENTIFICATION = 1 << 5 };

	return which == TRBIDR_EL1 ? IDENTIFICATION : buffer->registers[which];
}

void trace_buffer_write(struct trace_buffer *buffer, enum trb_register which,
			uint64_t value)
{
	if (which == TRBIDR_EL1)
		return;
	buffer->registers[which] = value;
	if (which == TRBLIMITR_EL1)
		buffer->page = 1;
}

void trace_buffer_clear(struct trace_buffer *buffer)
{
	buffer->used = 0;
}

static void stop(struct trace_buffer *buffer, uint64_t why)
{
	buffer->registers[TRBSR_EL1] |= TRBSR_S | TRBSR_IRQ | why;
	buffer->bus.interrupt(buffer->bus.machine);
}

static enum fill_mode fill_mode(const struct trace_buffer *buffer)
{
	return (buffer->registers[TRBLIMITR_EL1] & TRBLIMITR_FM) >> 1;
}

static void wrap(struct trace_buffer *buffer)
{
	uint64_t *registers = buffer->registers;

	if (registers[TRBPTR_EL1] !=
	    (registers[TRBLIMITR_EL1] & TRBLIMITR_LIMIT))
		return;
	registers[TRBPTR_EL1] = registers[TRBBASER_EL1];
	registers[TRBSR_EL1] |= TRBSR_WRAP;
	if (fill_mode(buffer) == FILL_STOP) {
		stop(buffer, TRBSR_BUFFER_FILLED);
	} else if (fill_mode(buffer) == FILL_WRAP) {
		registers[TRBSR_EL1] |= TRBSR_IRQ;
		buffer->bus.interrupt(buffer->bus.machine);
	}
}

static bool translate(struct trace_buffer *buffer, uint64_t address,
		      uint64_t *physical)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1);

	if (page != buffer->page) {
		buffer->physical = page;
		if (!(buffer->registers[TRBLIMITR_EL1] & TRBLIMITR_NVM) &&
		    !buffer->bus.translate(buffer->bus.machine, page,
					   &buffer->physical))
			return false;
		buffer->page = page;
	}
	*physical = buffer->physical + (address - page);
	return true;
}

/* Writes as much as fits into the page. Returns the count, or 0 if collection
 * has stopped.
 */
static size_t write_some(struct trace_buffer *buffer, const uint8_t *bytes,
			 size_t size)
{
	uint64_t *pointer = &buffer->registers[TRBPTR_EL1];
	size_t left = PAGE - (*pointer & (PAGE - 1));
	uint64_t physical;

	if (size > left)
		size = left;
	if (!translate(buffer, *pointer, &physical)) {
		stop(buffer, TRBSR_STAGE1_ABORT | TRBSR_TRANSLATION_FAULT);
		return 0;
	}
	if (!buffer->bus.write(buffer->bus.machine, physical, bytes, size)) {
		stop(buffer, TRBSR_EA);
		return 0;
	}
	*pointer += size;
	wrap(buffer);
	return size;
}

void trace_buffer_flush(struct trace_buffer *buffer)
{
	size_t done = 0;

	while (done < buffer->used && trace_buffer_is_enabled(buffer) &&
	       !trace_buffer_is_stopped(buffer))
		done += write_some(buffer, buffer->held + done,
				   buffer->used - done);
	buffer->used -= done;
	if (buffer->used)
		memmove(buffer->held, buffer->held + done, buffer->used);
}

static bool make_room(struct trace_buffer *buffer, size_t size)
{
	uint8_t *larger;

	if (buffer->used + size <= buffer->room)
		return true;
	larger = realloc(buffer->held, 2 * buffer->room);
	if (!larger)
		return false;
	buffer->held = larger;
	buffer->room *= 2;
	return true;
}

void trace_buffer_put(struct trace_buffer *buffer, const uint8_t *bytes,
		      size_t size)
{
	if (!trace_buffer_is_enabled(buffer) || !make_room(buffer, size))
		return;
	memcpy(buffer->held + buffer->used, bytes, size);
	buffer->used += size;
}

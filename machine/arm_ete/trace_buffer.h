/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_TRACE_BUFFER_H
#define KT_MACHINE_ARM_ETE_TRACE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The Trace Buffer Extension. It writes the unit's bytes to memory, and holds
 * bytes back while it must not write, so that nothing is lost.
 *
 * Source: Arm ARM, "Trace Buffer Unit"; op2 of S3_0_C9_C11_<op2> selects the
 * register.
 */
enum trb_register {
	TRBLIMITR_EL1,
	TRBPTR_EL1,
	TRBBASER_EL1,
	TRBSR_EL1,
	TRBMAR_EL1,
	TRBMPAM_EL1,
	TRBTRG_EL1,
	TRBIDR_EL1,
	TRB_REGISTERS,
};

#define TRBLIMITR_E (1ull << 0)
#define TRBLIMITR_FM 0x6ull
#define TRBLIMITR_NVM (1ull << 5)
#define TRBLIMITR_LIMIT (~0xfffull)

#define TRBSR_S (1ull << 17)
#define TRBSR_EA (1ull << 18)
#define TRBSR_WRAP (1ull << 20)
#define TRBSR_IRQ (1ull << 22)
#define TRBSR_BUFFER_FILLED 1ull
#define TRBSR_STAGE1_ABORT (0x24ull << 26)
#define TRBSR_TRANSLATION_FAULT 0x07ull

/* The trace buffer's access to its machine. */
struct ete_bus {
	/* Translates the kernel's @address. Returns false if it is not mapped.
	 */
	bool (*translate)(void *machine, uint64_t address, uint64_t *physical);
	bool (*write)(void *machine, uint64_t physical, const void *bytes,
		      size_t size);
	/* Makes the trace buffer's interrupt pending. */
	void (*interrupt)(void *machine);
	void *machine;
};

struct trace_buffer;

/* Copies @bus. Returns NULL when out of memory. trace_buffer_free() accepts
 * NULL.
 */
struct trace_buffer *trace_buffer_new(const struct ete_bus *bus);
void trace_buffer_free(struct trace_buffer *buffer);

uint64_t trace_buffer_read(const struct trace_buffer *buffer,
			   enum trb_register which);
void trace_buffer_write(struct trace_buffer *buffer, enum trb_register which,
			uint64_t value);

/* Enabled: bytes are accepted. They are written to memory unless collection has
 * stopped (buffer full, or a fault); then they wait until software has cleared
 * TRBSR.S and enabled the buffer again.
 */
bool trace_buffer_is_enabled(const struct trace_buffer *buffer);
bool trace_buffer_is_stopped(const struct trace_buffer *buffer);

/* Appends one packet, which waits for trace_buffer_flush(). Drops it if the
 * buffer is disabled, or when out of memory.
 */
void trace_buffer_put(struct trace_buffer *buffer, const uint8_t *bytes,
		      size_t size);

/* Drops all waiting bytes. */
void trace_buffer_clear(struct trace_buffer *buffer);

/* Returns true if enough bytes wait for a flush. */
bool trace_buffer_is_due(const struct trace_buffer *buffer);

/* Writes all waiting bytes to memory, unless collection has stopped. Must be
 * called while the kernel runs, because the buffer has kernel addresses.
 */
void trace_buffer_flush(struct trace_buffer *buffer);

#endif

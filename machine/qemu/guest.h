/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GUEST_H
#define KT_MACHINE_QEMU_GUEST_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The guest's registers and memory from the view of one vCPU. The list of
 * registers depends on the architecture: x86_registers.h,
 * ../qemu_arm/a64_registers.h.
 */
enum { GUEST_REGISTERS_MOST = 34 };

struct guest {
	struct qemu_plugin_register *handles[GUEST_REGISTERS_MOST];
	GByteArray *scratch;
};

/* Looks up the registers of these @names; call it when the vCPU has been
 * initialised.  @count is at most GUEST_REGISTERS_MOST.
 *
 * Returns false, with a message to stderr, when QEMU does not show one.
 */
bool guest_init(struct guest *guest, const char *const *names, unsigned count);

/* Access register @which of the names, zero-extended. Callable only where the
 * callback's flags allow it.
 */
uint64_t guest_read(struct guest *guest, unsigned which);
void guest_write(struct guest *guest, unsigned which, uint64_t value);

/* Access physical memory and devices. Return false if @address is not mapped.
 */
bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size);
bool guest_write_physical(struct guest *guest, uint64_t address,
			  const void *bytes, size_t size);

/* Reads memory at a virtual address of the vCPU. Returns false if it is not
 * mapped.
 */
bool guest_read_virtual(struct guest *guest, uint64_t address, void *bytes,
			size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GUEST_H
#define KT_MACHINE_QEMU_GUEST_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers and memory of the guest, as one vCPU sees them.  Which
 * registers there are is each architecture's own: x86_registers.h,
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

/* Register @which of the names, zero-extended; call them only where the
 * callback's flags allow it.
 */
uint64_t guest_read(struct guest *guest, unsigned which);
void guest_write(struct guest *guest, unsigned which, uint64_t value);

/* Physical memory and devices; false if there is nothing at @address. */
bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size);
bool guest_write_physical(struct guest *guest, uint64_t address,
			  const void *bytes, size_t size);

/* Memory as the vCPU addresses it; false if nothing is mapped there. */
bool guest_read_virtual(struct guest *guest, uint64_t address, void *bytes,
			size_t size);

#endif

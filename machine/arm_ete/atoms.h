/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_ATOMS_H
#define KT_MACHINE_ARM_ETE_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

/* Atoms not sent yet: E (taken) and N, the oldest in bit 0. Packet formats 1 to
 * 6 hold 1 to 24 atoms, the longer formats only in certain patterns.
 */
enum { ETE_ATOMS_MAX = 24 };

struct ete_atoms {
	uint32_t bits;
	unsigned count;
};

static inline bool ete_atoms_is_full(const struct ete_atoms *atoms)
{
	return atoms->count == ETE_ATOMS_MAX;
}

/* Adds an atom. There must be room. */
void ete_atoms_add(struct ete_atoms *atoms, bool taken);

/* Removes the oldest atoms, as many as fit into one packet, and returns that
 * packet, which is one byte. There must be at least one atom.
 */
uint8_t ete_atoms_take(struct ete_atoms *atoms);

#endif

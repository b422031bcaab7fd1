/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/atoms.h"

#include <assert.h>

/* Formats 5 and 4 support only these patterns, with the oldest atom in bit 0.
 */
struct pattern {
	uint8_t atoms;
	uint8_t packet;
};

static const struct pattern of_five[] = {
	{ 0x1e, 0xf5 },
	{ 0x00, 0xd5 },
	{ 0x0a, 0xd6 },
	{ 0x15, 0xd7 },
};

static const struct pattern of_four[] = {
	{ 0x0e, 0xdc },
	{ 0x00, 0xdd },
	{ 0x0a, 0xde },
	{ 0x05, 0xdf },
};

void ete_atoms_add(struct ete_atoms *atoms, bool taken)
{
	assert(!ete_atoms_is_full(atoms));
	atoms->bits |= (uint32_t)taken << atoms->count;
	atoms->count++;
}

static unsigned leading_taken(const struct ete_atoms *atoms)
{
	unsigned run = 0;

	while (run < atoms->count && atoms->bits >> run & 1)
		run++;
	return run;
}

static void drop(struct ete_atoms *atoms, unsigned count)
{
	atoms->bits >>= count;
	atoms->count -= count;
}

/* Format 6: 3 to 23 taken atoms, and one more of either kind. */
static uint8_t take_run(struct ete_atoms *atoms, unsigned run)
{
	if (run < atoms->count) {
		drop(atoms, run + 1);
		return (uint8_t)(0xe0 | (run - 3));
	}
	drop(atoms, run);
	return (uint8_t)(0xc0 | (run - 4));
}

static const struct pattern *find(const struct pattern *patterns,
				  const struct ete_atoms *atoms, unsigned count)
{
	uint32_t mask = (1u << count) - 1;

	if (atoms->count < count)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		if (patterns[i].atoms == (atoms->bits & mask))
			return &patterns[i];
	return 0;
}

/* Formats 1, 2 and 3: any pattern. */
static uint8_t take_any(struct ete_atoms *atoms)
{
	static const uint8_t headers[] = { 0, 0xf6, 0xd8, 0xf8 };
	unsigned count = atoms->count < 3 ? atoms->count : 3;
	uint8_t packet =
		(uint8_t)(headers[count] | (atoms->bits & ((1u << count) - 1)));

	drop(atoms, count);
	return packet;
}

uint8_t ete_atoms_take(struct ete_atoms *atoms)
{
	unsigned run = leading_taken(atoms);
	const struct pattern *pattern;

	assert(atoms->count);
	if (run >= 4 || (run == 3 && atoms->count > 3))
		return take_run(atoms, run);
	if ((pattern = find(of_five, atoms, 5))) {
		drop(atoms, 5);
		return pattern->packet;
	}
	if ((pattern = find(of_four, atoms, 4))) {
		drop(atoms, 4);
		return pattern->packet;
	}
	return take_any(atoms);
}

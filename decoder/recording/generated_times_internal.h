/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_GENERATED_TIMES_INTERNAL_H
#define KT_DECODER_RECORDING_GENERATED_TIMES_INTERNAL_H

#include <stdint.h>

struct array;
struct generated_names;

/* When each function of a process's list was there.
 *
 * A name is valid for the bytes that it was listed for, and only as long as they
 * are there. A program writes a function's code, then its line in the list; the
 * calls can start before the line. The recorder reads the list from time to
 * time, so a line was written between two looks:
 *
 *	bytes:	  A ───────────────┤ B ─────────────────────────┤ C ──
 *	looks:	       │    │    │      │      │      │      │      │
 *	lines:	        (a)                     (b)              (?)
 *	names:	  a ───────────────┤ b ─────────────────────────┤ none
 *
 * 1. A line between two looks during which the same bytes were there names these
 *    bytes, from their start to their end.
 * 2. A line between two looks with a replacement of the bytes between them (?)
 *    is of the new bytes if the old bytes have their line already, which a
 *    program writes once. Otherwise it names nothing.
 * 3. Bytes that no line names are without a name, even if a line before names
 *    the same addresses.
 * 4. The first bytes that are known have nothing before them: the last of the
 *    lines until then names them, until rule 1 finds a better one.
 * 5. A function that shares its addresses with no other may be patched. Its bytes
 *    are replaced where more than half of a granule's bytes are other ones.
 * 6. A function of a jitdump is there as long as its bytes, or from its time on if
 *    others with these bytes are before it.
 */

/* Granules of a page whose bytes were replaced. */
struct generated_replacement {
	uint64_t address;      /* of the page */
	uint64_t lost_ns;      /* the old bytes were there until then */
	uint64_t known_ns;     /* the new bytes are there from then on */
	uint64_t which[4];     /* a bit for each granule */
	uint64_t rewritten[4]; /* those with more than half of the bytes new */
};

/* Memory of a process between two execs. */
struct generated_extent {
	uint64_t start;
	uint64_t end;
	uint64_t first_ns;
	uint64_t end_ns;
};

/* Sets from_ns and to_ns of the functions of @names that were listed for the
 * memory @extent, and sorts @replacements (struct generated_replacement), all
 * that there were. Appends the times at which a function is there without a
 * replacement to @others (uint64_t). Returns 0 or -ERROR_MEMORY.
 */
int generated_times_settle(struct generated_names *names,
			   const struct generated_extent *extent,
			   struct array *replacements, struct array *others);

#endif

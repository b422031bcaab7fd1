/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALL_SITE_SET_H
#define KT_ATTRIBUTION_CALL_SITE_SET_H

#include "attribution/call_sites/call_site.h"

#include <stddef.h>

/* The distinct sites of a recording. */
struct call_site_set;

/* Returns NULL when out of memory. */
struct call_site_set *call_site_set_new(void);
void call_site_set_free(struct call_site_set *table);

/* Adds the entries and times of @site to the one that is like it, in process,
 * address, purpose and caller.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int call_site_set_charge(struct call_site_set *table,
			 const struct call_site *site);

size_t call_site_set_count(const struct call_site_set *table);
const struct call_site *call_site_set_at(const struct call_site_set *table,
					 size_t index);

#endif

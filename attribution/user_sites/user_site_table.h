/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_USER_SITE_TABLE_H
#define KT_ATTRIBUTION_USER_SITE_TABLE_H

#include "attribution/user_sites/user_site.h"

#include <stddef.h>

/* The distinct sites of a recording. */
struct user_site_table;

/* Returns NULL when out of memory. */
struct user_site_table *user_site_table_new(void);
void user_site_table_free(struct user_site_table *table);

/* Adds the entries and times of @site to the one that is like it, in process,
 * address, purpose and caller.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int user_site_table_charge(struct user_site_table *table,
			   const struct user_site *site);

size_t user_site_table_count(const struct user_site_table *table);
const struct user_site *user_site_table_at(const struct user_site_table *table,
					   size_t index);

#endif

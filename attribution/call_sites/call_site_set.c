/* SPDX-License-Identifier: MIT */
#include "attribution/call_sites/call_site_set.h"

#include "common/array.h"
#include "common/error.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct call_site_set {
	struct array sites;	   /* struct call_site */
	struct number_map *chains; /* by hash: a site's index + 1 */
	struct array next;	   /* size_t by site: another + 1 */
};

struct call_site_set *call_site_set_new(void)
{
	struct call_site_set *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->sites = ARRAY_OF(struct call_site);
	table->next = ARRAY_OF(size_t);
	table->chains = number_map_new();
	if (table->chains)
		return table;
	free(table);
	return NULL;
}

void call_site_set_free(struct call_site_set *table)
{
	if (!table)
		return;
	number_map_free(table->chains);
	array_free(&table->sites);
	array_free(&table->next);
	free(table);
}

static uint64_t hash_of(const struct call_site *site)
{
	uint64_t hash = site->address * 0x9e3779b97f4a7c15;

	hash = (hash ^ (uint32_t)site->pid) * 0x9e3779b97f4a7c15;
	hash = (hash ^ site->caller_address) * 0x9e3779b97f4a7c15;
	return hash ^ (uint64_t)site->purpose << 32 ^ site->caller;
}

static bool is_same(const struct call_site *a, const struct call_site *b)
{
	return a->pid == b->pid && a->address == b->address &&
	       a->purpose == b->purpose && a->caller == b->caller &&
	       a->caller_address == b->caller_address;
}

static struct call_site *site_at(const struct call_site_set *table,
				 size_t index)
{
	return array_at(&table->sites, index);
}

static struct call_site *add_site(struct call_site_set *table,
				  const struct call_site *like, uint64_t *chain)
{
	struct call_site *site = array_add(&table->sites);
	size_t *next = site ? array_add(&table->next) : NULL;

	if (!next)
		return NULL;
	*next = (size_t)*chain;
	*chain = table->sites.count;
	*site = *like;
	site->entries = 0;
	memset(site->class_ns, 0, sizeof(site->class_ns));
	return site;
}

/* Returns the site like @like, adding it without time if it is new. */
static struct call_site *find_site(struct call_site_set *table,
				   const struct call_site *like)
{
	uint64_t *chain = number_map_add(table->chains, hash_of(like));

	if (!chain)
		return NULL;
	for (size_t i = *chain; i; i = *(size_t *)array_at(&table->next, i - 1))
		if (is_same(site_at(table, i - 1), like))
			return site_at(table, i - 1);
	return add_site(table, like, chain);
}

int call_site_set_charge(struct call_site_set *table,
			 const struct call_site *site)
{
	struct call_site *sum = find_site(table, site);

	if (!sum)
		return -ERROR_MEMORY;
	sum->entries += site->entries;
	for (int i = 0; i < TIME_CLASSES; i++)
		sum->class_ns[i] += site->class_ns[i];
	return 0;
}

size_t call_site_set_count(const struct call_site_set *table)
{
	return table->sites.count;
}

const struct call_site *call_site_set_at(const struct call_site_set *table,
					 size_t index)
{
	return site_at(table, index);
}

/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_table.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/maps.h"
#include "common/memory.h"
#include "symbolize/functions/function_name.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The search key of a function. */
struct function_key {
	const char *name; /* without the appended position of doubles */
	size_t length;
	const char *module; /* equal pointers are equal modules */
	uint64_t address;   /* 0: any */
	uint64_t name_hash; /* function_name_hash() */
	uint32_t number;    /* of the module, in its list */
	uint32_t hash;	    /* function_key_hash() */
	char space;
};

struct function_slot {
	uint32_t number; /* function's number + 1; 0: free */
	uint32_t hash;
};

/* Finds functions by their keys: a hash table with open addressing. A zeroed
 * struct is empty.
 */
struct function_slots {
	struct function_slot *slots;
	size_t count; /* a power of two, or 0 */
};

struct module {
	const char *name;
	uint64_t start; /* its lowest function entry; UINT64_MAX: none yet */
};

/* The modules of functions, each once. */
struct module_list {
	/* struct module, by the number of its name */
	struct array modules;
	struct string_pool *names; /* NULL: none yet */
	struct number_map by_text; /* number, by the address of the text */
	size_t last;		   /* index of the module looked up last */
};

#define MODULE_LIST_NONE \
	((struct module_list){ .modules = ARRAY_OF(struct module) })

/* Functions that share their name with others of their module, until they are
 * given unique names.
 */
struct function_doubles {
	struct array numbers; /* uint32_t, index in the function table */
};

#define FUNCTION_DOUBLES_NONE \
	((struct function_doubles){ .numbers = ARRAY_OF(uint32_t) })

/* Makes the module with text @name the last one used. */
static void module_list_find(struct module_list *list, const char *name)
{
	const uint64_t *number =
		number_map_find(&list->by_text, (uintptr_t)name);

	if (number)
		list->last = *number;
}

/* Returns the number of the module with text @name. Usually that is the module
 * of the previous symbol.
 */
static inline uint32_t module_list_number(struct module_list *list,
					  const char *name)
{
	const struct module *modules = list->modules.items;

	if (modules[list->last].name != name)
		module_list_find(list, name);
	return (uint32_t)list->last;
}

static inline struct module *module_list_of(struct module_list *list,
					    const char *name)
{
	uint32_t number = module_list_number(list, name);

	return array_at(&list->modules, number);
}

static const uint64_t odd = 0x9e3779b97f4a7c15;

static uint64_t function_name_hash(const char *name, size_t length)
{
	uint64_t hash = odd;
	uint64_t word;

	for (; length > sizeof(word); length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = pack_hash_number(hash, word);
		name += sizeof(word);
	}
	word = length;
	for (size_t i = 0; i < length; i++)
		word = word << 8 | (uint8_t)name[i];
	return pack_hash_number(hash, word);
}

/* Returns the hash of @key, whose other members must be set. It does not depend
 * on the addresses of texts, so that function_table_save() can store it.
 */
static uint32_t function_key_hash(const struct function_key *key)
{
	uint64_t place = (uint64_t)key->number << 48 ^ key->address;

	return (uint32_t)((key->name_hash ^ place * odd) * odd >> 32);
}

/* Returns whether @function has @key. A double may have its position appended
 * to its name.
 */
static bool is_same(const struct function *function,
		    const struct function_key *key)
{
	char end;

	if (function->module != key->module || function->space != key->space ||
	    (key->address && function->address != key->address) ||
	    strncmp(function->name, key->name, key->length) != 0)
		return false;
	end = function->name[key->length];
	return !end || (end == '@' && function->is_double);
}

/* Returns the slot of the function in @functions that matches @key, or the free
 * slot for it, which the caller fills with number and hash. At least one slot
 * must be free.
 */
static struct function_slot *
function_slots_find(const struct function_slots *slots,
		    const struct function *functions,
		    const struct function_key *key)
{
	struct function_slot *all = slots->slots;
	size_t mask = slots->count - 1;
	size_t at = key->hash & mask;

	while (all[at].number &&
	       (all[at].hash != key->hash ||
		!is_same(&functions[all[at].number - 1], key)))
		at = (at + 1) & mask;
	return &all[at];
}

static void move_slot(struct function_slots *slots, struct function_slot slot)
{
	size_t mask = slots->count - 1;
	size_t at = slot.hash & mask;

	while (slots->slots[at].number)
		at = (at + 1) & mask;
	slots->slots[at] = slot;
}

/* Reserves room for @count functions in total. Returns 0 or -ERROR_MEMORY. */
static int function_slots_reserve(struct function_slots *slots, size_t count)
{
	const struct function_slots old = *slots;
	size_t wanted = old.count ? old.count : 1024;

	while (wanted < count * 2)
		wanted *= 2;
	if (wanted == old.count)
		return 0;
	slots->slots = large_memory_zeroed(wanted * sizeof(*slots->slots));
	if (!slots->slots) {
		*slots = old;
		return -ERROR_MEMORY;
	}
	slots->count = wanted;
	for (size_t i = 0; i < old.count; i++)
		if (old.slots[i].number)
			move_slot(slots, old.slots[i]);
	free(old.slots);
	return 0;
}

static void function_slots_free(struct function_slots *slots)
{
	free(slots->slots);
}

static void module_list_free(struct module_list *list)
{
	array_free(&list->modules);
	string_pool_free(list->names);
	number_map_free(&list->by_text);
}

static bool is_last(const struct module_list *list, const char *name,
		    size_t length)
{
	const char *last;

	if (!list->modules.count)
		return false;
	last = ((const struct module *)list->modules.items)[list->last].name;
	return strncmp(last, name, length) == 0 && !last[length];
}

/* Adds the module with number @number, whose text is new. */
static bool add_module(struct module_list *list, uint32_t number)
{
	const struct module module = {
		.name = string_pool_text(list->names, number),
		.start = UINT64_MAX,
	};
	uint64_t *place =
		number_map_add(&list->by_text, (uintptr_t)module.name);

	if (!place || array_append(&list->modules, &module) < 0)
		return false;
	*place = number;
	return true;
}

/* Returns the text of the module named by the @length bytes of @name. The list
 * owns it. NULL when out of memory.
 */
static const char *module_list_add(struct module_list *list, const char *name,
				   size_t length)
{
	uint32_t number;

	/* Symbols are grouped by module, so the last module nearly always
	 * matches.
	 */
	if (!is_last(list, name, length)) {
		if (!list->names)
			list->names = string_pool_new();
		number = list->names ?
				 string_pool_add(list->names, name, length) :
				 STRING_POOL_NONE;
		if (number == STRING_POOL_NONE ||
		    (number == list->modules.count &&
		     !add_module(list, number)))
			return NULL;
		list->last = number;
	}
	return ((const struct module *)list->modules.items)[list->last].name;
}

static void function_doubles_free(struct function_doubles *doubles)
{
	array_free(&doubles->numbers);
}

/* Adds @function with number @number, unless it was added before. Returns 0 or
 * -ERROR_MEMORY.
 */
static int function_doubles_add(struct function_doubles *doubles,
				struct function *function, uint32_t number)
{
	if (function->is_double)
		return 0;
	if (array_append(&doubles->numbers, &number) < 0)
		return -ERROR_MEMORY;
	function->is_double = true;
	return 0;
}

static int name_double(struct function *function, struct module_list *modules,
		       struct arena *names)
{
	uint64_t start =
		function->space == 'k' ?
			module_list_of(modules, function->module)->start :
			0;
	char place[24];
	char *name;

	snprintf(place, sizeof(place), "@0x%" PRIx64,
		 function->address - start);
	name = arena_alloc(names, strlen(function->name) + strlen(place) + 1);
	if (!name)
		return -ERROR_MEMORY;
	strcpy(stpcpy(name, function->name), place);
	function->name = name;
	return 0;
}

/* Appends a position to the name of each function of @functions that @doubles
 * lists. The position is the offset from the first function of the kernel or
 * the module, which is the same after each boot, or the address in the
 * program's file. Stores the names in @names and empties @doubles.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int function_doubles_name(struct function_doubles *doubles,
				 struct function *functions,
				 struct module_list *modules,
				 struct arena *names)
{
	const uint32_t *numbers = doubles->numbers.items;
	int status = 0;

	for (size_t i = 0; i < doubles->numbers.count && !status; i++)
		status = name_double(&functions[numbers[i]], modules, names);
	doubles->numbers.count = 0;
	return status;
}

struct function_table {
	struct arena *names;
	struct array functions; /* struct function */
	struct module_list modules;
	/* uint32_t: functions whose base differs from their name */
	struct array clones;
	struct function_doubles doubles; /* not named yet */
	uint64_t digest;		 /* function_table_digest() */
	struct file_map loaded; /* has the texts of function_table_load() */
	struct function_slots slots;
	/* struct inlined_site, by number; number 0 is unused */
	struct array sites;
};

static struct function *function_of(const struct function_table *table,
				    uint32_t number)
{
	return array_at(&table->functions, number);
}

static void digest(struct function_table *table, uint64_t number)
{
	table->digest = pack_hash_number(table->digest, number);
}

/* Adds a function to the digest of all functions. The functions of a module are
 * mostly adjacent.
 */
static void digest_function(struct function_table *table,
			    const struct function *function,
			    const struct function_key *key)
{
	bool is_first = function == table->functions.items;

	if (is_first || function[-1].module != key->module)
		digest(table,
		       function_name_hash(key->module, strlen(key->module)));
	digest(table, key->name_hash ^ (uint8_t)key->space);
	digest(table, key->address);
}

static struct function_slot *find_slot(const struct function_table *table,
				       const struct function_key *key)
{
	return function_slots_find(&table->slots, table->functions.items, key);
}

int function_table_reserve(struct function_table *table, size_t count)
{
	enum { NAME_BYTES = 24 };

	if (array_reserve(&table->functions, count) < 0 ||
	    arena_reserve(table->names, count * NAME_BYTES) < 0)
		return -ERROR_MEMORY;
	return function_slots_reserve(&table->slots, count);
}

struct function_table *function_table_new(void)
{
	struct function_table *table = calloc(1, sizeof(*table));
	const char *kernel;

	if (!table)
		return NULL;
	table->functions = ARRAY_OF(struct function);
	table->modules = MODULE_LIST_NONE;
	table->clones = ARRAY_OF(uint32_t);
	table->doubles = FUNCTION_DOUBLES_NONE;
	table->sites = ARRAY_OF(struct inlined_site);
	table->names = arena_new();
	if (!table->names)
		goto fail;
	kernel = function_table_module(table, "", 0);
	if (!kernel || function_table_add(table, "[unknown]", 9, kernel, 'k') !=
			       FUNCTION_UNKNOWN)
		goto fail;
	return table;
fail:
	function_table_free(table);
	return NULL;
}

void function_table_free(struct function_table *table)
{
	if (!table)
		return;
	function_slots_free(&table->slots);
	array_free(&table->functions);
	module_list_free(&table->modules);
	array_free(&table->clones);
	function_doubles_free(&table->doubles);
	array_free(&table->sites);
	arena_free(table->names);
	file_map_close(&table->loaded);
	free(table);
}

const char *function_table_module(struct function_table *table,
				  const char *name, size_t length)
{
	return module_list_add(&table->modules, name, length);
}

/* Adds the function of @key in the free @slot. Returns its number. */
static uint32_t insert(struct function_table *table, struct function_slot *slot,
		       const struct function_key *key, size_t base_length)
{
	char *name = arena_text(table->names, key->name, key->length);
	char *base = base_length == key->length ?
			     name :
			     arena_text(table->names, key->name, base_length);
	struct function *function =
		name && base ? array_add(&table->functions) : NULL;
	uint32_t number = (uint32_t)table->functions.count - 1;

	if (!function)
		return FUNCTION_NONE;
	*function = (struct function){
		.name = name,
		.base = base,
		.module = key->module,
		.space = key->space,
	};
	digest_function(table, function, key);
	slot->number = number + 1;
	slot->hash = key->hash;
	return base == name || !array_append(&table->clones, &number) ?
		       number :
		       FUNCTION_NONE;
}

/* Returns the number of the first function with the name of @key, which it adds
 * if there is none. Cuts the key's length to the function's own name, and sets
 * its hashes.
 */
static uint32_t add_first(struct function_table *table,
			  struct function_key *key)
{
	struct name_lengths lengths =
		function_name_lengths(key->name, key->length);
	struct function_slot *slot;

	key->length = lengths.name;
	if (function_slots_reserve(&table->slots, table->functions.count + 2) <
	    0)
		return FUNCTION_NONE;
	key->name_hash = function_name_hash(key->name, key->length);
	key->hash = function_key_hash(key);
	slot = find_slot(table, key);
	return slot->number ? slot->number - 1 :
			      insert(table, slot, key, lengths.base);
}

uint32_t function_table_add(struct function_table *table, const char *name,
			    size_t length, const char *module, char space)
{
	struct function_key key = {
		.name = name,
		.length = length,
		.module = module,
		.number = module_list_number(&table->modules, module),
		.space = space,
	};

	return add_first(table, &key);
}

/* Records that function @number shares its name. */
static int add_double(struct function_table *table, uint32_t number)
{
	return function_doubles_add(&table->doubles, function_of(table, number),
				    number);
}

/* Returns the number of the function with the name of @first at key->address,
 * which it adds if there is none.
 */
static uint32_t add_another(struct function_table *table,
			    struct function_key *key, uint32_t first)
{
	const char *base = function_of(table, first)->base;
	struct function_slot *slot;
	uint32_t number;

	key->hash = function_key_hash(key);
	slot = find_slot(table, key);
	if (slot->number)
		return slot->number - 1;
	number = insert(table, slot, key, key->length);
	if (number == FUNCTION_NONE || add_double(table, first) < 0 ||
	    add_double(table, number) < 0)
		return FUNCTION_NONE;
	function_of(table, number)->base = base;
	function_of(table, number)->address = key->address;
	return number;
}

uint32_t function_table_add_entry(struct function_table *table,
				  const char *name, size_t length,
				  const char *module, char space,
				  uint64_t address)
{
	struct function_key key = {
		.name = name,
		.length = length,
		.module = module,
		.number = module_list_number(&table->modules, module),
		.space = space,
	};
	struct module *place = module_list_of(&table->modules, module);
	uint32_t first = add_first(table, &key);
	struct function *function;

	if (first == FUNCTION_NONE)
		return first;
	if (place->start > address)
		place->start = address;
	function = function_of(table, first);
	if (!function->address) {
		function->address = address;
		digest(table, address);
	}
	if (function->address == address)
		return first;
	key.address = address;
	return add_another(table, &key, first);
}

uint32_t function_table_add_inlined(struct function_table *table,
				    const char *name, const char *module)
{
	size_t length = strlen(name);
	char *copy = arena_text(table->names, name, length);
	struct function *function = copy ? array_add(&table->functions) : NULL;

	if (!function)
		return FUNCTION_NONE;
	*function = (struct function){
		.name = copy,
		.base = copy,
		.module = module,
		.space = 'u',
		.is_inlined = true,
	};
	digest(table, function_name_hash(name, length));
	return (uint32_t)table->functions.count - 1;
}

uint32_t function_table_add_site(struct function_table *table,
				 uint32_t function, uint32_t parent)
{
	struct inlined_site site = {
		.function = function,
		.parent = parent,
		.depth = 1,
	};

	if (!table->sites.count && !array_add(&table->sites))
		return 0;
	if (parent)
		site.depth += function_table_site(table, parent)->depth;
	digest(table, (uint64_t)function << 32 | parent);
	return array_append(&table->sites, &site) < 0 ?
		       0 :
		       (uint32_t)table->sites.count - 1;
}

const struct inlined_site *
function_table_site(const struct function_table *table, uint32_t site)
{
	return array_at(&table->sites, site);
}

uint32_t function_table_sites(const struct function_table *table)
{
	return table->sites.count ? (uint32_t)table->sites.count - 1 : 0;
}

int function_table_name_inlined(struct function_table *table, uint32_t first)
{
	uint32_t count = (uint32_t)table->functions.count - first;
	struct function *functions;
	int status;

	if (!count)
		return 0;
	functions = function_of(table, first);
	status = program_names_demangle(functions, count, table->names);
	return status < 0 ? status :
			    program_names_mark_inlined(functions, count,
						       table->names);
}

/* Appends copies of the functions of @other except the first. */
static int append(struct function_table *table,
		  const struct function_table *other)
{
	const char *module = NULL; /* of the previous function, in @other */
	const char *same = NULL;   /* the same module, in @table */

	if (array_reserve(&table->functions,
			  table->functions.count + other->functions.count) < 0)
		return -ERROR_MEMORY;
	for (uint32_t i = FUNCTION_UNKNOWN + 1; i < other->functions.count;
	     i++) {
		struct function *function = array_add(&table->functions);

		*function = *function_of(other, i);
		if (function->module != module) {
			module = function->module;
			same = function_table_module(table, module,
						     strlen(module));
		}
		if (!same)
			return -ERROR_MEMORY;
		function->module = same;
	}
	return 0;
}

uint32_t function_table_join(struct function_table *table,
			     struct function_table *other)
{
	uint32_t shift = (uint32_t)table->functions.count - 1;
	int status = append(table, other);

	digest(table, other->digest);
	arena_join(table->names, other->names);
	other->names = NULL;
	function_table_free(other);
	return status ? FUNCTION_NONE : shift;
}

void function_table_locate(struct function_table *table, uint32_t number,
			   uint64_t address)
{
	struct function *function = function_of(table, number);

	if (!function->address || address < function->address) {
		function->address = address;
		digest(table, number ^ address);
	}
}

const uint32_t *function_table_doubles(const struct function_table *table,
				       size_t *count)
{
	*count = table->doubles.numbers.count;
	return table->doubles.numbers.items;
}

int function_table_name_doubles(struct function_table *table)
{
	return function_doubles_name(&table->doubles, table->functions.items,
				     &table->modules, table->names);
}

int function_table_demangle(struct function_table *table)
{
	return program_names_demangle(table->functions.items,
				      (uint32_t)table->functions.count,
				      table->names);
}

int function_table_display(struct function_table *table,
			   enum function_names names)
{
	int status = 0;

	for (uint32_t i = 0; i < table->functions.count && !status; i++)
		status = program_name_display(function_of(table, i), names,
					      table->names);
	digest(table, (uint64_t)names);
	return status;
}

static bool is_kernels(const struct function_table *table, uint32_t number,
		       const char *base)
{
	const struct function *function = function_of(table, number);

	return function->space == 'k' && !*function->module &&
	       !strcmp(function->base, base);
}

uint32_t function_table_kernel(const struct function_table *table,
			       const char *name)
{
	const struct module *kernel = array_at(&table->modules.modules, 0);
	struct function_key key = {
		.name = name,
		.length = strlen(name),
		.module = kernel->name,
		.space = 'k',
	};
	const uint32_t *clones = table->clones.items;
	const struct function_slot *slot;

	key.name_hash = function_name_hash(key.name, key.length);
	key.hash = function_key_hash(&key);
	slot = find_slot(table, &key);
	if (slot->number)
		return slot->number - 1;
	for (size_t i = 0; i < table->clones.count; i++)
		if (is_kernels(table, clones[i], name))
			return clones[i];
	return FUNCTION_NONE;
}

const struct function *function_at(const struct function_table *table,
				   uint32_t number)
{
	return function_of(table, number);
}

uint32_t function_count(const struct function_table *table)
{
	return (uint32_t)table->functions.count;
}

uint64_t function_table_digest(const struct function_table *table)
{
	return table->digest;
}

/* The bytes that function_table_save() writes: this header, modules, functions,
 * the numbers of clones, then the texts. All names are offsets in the texts.
 */
struct saved_header {
	uint64_t digest;
	uint32_t modules;
	uint32_t functions;
	uint32_t clones;
	uint32_t text_bytes;
};

struct saved_module {
	uint64_t start;
	uint32_t name;
	uint32_t zero;
};

struct saved_function {
	uint64_t address;
	uint32_t name;
	uint32_t base;
	uint32_t module; /* number */
	uint32_t hash;	 /* of its slot */
	uint32_t is_double;
	uint32_t zero;
};

/* Texts that are being saved, each once. */
struct saved_texts {
	struct byte_buffer bytes;
	struct number_map offsets; /* by the address of a text */
};

/* Returns the offset of @text, which it adds if it is new. */
static uint32_t save_text(struct saved_texts *texts, const char *text)
{
	uint64_t *offset = number_map_add(&texts->offsets, (uintptr_t)text);

	if (!offset) {
		texts->bytes.failed = true;
		return 0;
	}
	/* The first text is "", so no other one has offset 0. */
	if (!*offset && *text) {
		*offset = texts->bytes.size;
		byte_buffer_text(&texts->bytes, text);
	}
	return (uint32_t)*offset;
}

static void save_modules(const struct function_table *table,
			 struct saved_texts *texts, struct byte_buffer *out)
{
	const struct module *modules = table->modules.modules.items;

	for (size_t i = 0; i < table->modules.modules.count; i++) {
		const struct saved_module saved = {
			.start = modules[i].start,
			.name = save_text(texts, modules[i].name),
		};

		byte_buffer_add(out, &saved, sizeof(saved));
	}
}

static void save_functions(struct function_table *table,
			   struct saved_texts *texts, struct byte_buffer *out)
{
	struct saved_function *all;
	size_t count = table->functions.count;
	size_t bytes = count * sizeof(*all);

	all = (void *)byte_buffer_reserve(out, bytes);
	if (!all)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_of(table, i);

		assert(function->space == 'k' && !function->demangled);
		all[i] = (struct saved_function){
			.address = function->address,
			.name = save_text(texts, function->name),
			.base = save_text(texts, function->base),
			.module = module_list_number(&table->modules,
						     function->module),
			.is_double = function->is_double,
		};
	}
	for (size_t i = 0; i < table->slots.count; i++) {
		const struct function_slot *slot = &table->slots.slots[i];

		if (slot->number)
			all[slot->number - 1].hash = slot->hash;
	}
	out->size += bytes;
}

void function_table_save(struct function_table *table, struct byte_buffer *out)
{
	struct saved_texts texts = { 0 };
	struct saved_header header = {
		.digest = table->digest,
		.modules = (uint32_t)table->modules.modules.count,
		.functions = (uint32_t)table->functions.count,
		.clones = (uint32_t)table->clones.count,
	};
	size_t at = out->size;

	byte_buffer_text(&texts.bytes, "");
	byte_buffer_zeros(out, sizeof(header));
	save_modules(table, &texts, out);
	save_functions(table, &texts, out);
	byte_buffer_add(out, table->clones.items,
			header.clones * sizeof(uint32_t));
	byte_buffer_add(out, texts.bytes.bytes, texts.bytes.size);
	header.text_bytes = (uint32_t)texts.bytes.size;
	if (texts.bytes.failed)
		out->failed = true;
	if (!out->failed)
		memcpy(out->bytes + at, &header, sizeof(header));
	byte_buffer_free(&texts.bytes);
	number_map_free(&texts.offsets);
}

/* The parts of a saved table. */
struct saved_table {
	struct saved_header header;
	const struct saved_module *modules;
	const struct saved_function *functions;
	const uint32_t *clones;
	const char *texts;
};

/* Sets @saved to the parts of the @size bytes at @bytes. Returns whether the
 * sizes of the parts add up to @size, and the texts end with a NUL.
 */
static bool find_parts(struct saved_table *saved, const uint8_t *bytes,
		       size_t size)
{
	const struct saved_header *header = &saved->header;
	uint64_t modules;
	uint64_t functions;
	uint64_t clones;

	if (size < sizeof(*header))
		return false;
	memcpy(&saved->header, bytes, sizeof(*header));
	modules = (uint64_t)header->modules * sizeof(*saved->modules);
	functions = (uint64_t)header->functions * sizeof(*saved->functions);
	clones = (uint64_t)header->clones * sizeof(*saved->clones);
	if (!header->modules || !header->functions || !header->text_bytes ||
	    sizeof(*header) + modules + functions + clones +
			    header->text_bytes !=
		    size ||
	    bytes[size - 1])
		return false;
	bytes += sizeof(*header);
	saved->modules = (const void *)bytes;
	saved->functions = (const void *)(bytes + modules);
	saved->clones = (const void *)(bytes + modules + functions);
	saved->texts = (const void *)(bytes + modules + functions + clones);
	return true;
}

static int load_modules(struct function_table *table,
			const struct saved_table *saved)
{
	for (uint32_t i = 0; i < saved->header.modules; i++) {
		const struct saved_module *from = &saved->modules[i];
		const char *name;

		if (from->name >= saved->header.text_bytes)
			return -ERROR_FORMAT;
		name = saved->texts + from->name;
		name = function_table_module(table, name, strlen(name));
		if (!name)
			return -ERROR_MEMORY;
		/* Each name occurs once, "" first. */
		if (table->modules.last != i)
			return -ERROR_FORMAT;
		module_list_of(&table->modules, name)->start = from->start;
	}
	return 0;
}

static int load_functions(struct function_table *table,
			  const struct saved_table *saved)
{
	const struct saved_header *header = &saved->header;
	const struct module *modules = table->modules.modules.items;

	table->functions.count = 0;
	memset(table->slots.slots, 0,
	       table->slots.count * sizeof(*table->slots.slots));
	if (array_reserve(&table->functions, header->functions) < 0 ||
	    function_slots_reserve(&table->slots, header->functions + 1) < 0)
		return -ERROR_MEMORY;
	for (uint32_t i = 0; i < header->functions; i++) {
		const struct saved_function *from = &saved->functions[i];
		const struct function_slot slot = { i + 1, from->hash };
		struct function *function = array_add(&table->functions);

		if (from->name >= header->text_bytes ||
		    from->base >= header->text_bytes ||
		    from->module >= header->modules)
			return -ERROR_FORMAT;
		*function = (struct function){
			.name = saved->texts + from->name,
			.base = saved->texts + from->base,
			.module = modules[from->module].name,
			.address = from->address,
			.space = 'k',
			.is_double = from->is_double,
		};
		move_slot(&table->slots, slot);
	}
	return 0;
}

static int load_clones(struct function_table *table,
		       const struct saved_table *saved)
{
	for (uint32_t i = 0; i < saved->header.clones; i++) {
		if (saved->clones[i] >= saved->header.functions)
			return -ERROR_FORMAT;
		if (array_append(&table->clones, &saved->clones[i]) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

int function_table_load(struct function_table *table,
			const struct file_map *file, const uint8_t *bytes,
			size_t size)
{
	struct saved_table saved;
	int status;

	table->loaded = *file;
	if (!find_parts(&saved, bytes, size))
		return -ERROR_FORMAT;
	status = load_modules(table, &saved);
	if (!status)
		status = load_functions(table, &saved);
	if (!status)
		status = load_clones(table, &saved);
	table->digest = saved.header.digest;
	return status;
}

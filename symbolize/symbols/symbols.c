/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/symbols.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/inlined_ranges.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/kernel/kernel_symbols.h"
#include "symbolize/symbols/user_space_internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
	const struct arch *arch;
	struct function_table *functions;
	struct address_map *kernel;
	struct user_space *user; /* NULL: there are no symbols of programs */
	bool is_text; /* from symbols_from_text(): kernel has all symbols */
	bool needs_programs;  /* code of programs was traced */
	struct array inlined; /* struct inlined_range, of the kernel */
};

static int symbols_new(const struct arch *arch, struct symbols **symbols)
{
	struct symbols *made = calloc(1, sizeof(*made));

	*symbols = NULL;
	if (!made)
		return -ERROR_MEMORY;
	made->arch = arch;
	made->inlined = ARRAY_OF(struct inlined_range);
	made->functions = function_table_new();
	made->kernel = address_map_new();
	if (!made->functions || !made->kernel) {
		symbols_close(made);
		return -ERROR_MEMORY;
	}
	*symbols = made;
	return 0;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	user_space_close(symbols->user);
	address_map_free(symbols->kernel);
	array_free(&symbols->inlined);
	function_table_free(symbols->functions);
	free(symbols);
}

static struct kernel_symbols kernel_of(struct symbols *symbols)
{
	return (struct kernel_symbols){
		.arch = symbols->arch,
		.functions = symbols->functions,
		.map = symbols->kernel,
	};
}

int symbols_from_text(const struct arch *arch, const char *kallsyms,
		      size_t kallsyms_size, const char *modules,
		      size_t modules_size, struct symbols **symbols)
{
	struct kernel_symbols kernel;
	int status = symbols_new(arch, symbols);

	if (status < 0)
		return status;
	(*symbols)->is_text = true;
	kernel = kernel_of(*symbols);
	status = kernel_symbols_add_kallsyms(&kernel, kallsyms, kallsyms_size);
	if (!status)
		status = kernel_symbols_add_modules(&kernel, modules,
						    modules_size);
	if (!status)
		status = kernel_symbols_finish(&kernel);
	if (status < 0) {
		symbols_close(*symbols);
		*symbols = NULL;
	}
	return status;
}

/* Appends the programs' @functions to the kernel's, and frees them. */
static int join(struct symbols *symbols, struct function_table *functions)
{
	uint32_t shift = function_table_join(symbols->functions, functions);

	if (shift == FUNCTION_NONE)
		return -ERROR_MEMORY;
	user_space_renumber(symbols->user, shift);
	return 0;
}

/* Reads the symbols of the @kernel, in a thread of their own if @threads allows
 * it, and those of programs.
 */
static int read_both(struct symbols *symbols,
		     const struct kernel_symbols *kernel,
		     const struct recording *recording, const struct log *log,
		     unsigned int threads)
{
	struct function_table *functions = function_table_new();
	struct kernel_reader *reader =
		kernel_reader_begin(kernel, recording, log, threads > 1);
	int status = functions && reader ? user_space_open(recording, functions,
							   &symbols->user) :
					   -ERROR_MEMORY;
	int of_kernel = kernel_reader_end(reader);

	status = status ? status : of_kernel;
	if (!status)
		status = function_table_demangle(functions);
	if (!status)
		return join(symbols, functions);
	function_table_free(functions);
	return status;
}

int symbols_open_cached(const struct recording *recording,
			const struct log *log, unsigned int threads,
			const char *cache, struct symbols **symbols)
{
	int status = symbols_new(arch_for(recording_arch(recording)), symbols);
	struct kernel_symbols kernel;

	if (status < 0)
		return status;
	(*symbols)->needs_programs = recording_traces_user(recording);
	kernel = kernel_of(*symbols);
	kernel.cache = cache;
	status = recording_names_user(recording) ?
			 read_both(*symbols, &kernel, recording, log, threads) :
			 kernel_symbols_add_all(&kernel, recording, log);
	if (!status)
		return 0;
	symbols_close(*symbols);
	*symbols = NULL;
	return status;
}

int symbols_open(const struct recording *recording, const struct log *log,
		 unsigned int threads, struct symbols **symbols)
{
	return symbols_open_cached(recording, log, threads, NULL, symbols);
}

int symbols_log_unread(const struct symbols *symbols, const struct log *log,
		       const int32_t *pids, size_t count)
{
	if (!symbols->user || !symbols->needs_programs)
		return 0;
	return user_space_log_unread(symbols->user, log, pids, count);
}

void symbols_find(const struct symbols *symbols, int32_t pid, uint64_t time_ns,
		  uint64_t address, struct symbol *symbol)
{
	struct symbol_range range;

	symbols_find_range(symbols, pid, time_ns, address, symbol, &range);
}

/* Returns whether @address is the kernel's. Sets its symbol and range. For a
 * user address sets both as for unmapped memory.
 */
static bool find_kernel(const struct symbols *symbols, uint64_t address,
			struct symbol *symbol, struct symbol_range *range)
{
	uint64_t kernel_start = symbols->is_text ? 0 :
						   symbols->arch->kernel_start;

	if (address < kernel_start) {
		*range = (struct symbol_range){ 0, kernel_start, UINT64_MAX };
		*symbol = (struct symbol){
			.end = kernel_start,
			.function = FUNCTION_UNKNOWN,
		};
		return false;
	}
	*symbol = *address_map_find(symbols->kernel, address);
	*range = (struct symbol_range){
		.start = symbol->start > kernel_start ? symbol->start :
							kernel_start,
		.end = symbol->end,
		.until_ns = UINT64_MAX,
	};
	return true;
}

void symbols_find_range(const struct symbols *symbols, int32_t pid,
			uint64_t time_ns, uint64_t address,
			struct symbol *symbol, struct symbol_range *range)
{
	if (!find_kernel(symbols, address, symbol, range) && symbols->user)
		user_space_find(symbols->user, pid, time_ns, address, symbol,
				range);
}

void symbols_find_mapped(const struct symbols *symbols,
			 const struct array *maps, uint64_t address,
			 struct symbol *symbol, struct symbol_range *range)
{
	if (!find_kernel(symbols, address, symbol, range) && symbols->user &&
	    maps)
		user_space_find_mapped(symbols->user, maps, address, symbol,
				       range);
}

/* Returns whether @function shows where its module is. A few are enough for the
 * kernel, which has one distance.
 */
static bool is_landmark(const struct function *function)
{
	static const char *const names[] = {
		"vfs_read",
		"do_exit",
		"kfree",
		"schedule",
	};
	bool is_one = *function->module;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !is_one; i++)
		is_one = !strcmp(function->base, names[i]);
	return is_one;
}

/* Appends the landmarks of @module to @places (struct kernel_place). Returns 0
 * or -ERROR_MEMORY.
 */
static int list_places(const struct symbols *symbols, const char *module,
		       struct array *places)
{
	size_t total;
	const struct symbol *all = address_map_symbols(symbols->kernel, &total);
	int error = 0;

	places->count = 0;
	for (size_t i = 0; i < total && !error; i++) {
		const struct function *function =
			all[i].function == FUNCTION_UNKNOWN ?
				NULL :
				function_at(symbols->functions,
					    all[i].function);

		if (function && function->module == module && !all[i].padding &&
		    is_landmark(function))
			error = array_append(places,
					     &(struct kernel_place){
						     .name = function->base,
						     .is_cold = all[i].is_cold,
						     .address = all[i].start,
					     });
	}
	return error;
}

/* Adds the calls inlined into @module, "" for the kernel itself, by its debug
 * data @path; NULL: there is none.
 */
static int add_inlined_of(struct symbols *symbols, const char *module,
			  const char *path, struct array *places)
{
	int error = path ? list_places(symbols, module, places) : 0;

	if (path && !error)
		error = inlined_ranges_add_kernel(path, module, places->items,
						  places->count,
						  symbols->functions,
						  &symbols->inlined);
	return error;
}

/* Appends the names of the kernel and its modules to @modules (const char *),
 * which are texts of the functions' table.
 */
static int list_modules(const struct symbols *symbols, struct array *modules)
{
	size_t total;
	const struct symbol *all = address_map_symbols(symbols->kernel, &total);
	const char *last = NULL;
	int error = 0;

	for (size_t i = 0; i < total && !error; i++) {
		const char *module =
			all[i].function == FUNCTION_UNKNOWN ?
				last :
				function_at(symbols->functions, all[i].function)
					->module;
		bool is_known = module == last;

		for (size_t j = 0; j < modules->count && !is_known; j++)
			is_known = *(const char **)array_at(modules, j) ==
				   module;
		last = module;
		if (!is_known)
			error = array_append(modules, &module);
	}
	return error;
}

static int add_inlined_of_kernel(struct symbols *symbols,
				 const struct recording *recording)
{
	struct array modules = ARRAY_OF(const char *);
	struct array places = ARRAY_OF(struct kernel_place);
	int error = list_modules(symbols, &modules);

	for (size_t i = 0; i < modules.count && !error; i++) {
		const char *module = *(const char **)array_at(&modules, i);
		char *path = *module ? lines_module_path(recording, module) :
				       lines_kernel_path(recording);

		error = add_inlined_of(symbols, module, path, &places);
		free(path);
	}
	inlined_ranges_sort(&symbols->inlined);
	array_free(&modules);
	array_free(&places);
	return error;
}

int symbols_add_inlined(struct symbols *symbols,
			const struct recording *recording)
{
	uint32_t first = function_count(symbols->functions);
	int status = add_inlined_of_kernel(symbols, recording);

	if (!status && symbols->user)
		status = user_space_add_inlined(symbols->user,
						symbols->functions);
	return status ? status :
			function_table_name_inlined(symbols->functions, first);
}

bool symbols_find_inlined(const struct symbols *symbols,
			  const struct array *maps, uint64_t address,
			  const struct symbol *symbol,
			  struct inlined_place *place)
{
	if (!function_table_sites(symbols->functions))
		return false;
	if (address >= symbols->arch->kernel_start)
		return inlined_ranges_find(&symbols->inlined, symbol->start,
					   address, symbol->end, place);
	return maps && user_space_find_inlined(symbols->user, maps, address,
					       symbol, place);
}

bool symbols_are_of_two_files(const struct symbols *symbols, uint32_t a,
			      uint32_t b)
{
	const char *first;
	const char *second;

	if (a == FUNCTION_UNKNOWN || b == FUNCTION_UNKNOWN ||
	    a == FUNCTION_NONE || b == FUNCTION_NONE)
		return false;
	first = function_at(symbols->functions, a)->module;
	second = function_at(symbols->functions, b)->module;
	return *first && *second && strcmp(first, second) != 0;
}

bool symbols_have_role(const struct symbols *symbols, uint8_t role)
{
	size_t count;
	const struct symbol *found =
		address_map_symbols(symbols->kernel, &count);

	for (size_t i = 0; i < count; i++)
		if (found[i].role == role)
			return true;
	return false;
}

const struct arch *symbols_arch(const struct symbols *symbols)
{
	return symbols->arch;
}

int symbols_display(struct symbols *symbols, enum function_names names)
{
	return function_table_display(symbols->functions, names);
}

const struct function_table *symbols_functions(const struct symbols *symbols)
{
	return symbols->functions;
}

enum { SLOT_BITS = 14 };

struct slot {
	uint64_t address; /* 0: free */
	int32_t pid;	  /* of user code; -1: kernel code */
	uint64_t from_ns; /* the symbol is valid in [from_ns, until_ns) */
	uint64_t until_ns;
	struct symbol symbol;
};

struct symbol_cache {
	const struct symbols *symbols;
	uint64_t kernel_start;
	int32_t pid;
	struct slot slots[1 << SLOT_BITS];
};

struct symbol_cache *symbol_cache_new(const struct symbols *symbols)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->symbols = symbols;
	cache->kernel_start = symbols_arch(symbols)->kernel_start;
	cache->pid = -1;
	return cache;
}

void symbol_cache_free(struct symbol_cache *cache)
{
	free(cache);
}

static struct slot *slot_of(struct symbol_cache *cache, uint64_t address,
			    int32_t pid)
{
	uint64_t key = address ^ (uint64_t)(uint32_t)pid << 32;

	return &cache->slots[key * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS)];
}

static void fill(const struct symbols *symbols, struct slot *slot, int32_t pid,
		 uint64_t time_ns, uint64_t address)
{
	struct symbol_range range;

	symbols_find_range(symbols, pid, time_ns, address, &slot->symbol,
			   &range);
	slot->address = address;
	slot->pid = pid;
	slot->from_ns = pid < 0 ? 0 : time_ns;
	slot->until_ns = range.until_ns;
}

static bool has(const struct slot *slot, int32_t pid, uint64_t time_ns,
		uint64_t address)
{
	return slot->address == address && slot->pid == pid && address &&
	       time_ns >= slot->from_ns && time_ns < slot->until_ns;
}

const struct symbol *symbol_cache_find(struct symbol_cache *cache,
				       uint64_t time_ns, uint64_t address)
{
	int32_t pid = address >= cache->kernel_start ? -1 : cache->pid;
	struct slot *slot = slot_of(cache, address, pid);

	if (!has(slot, pid, time_ns, address))
		fill(cache->symbols, slot, pid, time_ns, address);
	return &slot->symbol;
}

void symbol_cache_switch(struct symbol_cache *cache, int32_t pid)
{
	cache->pid = pid;
}

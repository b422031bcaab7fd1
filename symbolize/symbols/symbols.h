/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SYMBOLS_SYMBOLS_H
#define KT_SYMBOLIZE_SYMBOLS_SYMBOLS_H

#include "symbolize/arch/arch.h"
#include "symbolize/elf/inlined_ranges.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* All symbols of one recording: which function the code at an address belongs
 * to, in the kernel, its modules and BPF programs, and in users' programs.
 *
 *	kallsyms, modules, KSYMBOL records ─► kernel_symbols.h ─────────┐
 *	                                                                ├─► this header
 *	maps of processes ► files' symbols ► user_space_internal.h ─────┘
 *
 * A kernel address has one symbol for the whole recording. A user address has
 * the symbol of the file that the process had mapped there at the time. A
 * look-up therefore needs process and time, and symbols_find_range() returns
 * the addresses and the time that its result is valid for. Each stream looks up
 * through a cache of its own, struct symbol_cache.
 *
 * 1. Threads may share an open struct symbols. Only symbols_add_inlined() and
 *    then symbols_display() change it: they must be called before that.
 * 2. Every address has a symbol: FUNCTION_UNKNOWN where none is known.
 * 3. The numbers of the kernel's functions are below those of programs, and do
 *    not depend on them or on the number of threads.
 *
 * Missing or unreadable symbols are not an error; they are logged.
 */
struct symbols;

/* Reads the symbols of @recording, which must outlive them, with at most
 * @threads threads.
 *
 * Warns @log if kernel symbols are missing; the kernel's code is then
 * FUNCTION_UNKNOWN. Only symbols_log_unread() warns of missing symbols of
 * programs. Returns 0 and sets *@symbols, or returns a negative enum error.
 */
int symbols_open(const struct recording *recording, const struct log *log,
		 unsigned int threads, struct symbols **symbols);

/* Like symbols_open(), but takes the kernel's symbols from the file @cache if
 * the file was written for this recording, and else writes them to the file.
 * @cache NULL: no file.
 */
int symbols_open_cached(const struct recording *recording,
			const struct log *log, unsigned int threads,
			const char *cache, struct symbols **symbols);

/* Warns @log of programs' files whose symbols could not be read, if the
 * recording traces user code and one of the processes @pids had mapped the
 * file; NULL: if any process had. Returns 0 or -ERROR_MEMORY.
 */
int symbols_log_unread(const struct symbols *symbols, const struct log *log,
		       const int32_t *pids, size_t count);

/* Like symbols_open(), but reads only the texts of /proc/kallsyms and
 * /proc/modules. @kallsyms may also contain functions at user addresses, which
 * then are in all processes.
 */
int symbols_from_text(const struct arch *arch, const char *kallsyms,
		      size_t kallsyms_size, const char *modules,
		      size_t modules_size, struct symbols **symbols);

/* NULL is allowed. */
void symbols_close(struct symbols *symbols);

/* Finds the symbol at @address. For a user address it is looked up in the file
 * that process @pid had mapped there at @time_ns; kernel addresses ignore both.
 *
 * Always fills @symbol; its function is FUNCTION_UNKNOWN if none is known.
 */
void symbols_find(const struct symbols *symbols, int32_t pid, uint64_t time_ns,
		  uint64_t address, struct symbol *symbol);

/* Like symbols_find(), and sets @range: the symbol found is valid for all
 * addresses in it, from @time_ns until range->until_ns, in process @pid.
 */
void symbols_find_range(const struct symbols *symbols, int32_t pid,
			uint64_t time_ns, uint64_t address,
			struct symbol *symbol, struct symbol_range *range);

/* Like symbols_find_range(), for a process with the mappings @maps (struct
 * process_map, oldest first; NULL: none).
 */
void symbols_find_mapped(const struct symbols *symbols,
			 const struct array *maps, uint64_t address,
			 struct symbol *symbol, struct symbol_range *range);

/* Reads the inlined calls in the kernel, without its modules, and in programs
 * from debug information. Adds the functions that are called inline. Returns 0 or
 * -ERROR_MEMORY.
 */
int symbols_add_inlined(struct symbols *symbols,
			const struct recording *recording);

/* Sets *@place to the inlined calls at @address of @symbol, as
 * symbols_find_mapped() found it. Returns false if nothing is inlined into the
 * symbol's code, or symbols_add_inlined() was not called.
 */
bool symbols_find_inlined(const struct symbols *symbols,
			  const struct array *maps, uint64_t address,
			  const struct symbol *symbol,
			  struct inlined_place *place);

/* Returns whether functions @a and @b are known to be of different files. */
bool symbols_are_of_two_files(const struct symbols *symbols, uint32_t a,
			      uint32_t b);

/* Returns whether a symbol of the kernel has @role (enum code_role). */
bool symbols_have_role(const struct symbols *symbols, uint8_t role);

const struct arch *symbols_arch(const struct symbols *symbols);

/* Sets which names of demangled functions are displayed, see
 * function_table_display(). Returns 0 or -ERROR_MEMORY.
 */
int symbols_display(struct symbols *symbols, enum function_names names);

const struct function_table *symbols_functions(const struct symbols *symbols);

/* Caches the symbols found last, by address, since a CPU mostly jumps to
 * addresses that it has jumped to before. Each stream has a cache of its own.
 */
struct symbol_cache;

/* Borrows @symbols. Returns NULL when out of memory. */
struct symbol_cache *symbol_cache_new(const struct symbols *symbols);
void symbol_cache_free(struct symbol_cache *cache);

/* Like symbols_find(), for the process set by symbol_cache_switch(). @time_ns
 * may be lower than in the previous call. The result is valid until the next
 * call of either function.
 */
const struct symbol *symbol_cache_find(struct symbol_cache *cache,
				       uint64_t time_ns, uint64_t address);

/* Sets the process that runs from now on to @pid. */
void symbol_cache_switch(struct symbol_cache *cache, int32_t pid);

#endif

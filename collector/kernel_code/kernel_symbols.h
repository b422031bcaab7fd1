/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_CODE_KERNEL_SYMBOLS_H
#define KT_COLLECTOR_KERNEL_CODE_KERNEL_SYMBOLS_H

/* The kernel's symbols while recording: the text of /proc/kallsyms, searched
 * for the few symbols that the recorder needs.
 *
 * 1. Symbols are in the order of the file: first the kernel's own, then those
 *    of modules, BPF programs and ftrace's pages, which are not sorted by
 *    address.
 * 2. A kernel that hides addresses (kptr_restrict) has address 0 for all: that
 *    is "unknown", never an address.
 * 3. The kernel generates the lines slowly, so the file is read once, or only
 *    up to the symbol that is searched.
 *
 * Names for reports are another module: symbolize/kernel/kernel_symbols.h.
 */

#include "common/bytes.h"
#include "common/formats/kallsyms.h"

#include <stddef.h>
#include <stdint.h>

struct output_folder;
struct placed_name;

/* The text of a kallsyms file. It is searched without an index, since a
 * recording looks up only a few symbols, each once.
 */
struct kernel_symbols {
	struct byte_buffer text;
};

/* Reads the file at @path.
 *
 * Returns 0, -ERROR_SYSTEM with errno set, or -ERROR_MEMORY.
 */
int kernel_symbols_read(struct kernel_symbols *symbols, const char *path);

void kernel_symbols_free(struct kernel_symbols *symbols);

/* Returns a walk over all symbols. */
struct kallsyms kernel_symbols_walk(const struct kernel_symbols *symbols);

/* Returns a walk over the symbols after the kernel's own: those of modules, of
 * ftrace's and kprobes' pages and of BPF (kernel/kallsyms.c, s_show() and
 * update_iter_mod()).
 */
struct kallsyms
kernel_symbols_walk_modules(const struct kernel_symbols *symbols);

/* Returns the address of the kernel's symbol @name; 0 if it is unknown or
 * the kernel hides addresses from us (kernel.kptr_restrict).
 */
uint64_t kernel_symbols_address(const struct kernel_symbols *symbols,
				const char *name);

/* Searches the file at @path for the first of @names, terminated by NULL, that
 * the kernel has. Stops reading at names[0], because the kernel generates the
 * lines slowly.
 *
 * Returns 0 and *@address, 0 if none was found or addresses are hidden;
 * -ERROR_SYSTEM with errno set.
 */
int kernel_symbols_search(const char *path, const char *const *names,
			  uint64_t *address);

/* Returns the size in bytes of the function at @address, of the kernel or of a
 * module: it ends where the next function starts. Returns 1 if there is none.
 */
uint64_t kernel_symbols_size(const struct kernel_symbols *symbols,
			     uint64_t address);

/* Appends the lines of the file @from that contain any of the @count texts
 * @marks to the existing file @name of @folder.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int matching_lines_append(const char *from, const struct output_folder *folder,
			  const char *name, const char (*marks)[80],
			  size_t count);

/* The maximum number of stored functions. */
enum { FUNCTIONS_KEPT = 4 };

/* The functions that match a name best (fit), each at another address. "count"
 * may exceed the number of those that are stored.
 */
struct kernel_functions {
	size_t count;
	int fit;
	/* pointers into the text of the symbols */
	struct kallsyms_line kept[FUNCTIONS_KEPT];
};

/* Returns whether @symbol is a function of the kernel or of a module. */
bool kernel_function_is(const struct kallsyms_line *symbol);

/* Finds functions by @name. A name with an offset selects the function at that
 * offset from the first function of the kernel or of its module. @fit_of
 * returns how well a function matches the first @length bytes of @name; 0: not
 * at all.
 */
struct kernel_functions
kernel_functions_find(const struct kernel_symbols *symbols,
		      const struct placed_name *name,
		      int (*fit_of)(const struct kallsyms_line *symbol,
				    const char *name, size_t length));

/* Writes unambiguous names of @functions into @list, with their modules, such
 * as "show@0x12340, show@0x80 [ext4]".
 */
void kernel_functions_list(const struct kernel_symbols *symbols,
			   const struct kernel_functions *functions, char *list,
			   size_t size);

#endif

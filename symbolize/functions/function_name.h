/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTIONS_FUNCTION_NAME_H
#define KT_SYMBOLIZE_FUNCTIONS_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct name_choice;

/* Demangles @symbol: C++ (Itanium ABI), Rust (legacy and v0) or D. With
 * @with_parameters the name has its parameters and return type
 * ("int shop::cost<int>(int)"), else neither ("shop::cost<int>"). Rust's names
 * have none, and no hash.
 *
 * Returns the name, which the caller frees; NULL if @symbol is not mangled, its
 * name would be longer than DEMANGLED_MOST, or out of memory. Source:
 * libiberty.
 */
char *demangle(const char *symbol, bool with_parameters);

/* The last component of a demangled name: "cost" of "shop::Order::cost<int>". A
 * name of D, whose components are separated by dots, counts as one component.
 */
struct demangled_base {
	size_t start;
	/* without template arguments, unless it is an operator */
	size_t length;
};

/* Returns the last component of @name, a name without parameters. */
struct demangled_base demangled_base(const char *name);

/* Further names of a function whose symbol is mangled. If the symbol is a
 * clone's, symbol and brief include its suffix (".isra.0").
 */
struct demangled {
	const char *symbol; /* "_ZN4shop4costIiEEvT_" */
	const char *brief;  /* without parameters, "shop::cost<int>" */
	size_t base_length; /* of the symbol without the clone's suffix */
};

/* The module of functions that programs generate, and the function of such code
 * without a name.
 */
#define GENERATED_CODE "[generated code]"

struct function {
	/* as displayed: "foo.isra.0", and, if others of its module have that
	 * name, with its position: "foo.isra.0@0x1230". Demangled without
	 * parameters, "shop::cost<int>", unless another function of the module
	 * then has the same name
	 */
	const char *name;
	/* name in the source, "foo": rules and choices by name use it. Of a
	 * demangled name the last component, "cost"
	 */
	const char *base;
	const struct demangled *demangled; /* NULL: name is the symbol's */
	const char *module; /* "" for the kernel proper, else a module's
				 * name or a user program's path */
	uint64_t address;   /* of its entry; 0 if unknown */
	char space;	    /* 'k' kernel, 'u' user */
	bool is_double; /* another function of its module has the same name */
	bool has_parameters; /* name includes the parameters */
	/* stands for the calls of a function that the compiler inlined: name
	 * ends in " (inlined)", and address is 0
	 */
	bool is_inlined;
};

/* Which of a demangled function's names is displayed. */
enum function_names {
	FUNCTION_NAMES_BRIEF, /* without parameters where unambiguous */
	FUNCTION_NAMES_FULL,
	FUNCTION_NAMES_SYMBOLS, /* mangled */
};

/* Returns @function's name with its parameters, "void shop::cost<int>(int)";
 * the displayed name if it has none. The caller frees it. Few of a program's
 * functions need this name, so it is made for each call. Returns NULL when out
 * of memory.
 */
char *function_full_name(const struct function *function);

/* Returns the name of @function's symbol, mangled if it is. */
static inline const char *function_symbol(const struct function *function)
{
	if (function->is_inlined && !function->demangled)
		return function->base;
	return function->demangled ? function->demangled->symbol :
				     function->name;
}

/* The lengths in bytes of the names within a symbol's name. */
struct name_lengths {
	size_t name; /* the function's own, "foo.isra.0" */
	size_t base; /* the name in the source, "foo" */
};

/* Returns the lengths of the @length bytes of symbol @name without the suffixes
 * that gcc and clang add. Clones (".part.0", ".isra.0", ".constprop.0") are
 * functions of their own: they are called, and their names include the suffix.
 * Other suffixes (".cold", ".llvm.123", ".lto_priv.0", ".localalias", ".123")
 * are part of neither name. A stub of a linkage table ("read@plt") is a
 * function whose base is the called function's name.
 *
 * Source: gcc's clone_function_name() and its callers; clang's
 * -funique-internal-linkage-names and ThinLTO promotion.
 */
struct name_lengths function_name_lengths(const char *name, size_t length);

/* Returns whether symbol @name is a cold part, "foo.cold": only foo jumps
 * there, for rare cases.
 */
bool function_name_is_cold(const char *name, size_t length);

/* Returns the length of the prefix of @name that marks the padding before a
 * function's entry ("__pfx_", "__cfi_"), or 0. Code there belongs to the
 * function named by the rest. Source: tools/objtool of Linux 6.2 and later.
 */
size_t function_name_padding(const char *name, size_t length);

/* Returns whether @name marks the start or end of a section of the kernel's
 * code, as "__irqentry_text_start": the code there has a name of its own.
 * Source: include/asm-generic/vmlinux.lds.h.
 */
bool function_name_is_mark(const char *name, size_t length);

/* Returns whether @name is a label inside a function: execution reaches it from
 * the instruction before it, never by a call or jump. The code after it belongs
 * to that function, even if a trace resumes there after a loss. Source:
 * arch/x86/entry/entry_64.S.
 */
bool function_name_is_label(const char *name, size_t length);

/* Sets readable names for functions of programs with mangled symbols, see
 * struct function. Leaves the others of the @count functions unchanged. Stores
 * texts in @names.
 *
 * Of a name longer than some 250 bytes the beginning and the end are displayed.
 * If several functions of a module would have the same name, they are displayed
 * with their parameters. Names that are equal even so (a constructor's
 * variants, unless they are at one address) get the position,
 * "Foo::Foo()@0x1230".
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int program_names_demangle(struct function *functions, uint32_t count,
			   struct arena *names);

/* Appends " (inlined)" to the displayed names of the @count functions, which
 * stand for inlined calls. Returns 0 or -ERROR_MEMORY.
 */
int program_names_mark_inlined(struct function *functions, uint32_t count,
			       struct arena *names);

/* Displays @function, if it is demangled, by one of its names. Stores texts in
 * @texts. Returns 0 or -ERROR_MEMORY.
 */
int program_name_display(struct function *function, enum function_names names,
			 struct arena *texts);

/* Returns whether the @length bytes at @name are one of @function's names:
 * - the displayed name ("foo.isra.0@0x1230"), also without its position
 *   ("foo.isra.0");
 * - the name in the source ("foo"), which all clones have;
 * - if it is demangled: the symbol; the name with all parameters; the name
 *   without them ("shop::cost<int>"), also without template arguments.
 * The " (inlined)" of an inlined function may be missing.
 */
bool function_is_called(const struct function *function, const char *name,
			size_t length);

/* Returns whether any name that function_is_called() accepts for @function is
 * in @choice.
 */
bool function_is_chosen(const struct function *function,
			const struct name_choice *choice);

#endif

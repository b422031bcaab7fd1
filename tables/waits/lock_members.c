/* SPDX-License-Identifier: MIT */
#include "tables/waits/lock_members.h"

#include "common/array.h"
#include "common/files/file_map.h"
#include "common/formats/kernel_types.h"
#include "common/log.h"
#include "decoder/code/code_image.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_facts.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/symbols/variables.h"
#include "tables/waits/lock_members_internal.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { TEXT_BYTES = 128, MAX_CODE_BYTES = 1 << 16, MAX_TYPES_BYTES = 1 << 28 };

/* The types of vmlinux or a module, as in the recording. */
struct module_types {
	struct kernel_types_entry entry;
	const uint8_t *stored;
	uint8_t *bytes; /* NULL: not read yet */
	struct kernel_types *types;
};

struct found_member {
	/* the key */
	uint32_t return_high;
	uint32_t return_low;
	uint32_t function;
	uint32_t kind;

	char text[TEXT_BYTES]; /* "": unknown */
};

struct lock_members {
	const struct recording *recording;
	const struct symbols *symbols;
	bool is_open;
	struct file_map map;
	struct array modules;	  /* struct module_types; vmlinux is first */
	struct code_image *image; /* NULL: cannot be read */
	struct variables *variables;
	struct keyed_array found; /* struct found_member */
};

/* Functions that lock a member of an object that their parameters do not lead
 * to, as a file's private data.
 */
static const struct {
	const char *function;
	enum lock_kind kind;
	const char *of;
	const char *member;
} usual[] = {
	{ "pipe_read", LOCK_MUTEX, "pipe_inode_info", "mutex" },
	{ "pipe_write", LOCK_MUTEX, "pipe_inode_info", "mutex" },
	{ "pipe_release", LOCK_MUTEX, "pipe_inode_info", "mutex" },
	{ "do_epoll_ctl", LOCK_MUTEX, "eventpoll", "mtx" },
	{ "path_openat", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "fdget_pos", LOCK_MUTEX, "file", "f_pos_lock" },
	{ "__fdget_pos", LOCK_MUTEX, "file", "f_pos_lock" },
	{ "do_unlinkat", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "do_rmdir", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "do_renameat2", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "filename_create", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "lock_rename", LOCK_RW_SEM, "inode", "i_rwsem" },
	{ "ep_poll", LOCK_MUTEX, "eventpoll", "mtx" },
};

struct lock_members *lock_members_new(const struct recording *recording,
				      const struct symbols *symbols)
{
	struct lock_members *members = calloc(1, sizeof(*members));

	if (!members)
		return NULL;
	members->recording = recording;
	members->symbols = symbols;
	members->modules = ARRAY_OF(struct module_types);
	members->found = KEYED_ARRAY_OF(struct found_member, kind);
	return members;
}

void lock_members_free(struct lock_members *members)
{
	if (!members)
		return;
	for (size_t i = members->modules.count; i-- > 0;) {
		struct module_types *module = array_at(&members->modules, i);

		kernel_types_free(module->types);
		free(module->bytes);
	}
	array_free(&members->modules);
	keyed_array_free(&members->found);
	file_map_close(&members->map);
	code_image_close(members->image);
	variables_free(members->variables);
	free(members);
}

static void ignore(void *ctx, enum log_level level, const char *path,
		   uint64_t offset, const char *text)
{
	(void)ctx;
	(void)level;
	(void)path;
	(void)offset;
	(void)text;
}

/* Lists the entries of the recording's types, up to one that is cut. */
static void list_modules(struct lock_members *members)
{
	const uint8_t *at = members->map.bytes;
	size_t left = members->map.size;
	struct module_types module = { .bytes = NULL };

	while (kernel_types_next(&at, &left, &module.entry, &module.stored) &&
	       module.entry.size_bytes <= MAX_TYPES_BYTES)
		if (array_append(&members->modules, &module) < 0)
			return;
}

/* Opens the kernel's types. Without them, or without memory, no member is known.
 */
static void open_members(struct lock_members *members)
{
	static const struct log log = { ignore, NULL };
	const char *path = recording_files(members->recording)->types;

	members->is_open = true;
	if (!path ||
	    recording_arch(members->recording) != RECORDING_ARCH_X86_64 ||
	    file_map_open(&members->map, path, &log) < 0)
		return;
	list_modules(members);
	members->variables = variables_new(members->recording);
	if (code_image_open(members->recording, &log, &members->image) < 0)
		members->image = NULL;
}

/* Returns the types of @module, which must be read after those of @base. */
static const struct kernel_types *read_types(struct module_types *module,
					     const struct kernel_types *base)
{
	size_t size = module->entry.size_bytes;

	if (module->bytes)
		return module->types;
	module->bytes = malloc(size + 1);
	if (module->bytes &&
	    ZSTD_decompress(module->bytes, size, module->stored,
			    module->entry.stored_bytes) == size)
		module->types = kernel_types_read(module->bytes, size, base);
	return module->types;
}

/* Returns the types of the module named @name, "" for the kernel proper; those
 * of vmlinux if it has none of its own, NULL if there are none.
 */
static const struct kernel_types *types_of(struct lock_members *members,
					   const char *name)
{
	struct module_types *modules = members->modules.items;
	const struct kernel_types *base;

	if (!members->modules.count || strcmp(modules[0].entry.name, "vmlinux"))
		return NULL;
	base = read_types(&modules[0], NULL);
	for (size_t i = 1; base && *name && i < members->modules.count; i++)
		if (!strcmp(modules[i].entry.name, name)) {
			const struct kernel_types *own =
				read_types(&modules[i], base);

			return own ? own : base;
		}
	return base;
}

/* The function whose code is read. */
struct reading {
	struct lock_members *members;
	const struct kernel_types *types;
};

/* Returns the type number of @function; 0 for a clone, whose parameters differ.
 */
static uint32_t type_of(const struct kernel_types *types,
			const struct function *function)
{
	return !strcmp(function->name, function->base) || function->is_double ?
		       kernel_types_function(types, function->base) :
		       0;
}

static uint32_t function_type_at(void *ctx, uint64_t target)
{
	const struct reading *reading = ctx;
	const struct symbols *symbols = reading->members->symbols;
	struct symbol symbol;

	symbols_find(symbols, -1, 0, target, &symbol);
	return symbol.start == target && symbol.function != FUNCTION_UNKNOWN ?
		       type_of(reading->types,
			       function_at(symbols_functions(symbols),
					   symbol.function)) :
		       0;
}

/* arch/x86/include/asm/current.h: pcpu_hot starts with the current task. */
static bool is_current(void *ctx, uint64_t offset)
{
	const struct reading *reading = ctx;
	char name[32];

	return reading->members->variables &&
	       variables_find(reading->members->variables, VARIABLES_OF_KERNEL,
			      offset, name, sizeof(name)) &&
	       (!strcmp(name, "pcpu_hot") || !strcmp(name, "const_pcpu_hot") ||
		!strcmp(name, "current_task"));
}

/* Returns the argument of the call in @function that returns to
 * @return_address.
 */
static struct lock_argument find_argument(struct lock_members *members,
					  const struct kernel_types *types,
					  const struct function *function,
					  uint64_t return_address)
{
	struct lock_argument argument = { .is_known = false };
	struct reading reading = { members, types };
	struct symbol symbol;
	uint8_t *bytes;
	size_t size;

	symbols_find(members->symbols, -1, 0, return_address - 1, &symbol);
	if (!members->image || symbol.is_cold ||
	    symbol.start != function->address)
		return argument;
	size = symbol.end - symbol.start;
	size = size < MAX_CODE_BYTES ? size : MAX_CODE_BYTES;
	bytes = malloc(size + 1);
	if (bytes)
		argument = locking_code_argument(&(struct locking_code){
			.bytes = bytes,
			.size = code_image_read(members->image, UINT64_MAX,
						symbol.start, bytes, size),
			.address = symbol.start,
			.return_address = return_address,
			.types = types,
			.function = type_of(types, function),
			.function_at = function_type_at,
			.is_current = is_current,
			.ctx = &reading,
		});
	free(bytes);
	return argument;
}

/* Returns the types of locks of @kind; NULL if they are not followed. */
static const char *const *types_of_kind(enum lock_kind kind)
{
	static const char *const names[LOCK_KINDS][4] = {
		[LOCK_SPIN] = { "spinlock", "raw_spinlock", "qspinlock" },
		[LOCK_RW_SPIN] = { "rwlock_t", "qrwlock" },
		[LOCK_MUTEX] = { "mutex" },
		[LOCK_RW_SEM] = { "rw_semaphore" },
		[LOCK_PERCPU_RW_SEM] = { "percpu_rw_semaphore" },
		[LOCK_RT_MUTEX] = { "rt_mutex", "rt_mutex_base" },
	};

	return *names[kind] ? names[kind] : NULL;
}

/* Writes the usual member of @function to @text, if its offset may be that of
 * @argument.
 */
static void find_usual(const struct kernel_types *types, enum lock_kind kind,
		       const struct function *function,
		       const struct lock_argument *argument, char *text)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		int offset;

		if (usual[i].kind != kind ||
		    strcmp(usual[i].function, function->base) != 0)
			continue;
		offset = kernel_types_offset(types, usual[i].of,
					     usual[i].member);
		if (offset < 0 ||
		    (argument->is_known && argument->offset != offset) ||
		    !kernel_types_name_member(
			    types, kernel_types_struct(types, usual[i].of),
			    (uint64_t)offset, types_of_kind(kind), text,
			    TEXT_BYTES))
			*text = '\0';
		return;
	}
}

/* Returns whether the function at @address locks its argument. A function may
 * jump to a locking one instead of calling it, so that its caller seems to lock.
 */
static bool is_of_lock(const struct lock_members *members, uint64_t address)
{
	const char *name;
	struct symbol symbol;

	if (!address)
		return false;
	symbols_find(members->symbols, -1, 0, address, &symbol);
	name = function_at(symbols_functions(members->symbols), symbol.function)
		       ->base;
	return strstr(name, "lock") || strstr(name, "down_");
}

static void find(struct lock_members *members, enum lock_kind kind,
		 const struct function *function, uint64_t return_address,
		 char *text)
{
	const char *const *names = types_of_kind(kind);
	const struct kernel_types *types = types_of(members, function->module);
	struct lock_argument argument;

	*text = '\0';
	if (!types || !names)
		return;
	argument = find_argument(members, types, function, return_address);
	if (!is_of_lock(members, argument.callee))
		return;
	if (argument.type && argument.offset >= 0 &&
	    kernel_types_name_member(types, argument.type,
				     (uint64_t)argument.offset, names, text,
				     TEXT_BYTES))
		return;
	*text = '\0';
	if (!argument.type)
		find_usual(types, kind, function, &argument, text);
}

static int compare_name(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

/* Returns whether @function, which waits for a bit or a variable, waits for the
 * state of an inode (fs/inode.c, fs/fs-writeback.c).
 */
static bool waits_for_inode(const struct function *function)
{
	static const char *const names[] = {
		"__wait_on_freeing_inode",
		"find_inode",
		"find_inode_fast",
		"iget5_locked",
		"iget_locked",
		"ilookup",
		"ilookup5",
		"inode_wait_for_writeback",
		"insert_inode_locked",
		"wait_on_new_inode",
	};

	return function->space == 'k' &&
	       bsearch(function->base, names, sizeof(names) / sizeof(*names),
		       sizeof(*names), compare_name);
}

const char *lock_members_find(struct lock_members *members, enum lock_kind kind,
			      uint32_t function, uint64_t return_address)
{
	const struct function *about =
		function_at(symbols_functions(members->symbols), function);
	size_t count = members->found.items.count;
	struct found_member *found;

	if ((kind == LOCK_BIT || kind == LOCK_VARIABLE) &&
	    waits_for_inode(about))
		return "inode->i_state";
	if (about->space != 'k' || !return_address)
		return NULL;
	if (!members->is_open)
		open_members(members);
	if (!members->modules.count)
		return NULL;
	found = keyed_array_add(
		&members->found,
		&(struct found_member){
			.return_high = (uint32_t)(return_address >> 32),
			.return_low = (uint32_t)return_address,
			.function = function,
			.kind = kind,
		});
	if (found && members->found.items.count > count)
		find(members, kind, about, return_address, found->text);
	return found && *found->text ? found->text : NULL;
}

bool lock_find_variable(struct variables *variables,
			const struct lock_name *lock, char *text, size_t size)
{
	int32_t pid = lock->kind == LOCK_FUTEX ? lock->pid :
						 VARIABLES_OF_KERNEL;

	return lock->kind != LOCK_FILE && lock->address &&
	       variables_find(variables, pid, lock->address, text, size);
}

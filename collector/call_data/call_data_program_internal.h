/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CALL_DATA_CALL_DATA_PROGRAM_INTERNAL_H
#define KT_COLLECTOR_CALL_DATA_CALL_DATA_PROGRAM_INTERNAL_H

#include "collector/trigger/trigger_program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_types;

/* The BPF programs of record --syscall-data (call_data.h): one at the start of
 * each system call, one at its end.
 */

/* One item to read at a system call. */
struct call_fetch {
	uint8_t kind;	  /* enum call_data_kind */
	uint8_t argument; /* its number, or CALL_DATA_RESULT */
	/* COUNTED: the argument that has the count, or CALL_DATA_RESULT;
	 * MEASURED: the argument that points to the size
	 */
	uint8_t length;
	uint8_t unit; /* COUNTED: bytes of an element */
	/* maximum number of bytes; FILE_AT: the descriptor's byte offset in the
	 * array
	 */
	uint32_t limit;
};

enum { CALL_FETCHES = 4, CALL_FETCH_LIMIT = 511 };

/* The data to read of a system call: a value of the map `plans`, by number. */
struct call_plan {
	struct call_fetch enter[CALL_FETCHES];
	struct call_fetch exit[CALL_FETCHES];
};

/* System calls have numbers below this. */
enum { CALL_NUMBERS = 512 };

/* Offsets of members of the running kernel's structs, from its type information
 * (BTF).
 */
struct file_offsets {
	int task_files;
	int task_fs;
	int files_table;
	int table_size;
	int table_files;
	int fs_pwd;
	int file_path;
	int file_private;
	int path_mount;
	int path_dentry;
	int mount_root;
	int mount_inner; /* struct vfsmount in struct mount */
	int mount_parent;
	int mount_point;
	int dentry_parent;
	int dentry_name;
	int dentry_inode;
	int dentry_hash;
	int inode_number;
	int inode_mode;
	int inode_super;
	int super_device;
	int socket_type;
	int socket_sock;
	int sock_protocol;
	int sock_family;
	int sock_local_port;
	int sock_remote_port;
	int sock_local_ipv4;
	int sock_remote_ipv4;
	int sock_local_ipv6; /* -1: the kernel has no IPv6 */
	int sock_remote_ipv6;
};

/* Fills @offsets from @types. Returns whether @types has all members, except
 * those of IPv6.
 */
bool file_offsets_find(struct file_offsets *offsets,
		       const struct kernel_types *types);

/* The BPF maps of both programs. maps.seeds and maps.members limit the tasks
 * (trigger_program.h).
 */
struct call_data_maps {
	struct trigger_maps maps; /* "hits" receives the samples */
	int plans;		  /* struct call_plan by number */
	int scratch;		  /* one value for each CPU and program */
	int failed;		  /* tasks whose memory could not be read */
};

/* Returns the size of a value of `scratch`, which has two values on each CPU.
 */
size_t call_data_scratch_size(void);

/* Appends the program for the raw tracepoint sys_enter, or sys_exit (@is_exit).
 * If @offsets is NULL, no files are recorded. Calls of process @recorder have
 * no samples.
 */
void call_data_program(struct bpf_code *code, const struct call_data_maps *maps,
		       const struct file_offsets *offsets, bool is_exit,
		       uint32_t recorder);

#endif

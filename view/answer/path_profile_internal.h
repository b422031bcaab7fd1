/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_PATH_PROFILE_INTERNAL_H
#define KT_VIEW_ANSWER_PATH_PROFILE_INTERNAL_H

/* The profile of a selection: its functions, and its tree as far as a page can
 * show it.
 *
 *	cells of the summary ─► sums by path, for each part of the tasks ─┐
 *	tree of a decoded window ─► sums by path ─────────────────────────┤
 *	            functions: one loop over each ◄────────────────────────┤
 *	            nodes: from the root down, the large ones ◄───────────┘
 *
 * A recording with thousands of threads has millions of paths, of which a page
 * shows some thousand. So no tree of all paths is made: a node collects the
 * paths that it stands for when its parent turns out to be large enough.
 *
 * 1. A path's parent has a smaller number (call_sums.h), so a backward loop adds
 *    up paths with all below them, and a forward loop knows the caller's part.
 * 2. The parent of a path whose caller is hidden is its nearest shown caller.
 * 3. A node is not larger than its parent: the nodes left out are whole
 *    subtrees.
 *
 * Memory: some 40 bytes for each path of the summary and part of the tasks.
 */

#include "common/array.h"
#include "report/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct call_path;
struct call_tree;
struct view_sources;

/* The sums of one path, of the tasks of one part. */
struct path_sum {
	uint64_t self_ns;
	uint64_t calls;
	uint64_t total_ns; /* set at the end: shown time, with the paths below */
};

enum path_use {
	PATH_USED = 1,	    /* the path or one below it has sums */
	PATH_SHOWN = 2,	    /* so has it or one below it that is shown */
	PATH_RECURSIVE = 4, /* a shown caller is of the same function */
};

/* The shown paths below each other, and those that lead to them, linked in rising
 * order; 0: none.
 */
struct path_links {
	uint32_t first_child;
	uint32_t next_sibling;
};

/* Sums by path. */
struct path_sums {
	const struct call_path *paths;
	uint32_t count;
	struct path_sum *sums; /* NULL: there are none */
	uint8_t *uses;	       /* enum path_use bits */
	uint8_t *parts;	       /* enum profile_part */
	struct path_links *links;
	bool has_scope; /* hidden paths were removed before */
};

/* The sums of one function. */
struct function_sum {
	uint64_t calls;
	uint64_t self_ns;
	/* with its callees; time in recursive calls counts once */
	uint64_t total_ns;
	bool is_used; /* it ran */
};

/* A node of the tree; its children follow it. */
struct path_node {
	uint32_t parent;   /* UINT32_MAX: the root */
	uint32_t function; /* of the root: UINT32_MAX */
	uint64_t calls;
	uint64_t self_ns;
	uint64_t total_ns;
	/* the paths that it stands for, in path_profile.members */
	size_t first_member;
	size_t member_count;
};

enum { WINDOWS_MOST = 2 };

struct path_profile {
	const struct view_sources *sources; /* borrowed */
	/* the shown parts, borrowed; NULL: all are shown */
	const struct profile_scope *scope;
	/* of the summary's cells, by part of the tasks, then of windows */
	struct path_sums sums[PROFILE_PARTS + WINDOWS_MOST];
	struct call_path *window_paths[WINDOWS_MOST];
	uint32_t windows;

	/* Set at the end: */
	uint32_t function_count;
	struct function_sum *functions;	 /* by function */
	uint64_t part_ns[PROFILE_PARTS]; /* time of each part, shown or not */
	uint64_t self_ns;		 /* sum of the functions' self_ns */
	struct array nodes;		 /* struct path_node */
	struct array members; /* of nodes, as path_profile.c has them */
	uint64_t left_out;    /* shown paths without a node */
};

/* Returns a profile without sums, which the caller frees; NULL when out of
 * memory. Borrows the arguments.
 */
struct path_profile *path_profile_new(const struct view_sources *sources,
				      const struct profile_scope *scope);
void path_profile_free(struct path_profile *profile);

/* Adds the cells of the summary from @first up to, but not including, @last, in
 * spans as large as possible; of thread @number, whose paths then are
 * PROFILE_WORK, or of all (THREAD_NUMBER_NONE).
 *
 * Returns 0 or a negative enum error.
 */
int path_profile_add_cells(struct path_profile *profile, uint32_t number,
			   size_t first, size_t last);

/* Adds a tree to which the scope was applied, and the time of its parts. May be
 * called WINDOWS_MOST times. Returns 0 or -ERROR_MEMORY.
 */
int path_profile_add_tree(struct path_profile *profile,
			  const struct call_tree *tree,
			  const uint64_t part_ns[PROFILE_PARTS]);

/* Sets the functions and the times of parts. */
int path_profile_sum_up(struct path_profile *profile);

/* Sets the nodes that have more than 1/@smallest of the time, and the root if
 * anything is shown. Children are sorted by falling function number. Call it
 * after path_profile_sum_up().
 *
 * Both return 0 or -ERROR_MEMORY.
 */
int path_profile_make_nodes(struct path_profile *profile, uint32_t smallest);

#endif

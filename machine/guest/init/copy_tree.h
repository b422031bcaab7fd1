/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_COPY_TREE_H
#define KT_MACHINE_GUEST_COPY_TREE_H

/* Copies the folders, files and links below @from to the folder @to. Other
 * kinds of files (sockets, pipes) are left out. Returns 0, or -1 with errno.
 */
int copy_tree(const char *from, const char *to);

#endif

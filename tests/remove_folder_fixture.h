/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_REMOVE_FOLDER_FIXTURE_H
#define KT_TESTS_REMOVE_FOLDER_FIXTURE_H

/* Removes the folder @path and all that is in it. */
void remove_folder(const char *path);

#endif

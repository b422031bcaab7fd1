/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_KEPT_PROGRAMS_H
#define KT_DECODER_KEPT_PROGRAMS_H

struct sideband_mmap;

/* The programs' files that a recording contains, because their paths would not
 * lead to them later: common/program_key.h. Read-only: threads may share it.
 */
struct kept_programs;

/* Lists the files of the recording in the folder @recording; none if that is a
 * file. Links are ignored: another user's recording could lead to any file of
 * this user by them. Returns NULL when out of memory.
 */
struct kept_programs *kept_programs_new(const char *recording);
void kept_programs_free(struct kept_programs *programs);

/* Returns the absolute path of the copy of the file that @map is of; NULL if
 * there is none.
 */
const char *kept_programs_find(const struct kept_programs *programs,
			       const struct sideband_mmap *map);

#endif

/* SPDX-License-Identifier: MIT */
#include "tests/remove_folder_fixture.h"

#include <ftw.h>
#include <stdio.h>

static int remove_one(const char *path, const struct stat *stat, int type,
		      struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

void remove_folder(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

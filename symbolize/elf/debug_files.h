/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_DEBUG_FILES_H
#define KT_SYMBOLIZE_DEBUG_FILES_H

/* Where distributions put the kernel's debug information: Debian, Fedora and
 * a kernel that was built on this machine.
 *
 * Returns the path of the vmlinux of @release, or NULL; free it.
 */
char *debug_file_of_kernel(const char *release);

/* The same of @module, in kallsyms' spelling ("snd_hda" for snd-hda.ko). */
char *debug_file_of_module(const char *release, const char *module);

#endif

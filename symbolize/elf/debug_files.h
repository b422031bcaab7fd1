/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_DEBUG_FILES_H
#define KT_SYMBOLIZE_DEBUG_FILES_H

/* Find the kernel's debug information where distributions install it: Debian,
 * Fedora and a kernel built on this machine.
 *
 * Returns the path of the vmlinux of @release, or NULL. The caller frees it.
 */
char *debug_file_of_kernel(const char *release);

/* Like debug_file_of_kernel(), but for @module, in kallsyms' spelling
 * ("snd_hda" for snd-hda.ko).
 */
char *debug_file_of_module(const char *release, const char *module);

#endif

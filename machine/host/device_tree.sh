# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# An arm64 kernel finds its trace units in the device tree: QEMU's own tree,
# extended by a node for each CPU's ETE and one for all trace buffers (bindings
# arm,embedded-trace-extension and arm,trace-buffer-extension).

# Adds the device tree to COMMAND; it is made once per shape of machine.
device_tree() {
	local file
	file=$CACHE/device-trees/$(device_tree_key)
	if [[ ! -e $file ]]; then
		mkdir -p "$CACHE/device-trees"
		device_tree_make "$file"
	fi
	COMMAND+=(-dtb "$file")
}

device_tree_key() {
	printf '%s\n' "$QEMU_VERSION" "$MACHINE" "$CPU" "$OPT_CPUS" "$OPT_MEMORY" |
		cat - "$HERE/device_tree.sh" | sha256sum | cut -c 1-32
}

device_tree_make() { # file
	local work number
	work=$(mktemp -d "$CACHE/device-trees/making.XXXXXX")
	"${QEMU[@]}" -machine "$MACHINE,dumpdtb=$work/qemu" \
		-cpu "$CPU" -smp "$OPT_CPUS" -m "$OPT_MEMORY" \
		-display none >"$work/messages" 2>&1 ||
		fail "QEMU shows no device tree: $(<"$work/messages")"
	{
		device_tree_compiler -I dtb -O dts "$work/qemu"
		printf '/ {\n'
		for ((number = 0; number < OPT_CPUS; number++)); do
			device_tree_trace_unit "$number"
		done
		device_tree_trace_buffer
		printf '};\n'
	} >"$work/source"
	device_tree_compiler -I dts -O dtb -o "$work/tree" "$work/source" \
		2>"$work/messages" ||
		fail "no device tree with trace units: $(<"$work/messages")"
	mv "$work/tree" "$1"
	rm -r "$work"
}

# Suppresses dtc's warnings, since it warns about QEMU's own tree, too.
device_tree_compiler() { # argument...
	tool_run device-tree-compiler dtc -q "$@"
}

device_tree_trace_unit() { # number
	printf '\tete%d { compatible = "arm,embedded-trace-extension";\n' "$1"
	printf '\t\tcpu = <&{/cpus/cpu@%d}>; };\n' "$1"
}

# Private interrupt 15, level triggered, is the one that Arm's Base System
# Architecture recommends for trace buffers.
device_tree_trace_buffer() {
	printf '\ttrbe { compatible = "arm,trace-buffer-extension";\n'
	printf '\t\tinterrupts = <1 15 4>; };\n'
}

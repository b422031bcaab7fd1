# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The modules that the guest's init loads, in dependency order.
#
# A module's .modinfo section lists its dependencies ("depends="), so neither
# depmod nor modinfo is needed. Built-in modules are skipped.
declare -A MODULE_SETS=(
	[base]='virtio_pci virtio_console'
	[root]='9pnet_virtio 9p overlay'
	[disk]='virtio_pci virtio_blk ?crc32c_generic ext4'
	[delay]='dm_delay'
	[memory_disk]='null_blk'
	[net]='virtio_pci virtio_net'
)

# Writes a folder with the modules, unpacked, and a list for each set.
modules_collect() { # kernel-folder target-folder
	local set name
	declare -A MODULE_FILES=() MODULE_BUILTIN=()
	MODULE_SETS[trace]=$ARCH_TRACE_MODULES
	modules_index "$1/modules"
	for set in "${!MODULE_SETS[@]}"; do
		: >"$2/$set"
		for name in ${MODULE_SETS[$set]}; do
			modules_add "$name" "$2" "$set"
		done
	done
}

# Without subshells: a kernel has some 4,000 modules.
modules_index() { # folder
	local file NAME
	while IFS= read -r file; do
		module_name "$file"
		MODULE_FILES[$NAME]=$file
	done < <(find "$1" -name '*.ko*')
	while IFS= read -r file; do
		module_name "$file"
		MODULE_BUILTIN[$NAME]=1
	done <"$1/modules.builtin"
}

# Sets NAME.
module_name() { # path
	NAME=${1##*/}
	NAME=${NAME%%.ko*}
	NAME=${NAME//-/_}
}

modules_add() { # name, with ? if it may be missing; target set
	local name=${1#\?} file need
	[[ -z ${MODULE_BUILTIN[$name]:-} ]] || return 0
	! grep -qx "$name.ko" "$2/$3" || return 0
	file=${MODULE_FILES[$name]:-}
	if [[ -z $file ]]; then
		[[ $1 == \?* ]] && return
		fail "the kernel $(<"$KERNEL/release") has no module $name," \
			"which the machine needs"
	fi
	[[ -e $2/$name.ko ]] || module_unpack "$file" >"$2/$name.ko"
	for need in $(module_needs "$2/$name.ko"); do
		modules_add "$need" "$2" "$3"
	done
	printf '%s.ko\n' "$name" >>"$2/$3"
}

module_unpack() { # file
	case $1 in
	*.xz) tool_run xz-utils xz -dc "$1" ;;
	*.zst) tool_run zstd zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

module_needs() { # file
	local needs
	needs=$(grep -zao '^depends=[a-zA-Z0-9_,-]*' "$1" | tr -d '\0')
	needs=${needs#depends=}
	needs=${needs//,/ }
	printf '%s\n' "${needs//-/_}"
}

# SPDX-License-Identifier: MIT
# Groups C source files that the compiler can read one after the other, as one
# unit: most of the time of a quick build goes into reading headers.
#
#	awk -f scripts/units.awk FILE...	a word for each group: FILE+FILE...
#
# The files of a group are of one module. No name that one of them defines for
# itself (a static function or variable, a macro, an enumerator, a struct) is a
# word of another, except as the name of a member (after "." or "->").
#
# The names in headers are not compared. So no file may define a name that a
# header of another file in its module has: `make lint-units` finds those.
BEGIN { MOST = 60 }

FNR == 1 { files[count++] = FILENAME; comment = static = inside = enumeration = 0 }

{
	gsub(/"([^"\\]|\\.)*"/, "\"")
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
	if (comment && !sub(/^.*\*\//, ""))
		next
	comment = sub(/\/\*.*/, "")
	line = $0
	gsub(/(\.|->)[A-Za-z_][A-Za-z0-9_]*/, "", line)
	for (i = split(line, words, /[^A-Za-z0-9_]+/); i; i--)
		if (words[i] ~ /^[A-Za-z_]/ && !seen[FILENAME, words[i]]++)
			used[FILENAME, ++uses[FILENAME]] = words[i]
}

/^[ \t]*#[ \t]*define[ \t]/ { define(words_of($0, 2)) }
/^static / { static = 1 }
# The name of a variable of a struct defined here follows the struct.
static && /^static [^=(]*\{$/ { inside = 1; static = 0 }
inside && /^\}/ { define(words_of($0, 1)); inside = 0 }
static && match($0, /[A-Za-z0-9_]+(\[[^]]*\])*( =|\(|;)/) {
	define(words_of(substr($0, RSTART), 1))
	static = 0
}
/^(struct|union|enum) [a-z0-9_]+ \{/ { define(words_of($0, 2)) }
/^enum .*\{/ { enumeration = 1 }
enumeration { define_enumerators($0) }
/\}/ { enumeration = 0 }

# The word of the line at this position.
function words_of(text, position,    parts) {
	sub(/^[^A-Za-z0-9_]+/, "", text)
	split(text, parts, /[^A-Za-z0-9_]+/)
	return parts[position]
}

function define(name) {
	defined[FILENAME, ++definitions[FILENAME]] = name
}

function define_enumerators(text,    i, parts) {
	sub(/.*\{/, "", text)
	for (i = split(text, parts, ","); i; i--)
		if (parts[i] ~ /^[ \t]*[A-Z]/)
			define(words_of(parts[i], 1))
}

function module_of(file) {
	sub(/\/.*/, "", file)
	return file
}

# Whether the file can be added to the group.
function fits(file, group,    i) {
	if (module[group] != module_of(file) || members[group] == MOST)
		return 0
	for (i = 1; i <= definitions[file]; i++)
		if ((group, defined[file, i]) in group_uses)
			return 0
	for (i = 1; i <= uses[file]; i++)
		if ((group, used[file, i]) in group_defines)
			return 0
	return 1
}

function add(file, group,    i) {
	module[group] = module_of(file)
	list[group] = list[group] (members[group]++ ? "+" : "") file
	for (i = 1; i <= definitions[file]; i++)
		group_defines[group, defined[file, i]]
	for (i = 1; i <= uses[file]; i++)
		group_uses[group, used[file, i]]
}

END {
	for (f = 0; f < count; f++) {
		for (group = 0; group in module && !fits(files[f], group); group++)
			;
		add(files[f], group)
	}
	for (group = 0; group in module; group++)
		print list[group]
}

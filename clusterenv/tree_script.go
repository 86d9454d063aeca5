package clusterenv

// The shell side of SyncTree. Beside the tree NAME, which is a symbolic link, .NAME.trees holds
//
//	a, b            trees; NAME points to one, the other is the one before it
//	a.meta, b.meta  what is known of each (treeDelta.writeMeta), and
//	  stat          name, size, mode, inode, mtime and ctime of each file and link, as they were when all had been put in place
//	  boot          the boot in which that was
//	lock            locked while a tree is changed, and, shared, while one is built
//	work            what is being made; nothing of it is looked at later
//
// A tree is untouched if its stat is as it was, in the same boot, and its directories are directories. After another boot it may be that
// not all had reached the disk, and everything is hashed anew.

// exitBusy is treeApply's exit status when somebody else has changed the tree since it was asked for.
const exitBusy = 50

// shTree defines what both scripts need: $cur, the present tree (empty if there is none), and $id, that of its manifest.
const shTree = `set -e
export LC_ALL=C TZ=UTC0
dest=$1 store=$2
for tool in flock sha256sum stat xargs tar gzip; do
	if ! command -v $tool >/dev/null; then echo "$tool is missing" >&2; exit 127; fi
done
find_tree() {
	cur= id=none
	if [ -h "$dest" ]; then
		cur=$(readlink "$dest")
		case $cur in
		"${store##*/}/a" | "${store##*/}/b") cur=$store/${cur##*/} ;;
		*) echo "$dest is a link to $cur, which was not deployed: move it away" >&2; exit 1 ;;
		esac
		id=lost
		if [ -d "$cur" ] && [ -f "$cur.meta/id" ]; then read -r id <"$cur.meta/id"; fi
	elif [ -e "$dest" ]; then
		echo "$dest is there and was not deployed: move it away" >&2; exit 1
	fi
}
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || :; }
record='%n %s %f %i %y %z'
stats() {
	if [ -s "$1.meta/files" ]; then (cd -- "$1" && xargs -0 stat -c "$record" 2>/dev/null) <"$1.meta/files"; fi
}
are_dirs() {
	if [ -s "$1.meta/dirs" ]; then
		(cd -- "$1" && xargs -0 sh -c 'for d; do [ -d "$d" ] && [ ! -h "$d" ] || exit 1; done' sh) <"$1.meta/dirs"
	fi
}
untouched() {
	[ -f "$1.meta/stat" ] && [ "$(boot)" = "$(cat "$1.meta/boot")" ] && are_dirs "$1" && stats "$1" | cmp -s - "$1.meta/stat"
}
`

// treeQuery prints what of the tree $1 with the store $2 is there (parseTreeState). On stdin is the ID that is wanted.
const treeQuery = shTree + `read -r want
if [ -e "$store/lock" ]; then exec 9<"$store/lock"; flock -s 9; fi
find_tree
case $id in none | lost) echo "$id $id 0"; exit ;; esac
if untouched "$cur"; then
	if [ "$id" = "$want" ]; then echo "same $id 0"; exit; fi
	word=intact
else
	word=changed
fi
printf '%s %s %s\n' $word "$id" $(($(wc -c <"$cur.meta/manifest.gz")))
cat "$cur.meta/manifest.gz"
[ $word = changed ] || exit 0
letters='for f; do
	if [ -h "$f" ]; then printf l; elif [ -f "$f" ]; then printf f; elif [ -d "$f" ]; then printf d; else printf -; fi
done'
regular='for f; do if [ -f "$f" ] && [ ! -h "$f" ]; then printf "%s\0" "$f"; fi; done'
each() { [ ! -s "$2" ] || (cd -- "$cur" && xargs -0 sh -c "$1" sh) <"$2"; }
each "$letters" "$cur.meta/files"; echo
each "$letters" "$cur.meta/dirs"; echo
each "$regular" "$cur.meta/files" | (cd -- "$cur" && xargs -0 sh -c '[ $# = 0 ] || stat -c %a "$@"' sh)
each "$regular" "$cur.meta/files" | (cd -- "$cur" && xargs -0 sh -c '[ $# = 0 ] || sha256sum "$@"' sh) |
	sed -n 's/^\\\{0,1\}\([0-9a-f]\{64\}\) .*/\1/p'
`

// treeApply changes the tree $1 with the store $2. On stdin is a line "ID HOW …": the ID of the manifest that is to be there ("none", "lost"), and
// how; then what the lines below say. It prints the ID of the manifest that is there then.
const treeApply = shTree + `case $store in */*) mkdir -p -- "${store%/*}" ;; esac
mkdir -p -- "$store"
exec 9>"$store/lock"
flock 9
read -r base how rest
find_tree
if [ "$id" != "$base" ]; then echo "somebody else has deployed meanwhile" >&2; exit 50; fi
work=$store/work
made=
clean_up() {
	if [ "$1" != 0 ]; then
		set -- $(df -Pk -- "$store" | tail -n 1)
		if [ "${4:-64}" -lt 16 ]; then echo "the disk of $store is full" >&2; fi
	fi
	rm -rf -- "$work"
	if [ -n "$made" ]; then rm -rf -- "$made"; fi
}
trap 'clean_up $?' EXIT
trap 'exit 1' HUP INT PIPE TERM
if [ -e "$work" ]; then rm -rf -- "$work"; fi
mkdir -- "$work"
differs() { echo "what was unpacked is not what was sent" >&2; exit 1; }
` + treePatch + treeMake

// treePatch replaces one file of an untouched tree by another one, by its rename. The line is "ID patch SHA256"; the next one is the file's
// name; then comes an archive with meta/manifest.gz, meta/id, and the file below tree. Of what is known of the tree, one line changes. Should
// that line not be there, somebody has changed the file just now, and the next treeQuery will see it.
const treePatch = `if [ "$how" = patch ]; then
	IFS= read -r name
	gzip -dc | (cd -- "$work" && tar -xpmof -)
	have=$(sha256sum <"$work/tree/$name")
	[ "${have%% *}" = "$rest" ] || differs
	was=$(cd -- "$cur" && stat -c "$record" "$name") || was=
	mv -f -- "$cur.meta/stat" "$work/stat"
	mv -fT -- "$work/tree/$name" "$cur/$name"
	mv -f -- "$work/meta/manifest.gz" "$work/meta/id" "$cur.meta/"
	is=$(cd -- "$cur" && stat -c "$record" "$name")
	was=$was is=$is awk '$0 == ENVIRON["was"] { print ENVIRON["is"]; next } { print }' <"$work/stat" >"$work/stat.new"
	mv -f -- "$work/stat.new" "$cur.meta/stat"
	read -r id <"$cur.meta/id"
	echo "$id"
	exit
fi
`

// treeMake makes a tree beside the present one, with links to the files that stay. It takes the other's place by the rename of a symbolic
// link. The line is "ID tree META SIZE STAYS": the bytes of the first of two archives, and of both, and how many of the entries stay. The first
// archive holds meta, the second one what is sent. Where nothing stays, nothing is linked, unless others have put something into the tree.
const treeMake = `meta=${rest%% *} stays=${rest##* }
size=${rest#* } size=${size% *}
cat >"$work/stream"
if [ $(($(wc -c <"$work/stream"))) != "$size" ]; then echo "transfer cut short" >&2; exit 1; fi
head -c "$meta" "$work/stream" | gzip -dc | (cd -- "$work" && tar -xpmof -)
case $cur in */a) new=$store/b ;; *) new=$store/a ;; esac
made=$new
rm -rf -- "$new" "$new.meta"
count() { tr -dc '\0' | wc -c; }
others() { [ $(($(cd -- "$cur" && find . -print0 | count))) != $(($(cat -- "$cur.meta/files" "$cur.meta/dirs" | count) + 1)) ]; }
if [ -n "$cur" ] && { [ "$stays" != 0 ] || others; }; then cp -al -- "$cur" "$new"; else mkdir -- "$new"; fi
list() { [ ! -s "$work/meta/$1" ] || (cd -- "$new" && xargs -0 sh -c "$2" sh) <"$work/meta/$1"; }
list remove 'rm -f -- "$@"'
list rmdir 'for d; do [ ! -d "$d" ] || [ -h "$d" ] || rmdir -- "$d" 2>/dev/null || :; done'
list dirs 'for d; do if [ -h "$d" ] || { [ -e "$d" ] && [ ! -d "$d" ]; }; then rm -f -- "$d"; fi; done'
tail -c +$((meta + 1)) "$work/stream" | gzip -dc | (cd -- "$new" && tar -xpmof -)
list check 'exec sha256sum "$@"' | sed -n 's/^\\\{0,1\}\([0-9a-f]\{64\}\) .*/\1/p' >"$work/sums"
cmp "$work/sums" "$work/meta/sums" >&2 || differs
mv -fT -- "$work/meta" "$new.meta"
boot >"$new.meta/boot"
case $(stat -c %z .) in # to the second only, it tells too little
*.*) stats "$new" >"$work/stat"; mv -f -- "$work/stat" "$new.meta/stat" ;;
esac
ln -s -- "${store##*/}/${new##*/}" "$work/link"
mv -fT -- "$work/link" "$dest"
made=
cat "$new.meta/id"
`

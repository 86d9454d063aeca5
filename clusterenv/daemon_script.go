package clusterenv

import "strings"

// The shell side of a daemon. Variables start with gt_ lest they change one of the program's environment.
//
// Below the working directory, .daemon-NAME holds
//
//	lock    locked by the supervisor as long as it lives: who waits for the daemon waits for the lock, without polling
//	pid     "PID START TIME SUPERVISOR": START is field 22 of /proc/PID/stat, TIME the node's clock in seconds
//	log     path of the log
//	stdin   FIFO, with HoldStdin
//	note    what the supervisor's shell said, such as "Segmentation fault"
//	expired made before the program is ended for its lease
//	exit    "STATUS SIGNAL TIME": the shell's $?, the signal's name or "-"; appears whole, by rename

// Exit statuses of the scripts below that are not the program's.
const (
	exitNone    = 44 // there is no such daemon
	exitLost    = 45 // its supervisor is gone and has left no exit status
	exitEnded   = 46 // it has ended
	exitRunning = 47 // one of that name runs
	exitNoStdin = 48 // it has no held stdin
	exitMore    = 49 // more of the log may be there
)

// shNow is a shell function that prints the node's clock in seconds, with nanoseconds where date can tell them.
const shNow = `now() {
	set -- "$(date +%s.%N)"
	case $1 in *[!0-9.]*) date +%s ;; *) echo "$1" ;; esac
}
`

// daemonStart starts a daemon and returns when the program has been executed, or is known to be missing.
// It prints the fields of the pid file, then working directory and log, each ended by NUL.
// Two setsids, because a process that the shell starts with & would ignore SIGINT for ever: the second one is called by the
// leader of a process group, so that it goes on in a child and returns at once.
//
// Arguments: directory, name, log, hold stdin (1), lease, its ttl (1/100 s), interval of checks (s), number of variables,
// the variables, the program and its arguments.
var daemonStart = shStarted + `set -e
for gt_tool in flock setsid; do
	if ! command -v $gt_tool >/dev/null; then echo "$gt_tool is missing (util-linux)" >&2; exit 127; fi
done
mkdir -p -- "$1"
cd -- "$1"
gt_state=.daemon-$2 gt_log=$3
if [ -e "$gt_state/exit" ]; then flock "$gt_state/lock" true # of one that has ended; its supervisor is about to
elif [ -e "$gt_state/lock" ] && ! flock -n "$gt_state/lock" true; then exit 47; fi
if [ ! -e "$gt_state/exit" ] && { read -r gt_pid gt_start gt_line <"$gt_state/pid"; } 2>/dev/null &&
	started "$gt_pid" && [ "$started" = "$gt_start" ]; then exit 47; fi
case $gt_log in /*) ;; *) gt_log=$PWD/$gt_log ;; esac
mkdir -p -- "${gt_log%/*}"
rm -rf -- "$gt_state"
mkdir -m 700 -- "$gt_state" # what goes to stdin may be a secret
printf %s "$gt_log" >"$gt_state/log"
: >"$gt_log"
mkfifo -- "$gt_state/ready"
if [ "$4" = 1 ]; then mkfifo -- "$gt_state/stdin"; fi
gt_name=$2
shift 4
setsid sh -c 'exec setsid sh -c "$@"' sh ` + quote(strings.NewReplacer("GT_WATCH", quote(daemonWatch), "GT_PROGRAM", quote(daemonProgram)).Replace(daemonSupervise)) + ` "$gt_name" "$gt_state" "$gt_log" "$@" \
	</dev/null >/dev/null 2>"$gt_state/note"
gt_line=
read -r gt_line <"$gt_state/ready" || :
rm -f -- "$gt_state/ready"
case $gt_line in
[0-9]*) printf '%s\0%s\0%s\0' "$gt_line" "$PWD" "$gt_log" ;;
*) echo "${gt_line:-$(cat "$gt_state/note")}" >&2; exit 127 ;;
esac
`

// daemonSupervise is the supervisor, in a session of its own: it runs the program and writes down how it ended.
//
// A shell reports a program that was ended by signal N as status 128+N, which a program may also exit with by itself. They
// are told apart by what the shell says about the former on stderr ("Killed", "Segmentation fault"; bash only outside of its
// POSIX mode). It is silent about INT and PIPE: statuses 130 and 141 are always taken for those.
//
// What is left of the program's process group when the program has ended is killed.
const daemonSupervise = shStarted + shNow + `
if [ -n "${BASH_VERSION-}" ]; then set +o posix; fi
gt_state=$1 gt_log=$2 gt_lease=$3 gt_ttl=$4 gt_every=$5
shift 5
exec 3>"$gt_state/ready"
exec 9>"$gt_state/lock"
flock 9
gt_in=/dev/null
if [ -p "$gt_state/stdin" ]; then gt_in=$gt_state/stdin; exec 8<>"$gt_in"; fi
gt_watch=
if [ -n "$gt_lease" ]; then
	setsid sh -c GT_WATCH sh "$gt_state" "$gt_lease" "$gt_ttl" "$gt_every" $$ >/dev/null 2>&1 3>&- 8>&- 9>&- &
	gt_watch=$!
fi
setsid sh -c GT_PROGRAM sh "$gt_state" "$gt_in" "$gt_log" "$@"
gt_status=$? gt_ended=$(now) gt_signal=-
exec 3>&-
if [ -n "$gt_watch" ]; then kill -KILL "-$gt_watch" || kill -KILL "$gt_watch"; fi 2>/dev/null
case $gt_status in
130 | 141) gt_signal=$(kill -l $((gt_status - 128))) ;;
129 | 1[3-8]? | 19[0-2]) if [ -s "$gt_state/note" ]; then gt_signal=$(kill -l $((gt_status - 128))); fi ;;
esac
if { read -r gt_pid gt_rest <"$gt_state/pid"; } 2>/dev/null && ! started "$gt_pid"; then
	kill -KILL "-$gt_pid" 2>/dev/null
fi
printf '%s %s %s\n' "$gt_status" "$gt_signal" "$gt_ended" >"$gt_state/exit.new"
rm -f -- "$gt_state/stdin"
mv -f -- "$gt_state/exit.new" "$gt_state/exit"
`

// daemonProgram becomes the program. It redirects the output itself: were that done in the supervisor's command, its shell
// would print what it says about signals there.
const daemonProgram = shStarted + shNow + `
exec <"$2" >>"$3" 2>&1 8>&- 9>&-
started $$
printf '%s %s %s %s\n' $$ "$started" "$(now)" $PPID >"$1/pid.new"
mv -f -- "$1/pid.new" "$1/pid"
exec 4<"$1/pid"
shift 3
gt_count=$1
shift
while [ "$gt_count" -gt 0 ]; do export "$1"; shift; gt_count=$((gt_count - 1)); done
if ! command -v "$1" >/dev/null 2>&1; then echo "not found: $1" >&3; exit 127; fi
cat <&4 >&3
exec 3>&- 4<&-
exec "$@"
`

// daemonWatch ends the program's process group when its lease has run out or is gone. It lives as long as the program, also when
// the daemon's directory is removed meanwhile: the program is then known as the supervisor's other child.
const daemonWatch = shStarted + `
gt_state=$1 gt_lease=$2 gt_ttl=$3 gt_every=$4 gt_supervisor=$5
program() {
	for gt_stat in /proc/[0-9]*/stat; do
		{ read -r gt_line <"$gt_stat"; } 2>/dev/null || continue
		set -- ${gt_line##*) }
		gt_pid=${gt_line%% *} gt_start=${20}
		[ "$2" = "$gt_supervisor" ] && [ "$gt_pid" != $$ ] && return
	done
	return 1
}
while sleep "$gt_every"; do
	if ! { read -r gt_pid gt_start gt_rest <"$gt_state/pid"; } 2>/dev/null; then
		started "$gt_supervisor" || exit
		[ ! -d "$gt_state" ] && program || continue
	fi
	started "$gt_pid" && [ "$started" = "$gt_start" ] || exit
	if { read -r gt_renewed <"$gt_lease"; } 2>/dev/null; then
		read -r gt_now gt_rest </proc/uptime
		[ $((${gt_now%.*}${gt_now#*.} - ${gt_renewed%.*}${gt_renewed#*.})) -gt "$gt_ttl" ] || continue
	fi
	true >"$gt_state/expired"
	rm -f -- "$gt_lease"
	kill -TERM "-$gt_pid"
	gt_tries=0
	while [ $gt_tries -lt 20 ] && kill -0 "-$gt_pid"; do sleep 0.1; gt_tries=$((gt_tries + 1)); done
	kill -KILL "-$gt_pid"
	exit
done
`

// daemonHere enters the working directory $1 of daemon $2 and makes sure that it is still the process $3 that started at $4.
// The scripts that follow it find further arguments at $5.
const daemonHere = shStarted + `
cd -- "$1" 2>/dev/null || exit 44
gt_state=.daemon-$2
{ read -r gt_pid gt_start gt_time gt_supervisor <"$gt_state/pid"; } 2>/dev/null || exit 44
[ -z "$3" ] || [ "$gt_pid $gt_start" = "$3 $4" ] || exit 44
ended() { [ -e "$gt_state/exit" ] || flock -n -s "$gt_state/lock" true; }
`

// daemonFind prints what daemonStart does.
const daemonFind = daemonHere + `printf '%s\0%s\0%s\0' "$gt_pid $gt_start $gt_time $gt_supervisor" "$PWD" "$(cat "$gt_state/log")"`

// daemonWait sends the signal $5, if any, to the process group, and prints the exit file and, on a second line, "expired" for
// a lost lease, once there is an end.
const daemonWait = daemonHere + `
if [ -n "$5" ] && [ ! -e "$gt_state/exit" ] && started "$gt_pid" && [ "$started" = "$gt_start" ]; then
	kill "-$5" "-$gt_pid" 2>/dev/null
fi
[ -e "$gt_state/exit" ] || flock -s "$gt_state/lock" true
[ -e "$gt_state/exit" ] || exit 45
cat "$gt_state/exit"
if [ -e "$gt_state/expired" ]; then echo expired; fi
`

// daemonSignal sends the signal $5 to the process group, if the program still runs.
const daemonSignal = daemonHere + `
if started "$gt_pid" && [ "$started" = "$gt_start" ]; then kill "-$5" "-$gt_pid" 2>/dev/null; fi
exit 0
`

// daemonTail prints the log from its start until the supervisor has ended. It may miss the end, and says so by exitMore: tail is
// not told to watch a process (--pid), because that would wait for a zombie as well, which an orphan stays for ever where
// process 1 collects nobody. A tail that does not wait for events (busybox) is replaced by a look at the file ten times a second.
const daemonTail = daemonHere + `
gt_log=$(cat "$gt_state/log"; echo x)
gt_log=${gt_log%x}
if ended; then exec cat -- "$gt_log"; fi
case $(tail --version 2>/dev/null) in
*GNU*)
	tail -c +1 -f -- "$gt_log" &
	flock -s "$gt_state/lock" true
	kill $!
	exit 49 ;;
esac
gt_offset=0 gt_ended=
while :; do
	if ended; then gt_ended=1; fi
	gt_size=$(wc -c <"$gt_log")
	if [ "$gt_size" -gt $gt_offset ]; then
		tail -c +$((gt_offset + 1)) -- "$gt_log" | head -c $((gt_size - gt_offset))
		gt_offset=$gt_size
	fi
	if [ -n "$gt_ended" ]; then exit 0; fi
	sleep 0.1
done
`

// daemonRest prints the log from byte $5 (counted from 1).
const daemonRest = daemonHere + `
gt_log=$(cat "$gt_state/log"; echo x)
exec tail -c "+$5" -- "${gt_log%x}"
`

// daemonWrite copies its input to the held stdin. Opened for reading and writing, a FIFO never blocks and never breaks.
const daemonWrite = daemonHere + `
if ended; then exit 46; fi
[ -p "$gt_state/stdin" ] || exit 48
exec cat 1<>"$gt_state/stdin"
`

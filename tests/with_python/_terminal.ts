/** Terminals for processes: a pseudo-terminal that can be paused and closed. Only a program in Python gets them. */

/**
 * Runs what follows with a terminal for its standard error and as its own, whose other side a child holds: until its
 * standard input ends it reads nothing, then it lets go of the terminal and prints "gone" on standard output. The
 * signals and the exit code of the process are those of the command.
 */
const HOLD = `
import fcntl, os, pty, sys, termios
ours, theirs = pty.openpty()
if sys.argv[1] == "paused":
    termios.tcflow(theirs, termios.TCOOFF)
if os.fork() == 0:
    os.close(theirs)
    while os.read(0, 1024):
        pass
    os.close(ours)
    os.write(1, b"gone\\n")
    os._exit(0)
os.close(ours)
os.setsid()
fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
os.dup2(theirs, 2)
os.close(theirs)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.execvp(sys.argv[2], sys.argv[2:])
`;

/** Put in front of a command whose terminal takes nothing (`paused`, as by Ctrl-S) or is just not read from (`open`). */
export function onHeldTerminal(state: "paused" | "open"): readonly string[] {
  return ["python3", "-c", HOLD, state];
}

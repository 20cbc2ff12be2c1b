"""Programs on pseudo terminals, driven by lines on standard input; what the screens got goes to standard output.

  open NAME COMMAND   starts a shell command on a terminal of its own and makes it the current one
  use NAME            makes another one the current one
  type TEXT           types at once; backslash escapes as in Python
  see TEXT            waits until the current screen shows the text, behind what was seen before; escape sequences and \\r do not count
  signal NUMBER       sends a signal to the program's process alone
  wait SECONDS
  end                 waits for the program's end and writes "status N", "signal N", or "did not end"
"""
import os, pty, re, select, signal, sys, time

LIMIT = 10
ESCAPES = re.compile(rb"\x1b\[[?\d;]*[A-Za-z]|\x1b[78]|\x1b(\[[?\d;]*)?$|\r")


class Terminal:
    def __init__(self, command):
        self.text, self.seen = b"", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execvp("sh", ["sh", "-c", "exec " + command])

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            piece = b""
        self.text += piece
        return piece != b""

    def plain(self):
        return ESCAPES.sub(b"", self.text)

    def send(self, data):
        while data:
            data = data[os.write(self.fd, data[:1000]):]
            self.read(0)

    def see(self, what, limit=LIMIT):
        end = time.monotonic() + limit
        while True:
            at = self.plain().find(what, self.seen)
            if at >= 0:
                self.seen = at + len(what)
                return True
            if time.monotonic() > end or not self.read(0.05):
                return self.plain().find(what, self.seen) >= 0

    def end(self):
        last = time.monotonic() + LIMIT
        while self.read(0.5):
            if time.monotonic() > last:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                return "did not end"
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "status %d" % os.WEXITSTATUS(status)


def unescape(text):
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1")


def main():
    terminals, current = {}, None
    good, ends = True, []
    for line in sys.stdin.read().splitlines():
        verb, _, rest = line.partition(" ")
        if verb == "open":
            name, _, command = rest.partition(" ")
            current = terminals[name] = Terminal(command)
        elif verb == "use":
            current = terminals[rest]
        elif verb == "type":
            current.send(unescape(rest))
        elif verb == "see":
            if not current.see(unescape(rest)):
                ends.append("not seen: " + rest)
                good = False
                break
        elif verb == "signal":
            os.kill(current.pid, int(rest))
        elif verb == "wait":
            end = time.monotonic() + float(rest)
            while time.monotonic() < end and current.read(max(0, end - time.monotonic())):
                pass
        elif verb == "end":
            ends.append(current.end())
    for t in terminals.values():
        sys.stdout.buffer.write(t.text.replace(b"\r", b""))
    if not good:
        for t in terminals.values():
            os.kill(t.pid, signal.SIGKILL)
    sys.stdout.buffer.write(("\n" + "\n".join(ends) + "\n").encode())


if __name__ == "__main__":
    main()

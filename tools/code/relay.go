package code

// relay is the Python program that a script in another place is started with. What
// it reads and writes is described at [pipes]; its argument is the module
// hermes_tools.
//
// The first process keeps the pipes that lead to the agent. It starts a second one
// for the script, which has none of them: its output goes through pipes, its calls
// through a Unix socket in a private folder of that place, and the first process
// passes both on. It judges nothing, the agent does; it only looks at who connects,
// and cuts off what is too long. Its last word is how the script ended; it comes
// after everything that the script had written. Then it waits to be killed together
// with whatever the script has left running. When its input ends, the agent is gone,
// and it ends its group two seconds later.
const relay = opening + running + `LIMIT, CONNECTIONS, AFTER = 4 << 20, 64, 2 << 20
sending, slots, answers = threading.Lock(), threading.Semaphore(CONNECTIONS), {}
agent = open(0, "rb", closefd=False)

def send(kind, channel=0, data=b""):
    message = {"kind": kind, "channel": channel, "data": base64.b64encode(data).decode()}
    rest = memoryview(json.dumps(message).encode() + b"\n")
    with sending:
        while rest:
            rest = rest[os.write(1, rest):]

def receive(child):
    try:
        for line in agent:
            message = json.loads(line.decode())
            waiting = answers.get(message["channel"])
            if waiting is not None:
                waiting.put((message["kind"] == "answer", base64.b64decode(message["data"] or "")))
    except (OSError, ValueError):
        pass
    time.sleep(2)
    if os.getpgrp() in (os.getpid(), os.getppid()):
        os.killpg(0, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    os._exit(1)

def parent(pid):
    with open("/proc/%d/stat" % pid, "rb") as f:
        fields = f.read().rpartition(b")")[2].split()
    return int(fields[1]), int(fields[3])

def known(conn):
    try:
        mine = parent(os.getpid())[1]
        pid, uid, _ = struct.unpack("3i", conn.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    except (AttributeError, OSError):
        return b""  # not shown here: the folder, and the token, have to do
    if uid != os.getuid():
        return b"user"
    try:
        for _ in range(256):
            if pid == os.getpid():
                return b""
            up, session = parent(pid)
            if session == mine:
                return b""
            if up <= 1:
                break
            pid = up
    except OSError:
        pass
    return b"process"

def dismiss(conn):
    conn.settimeout(1)
    conn.shutdown(socket.SHUT_WR)
    left = 2 * LIMIT
    while left > 0:
        n = len(conn.recv(1 << 16))
        if n == 0:
            break
        left -= n

def attend(conn, channel):
    waiting = answers[channel] = queue.Queue()
    try:
        send("connect", channel, known(conn))
        with conn, conn.makefile("rb") as lines:
            more = True
            while more:
                line = lines.readline(LIMIT + 1)
                if line.endswith(b"\n"):
                    send("request", channel, line[:-1])
                elif len(line) > LIMIT:
                    send("too long", channel)
                else:
                    break
                more, answer = waiting.get()
                if answer:
                    conn.sendall(answer + b"\n")
            if not more:
                dismiss(conn)
    except OSError:
        pass
    finally:
        del answers[channel]
        try:
            send("gone", channel)
        except OSError:
            pass
        slots.release()

def accept(listener):
    for channel in itertools.count(1):
        slots.acquire()
        conn = listener.accept()[0]
        threading.Thread(target=attend, args=(conn, channel), daemon=True).start()

def pump(kinds, ended):
    poll, left = select.poll(), None
    for fd in list(kinds) + [ended]:
        poll.register(fd, select.POLLIN)
    while kinds and (left is None or left > 0):
        ready = [fd for fd, _ in poll.poll(0 if left is not None else None)]
        if ended in ready:
            poll.unregister(ended)
            left = AFTER  # of what lies in the pipes; what others go on writing is not awaited
            continue
        if not ready and left is not None:
            break
        for fd in ready:
            data = os.read(fd, 1 << 16)
            if data:
                send(kinds[fd], 0, data)
            else:
                poll.unregister(fd)
                del kinds[fd]
            if left is not None:
                left -= len(data)

def start():
    head, module = agent.readline(), sys.argv[1]
    if not head.endswith(b"\n"):
        sys.exit(1)
    settings = json.loads(head.decode())
    script = agent.read(settings["size"])
    if len(script) < settings["size"]:
        sys.exit(1)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(settings["socket"])
        listener.listen(CONNECTIONS)
    except OSError as e:
        sys.stderr.write("execute_code cannot make a socket in %s: %s\n" % (os.path.dirname(settings["socket"]), e))
        sys.exit(1)
    (out, out_end), (err, err_end), (ended, end) = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(out_end, 1)
        os.dup2(err_end, 2)
        for fd in (out, out_end, err, err_end, ended, end):
            os.close(fd)
        listener.close()
        return run(settings, script.decode(), module)
    os.close(out_end)
    os.close(err_end)
    output = threading.Thread(target=pump, args=({out: "output", err: "errors"}, ended), daemon=True)
    for thread in (output, threading.Thread(target=receive, args=(child,), daemon=True), threading.Thread(target=accept, args=(listener,), daemon=True)):
        thread.start()
    _, status = os.waitpid(child, 0)
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    try:
        os.unlink(settings["socket"])
    except OSError:
        pass
    os.close(end)
    output.join()
    send("exit", 0, b"%d" % code)
    while True:
        time.sleep(3600)

start()
`

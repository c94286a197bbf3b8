package code

// bootstrap is the Python program that every script on this machine is started
// with. Its input is one line of JSON (where the socket is, the token, whether the
// folder belongs to the module path) and then the script. Its argument is the
// module hermes_tools.
//
// The first process only watches: it starts a second one for the script, reports
// how that ended and then waits to be killed together with whatever the script has
// left running. When the agent is gone without a word it ends its group itself, a
// little later than the agent would have.
const bootstrap = opening + running + `def watch(settings):
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.connect(settings["socket"])
        agent.recv(1)
    except OSError:
        pass
    time.sleep(2)
    os.killpg(0, signal.SIGKILL)

def report(settings, code):
    try:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end.connect(settings["socket"])
        end.sendall(json.dumps({"token": settings["token"], "exit": code}).encode() + b"\n")
        time.sleep(60) # an end of its own would spare what the script has left running
    except OSError:
        pass

def start():
    head, _, script = sys.stdin.buffer.read().partition(b"\n")
    settings, script, module = json.loads(head.decode()), script.decode(), sys.argv[1]
    child = os.fork()
    if child == 0:
        return run(settings, script, module)
    threading.Thread(target=watch, args=(settings,), daemon=True).start()
    _, status = os.waitpid(child, 0)
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    report(settings, code)
    os._exit(code)

start()
`

// opening keeps to a syntax that old versions read, so that they can say that they
// are too old. Nothing of the working directory can stand in for a module of the
// standard library that is needed here.
const opening = `import sys
sys.path[:] = [p for p in sys.path if p.startswith("/")]
if sys.version_info < (3, 8):
    sys.stderr.write("execute_code needs Python 3.8 or newer; this is %s\n" % sys.version.split()[0])
    sys.exit(1)
import base64, builtins, itertools, json, linecache, os, queue, select, shlex, signal, socket, struct, threading, time, traceback, types

`

// running is what happens in the process of the script.
const running = `def run(settings, script, module):
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    tools = types.ModuleType("hermes_tools")
    tools.__dict__.update(_socket=settings["socket"], _token=settings["token"])
    exec(compile(module, "hermes_tools.py", "exec"), tools.__dict__)
    sys.modules["hermes_tools"] = tools
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.argv = ["script.py"]
    if settings["folder"]:
        sys.path.insert(0, os.getcwd())
    for name, text in (("script.py", script), ("hermes_tools.py", module)):
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    try:
        exec(compile(script, "script.py", "exec"), main.__dict__)
    except SystemExit:
        raise
    except BaseException as e:
        sys.stdout.flush()
        at = e.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename == "<string>":
            at = at.tb_next
        traceback.print_exception(type(e), e, at)
        sys.exit(1)

`

// library is the part of hermes_tools that does not depend on the tools.
const library = `"""The agent's tools, as functions. Results are dicts; failures have an "error"."""
import itertools, json, os, shlex, socket, threading, time

_slots = threading.BoundedSemaphore(8)
_idle = []
_ids = itertools.count(1)

def _connection():
    while _idle:
        pid, conn, lines = _idle.pop()
        if pid == os.getpid():
            return pid, conn, lines
    conn = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    conn.connect(_socket)
    return os.getpid(), conn, conn.makefile("rb")

def _call(tool, args):
    args = {name: value for name, value in args.items() if value is not None}
    request = {"token": _token, "id": "%d.%d" % (os.getpid(), next(_ids)), "tool": tool, "args": args}
    data = json.dumps(request).encode() + b"\n"
    with _slots:
        connection = _connection()
        try:
            connection[1].sendall(data)
        except OSError:
            pass  # why may stand in the answer
        try:
            line = connection[2].readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            connection[1].close()
            raise RuntimeError("the agent no longer takes calls of this script")
        answer = json.loads(line)
        if "refused" in answer:
            connection[1].close()
            return {"error": answer["refused"]}
        _idle.append(connection)
    try:
        return json.loads(answer["result"])
    except ValueError:
        return answer["result"]

def json_parse(text):
    """Parse JSON that may hold control characters in its strings."""
    return json.loads(text, strict=False)

def shell_quote(text):
    """Quote text so that a shell takes it as one word."""
    return shlex.quote(text)

def retry(function, max_attempts=3, delay=2):
    """Call function() until it raises nothing, with growing pauses (seconds)."""
    for attempt in range(1, max_attempts + 1):
        try:
            return function()
        except Exception:
            if attempt >= max_attempts:
                raise
            time.sleep(delay * 2 ** (attempt - 1))
`

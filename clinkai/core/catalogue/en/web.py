"""The page for a browser, and the server behind it."""

STRINGS = {
    # What the server prints.
    "web.start": (
        "Serving {workspace}\n"
        "Open the address below in a browser on this machine. What follows # is its key; it is "
        "good until this server stops.\n"
        "From another machine, first: ssh -N -L {port}:127.0.0.1:{port} USER@THIS-MACHINE\n"
        "Ctrl+C stops the server."
    ),
    "web.stopping": "Stopping.",
    "web.defect": "A defect of ClinkAI: {why}",
    "web.host": "The page is served on this machine only, not on {host}.",
    "web.host.hint": (
        "Leave --host out. To open the page from another machine, forward the port: "
        "ssh -N -L PORT:127.0.0.1:PORT USER@HOST"
    ),
    "web.allow_host": "{host} is no host as browsers send it.",
    "web.allow_host.hint": "Give it as NAME:PORT in small letters, such as laptop.lan:8080.",
    "web.port.taken": "Port {port} is in use: {why}",
    "web.port.taken.hint": (
        "Another ClinkAI may be serving it. Stop that one, or choose another port: --port 0 "
        "takes a free one."
    ),
    "web.port.refused": "Port {port} cannot be used: {why}",
    "web.port.refused.hint": "Choose another one: --port 0 takes a free one.",

    # Why a request is refused.
    "web.http.framing": "This is not a well-formed HTTP request.",
    "web.http.long": "The address or the headers are too long.",
    "web.http.version": "Only HTTP/1.1 is spoken here.",
    "web.http.target": "The address of a request begins with / here.",
    "web.http.twice": "The header {name} is given twice.",
    "web.http.transfer": "Transfer-Encoding is not supported; send Content-Length.",
    "web.http.encoding": "Content-Encoding is not supported.",
    "web.http.host": "This server does not answer under that name.",
    "web.http.origin": "Another page may not ask here.",
    "web.http.method": "Reading is GET, everything else is POST.",
    "web.http.token": "The key is missing or wrong.",
    "web.http.type": "The body must be application/json.",
    "web.http.length": "Content-Length is missing or is no number.",
    "web.http.large": "That is larger than the limit of {limit}.",
    "web.http.body": "This request takes no body.",
    "web.http.slow": "The request did not arrive in time.",
    "web.http.json": "The body is not a JSON object.",
    "web.http.field": "The field {name} is not known here, or has a wrong value.",
    "web.http.query": "The parameter {name} is not known here, or has a wrong value.",
    "web.http.client": "X-Client has the form BROWSER.TAB.",
    "web.http.text": "The message is empty.",
    "web.http.half": "The message holds half of a character.",
    "web.http.path": "There is nothing at this address.",
    "web.http.session": "This folder has no session {id}.",
    "web.http.run": "There is no run {id}.",
    "web.http.viewers": "Too many windows are watching already.",
    "web.http.closing": "The server is stopping.",
    "web.http.defect": "A defect of ClinkAI; the server's terminal says more.",
    "web.busy": (
        "The model is still at work. Your text is kept: stop the run, or send it afterwards."
    ),
    "web.log.bad": "{n} lines of the session file cannot be read and are left out.",

    # The page.
    "web.skip": "Skip to the message box",
    "web.sidebar": "Sidebar",
    "web.sidebar.open": "Show the sessions",
    "web.sidebar.close": "Hide the sessions",
    "web.sessions": "Sessions",
    "web.new": "New session",
    "web.today": "Today",
    "web.yesterday": "Yesterday",
    "web.state.running": "running",
    "web.state.approval": "needs an answer",
    "web.state.interrupted": "interrupted",
    "web.state.unread": "unread",
    "web.log": "Conversation",
    "web.older": "Show earlier messages",
    "web.latest": "↓ Latest",
    "web.latest.n": "↓ Latest ({n})",
    "web.message": "Message",
    "web.send": "Send",
    "web.stop": "Stop",
    "web.keys": "Enter sends, Shift+Enter begins a new line, Esc stops the run.",
    "web.welcome": "What would you like done?",
    "web.welcome.where": "The agent reads, searches and edits in {workspace}.",
    "web.welcome.asks": (
        "Commands that would need your consent are refused in the browser for now; in the "
        "terminal you are asked."
    ),
    "web.scripted": (
        "A scripted stand-in answers here, not a language model. Try: create notes/hello.md with "
        "Hello, then read it back"
    ),
    "web.scripted.label": "scripted stand-in, no language model",
    "web.signin": "Sign in",
    "web.signin.why": (
        "Open the address that the server printed when it started, or paste it here. It changes "
        "with every start."
    ),
    "web.signin.address": "Address, or the part after #t=",
    "web.signin.enter": "Open",
    "web.lost": "Connection lost. Trying again …",
    "web.stopped": "The server has stopped. Trying again …",
    "web.restarted": (
        "The server was restarted: open the new address that it printed. Your drafts are kept."
    ),
    "web.paused": "Paused: other windows of this browser are watching.",
    "web.watch": "Watch here",
    "web.unreachable": "The server cannot be reached. Your text is kept.",
    "web.thinking": "Thinking …",
    "web.thought.time": "Thought for {time}",
    "web.thought.size": "Thought, {size} characters",
    "web.tool.running": "running",
    "web.tool.refused": "refused",
    "web.tool.failed": "failed",
    "web.tool.lost": "no result",
    "web.tool.exit": "exit {n}",
    "web.tool.cut": "Earlier output is not shown.",
    "web.tool.hidden": "Show {n} more lines",
    "web.tool.rows": "{n} more lines are not shown.",
    "web.usage.round": "round {n}",
    "web.usage.in": "in {tokens} (cache unknown)",
    "web.usage.in_cached": "in {tokens} (cache {hit}%)",
    "web.usage.out": "out {tokens}",
    "web.usage.speed": "{speed} t/s",
    "web.usage.ctx": "ctx {share}%",
    "web.usage.ctx_about": "ctx ~{share}%",
    "web.usage.unknown": "tokens unknown",
    "web.context": "Context used: {used} of {of} tokens",
    "web.work.wait": "Waiting for the model · {time}",
    "web.work.prefill": "Reading the prompt {percent}% · {done} of {total} · {time}",
    "web.work.prefill.left": "Reading the prompt {percent}% · {done} of {total} · {speed} t/s · {left} left",
    "web.work.loading": "The server loads the model · {time}",
    "web.work.down": "The server does not answer · {time}",
    "web.work.rate": "The server asks for a pause · {time}",
    "web.work.retry": "The server failed, trying again · {time}",
    "web.work.again": "{text} · again in {left}",
    "web.work.think": "Thinking · {time}",
    "web.work.text": "Writing · {time}",
    "web.work.args": "Preparing a tool call · {time}",
    "web.work.tool": "Running {name} · {time}",
    "web.end.cancelled": "Stopped.",
    "web.end.error": "The run ended with an error.",
    "web.end.cap": "Stopped after the allowed number of rounds.",
    "web.end.breaker": "Stopped: no progress.",
    "web.end.context": "Stopped: the context is full.",
    "web.end.interrupted": "The run was interrupted.",
    "web.spoken.done": "The answer is finished.",
    "web.spoken.cancelled": "The run was stopped.",
    "web.spoken.error": "The run ended with an error.",
    "web.spoken.cap": "The run stopped after the allowed number of rounds.",
    "web.spoken.breaker": "The run stopped: no progress.",
    "web.spoken.context": "The run stopped: the context is full.",
    "web.spoken.interrupted": "The run was interrupted.",

    "web.image": "[image {mime} {size}]",

    "web.usage.read": "prefill {tokens} in {time}",

    "web.usage.archive": "summary",
    "web.work.archive": "Writing a summary · {time}",

    "web.copy": "Copy",
    "web.copied": "Copied",
    "web.copy.failed": "Not copied: select the text and press Ctrl+C",
    "web.wrap": "Wrap",
}

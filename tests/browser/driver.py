"""A real Chromium over its debugging pipe, with the standard library only (POSIX).

    with Browser() as browser:
        tab = browser.tab(1280, 800)
        tab.open("http://127.0.0.1:1/")
        tab.wait("document.title == 'x'")
        tab.violations, tab.requests, tab.errors      # what the page did on the way

Messages are JSON ended by a zero byte: the browser reads file descriptor 3 and writes 4. Every
wait is for a condition, with DEADLINE seconds at most.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

DEADLINE = 60.0
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--remote-debugging-pipe", "about:blank",
)


def find() -> str | None:
    """The browser to test with, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser process with a profile of its own."""

    def __init__(self, lang: str = "en-US") -> None:
        self._profile = tempfile.mkdtemp(prefix="clinkai-browser-")
        self._lang = lang
        self._ids = itertools.count(1)
        self._answers: dict[int, dict] = {}
        self._tabs: dict[str, Tab] = {}
        self._news = threading.Condition()
        self._write_lock = threading.Lock()
        self._ended = False

    def __enter__(self) -> Browser:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # The shell puts the two pipes where the browser looks for them.
        script = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, find(), f"--user-data-dir={self._profile}", f"--lang={self._lang}",
             *FLAGS],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(10)
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def tab(self, width: int, height: int, *, dark: bool = True) -> Tab:
        """A new tab of that size. Tabs share their storage, as in one window."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self._tabs[session] = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log", "Audits"):
            tab.call(f"{domain}.enable")
        tab.size(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab.call("Emulation.setEmulatedMedia", features=[scheme])
        return tab

    def call(self, method: str, *, session: str = "", **params: object) -> dict:
        """One command and its result. Raises RuntimeError for an error of the browser."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        with self._write_lock:
            os.write(self._to, json.dumps(message).encode() + b"\0")
        with self._news:
            if not self._news.wait_for(lambda: number in self._answers or self._ended, DEADLINE):
                raise TimeoutError(f"no answer to {method}")
            if number not in self._answers:
                raise EOFError("the browser has ended")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _read(self) -> None:
        rest = b""
        while data := self._piece():
            *messages, rest = (rest + data).split(b"\0")
            for text in messages:
                message = json.loads(text)
                with self._news:
                    if "id" in message:
                        self._answers[message["id"]] = message
                    elif message.get("sessionId") in self._tabs:
                        self._tabs[message["sessionId"]].heard(message["method"], message["params"])
                    self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _piece(self) -> bytes:
        try:
            return os.read(self._from, 1 << 16)
        except OSError:
            return b""


class Tab:
    """One page. violations: broken content policies; requests: every address asked for;
    errors: uncaught errors and what the console calls one."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self._target = target
        self.violations: list[dict] = []
        self.requests: list[str] = []
        self.errors: list[str] = []

    def call(self, method: str, **params: object) -> dict:
        """A command to this page."""
        return self._browser.call(method, session=self._session, **params)

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def heard(self, method: str, params: dict) -> None:
        """Keep what the tests look at."""
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Audits.issueAdded" and "contentSecurityPolicy" in str(params):
            self.violations.append(params["issue"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"].get("exception", params))[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            text = f"{params['entry']['text']} {params['entry'].get('url', '')}"
            (self.violations if "Content Security Policy" in text else self.errors).append(text)

    def size(self, width: int, height: int) -> None:
        """Change the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)

    def open(self, url: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=url)

    def run(self, script: str) -> object:
        """The value of an expression in the page. The debugger is not held by its policy."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str) -> object:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                value = self.run(condition)
            except RuntimeError:
                # The page is just being replaced.
                value = None
            if value or value == {}:  # a node comes as an empty object
                return value
            time.sleep(0.05)
        raise TimeoutError(f"never true: {condition}\n{self.text('body')[:2000]}\n{self.errors}")

    def text(self, selector: str) -> str:
        """What is visible in an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click with the mouse on the middle of an element."""
        box = self.wait(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            if (!node) return null;
            node.scrollIntoView({{block: "nearest"}});
            const box = node.getBoundingClientRect();
            return box.width ? {{x: box.x + box.width / 2, y: box.y + box.height / 2}} : null;
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **box)

    def type(self, text: str) -> None:
        """Put text in where the caret is."""
        self.call("Input.insertText", text=text)

    def key(self, name: str, *, code: int, shift: bool = False, text: str = "") -> None:
        """Press a key; `code` is its key code of old."""
        event = {"key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def enter(self, *, shift: bool = False) -> None:
        """Press Enter."""
        self.key("Enter", code=13, shift=shift, text="\r")

    def wheel(self, selector: str, down: int) -> None:
        """Turn the mouse wheel over an element."""
        box = self.run(f"""(() => {{
            const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
            return {{x: box.x + box.width / 2, y: box.y + box.height / 2}};
        }})()""")
        self.call("Input.dispatchMouseEvent", type="mouseWheel", deltaX=0, deltaY=down, **box)

    def picture(self, path: str) -> None:
        """Save what the page looks like, as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

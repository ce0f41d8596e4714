"""The wall around the commands of one workspace: everything of this package, put together.

    wall = walls.find(root, private, writes=True)      # None where there can be none
    wall.begin(); process = wall.start(...); ...; changed = wall.end()

A `Wall` keeps its helper from one command to the next, and takes another where what it was told is
no longer so: a new folder in the home folder, settings of git that were replaced.
"""

from __future__ import annotations

import os
import threading

from clinkai.harness.home import user_home
from clinkai.harness.sandbox import paths, rights, seccomp
from clinkai.harness.sandbox.client import Confined, Confinement, Failure, Helper
from clinkai.harness.sandbox.guard import Guard


class Unconfined(Exception):
    """There is no wall. why: not_linux, missing, off, blocked, old, machine, wide or broken."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def missing() -> str:
    """Why this machine has no sandbox, or an empty string: what is known without starting one."""
    import platform

    found = rights.landlock()
    if found.abi < rights.LEAST_ABI:
        return found.why or "old"
    return "" if platform.machine() in seccomp.MACHINES else "machine"


def refusal(root: str, private: tuple[str, ...], writes: bool) -> str:
    """Why there is no wall around a workspace (real path), or an empty string; starts nothing.
    private: paths that belong to the program. A workspace that holds them or the home folder has
    none to write behind."""
    why = missing()
    if not why and writes:
        home = _home()
        site = paths.Site(root, home)
        why = "wide" if paths.is_wide(site, map(os.path.realpath, private)) else ""
    return why


class Wall:
    """root: real path of the workspace; private: paths that belong to the program; writes: commands
    may write in the workspace. Raises Unconfined."""

    def __init__(self, root: str, private: tuple[str, ...], writes: bool) -> None:
        import platform

        self.writes = writes
        self._root = root
        self._private = tuple(map(os.path.realpath, private))
        self._abi = rights.landlock().abi
        self._machine = platform.machine()
        self._lock = threading.Lock()
        self._helper: Helper | None = None
        self._former: list[Helper] = []
        self._told: tuple = ()
        self._identity: tuple = ()
        self._folders: dict[str, tuple] = {}
        self._rules: tuple = ()
        self._guard: Guard | None = None
        self._mounts: tuple = ()
        self._busy = 0
        self.namespaces = writes
        """Whether mounts protect what Landlock cannot; found out at the first start."""
        self.temp = ""
        why = refusal(root, private, writes)
        if why:
            raise Unconfined(why)
        if writes:
            import tempfile

            self.temp = os.path.realpath(tempfile.mkdtemp(prefix="clinkai-"))

    def environment(self, env: dict) -> dict:
        """`env` with the places that commands may write temporary files in."""
        if not self.writes:
            return env
        names = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), self.temp)
        return {**env, **names, "XDG_CACHE_HOME": os.path.join(self.temp, "cache")}

    def begin(self) -> None:
        """A command line is about to run."""
        with self._lock:
            self._busy += 1
            if self.writes and self._busy == 1:
                self._guard = Guard(self._root, self._guard)

    def end(self) -> tuple[str, ...]:
        """It has ended: what it left running is ended too. The names that had to be put back."""
        with self._lock:
            self._busy -= 1
            if self._helper:
                self._helper.sweep()
            if not self.busy:
                self._drop_former()
            guard = self._guard
            return guard.put_back(self._mounts if self.namespaces else ()) if guard else ()

    def start(self, program: dict, files: tuple) -> Confined:
        """Start one program; see client.Helper.start. Raises Failure."""
        with self._lock:
            program = {**program, "env": self.environment(program["env"])}
            try:
                return self._current().start(program, files)
            except Failure as failure:
                if failure.step != "helper":
                    raise
                self._drop()  # somebody ended it
                if failure.doubtful:  # never twice
                    raise
            return self._current().start(program, files)

    @property
    def busy(self) -> bool:
        """True while a command line runs."""
        return self._busy > 0

    def check(self) -> None:
        """Find out whether it can be had. Raises Failure."""
        with self._lock:
            self._current()

    def close(self) -> None:
        """End what runs, remove the temporary folder."""
        with self._lock:
            self._drop_former()
            self._drop()
            if self.temp:
                import shutil

                shutil.rmtree(self.temp, ignore_errors=True)

    # -- below: with the lock

    def _drop(self) -> None:
        if self._helper:
            self._helper.close()
        self._helper = None

    def _drop_former(self) -> None:
        while self._former:
            self._former.pop().close()

    def _current(self) -> Helper:
        """A helper that knows how things are now."""
        identity = (self._stamps(), self._guard.identity if self._guard else ())
        if self._helper and identity == self._identity:
            return self._helper
        wanted = self._wanted()
        # A rule is about what stood under a path, not about its name.
        told = (wanted, tuple(_stamp(rule[0])[:2] for rule in wanted.rules), identity[1])
        if self._helper is None or told != self._told:
            if self._helper and self._busy > 1:
                self._former.append(self._helper)  # something else runs in it
                self._helper = None
            self._drop()
            self._helper = self._confined(wanted)
            self._told = told
        self._identity = (self._stamps(), identity[1])
        return self._helper

    def _confined(self, wanted: Confinement) -> Helper:
        if not self.namespaces:
            return Helper(wanted)
        try:
            return Helper(self._mounted(wanted))
        except Failure as failure:
            if failure.step != "namespace":
                raise
        helper = Helper(wanted)
        self.namespaces = False
        return helper

    def _mounted(self, wanted: Confinement) -> Confinement:
        guard = self._guard or Guard(self._root)
        self._mounts = guard.frozen
        pinned, frozen = (tuple(os.path.join(self._root, name) for name in names)
                          for names in (guard.pinned, guard.frozen))
        writable, own = [self._root, self.temp], ()
        shared = paths.SHARED_MEMORY
        if paths.touches(shared, writable):
            writable.append(shared)
        elif os.path.isdir(shared):
            own = (shared,)
        writable = tuple(sorted(writable, key=len))
        return Confinement(wanted.attributes, wanted.rules, wanted.filter, writable, own, pinned,
                           frozen)

    def _wanted(self) -> Confinement:
        self._folders = {}
        found = paths.rules(self._site(), self.writes, self._children)
        rules = tuple((r.path, *rights.access(r.kind, self._abi)) for r in found)
        return Confinement(rights.attributes(self._abi), rules, seccomp.packed(self._machine))

    def _site(self) -> paths.Site:
        home = _home()
        closed = {*paths.secrets(home), *self._private}
        closed |= {os.path.realpath(path) for path in closed}
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        programs = tuple(os.path.realpath(f) for f in folders if os.path.isabs(f))
        return paths.Site(self._root, home, tuple(sorted(closed)), programs, self.temp,
                          os.geteuid() == 0)

    def _children(self, folder: str) -> list[tuple[str, str]]:
        self._folders[folder] = _stamp(folder)
        try:
            with os.scandir(folder) as entries:
                return sorted((e.name, os.path.realpath(e.path) if e.is_symlink() else "")
                              for e in entries)
        except OSError:
            return []

    def _stamps(self) -> tuple:
        """What the rules were made from, as it is now."""
        seen = tuple((path, _stamp(path)) for path in self._folders)
        return (*seen, _stamp(self._root)[:2], os.environ.get("PATH"), os.environ.get("HOME"))


def _home() -> str:
    """The real path of the home folder, "" where there is none."""
    home = user_home(os.environ)
    return os.path.realpath(home) if home else ""


def _stamp(path: str) -> tuple:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_dev, found.st_ino, found.st_mtime_ns)

"""The kernel sandbox: what holds a command when every rule about it was wrong.

Linux only, by Landlock and seccomp, in namespaces where they are to be had: `rights` and `seccomp`
say in numbers what is allowed, `paths` where; `helper` is a process of its own that applies it,
`client` talks to it, `guard` looks after the repository's settings, `wall` puts them together.
`seatbelt` is the same policy in the words of macOS, as a value only.

Not covered: message queues, and the shared memory and the modes and times of files of others, where
no namespace is to be had; repositories in folders of the workspace; a kernel with a bug.
"""

from clinkai.harness.sandbox.rights import Landlock, answer, landlock

__all__ = ["Landlock", "answer", "landlock"]

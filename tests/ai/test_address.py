"""Which addresses are understood, which are this machine, where a key may go."""

from __future__ import annotations

import pytest

from clinkai.ai.address import (
    DEFAULT_KEY, Address, in_the_clear, is_loopback, key_for, read_address,
)
from clinkai.core.errors import UsageError


@pytest.mark.parametrize(("url", "address"), [
    ("http://127.0.0.1:18080/v1",
     Address("http://127.0.0.1:18080/v1", "http://127.0.0.1:18080", "http", "127.0.0.1", True)),
    (" http://localhost/ ", Address("http://localhost", "http://localhost", "http", "localhost",
                                    True)),
    ("https://Example.org/llm/v1/",
     Address("https://Example.org/llm/v1", "https://Example.org/llm", "https", "example.org",
             False)),
    ("http://[::1]:8080", Address("http://[::1]:8080", "http://[::1]:8080", "http", "::1", True)),
    ("http://bücher.example/v1",
     Address("http://bücher.example/v1", "http://bücher.example", "http", "bücher.example", False)),
])
def test_an_address_is_read(url, address):
    assert read_address(url) == address


@pytest.mark.parametrize("url", [
    "", "127.0.0.1:8080", "localhost:8080/v1", "ftp://host/v1", "http://", "http:///v1",
    "http://host:port/v1", "http://host:99999/v1", "http://host:0", "http://[::1/v1",
    "http://me:word@host/v1", "http://host/v1?key=x", "http://host/v1#x", "http://host/a b",
    "http://host/v1\r\nX: y", "http://ho\tst/v1", "file:///etc/passwd", "http://host/模型",
    f"http://{'ü' * 70}.example/v1", "http://ü..example/v1",
])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(UsageError) as refused:
        read_address(url)
    assert (refused.value.key, refused.value.params) == ("error.address", {"value": url})


@pytest.mark.parametrize(("host", "expected"), [
    ("localhost", True), ("LOCALHOST.", True), ("api.localhost", True), ("127.0.0.1", True),
    ("127.8.9.1", True), ("127.1", True), ("2130706433", True), ("0x7f.1", True), ("0.0.0.0", True),
    ("::1", True), ("::", True), ("0:0:0:0:0:0:0:1", True), ("::ffff:127.0.0.1", True),
    ("localhost.example.org", False), ("mylocalhost", False), ("128.0.0.1", False),
    ("192.168.0.1", False), ("0.0.0.1", False), ("fe80::1", False), ("::ffff:10.0.0.1", False),
    ("::2", False), ("127.0.0.1.example.org", False), ("", False),
])
def test_loopback_is_known_by_every_spelling(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(("url", "key", "sent", "clear"), [
    ("http://127.0.0.1/v1", DEFAULT_KEY, DEFAULT_KEY, False),
    ("http://10.0.0.1/v1", DEFAULT_KEY, "", False),
    ("https://example.org/v1", DEFAULT_KEY, "", False),
    ("http://10.0.0.1/v1", "mine", "mine", True),
    ("https://example.org/v1", "mine", "mine", False),
    ("http://127.0.0.1/v1", "", "", False),
])
def test_the_default_key_never_leaves_the_machine(url, key, sent, clear):
    address = read_address(url)
    assert (key_for(address, key), in_the_clear(address, key)) == (sent, clear)


@pytest.mark.parametrize("key", ["a\nb", "a\r\nX-Evil: 1", "密钥", "a\0b", "naïve\u2028"])
def test_a_key_that_no_header_can_carry_is_refused(key):
    with pytest.raises(UsageError) as refused:
        key_for(read_address("http://127.0.0.1/v1"), key)
    assert refused.value.key == "error.key"

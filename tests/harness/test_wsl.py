from __future__ import annotations

import pytest

from clinkai.harness.wsl import Windows, gateway, look, windows_host

WSL2 = ("Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1) "
        "(gcc (GCC) 11.2.0, GNU ld (GNU Binutils) 2.37) #1 SMP Fri Mar 29 23:14:13 UTC 2024\n")
WSL1 = ("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) "
        "(gcc version 5.4.0 (GCC) ) #2311-Microsoft Tue Nov 08 17:09:00 PST 2022\n")
LINUX = "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n"

HEAD = ("Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
        "        \n")
NAT = HEAD + ("eth0\t00000000\t016019AC\t0003\t0\t0\t0\t00000000\t0\t0\t0   \n"
              "eth0\t006019AC\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0   \n")
HOUSE = HEAD + "eth1\t00000000\t0101A8C0\t0003\t0\t0\t25\t00000000\t0\t0\t0   \n"
TWO = HEAD + ("wg0\t00000000\t0100000A\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
              "eth0\t00000000\t016019AC\t0003\t0\t0\t100\t00000000\t0\t0\t0\n")
DOWN = HEAD + "eth0\t00000000\t016019AC\t0002\t0\t0\t0\t00000000\t0\t0\t0\n"
ON_LINK = HEAD + "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"

DEV_NAT = ("Inter-|   Receive                                                |  Transmit\n"
           " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
           "    lo:  1  1    0    0    0     0          0         0  1 1 0 0 0 0 0 0\n"
           "  eth0:  1  1    0    0    0     0          0         0  1 1 0 0 0 0 0 0\n")
DEV_MIRRORED = DEV_NAT + "loopback0:  1  1    0    0    0     0          0         0  1 1 0 0\n"


@pytest.mark.parametrize(("version", "route", "dev", "host"), [
    (LINUX, NAT, DEV_NAT, None),
    ("", "", "", None),
    (WSL1, "", "", Windows("shared", "127.0.0.1")),
    (WSL2, NAT, DEV_NAT, Windows("nat", "172.25.96.1")),
    (WSL2, NAT, "", Windows("nat", "172.25.96.1")),
    (WSL2, HOUSE, DEV_MIRRORED, Windows("mirrored", "127.0.0.1")),
    (WSL2, TWO, DEV_NAT, Windows("nat", "172.25.96.1")),
    (WSL2, HEAD, DEV_NAT, Windows("unknown", "")),
    (WSL2, DOWN, DEV_NAT, Windows("unknown", "")),
    (WSL2, ON_LINK, DEV_NAT, Windows("unknown", "")),
])
def test_the_address_of_windows_follows_from_the_kernels_words(version, route, dev, host):
    assert windows_host(version, route, dev) == host


@pytest.mark.parametrize(("route", "address"), [
    ("", ""), ("nonsense\nx y z\n", ""), (HEAD + "eth0\tzz\n", ""), (NAT, "172.25.96.1"),
    (TWO, "172.25.96.1"), (HOUSE, "192.168.1.1"),
])
def test_the_gateway_is_that_of_the_default_route_with_the_lowest_metric(route, address):
    assert gateway(route) == address


def test_looking_at_this_machine_never_fails():
    assert look() is None or isinstance(look(), Windows)

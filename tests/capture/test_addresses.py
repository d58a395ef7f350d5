"""Which machines may be asked: every known way around the policy is tried."""

import socket
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pagedrift.capture.addresses import AddressError, AddressPolicy, is_public

PRIVATE = """
127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
100.100.100.200 192.0.0.192 168.63.129.16 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1
::1 :: ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:0a00:0001 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
2002:7f00:1:: 2002:a00:1:: fe80::1 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 100::1
3fff::1 3fff:fff::1 5f00::1 5f00:ffff::1
2001:0:4136:e378:8000:63bf:80ff:fffe ::ffff:0:127.0.0.1 ::ffff:0:a9fe:a9fe
""".split()
PUBLIC = "8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.32.0.1 2606:4700:4700::1111 ::ffff:8.8.8.8".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_told_however_they_are_wrapped(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(some.ip_addresses(v=4))
def test_wrapping_an_address_never_makes_it_public(address) -> None:
    wrapped = [
        f"::ffff:{address}",
        str(ip_address((0x2002 << 112) | (int(address) << 80))),
        str(ip_address((0x64FF9B << 96) | int(address))),
        f"::ffff:0:{address}",
    ]

    assert [text for text in wrapped if is_public(ip_address(text)) and not is_public(address)] == []


@pytest.mark.parametrize(
    "host",
    "localhost 127.0.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 0 [::1] [::ffff:127.0.0.1] LOCALHOST.".split(),
)
def test_no_spelling_of_this_machine_passes(host: str) -> None:
    with pytest.raises(AddressError, match=r"not on the public internet|has no address"):
        AddressPolicy().resolve(host, 80)


def test_an_allowed_host_passes_and_only_that_one() -> None:
    policy = AddressPolicy.of(["LocalHost"])

    assert set(policy.resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
    with pytest.raises(AddressError, match=r"set PAGEDRIFT_ALLOW_PRIVATE=127\.0\.0\.1"):
        policy.resolve("127.0.0.1", 80)


def test_a_network_can_be_allowed() -> None:
    assert AddressPolicy.of(["127.0.0.0/8"]).resolve("localhost", 80) == ["127.0.0.1"]
    with pytest.raises(AddressError):
        AddressPolicy.of(["10.0.0.0/8", "no/network"]).resolve("127.0.0.1", 80)


def test_the_environment_allows_hosts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEDRIFT_ALLOW_PRIVATE", "intranet.example, 127.0.0.1")

    assert AddressPolicy.of().resolve("127.0.0.1", 80) == ["127.0.0.1"]


def test_of_a_host_with_several_addresses_only_the_public_ones_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_: object, **__: object) -> list[tuple]:
        return [(2, 1, 6, "", (address, 80)) for address in ("10.0.0.1", "8.8.8.8", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", answer)

    assert AddressPolicy().resolve("mixed.example", 80) == ["8.8.8.8"]


def test_a_host_that_does_not_exist_says_so() -> None:
    with pytest.raises(AddressError, match="could not be found; check the spelling"):
        AddressPolicy().resolve("no-such-host.invalid", 80)

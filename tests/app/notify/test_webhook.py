import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.notify.channels import ChannelError
from pagedrift.app.notify.webhook import send, sign, verify

HERE = ("127.0.0.1",)
TOLD = {"uid": "5f", "title": "Important: 24 € → 29 €", "text": "…"}


def test_a_message_arrives_signed_and_with_its_key(receiver):
    send(f"{receiver.url}/hook?x=1", TOLD, "secret", allow_private=HERE)
    [(path, headers, body)] = receiver.told
    assert path == "/hook?x=1"
    assert json.loads(body) == TOLD
    assert headers["content-type"] == "application/json"
    assert headers["idempotency-key"] == "5f"
    assert verify(body, headers["pagedrift-signature"], "secret")
    assert not verify(body, headers["pagedrift-signature"], "another")
    assert not verify(body + b" ", headers["pagedrift-signature"], "secret")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl checks what we sign")
def test_others_compute_the_same_signature():
    told = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", "secret"], input=b"1700000000.{}", capture_output=True, check=True
    )
    assert sign(b"{}", "secret", at=1_700_000_000).endswith("v1=" + told.stdout.decode().split()[-1])


def test_an_old_signature_does_not_hold():
    signature = sign(b"{}", "secret", at=1000)
    assert verify(b"{}", signature, "secret", now=1299)
    assert not verify(b"{}", signature, "secret", now=1301)
    assert not verify(b"{}", signature, "secret", now=600)


@given(st.binary(), st.text())
def test_no_other_text_is_a_signature(body, text):
    assert not verify(body, text, "secret")


def test_addresses_inside_are_refused_unless_they_are_allowed(receiver):
    with pytest.raises(ChannelError, match="not on the public internet"):
        send(f"{receiver.url}/", TOLD, "secret")
    with pytest.raises(ChannelError, match="not on the public internet"):
        send(f"http://2130706433:{receiver.server_address[1]}/", TOLD, "secret")
    assert receiver.told == []


def test_a_signed_message_follows_no_redirect(receiver):
    receiver.answers = [(307, {"Location": f"{receiver.url}/elsewhere"})]
    with pytest.raises(ChannelError, match="leads elsewhere") as caught:
        send(f"{receiver.url}/", TOLD, "secret", allow_private=HERE)
    assert caught.value.final
    assert len(receiver.told) == 1


@pytest.mark.parametrize(
    ("status", "headers", "final", "after"),
    [
        (500, {}, False, None),
        (410, {}, True, None),
        (429, {"Retry-After": "90"}, False, 90),
        (503, {"Retry-After": "9" * 9}, False, 21600),
        (503, {"Retry-After": "soon"}, False, None),
    ],
)
def test_what_the_server_says_decides_whether_it_is_tried_again(receiver, status, headers, final, after):
    receiver.answers = [(status, headers)]
    with pytest.raises(ChannelError, match=f"status {status}") as caught:
        send(f"{receiver.url}/", TOLD, "secret", allow_private=HERE)
    assert (caught.value.final, caught.value.after) == (final, after)


def test_nobody_there_is_told_so():
    with pytest.raises(ChannelError, match="does not answer"):
        send("http://127.0.0.1:9/", TOLD, "secret", allow_private=HERE)

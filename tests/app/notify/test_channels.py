import json
import subprocess
import sys
from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest

from pagedrift.app.model.alert import AlertPage
from pagedrift.app.model.channels import checked_channel
from pagedrift.app.notify import apprise_process
from pagedrift.app.notify.alert_preview import send_test
from pagedrift.app.notify.channels import ChannelError, send
from pagedrift.app.notify.message import AlertBlock, compose
from pagedrift.errors import InputError
from tests.app.notify.mailbox import mailbox

TOLD = {"uid": "5f", "title": "Important: 24 € → 29 €", "text": "a − b", "html": "<p>a</p>", "level": "warning"}
HERE = ("127.0.0.1",)
ORDER = {"title": "Important", "body": "a − b", "format": "text", "level": "warning"}


@pytest.mark.parametrize(
    "channel",
    [
        "",
        "anna@city.example",
        "syslog://",
        "SYSLOG://LOG_DAEMON",
        "dbus://",
        "windows://",
        "file:///etc/passwd",
        "https://",
        "http://a:99999/",
        "https://public.example\\@10.0.0.1/",
        "discord://1/2/?template=/etc/passwd",
        "fcm://project?keyfile=/etc/passwd",
        "mailto://a:b@c.example?Attach=/etc/passwd",
        "json://a.example/\r\nx",
        "json://" + "a" * 3000,
    ],
)
def test_what_tells_nobody_or_reads_files_is_refused(channel):
    with pytest.raises(InputError):
        checked_channel(channel)


def test_apprise_tells_a_service_with_the_verdict_as_its_kind(receiver, settings):
    send(receiver.url.replace("http", "json") + "/x", TOLD, settings)
    [(path, _, body)] = receiver.told
    assert path == "/x"
    assert json.loads(body) | {"attachments": []} == {
        "version": "1.0",
        "title": TOLD["title"],
        "message": TOLD["text"],
        "attachments": [],
        "type": "warning",
    }


@pytest.mark.parametrize("scheme", ["json", "xml", "form"])
def test_apprise_reaches_nothing_inside(receiver, scheme):
    with pytest.raises(ChannelError, match="not on the public internet"):
        apprise_process.send(receiver.url.replace("http", scheme), TOLD)
    with pytest.raises(ChannelError, match="not on the public internet"):
        apprise_process.send(receiver.url.replace("http://127.0.0.1", f"{scheme}://localhost"), TOLD)
    assert receiver.told == []


def test_a_service_cannot_send_apprise_inside(receiver):
    """The host is allowed, and sends us to one that is not: a link-local address as clouds have it."""
    receiver.answers = [(307, {"Location": "http://169.254.169.254/latest/meta-data/"})]
    with pytest.raises(ChannelError, match=r"169\.254\.169\.254 is not on the public internet"):
        apprise_process.send(receiver.url.replace("http", "json"), TOLD, allow_private=HERE)


def test_apprise_reads_no_file_even_if_an_address_asks_for_one(tmp_path):
    secret = tmp_path / "template.json"
    secret.write_text('{"text": "secret"}')
    with pytest.raises(ChannelError, match="reads no files"):
        apprise_process.send(
            f"discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js/?template={secret}", TOLD, allow_private=HERE
        )


def test_an_address_that_apprise_does_not_know_is_given_up_without_its_secrets():
    with pytest.raises(ChannelError) as caught:
        apprise_process.send("nosuchservice://very-secret-token/x", TOLD)
    assert caught.value.final
    assert "very-secret-token" not in str(caught.value)


def test_a_service_that_refuses_is_tried_again(receiver):
    receiver.answers = [(500, {})]
    with pytest.raises(ChannelError) as caught:
        apprise_process.send(receiver.url.replace("http", "json"), TOLD, allow_private=HERE)
    assert not caught.value.final


def test_a_service_that_never_answers_is_given_up_in_time():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"json://127.0.0.1:{silent.getsockname()[1]}?rto=300&cto=300"
        with pytest.raises(ChannelError, match="did not answer within 3 seconds"):
            apprise_process.send(address, TOLD, allow_private=HERE, timeout=3)


def test_a_channel_can_be_tested(receiver, settings, store):
    send_test(store, settings, f"{receiver.url}/hook")
    [(_, headers, body)] = receiver.told
    assert json.loads(body)["title"].startswith("Test: ")
    assert headers["idempotency-key"]


def test_a_mail_arrives_with_its_colours(settings):
    told = compose(
        uid="u",
        verdict="matters",
        headline="24 € → 29 €\r\nBcc: all@city.example",
        pages=[AlertPage(watch="w", url="https://city.example/fees", name="Fees", change=7)],
        at=datetime.now(UTC),
        base_url="http://127.0.0.1:8710",
        blocks=[AlertBlock("A permit is 24 €", "A permit is 29 €")],
    )
    with mailbox() as box:
        send(
            f"mailto://127.0.0.1:{box.port}?from=us@city.example&to=anna@city.example&mode=insecure", told, settings
        )
    mail = message_from_bytes(box.mails[0], policy=policy.default)
    assert mail["subject"] == "Important: 24 € → 29 € Bcc: all@city.example · Fees"
    assert mail["bcc"] is None
    html = mail.get_body(("html",)).get_content()
    assert 'style="background:#dafbe1' in html
    assert 'href="http://127.0.0.1:8710/change/7"' in html


GUARDED = """
import os, socket, subprocess, sys
from pagedrift.app.notify.apprise_worker import Guard

guard = Guard()
guard.install()
guard.begin(["127.0.0.1"])
attempts = {
    "inside": lambda: socket.create_connection(("10.0.0.1", 80), 0.1),
    "mapped": lambda: socket.socket(socket.AF_INET6).connect(("::ffff:10.0.0.1", 80)),
    "metadata": lambda: socket.socket().connect(("169.254.169.254", 80)),
    "by name": lambda: socket.socket().connect(("localhost", 80)),
    "socket file": lambda: socket.socket(socket.AF_UNIX).connect("/dev/log"),
    "datagram": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("10.0.0.1", 514)),
    "program": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "fork": os.fork,
    "read": lambda: open("/etc/passwd"),
    "read by number": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "write": lambda: open(sys.prefix + "/mark", "w"),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except PermissionError:
        continue
    print("passed:", name)
print(len(guard.refused) == len(attempts))
"""


def test_everything_but_public_services_is_refused_by_python_itself():
    done = subprocess.run([sys.executable, "-c", GUARDED], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stdout + done.stderr


def test_one_process_sends_one_message_after_the_other(receiver):
    processes = apprise_process.AppriseProcesses()
    first = processes.take()
    order = {"channel": receiver.url.replace("http", "json"), "allow": list(HERE), **ORDER}
    assert first.ask(order, 60)["sent"]
    processes.give_back(first)
    second = processes.take()
    assert second is first
    assert second.ask(order, 60)["sent"]
    assert len(receiver.told) == 2
    second.end()


def test_what_one_message_may_reach_the_next_may_not(receiver):
    """The guard is asked anew about each message: the first trusts this machine, the second does not."""
    process = apprise_process.AppriseProcess()
    order = {"channel": receiver.url.replace("http", "json"), **ORDER}
    assert process.ask({**order, "allow": list(HERE)}, 60)["sent"]
    answer = process.ask({**order, "allow": []}, 60)
    assert not answer["sent"]
    assert "not on the public internet" in answer["error"]
    assert process.ask({**order, "allow": list(HERE)}, 60) == {
        "sent": True,
        "error": "the service did not accept it; check the channel",
        "final": False,
        "refused": False,
    }
    process.end()
    assert len(receiver.told) == 2


def test_a_process_that_was_ended_is_replaced():
    processes = apprise_process.AppriseProcesses()
    process = processes.take()
    processes.give_back(process)
    process.end()
    other = processes.take()
    assert other is not process
    other.end()


def test_a_process_that_dies_while_it_sends_is_an_error_that_is_tried_again(receiver):
    process = apprise_process.AppriseProcess()
    receiver.may_answer = lambda: bool(process._process.kill())
    with pytest.raises(ChannelError, match="try the channel again") as caught:
        process.ask({"channel": receiver.url.replace("http", "json"), "allow": list(HERE), **ORDER}, 60)
    assert not caught.value.final


def test_a_process_ends_when_nobody_orders_anymore():
    from pagedrift.app.notify.apprise_process import AppriseProcess

    process = AppriseProcess()
    process._process.stdin.close()
    assert process._process.wait(60) == 0
    process.end()

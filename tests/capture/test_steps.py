import pytest
from hypothesis import given
from hypothesis import strategies as some

from pagedrift.capture.steps import ACTIONS, Secrets, Step, check_step, parse_step, parse_steps
from pagedrift.errors import InputError

word = some.text(some.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
selector = some.sampled_from(["#user", "button[type=submit]", "input[name = 'a = b']", "form > p:nth-child(2)"])


@given(some.sampled_from(ACTIONS), selector, word)
def test_a_step_is_read_as_it_is_printed(action: str, target: str, value: str) -> None:
    step = Step(action, target, value if action in ("fill", "press", "select") else "")

    assert parse_step(str(step)) == step


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("fill #user = anna", Step("fill", "#user", "anna")),
        ("fill #user = a = b ", Step("fill", "#user", "a = b")),
        ("fill #user =", Step("fill", "#user", "")),
        ("fill [data-x='a = b'] = c", Step("fill", "[data-x='a = b']", "c")),
        ("click button[type=submit]", Step("click", "button[type=submit]")),
        ("press Enter", Step("press", "", "Enter")),
        ("press #user = Enter", Step("press", "#user", "Enter")),
        ("wait .account", Step("wait", ".account")),
        ("  wait 2.5", Step("wait", "2.5")),
        ("goto /login", Step("goto", "/login")),
    ],
)
def test_steps_are_written_in_one_plain_line(line: str, step: Step) -> None:
    assert parse_step(line) == step


@pytest.mark.parametrize("line", ["", "click", "dance #user", "fill anna", "wait 600", "press", "goto "])
def test_what_is_no_step_is_refused_with_the_way_to_write_one(line: str) -> None:
    with pytest.raises(InputError, match=r"write it as: goto ADDRESS|wait for at most 60 seconds"):
        parse_step(line)


def test_a_step_of_two_lines_is_refused() -> None:
    with pytest.raises(InputError, match="more than one line"):
        check_step(Step("fill", "#user", "anna\nclick #delete"))


def test_steps_are_one_on_each_line() -> None:
    assert parse_steps("# sign in\nfill #user = anna\n\nclick #go\n") == (
        Step("fill", "#user", "anna"),
        Step("click", "#go"),
    )


def test_a_secret_without_a_value_is_told_by_its_name() -> None:
    with pytest.raises(InputError, match="there is no secret called KEY; give it a value"):
        Secrets([Step("fill", "#key", "{secret:KEY}")], {"OTHER": "x"})


@given(some.text(min_size=4, max_size=12), some.text(max_size=20))
def test_what_is_put_in_is_taken_out_again(secret: str, around: str) -> None:
    secrets = Secrets([Step("fill", "#key", "{secret:KEY}")], {"KEY": secret})
    body = f"{around}{secret}".encode("utf-8", "surrogatepass")

    assert secrets.into("{secret:KEY}") == secret
    assert secret not in secrets.out_of(f"{around}{secret}").replace("{secret:KEY}", "")
    assert secret.encode() not in secrets.out_of_page(body).replace(b"{secret:KEY}", b"")

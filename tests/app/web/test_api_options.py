"""The API describes every option of a watch with its type, and says what is wrong with one."""

import httpx
import pytest

from pagedrift.app.model.options import OPTIONS
from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from tests.app.web.conftest import visitor

TYPES = {"duration": "number", "check": "boolean", "text": "string", "choice": "string", "lines": "array"}


@pytest.fixture
def program(settings: Settings, store: Store) -> httpx.Client:
    client = visitor(settings, store)
    client.headers = {
        "authorization": f"Bearer {auth.add_token(store, 'tests', 'api')}",
        "accept": "application/json",
    }
    return client


@pytest.mark.parametrize("schema", ["NewWatch", "Edit", "GroupOptions", "WatchState"])
def test_every_option_is_described_with_its_type_and_may_be_absent(program: httpx.Client, schema: str) -> None:
    schemas = program.get("/api/v1/openapi.json").json()["components"]["schemas"]
    options = schemas[schemas[schema]["properties"]["options"]["$ref"].rpartition("/")[2]]
    assert list(options["properties"]) == list(OPTIONS)
    assert "required" not in options
    for name, option in OPTIONS.items():
        described = options["properties"][name]
        assert described["title"] == option.about.label
        assert described["description"].startswith(option.about.help)
        assert "default" not in described, "what is absent is as the group sets it"
        assert described.get("enum", []) == list(option.values)
        assert (described.get("minimum"), described.get("maximum")) == (option.least, option.most)
        if option.widget in TYPES:
            assert described["type"] == TYPES[option.widget]


def test_groups_are_described_with_their_options(program: httpx.Client) -> None:
    paths = program.get("/api/v1/openapi.json").json()["paths"]
    listed = paths["/api/v1/groups"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert "SomeOptions" in listed["additionalProperties"]["$ref"]


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ({"every": 1}, 422, "every is 1 seconds; choose between 5 seconds and 366 days"),
        ({"every": "60"}, 422, "every is not a number; enter one such as 3600"),
        ({"every": True}, 422, "every is not a number; enter one such as 3600"),
        ({"browser": 1}, 422, "browser must be true or false; use one of them"),
        ({"notify_on": "x"}, 422, "notify_on is 'x'; choose one of: important, content, anything, amount, nothing"),
        ({"include": "main"}, 422, "include must be a list of at most 100 entries; shorten it"),
        ({"headers": [["X-Key"]]}, 422, "headers must be pairs of a name and a value; write them as name: value"),
        ({"max_pages": 2.5}, 422, "max_pages is 2.5; choose a whole number"),
        ({"notify": ["syslog://"]}, 400, "syslog:// only reaches this computer; choose email, chat or a webhook"),
        ({"ignore_text": ["("]}, 400, "; "),
    ],
)
def test_what_is_wrong_with_an_option_is_said_as_everywhere(
    program: httpx.Client, options: dict[str, object], status: int, said: str
) -> None:
    for answer in (
        program.post("/api/v1/watches", json={"url": "https://a.example/", "options": options}),
        program.put("/api/v1/groups/city", json={"options": options}),
    ):
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
        assert said in answer.json()["error"]


def test_numbers_of_json_are_numbers(program: httpx.Client) -> None:
    options = {"every": 60, "max_pages": 3.0, "headers": {"X-Key": "a"}}
    made = program.post("/api/v1/watches", json={"url": "https://a.example/", "options": options})
    assert made.json()["options"] == {"every": 60.0, "headers": [["X-Key", "(hidden)"]], "max_pages": 3}

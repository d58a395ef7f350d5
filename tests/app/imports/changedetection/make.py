"""Writes defaults.json and backup.zip here: run it where changedetection.io is installed, which tests do not need.

    python -m venv /tmp/peer && /tmp/peer/bin/pip install 'changedetection.io==0.60.10'
    /tmp/peer/bin/python tests/app/imports/changedetection/make.py

Nothing is written by hand: the defaults are those of its models, the backup is made by its own code.
"""

import json
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SECRETS = ("api_access_token", "rss_access_token")
ONE_MORE = {
    "title": "Fees",
    "fetch_backend": "html_webdriver",
    "webdriver_delay": 4,
    "include_filters": ["#fees"],
    "ignore_text": ["/\\d+ views/i"],
    "filter_text_removed": False,
    "sort_text_alphabetically": True,
    "remove_duplicate_lines": True,
    "trim_text_whitespace": True,
    "strip_ignored_lines": True,
    "ignore_status_codes": True,
    "notification_format": "markdown",
    "conditions": [{"operator": ">", "field": "extracted_number", "value": "10"}],
    "conditions_match_logic": "ANY",
    "history_snapshot_max_length": 20,
    "time_between_check": {"weeks": None, "days": 1, "hours": None, "minutes": None, "seconds": None},
    "time_between_check_use_default": False,
}


def defaults(store):
    import changedetectionio
    from changedetectionio.model import Tag
    from changedetectionio.model.schema_utils import SYSTEM_MANAGED_NON_SPEC_FIELDS, get_readonly_watch_fields
    from changedetectionio.processors.restock_diff import Watch

    watch = Watch(datastore_path=store.datastore_path, __datastore=store.data)._get_commit_data()
    tag = dict(Tag.model(datastore_path=store.datastore_path, __datastore=store.data))
    settings = store._build_settings_data()["settings"]
    for each in (watch, tag):
        each["uuid"] = "00000000-0000-4000-8000-000000000000"
    for secret in SECRETS:
        settings["application"].pop(secret, None)
    return {
        "version": changedetectionio.__version__,
        "watch": watch,
        "tag": tag,
        "settings": settings,
        "written by itself": sorted(get_readonly_watch_fields() | SYSTEM_MANAGED_NON_SPEC_FIELDS),
    }


def fill(store):
    from changedetectionio.processors import save_processor_config

    store.add_watch("https://city.example/plain")
    store.add_watch("https://city.example/fees", tag="City, Fees", extras=ONE_MORE)
    price = store.add_watch("https://shop.example/shoes", tag="Shops", extras={"processor": "restock_diff"})
    save_processor_config(store, price, {"restock_diff": {"price_change_min": 50.0, "follow_price_changes": True}})
    for tag in store.data["settings"]["application"]["tags"].values():
        if tag["title"] == "Shops":
            tag.update({"subtractive_selectors": [".ad"], "notification_urls": ["https://hooks.example/shops"]})
        tag.commit()
    for secret in SECRETS:
        store.data["settings"]["application"].pop(secret, None)
    store.commit()


def main():
    from changedetectionio.blueprint.backups import create_backup
    from changedetectionio.store import ChangeDetectionStore

    with tempfile.TemporaryDirectory() as folder:
        store = ChangeDetectionStore(datastore_path=folder, include_default_watches=False)
        (HERE / "defaults.json").write_text(json.dumps(defaults(store), indent=1, sort_keys=True) + "\n")
        fill(store)
        create_backup(folder, store.data["watching"], store.data["settings"]["application"]["tags"])
        [made] = Path(folder).glob("changedetection-backup-*.zip")
        (HERE / "backup.zip").write_bytes(made.read_bytes())


if __name__ == "__main__":
    main()

"""Settings of changedetection.io: which are imported, which need no mention, and advice about the rest.

Written down from release 0.60; a test walks over everything that its watches, tags and settings hold.
"""

from __future__ import annotations

from typing import Final

from pagedrift.app.imports.leftovers import KnownSettings

USER_AGENT: Final = (  # its own, where nobody chose another
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.66 Safari/537.36"
)
RESTOCK_DEFAULTS: Final = {
    "follow_price_changes": True,
    "in_stock_processing": "in_stock_only",
    "in_stock_only": True,
}

_MESSAGE: Final = "messages are written by Pagedrift; to form your own, add a webhook as channel"
_PART: Final = "select the part of the page with include, and choose alerts with notify_on"
_PRICE: Final = "select price and availability with include, and set notify_on to anything"
_MODEL: Final = "Pagedrift does not ask a language model; choose alerts with notify_on"
_ERRORS: Final = "a page that answers with an error counts as trouble and is not compared"
_TROUBLE: Final = "use alert_after_failures to set how many failed checks in a row cause an alert; 0 for never"

_WATCH_ADVICE: Final = {
    "check_unique_lines": "text that was there before is compared too; leave it out with ignore_text",
    "conditions": _PART,
    "conditions_match_logic": _PART,
    "extract_lines_containing": "all text is compared; select the part of the page with include",
    "extract_text": "all text is compared; select the part of the page with include",
    "filter_failure_notification_send": _TROUBLE,
    "follow_price_changes": _PRICE,
    "ignore_status_codes": _ERRORS,
    "in_stock_only": _PRICE,
    "link_to_open": "the address that is watched is the one that is opened",
    "llm_change_summary": _MODEL,
    "llm_change_summary_mode": _MODEL,
    "llm_intent": _MODEL,
    "notification_body": _MESSAGE,
    "notification_format": _MESSAGE,
    "notification_screenshot": "screenshots are shown with each change, for watches that use a browser",
    "notification_title": _MESSAGE,
    "price_change_threshold_percent": _PRICE,
    "remove_duplicate_lines": "repeated lines are compared like others; leave the part out with exclude",
    "strip_ignored_lines": "ignored text causes no alert, and stays in the stored versions",
    "text_should_not_be_present": _PART,
    "track_ldjson_price_data": _PRICE,
    "trigger_text": _PART,
    "webdriver_js_execute_code": "custom scripts are not run; use steps if clicks and waiting are enough",
}
_WATCH_DEFAULTS: Final = {
    "conditions_match_logic": "ALL",
    "filter_failure_notification_send": True,
    "follow_price_changes": True,
    "in_stock_only": True,
    "llm_change_summary_mode": "replace",
    "notification_format": "System default",
}
# Read and noted one by one in the importer.
_WATCH_TAKEN: Final = frozenset(
    "body browser_steps css_filter fetch_backend filter_text_added filter_text_removed filter_text_replaced "
    "headers history_snapshot_max_length ignore_text include_filters method minutes_between_check "
    "notification_muted notification_urls paused processor proxy restock_settings sort_text_alphabetically "
    "subtractive_selectors tag tags time_between_check time_between_check_use_default time_schedule_limit title "
    "url webdriver_delay".split()
)
_BOOKKEEPING: Final = frozenset(
    # what happened to the watch so far
    "browser_steps_last_error_step check_count consecutive_filter_failures content-type date_created fetch_time "
    "has_ldjson_price_data history history_n last_changed last_check_status last_checked last_error "
    "last_filter_config_hash last_notification_error last_viewed link newest_history_key notification_alert_count "
    "open_link page_title previous_md5 previous_md5_before_filters remote_server_reply restock in_stock uuid "
    "viewed "
    # what a language model worked out, or whether one may be asked: none is asked here
    "_llm_change_summary _llm_intent _llm_result llm_backend_profile llm_evaluation_cache "
    "llm_last_tokens_used llm_prefilter llm_tokens_period_key llm_tokens_this_period llm_tokens_used_cumulative "
    # how its own lists look
    "extract_title_as_title use_page_title_in_list "
    # white space is never a change here
    "trim_text_whitespace".split()
)
WATCH: Final = KnownSettings(_WATCH_TAKEN, _BOOKKEEPING, _WATCH_ADVICE, _WATCH_DEFAULTS)

# A tag has all that a watch has, and gives a few of these to its watches.
_TAG_TAKEN: Final = frozenset(
    "ignore_text include_filters notification_muted notification_urls processor restock_settings "
    "subtractive_selectors time_schedule_limit title".split()
)
_FOR_EACH: Final = "set it for each watch of the group"
TAG: Final = KnownSettings(
    _TAG_TAKEN,
    # Whether the tag's restock settings count before those of a watch; neither are imported.
    _BOOKKEEPING | frozenset({"overrides_watch", "tag_colour"}),
    dict.fromkeys(sorted(_WATCH_TAKEN - _TAG_TAKEN), _FOR_EACH)
    | _WATCH_ADVICE
    | {"url_match_pattern": "watches with such an address got the group now; put later ones into it yourself"},
    _WATCH_DEFAULTS
    | {
        "fetch_backend": "system",
        "filter_text_added": True,
        "filter_text_removed": True,
        "filter_text_replaced": True,
        "method": "GET",
        "time_between_check_use_default": True,
    },
)

APPLICATION: Final = KnownSettings(
    frozenset(
        "all_muted all_paused fetch_backend global_ignore_text global_subtractive_selectors "
        "history_snapshot_max_length notification_urls tags webdriver_delay".split()
    ),
    frozenset(
        # its own web pages, feeds and doors
        "active_base_url api_access_token api_access_token_enabled base_url extract_title_as_title pager_size "
        "password rss_access_token rss_content_format rss_diff_length rss_hide_muted_watches rss_template_override "
        "rss_template_type scheduler_timezone_default schema_version shared_diff_access timezone ui "
        # links are always compared here
        "render_anchor_tag_content".split()
    ),
    {
        "empty_pages_are_a_change": "an empty page counts as trouble and is not compared",
        "filter_failure_notification_threshold_attempts": _TROUBLE,
        "ignore_status_codes": _ERRORS,
        "ignore_whitespace": "white space is never a change here",
        "llm": _MODEL,
        "notification_body": _MESSAGE,
        "notification_format": _MESSAGE,
        "notification_title": _MESSAGE,
        "rss_reader_mode": "add feeds again as feeds: pagedrift watch add --kind feed",
        "ssim_threshold": "screenshots are compared block by block; choose alerts with notify_on",
        "strip_ignored_lines": _WATCH_ADVICE["strip_ignored_lines"],
    },
    {
        "filter_failure_notification_threshold_attempts": 6,
        "ignore_whitespace": True,
        "notification_body": "{{watch_url}} had a change.\n---\n{{diff}}\n---\n",
        "notification_format": "htmlcolor",
        "notification_title": "ChangeDetection.io Notification - {{watch_url}}",
        "ssim_threshold": "0.96",
    },
)

REQUESTS: Final = KnownSettings(
    frozenset({"extra_proxies", "minutes_between_check", "proxy", "time_between_check"}),
    frozenset({"workers"}),  # how much it does at once
    {
        "default_ua": "Pagedrift says who it is; to say something else, add the header User-Agent",
        "extra_browsers": "the browser of Pagedrift is used",
        "jitter_seconds": "Pagedrift spreads the checks itself",
        "timeout": "the time limit of Pagedrift holds",
    },
    {"default_ua": {"html_requests": USER_AGENT, "html_webdriver": None}, "timeout": 45},
)

"""Facts are important wherever pages state them; other words for the same are minor; what runs a site is noise."""

from __future__ import annotations

import pytest

from pagedrift import PageVersion
from pagedrift.does_it_matter.changes import Level, changes, past_of
from pagedrift.does_it_matter.changes.facts import FactKind, read
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.rewording import has_piece_cut, is_corrected, is_rephrased, names_differ
from pagedrift.does_it_matter.changes.surroundings import parts_named
from pagedrift.report.headlines import headline

RULES = (
    "<p>Everybody who parks a car in the streets of the old town for longer than an hour needs a permit.</p>"
    "<p>Permits are issued at the desk in the town hall, and by mail to those who live outside of the old town.</p>"
)
STATES = ("Available", "Sold out")
MENU = "<header><nav><a href=/>Home</a> <a href=/news>News</a> <a href=/jobs>Jobs</a></nav></header>"
FOOTER = "<footer><p>Town of Example, 1 High Street</p>{}</footer>"


def page(html: str) -> PageVersion:
    return PageVersion("", f"<body>{MENU}<main>{html}{RULES}</main>{FOOTER.format('')}".encode())


def level(old: str, new: str) -> Level:
    """Give the level of the most important change, without a past."""
    return changes(page(old), page(new))[0].level


def settled_level(old: str, new: str) -> Level:
    """Give the level of the most important change, after some visits that found nothing new."""
    return changes(page(old), page(new), past=past_of(*[page(old)] * 6))[0].level


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<header><span>Open for entries</span><h1>Bridge run</h1></header>", "Open for entries → Closed"),
        ("<dl><dt>Made in</dt><dd>Portugal</dd></dl>", "Portugal → Vietnam"),
        ("<table><tr><th>Surface</th><td>gravel</td></tr></table>", "gravel → tarmac"),
        ("<p>Call us: <a href='tel:900555182'>900 555 182</a></p>", "900 555 182</a> → 900 555 219</a>"),
        ("<ul><li>Lift A <span title=closed></span></li><li>Lift B</li></ul>", "title=closed → title=open"),
        ("<table><tr><td>SSO</td><td><svg aria-label=Yes></svg></td></tr></table>", "=Yes → =No"),
        ("<div class=announcement-bar>The call for talks closes on 28 May.</div>", "28 May → 14 June"),
        ("<p>You can move in on the 1 <sup>er</sup> juin, with your furniture and pets.</p>", "juin → juillet"),
        ("<p>Orders placed before 2 pm leave our workshop on the same day, by mail.</p>", "2 pm → 11 am"),
        ("<p>Places left: 4</p>", "4 → 0"),
        ("<p>Members meet in the Memorial Hall of the parish on the first evening.</p>", "Memorial Hall → Library"),
        ("<ul><li>Lift A <span class='dot dot--green'></span></li><li>Lift B</li></ul>", "green → red"),
        ("<ul><li class='slot slot--free'>10:00</li><li class=slot>11:00</li></ul>", "free → booked"),
        ("<p>Anna Nowak, owner of the flat</p><p>61 555 01 26</p>", "01 26 → 01 73"),
        ("<p>Without an answer of the town within a month your request is granted.</p>", "granted → ungranted"),
        ("<h1>Flat in Mill Lane</h1><p></p>", "<p></p> → <p>Reserved</p>"),
        (
            "<h1>Villa</h1><img src='/_next/image?url=%2Fimg%2Ffront.jpg&w=9' alt='The house from the lane'>",
            "front.jpg → garden.jpg",
        ),
        ("<a href=/media/4410/fees.pdf>Fees</a>", "4410 → 4988"),
        ("<p><span></span>I rute</p>", "I rute → Innstilt"),
        ("<svg><text x=1>Time limit at the lake: 17:30</text></svg>", "17:30 → 16:45"),
        ("<p>Anna Nowak, agent</p><button data-tel='02 61 91 44 03'>Show number</button>", "44 03 → 44 27"),
        ("<a href=/documents/7/fees.pdf/3f1a77d0-55c1?t=1>Fees (PDF)</a>", "fees.pdf → fees-2.pdf"),
        ("<p>Write to bookings [at] town.example before you come.</p>", "bookings → office"),
        ("<p>毎週木曜日に体操を行っています。講師は田村和子先生です。</p>", "田村和子 → 小野健二"),
        (
            "<p>The insurance covers every parcel that we send abroad. Carrier: Fleetfoot.</p>",
            "Fleetfoot → Parcello",
        ),
        ("<h3>Data protection officer</h3><p>Harriet Vance</p>", "Harriet Vance → Colm Treharne"),
        ("<p><span class='label label-success'>Open</span> <span>It is 08:00:12</span></p>", "Open → Suspended"),
        (
            "<div class=tab-pane><ul><li>10 May: call</li></ul></div>",
            "</ul> → <li>12 May: a new deadline</li></ul>",
        ),
        ("<form><button>Add to cart</button></form>", "Add to cart → Sold out"),
        ("<p>Guided tour, 3 days 2 hours, for $499</p>", "$499 → $549"),
        ("<p>Last sold 3 days ago for $420</p>", "$420 → $390"),
        ("<p>Reach Paris within 2 hours 15 min from €39</p>", "€39 → €49"),
        ("<aside><p>Outdoor pool 24 °C: open</p></aside>", "open → closed"),
        ("<p>Outdoor pool today: open, water 22 °C</p>", "open → closed"),
        ("<aside><p>Téléphone : 01.23.45.67.89</p></aside>", "67.89 → 67.12"),
        ("<p>Phone: 555.0126</p>", "0126 → 0199"),
        ("<p>Tickets transferable</p>", "transferable → untransferable"),
        ("<aside><p>Lowest price in the last 24 hours: $59</p></aside>", "$59 → $89"),
        ("<p>Bus 12: Station » Market » Hospital</p>", "Hospital → School"),
        ("<ul><li class=slot>Online course, Monday 18:00</li></ul>", "class=slot → class='slot booked'"),
        ("<ul><li>Lift A <span class='dot dot-green'> <!-- --></span></li></ul>", "green → red"),
        (
            "<div class=callout><h3>Other rates</h3><p>Interest on deposits is 3.5 % for all members</p></div>",
            "3.5 → 2.5",
        ),
        (
            "<div class=sidebar><p>Anna Schmidt</p><p>030 1234567</p><p>Karl Vogel</p><p>030 7654321</p></div>",
            "Anna Schmidt</p><p>030 1234567</p><p>Karl Vogel</p><p>030 7654321 → Ada Lang</p><p>030 5556677</p>"
            "<p>Ulla Klein</p><p>030 8889911",
        ),
        ("<h1>Flat in Mill Lane</h1><a href=/sale>For sale</a><p>Quiet.</p>", "For sale → Sale agreed"),
        (
            "<h1>Flat in Mill Lane</h1><div class=banner><img src=front.jpg alt='The house from the lane'></div>",
            "front.jpg alt='The house from the lane' → garden.jpg alt='The house from the garden'",
        ),
        ("<div style='display:none'><p><a href=/manual-3.pdf>Manual</a></p></div>", "manual-3 → manual-4"),
        ("<aside><h4>Contact</h4><p>anna.berg@town.example</p></aside>", "anna.berg@ → jon.ek@"),
        ("<aside><h4>Course</h4><p>Hilda Holm, universitetslektor</p></aside>", "Hilda Holm → Jon Ekdahl"),
        ("<a href=/a/prices-25-1.pdf>Price list</a>", "25-1 → 26-1"),
    ],
)
def test_a_fact_is_important_at_first_and_after_some_visits(old: str, new: str) -> None:
    before, after = new.split(" → ")
    assert before in old

    assert level(old, old.replace(before, after)) is Level.IMPORTANT
    assert settled_level(old, old.replace(before, after)) is Level.IMPORTANT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Towels can be borrowed at the desk for a small charge, by guests of the pool and of the sauna.",
            "Guests of the pool and the sauna can borrow a towel at the desk; there is a small charge for it.",
        ),
        (
            "You don't pay for the first hour in the car park behind the station of the old town.",
            "You do not pay for the first hour in the car park behind the station of the old town.",
        ),
        ("Hier geht es zur Anmeldug", "Hier geht es zur Anmeldung"),
        ("What you'll do at work", "What you will do at work"),
    ],
)
def test_other_words_for_the_same_are_minor(old: str, new: str) -> None:
    assert level(f"<p>{old}</p>", f"<p>{new}</p>") is Level.MINOR


def test_one_of_several_equal_states_that_changes_is_found_at_its_place() -> None:
    tickets = "".join(f"<div><h3>{name}</h3><p class=state>{{}}</p></div>" for name in ("Adults", "Students"))
    sides = (page(f"<h1>Course</h1></main><aside>{tickets.format(each, 'Available')}</aside>") for each in STATES)

    [found] = changes(*sides)
    assert (found.level, found.old_text, found.new_text) == (Level.IMPORTANT, *STATES)


def test_a_page_without_a_first_heading_has_its_second_for_a_title() -> None:
    job = "<div class=posting-header><h2>Data engineer</h2><div>{}</div></div>"

    assert level(job.format("Hybrid"), job.format("On-site")) is Level.IMPORTANT


def test_a_sentence_that_is_left_out_of_a_paragraph_is_important() -> None:
    safe = "Brokers that allow anonymous clients are at the highest risk, and should be upgraded by their owners."

    assert level(f"<p>{safe} As a workaround, set retain to false.</p>", f"<p>{safe}</p>") is Level.IMPORTANT


def test_the_heading_of_an_article_is_as_important_as_its_text_and_comes_first() -> None:
    teaser = "<h2><a href=/{}>{}</a></h2><p>{}</p>"
    others = [
        teaser.format(number, f"News of old {number}", f"What was said then, {number}") for number in range(3)
    ]
    sides = (
        teaser.format(8, "Bulky waste is collected on request", "Two dates a year become one telephone call."),
        teaser.format(
            9, "New bench for all who wait for the ferry", "The apprentices built it, the school painted it."
        ),
    )
    found = changes(*(page("".join((each, *others))) for each in sides))

    assert found[0].new_text == "New bench for all who wait for the ferry"
    assert {each.level for each in found} == {Level.IMPORTANT}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>Powered by Example Wiki 8.5.6</p>", "<p>Powered by Example Wiki 8.5.11</p>"),
        ("<p>We and our 212 partners use cookies.</p>", "<p>We and our 219 partners use cookies and more.</p>"),
        ("<img src=/old.png alt='Town of Example'>", "<img src=/new-colours.png alt='Town of Example'>"),
        ("<div class=logo><img src=/a.png alt=Town></div>", "<div class=logo><img src=/b.png alt=Town></div>"),
    ],
)
def test_what_runs_a_site_is_noise(old: str, new: str) -> None:
    sides = (
        PageVersion("", f"<main><h1>Rules</h1>{RULES}</main>{FOOTER.format(each)}".encode()) for each in (old, new)
    )

    assert {each.level for each in changes(*sides)} == {Level.NOISE}


def test_a_line_about_copyright_is_noise_wherever_it_stands() -> None:
    owned = "<p>Legal | Webmaster | Copyright © 2001-2025 Example. {}</p>"

    assert level(owned.format("Best viewed at 1024 pixels."), owned.format("All rights reserved.")) is Level.NOISE


def test_the_links_that_lead_to_a_page_are_noise_wherever_they_stand() -> None:
    assert level("<p><a href=/>Gardeners</a> » Rules</p>", "<p><a href=/>Home</a> » Rules</p>") is Level.NOISE


def test_a_measured_value_is_no_telephone_number_whatever_is_rung() -> None:
    assert not {kind for kind, _ in read("Storage ring: 299.8 mA").facts} & {FactKind.CONTACT}
    assert {kind for kind, _ in read("Ring 555 0123").facts} == {FactKind.CONTACT}


def test_other_products_beside_the_content_are_no_changed_prices() -> None:
    product = (
        "<li><a href=/p/{0}><img src=/p/{0}.jpg alt='{0}'></a><h3><a href=/p/{0}>{0}</a></h3><span>{1}</span></li>"
    )
    shown = (
        (("Kettle scale", "$64.00"), ("Paper filters", "$39.50")),
        (("Steel mug", "$18.00"), ("Carafe", "$46.00")),
    )
    lists = ["".join(product.format(*each) for each in side) for side in shown]
    old, new = (page(f"<h1>Kettle</h1><p>$129.00</p></main><aside><ul>{each}</ul></aside>") for each in lists)
    assert Level.IMPORTANT not in {each.level for each in changes(old, new)}


def test_a_price_below_a_new_slogan_is_a_changed_price() -> None:
    offer = "<h2>{}</h2><p>{} a month</p>"

    assert level(offer.format("One price, one year", "$31.20"), offer.format("Fixed", "$33.80")) is Level.IMPORTANT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("74 days and 3 hours to go", "73 days and 5 hours to go"),
        ("Updated 1 month ago", "Updated 2 months ago"),
        ("Loading…", "Please wait..."),
        (
            "Order within 4 hours and 12 minutes: we bring it on 8 May",
            "Order within 1 hour and 3 minutes: we bring it on 9 May",
        ),
    ],
)
def test_the_days_and_hours_until_something_are_noise(old: str, new: str) -> None:
    assert level(f"<p>{old}</p>", f"<p>{new}</p>") is Level.NOISE


def test_what_counts_hours_is_looked_for_in_linear_time() -> None:
    from pagedrift.does_it_matter.changes.noise_rules import is_countdown
    from pagedrift.does_it_matter.changes.pairing import EDITED, PassageChange
    from pagedrift.does_it_matter.changes.passages import Passage

    hostile = "1дн" * 100_000 + "1" * 100_000
    sides = [Passage(words=(text,), text=text) for text in (hostile, hostile + "2")]

    assert not is_countdown(PassageChange(EDITED, *sides))


def test_the_weather_of_today_is_noise_wherever_it_stands() -> None:
    found = changes(
        page("<p>Today, Monday 5 May: sunny, 24 °C</p>"), page("<p>Today, Tuesday 6 May: rain, 19 °C</p>")
    )
    assert {each.level for each in found} == {Level.NOISE}


def test_a_page_that_gets_one_more_category_is_noise() -> None:
    listed = "<div id=catlinks><ul><li><a href=/c/1>Rules of towns</a></li>{}</ul></div>"

    assert level(listed.format(""), listed.format("<li><a href=/c/2>To be tidied up</a></li>")) is Level.NOISE


def test_the_answers_of_a_poll_beside_the_content_are_noise() -> None:
    poll = "<aside><h4>Poll</h4><p>Who wins?</p><p>Mill Town {}</p><p>Old Bridge {}</p></aside>"

    assert settled_level(poll.format("58%", "42%"), poll.format("55%", "45%")) is Level.NOISE


def test_a_picture_of_another_build_is_the_same_picture() -> None:
    picture = "<h1>Hall</h1><img src=/images/{} alt='Experimental hall, western sector'>"

    found = changes(page(picture.format("hall-3fa9.jpg")), page(picture.format("hall-b07e.jpg")))
    assert {each.level for each in found} <= {Level.NOISE}


def test_the_answers_to_questions_are_no_menu_though_they_stand_in_one() -> None:
    answer = "Yes, up to half of the sum may be spent on the salaries of your people."
    found = passages(page(f"<nav class=accordion><div>{answer}</div></nav>"))

    assert all("navigation" not in each.parts for each in found if "salaries" in each.words)
    assert any("navigation" in each.parts for each in found if "jobs" in each.words)


def test_the_header_of_an_article_is_not_that_of_the_site() -> None:
    found = passages(page("<header class=entry-header><p>Sold out</p><h1>Bridge run</h1></header>"))

    assert next(each for each in found if each.text == "Sold out").parts == frozenset()


@pytest.mark.parametrize(
    "fact",
    ["costs $12", "write to desk@town.example", "get report-2.pdf", "until 3 May 2026", "ring +44 20 7946 0000"],
)
def test_a_fact_is_read_wherever_it_stands_in_a_long_text(fact: str) -> None:
    around = "and so on and so forth " * 30

    assert read(fact).facts
    assert read(f"{around}{fact} {around}").facts == read(fact).facts


# Rewording


def test_what_is_much_longer_is_not_rephrased() -> None:
    text = "The pool is open all year for swimmers and divers"

    assert is_rephrased(text, text)
    assert not is_rephrased(text, f"{text}, and so is the sauna below it, but for the weeks around new year")


def test_a_few_words_more_are_no_piece() -> None:
    words = "The pool is open all year for swimmers".split()

    assert not has_piece_cut(words, [*words, "and", "divers"])
    assert has_piece_cut(words, [*words, *"and divers , but closed at night".split()])
    assert not has_piece_cut(words, [*words[::-1], *"and divers , but closed at night".split()])


def test_short_words_are_not_corrected_but_exchanged() -> None:
    assert not is_corrected(["not", "here"], ["now", "here"])
    assert is_corrected(["Anmeldug"], ["Anmeldung"])


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    assert not names_differ("It is open. Swimmers come", "It is open. Divers come")
    assert names_differ("We meet at l’Auberge today", "We meet at l’Église today")


def test_shares_of_a_poll_next_to_the_content_are_noise_and_one_share_alone_is_a_fact() -> None:
    poll = "<aside><h4>How do you come here?</h4><p>on foot {} %</p><p>by bicycle {} %</p></aside>"

    assert level(poll.format(61, 29), poll.format(60, 30)) is Level.NOISE
    assert level(poll.format(61, 29), poll.format(61, 35)) is not Level.NOISE


def test_rates_next_to_the_content_are_no_shares_of_a_poll() -> None:
    rates = "<aside><h4>Our rates</h4><p>Savings {} %</p><p>Mortgage {} %</p></aside>"

    assert level(rates.format("2.0", "3.1"), rates.format("2.1", "3.2")) is Level.IMPORTANT


def test_prices_of_what_a_page_recommends_are_noise() -> None:
    offer = "<product-recommendations><h3><a href=/{0}>{0}</a></h3><span>{1}</span></product-recommendations>"

    assert level(offer.format("Scoop", "£18.00"), offer.format("Apron", "£42.00")) is Level.NOISE


@pytest.mark.parametrize("names", ["language-python", "paginated-table", "tab-pane", "tab-content"])
def test_what_only_sounds_like_a_menu_is_content(names: str) -> None:
    assert parts_named("div", "", names) == frozenset()


def test_a_picture_that_opens_a_lightbox_is_not_in_it() -> None:
    assert parts_named("img", "", "image-magnify-lightbox") == frozenset()
    assert parts_named("div", "", "lightbox") == {"overlay"}


# What real pages taught

ABOUT = (
    "<p>The reading room of the society stands next to the old mill, and has a garden with a pond and benches.</p>"
    "<p>Volunteers have kept it since 1912, and a small fund pays for new books, the heating and the roof.</p>"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Return postage is paid by us, for all parcels that come back.",
            "Return postage is paid by you, for all parcels that come back.",
        ),
        (
            "We are going to move the old archive over the course of this week.",
            "We are going to move the old archive over the course of this month.",
        ),
        (
            "The German team is third with 3.2 points, and the Dutch team second with 3.5 points.",
            "The Dutch team is third with 3.2 points, and the German team second with 3.5 points.",
        ),
    ],
)
def test_a_few_exchanged_words_say_something_else(old: str, new: str) -> None:
    assert level(f"{ABOUT}<p>{old}</p>", f"{ABOUT}<p>{new}</p>") is Level.IMPORTANT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("12 Mill Lane", "48 Mill Lane"),
        ("Hauptstraße 12", "Hauptstraße 48"),
        ("12, rue de la Paix", "12, rue de la Gare"),
        ("Ring (031) 3236.8400", "Ring (031) 3236.8455"),
    ],
)
def test_where_somebody_can_be_found_is_a_fact_in_a_footer_too(old: str, new: str) -> None:
    page = f"<main>{ABOUT}</main><footer><p>{{}}</p></footer>"
    assert level(page.format(old), page.format(new)) is Level.IMPORTANT


@pytest.mark.parametrize("called", ["advertisement", "sidebar", "section--has-ads", "page-header", "box-promoted"])
def test_what_holds_most_of_the_running_text_is_no_box_whatever_its_classes_say(called: str) -> None:
    page = f"<div class='{called}'><h2>Reading room</h2>{ABOUT}<p>The door is open until {{}}.</p></div>"
    assert level(page.format("6 pm"), page.format("8 pm")) is Level.IMPORTANT


def test_another_document_behind_the_same_link_is_a_fact() -> None:
    page = ABOUT + '<p><a href="https://drive.google.com/file/d/{}/view">Minutes of the meeting</a></p>'
    assert level(page.format("1kLmIhtar2024"), page.format("1kLmIhtar2025")) is Level.IMPORTANT


def test_another_address_behind_write_to_us_is_a_fact() -> None:
    html = ABOUT + '<p><a href="mailto:{}">Write to us</a></p>'
    found = changes(page(html.format("desk@room.example")), page(html.format("anna@room.example")))
    assert found[0].level is Level.IMPORTANT
    assert headline(found) == "Contact desk@room.example → anna@room.example"


def test_another_video_in_a_frame_is_a_fact() -> None:
    page = ABOUT + '<iframe src="https://www.youtube.com/embed/{}"></iframe>'
    assert level(page.format("FGwbqQdy-e0"), page.format("k2Lw8TzqXbM")) is Level.IMPORTANT


def test_an_entry_under_another_heading_says_something_else() -> None:
    lists = "<h2>What we take</h2><ul><li>Books</li>{}</ul><h2>What we do not take</h2><ul><li>Maps</li>{}</ul>"
    page = ABOUT + lists
    assert level(page.format("<li>Journals</li>", ""), page.format("", "<li>Journals</li>")) is Level.IMPORTANT


def test_a_year_is_no_counter() -> None:
    page = ABOUT + "<p>The Mill at Night (oil on wood, {})</p>"
    assert level(page.format("1992"), page.format("1994")) is not Level.NOISE


def test_the_same_words_around_a_number_of_years_ago_are_the_age_of_a_post() -> None:
    page = ABOUT + "<p>Posted {} days ago</p>"
    assert level(page.format(3), page.format(4)) is Level.NOISE


def test_only_the_beginning_of_an_address_is_looked_at_for_a_document() -> None:
    far = f"https://pages.example/{'a' * 1_000}//youtu.be/{{}}"
    html = ABOUT + f'<p><a href="{far}">Watch it</a></p>'
    assert not changes(page(html.format("FGwbqQdy")), page(html.format("k2Lw8Tzq")))

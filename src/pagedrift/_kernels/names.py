"""Tag names: the number that stands for each, and what the scanner must know about it.

A name's number is a pure function of the name, so that numbers can be compared between pages, processes and
machines. Names the web uses have small fixed numbers; every other name gets 30 bits of its hash.
"""

from __future__ import annotations

from typing import Final

# Append only: the numbers are stored in fingerprints and detector states.
KNOWN: Final = tuple(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote
    body br button canvas caption center cite code col colgroup content data datalist dd del details dfn dialog
    dir div dl dt em embed fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5
    h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing
    main map mark marquee menu menuitem meta meter nav nobr noembed noframes noscript object ol optgroup option
    output p param picture plaintext pre progress q rb rbc rp rt rtc ruby s samp script search section select
    selectedcontent shadow slot small source spacer span strike strong style sub summary sup table tbody td
    template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
    svg animate animatemotion animatetransform circle clippath defs desc ellipse feblend fecolormatrix
    fecomponenttransfer fecomposite feconvolvematrix fediffuselighting fedisplacementmap fedropshadow feflood
    fefunca fefuncb fefuncg fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset
    fespecularlighting fetile feturbulence filter foreignobject g line lineargradient marker mask metadata mpath
    path pattern polygon polyline radialgradient rect set stop switch symbol text textpath tspan use view
    math annotation annotation-xml maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom
    mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
    semantics
    """.split()
)
IDS: Final = {name: number for number, name in enumerate(KNOWN)}
UNKNOWN: Final = 1 << 30  # set in the number of every name that is not in KNOWN

# What the scanner must know about a known name, one bit each.
VOID: Final = 1  # has no end tag
RAW: Final = 2  # its content is text up to its own end tag: RCDATA and RAWTEXT of the WHATWG tokenizer
SCRIPT: Final = 4  # raw too, with the escaped states
PLAINTEXT: Final = 8  # all that follows is text
FOREIGN: Final = 16  # starts SVG or MathML, where CDATA exists and raw text does not
INTEGRATION: Final = 32  # inside foreign content, brings HTML back
BREAKOUT: Final = 64  # cannot stand in foreign content: ends it
INLINE: Final = 128  # does not end a word: <b>foot</b>ball is one word
INVISIBLE: Final = 256  # its text is not on the page
DECODED: Final = 512  # raw, but character references count (RCDATA)
BLOCK: Final = 1024  # HTML only and not inline: its end tag ends whatever was left open inside

_GROUPS: Final = {
    VOID: """area base basefont bgsound br col embed frame hr image img input keygen link meta param source
        track wbr""",
    RAW: "iframe noembed noframes style textarea title xmp",
    SCRIPT: "script",
    PLAINTEXT: "plaintext",
    FOREIGN: "svg math",
    INTEGRATION: "foreignobject desc title mi mo mn ms mtext annotation-xml",
    BREAKOUT: """b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
        listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var""",
    INLINE: """a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q rb s
        samp slot small span strike strong sub sup time tt u var wbr tspan textpath""",
    INVISIBLE: """datalist desc iframe metadata noembed noframes noscript script style template title""",
    DECODED: "textarea title",
    BLOCK: """address applet article aside blockquote body button caption center colgroup dd details dialog dir
        div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html legend
        li listing main map marquee menu nav noscript object ol optgroup option p picture pre ruby search section
        select summary table tbody td template tfoot th thead tr ul""",
}
FLAGS: Final = tuple(sum(bit for bit, group in _GROUPS.items() if name in group.split()) for name in KNOWN)

# A start tag of the key ends an open element of the value: the end tags that HTML lets authors leave out.
_BLOCKS: Final = """address article aside blockquote center details dialog dir div dl fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul"""
IMPLIED_ENDS: Final = {
    **dict.fromkeys(_BLOCKS.split(), ("p",)),
    "a": ("a",),
    "button": ("button",),
    "dd": ("dd", "dt", "p"),
    "dt": ("dd", "dt", "p"),
    "li": ("li", "p"),
    "nobr": ("nobr",),
    "optgroup": ("optgroup", "option"),
    "option": ("option",),
    "rp": ("rp", "rt"),
    "rt": ("rp", "rt"),
    **dict.fromkeys(("tbody", "tfoot", "thead"), ("p", "tbody", "td", "tfoot", "th", "thead", "tr")),
    **dict.fromkeys(("td", "th"), ("p", "td", "th")),
    "tr": ("p", "td", "th", "tr"),
}

# Signs that are a word each: ideographs with their marks, kana, and the planes that hold only ideographs.
IDEOGRAPHS: Final = (
    ("\u4e00", "\u9fff"),
    ("\u3040", "\u30ff"),
    ("\u3005", "\u3007"),
    ("\u3021", "\u3029"),
    ("\u3031", "\u3035"),
    ("\u3038", "\u303b"),
    ("\u31f0", "\u31ff"),
    ("\u3400", "\u4dbf"),
    ("\uf900", "\ufaff"),
    ("\uff66", "\uff9f"),
    ("\U0001b000", "\U0001b16f"),
    ("\U00020000", "\U0003ffff"),
)
IDEOGRAPH: Final = "[" + "".join(f"{first}-{last}" for first, last in IDEOGRAPHS) + "]"  # for expressions

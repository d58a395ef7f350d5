"""What is the tree of well-formed markup? (the parser is its twin: both build the same tree)

Most pages close what they open, in order, and put everything where it may stand: their tree follows from the
source in one pass. Of the mistakes that browsers correct, this reader knows the common and simple ones; at any
other it gives up, and the parser is asked. The rules are those of the HTML standard, 13.2.6 Tree construction.
"""

import re
from html.entities import html5

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy, strchr, strstr

from pagedrift._kernels.hashing_cy cimport finish, hash_buffer, step
from pagedrift._kernels.tree_cy cimport (
    COMMENT, DOCTYPE, DOCUMENT, ELEMENT, TEXT, Attribute, Node, Store, TreeBuilder, grow,
)

cdef enum Mode:  # the insertion modes of the standard that well-formed pages go through
    INITIAL
    BEFORE_HTML
    BEFORE_HEAD
    IN_HEAD
    AFTER_HEAD
    IN_BODY
    AFTER_BODY
    AFTER_HTML

cdef enum Limit:
    MAX_NAME_BYTES = 100
    MAX_ATTRIBUTES = 60  # of one element: each is compared with those before it
    MAX_LENGTHENED = 100  # texts, which are hashed again each time
    MAX_DEPTH = 500  # browsers, and the parser, nest no deeper than 512
    MAX_WALKED = 1_000_000  # open elements looked at for end tags that end none

cdef enum Trait:  # what the standard says of an element, in bits
    REFUSED = 1 << 0  # the parser is asked
    HTML = 1 << 1
    HEAD = 1 << 2
    BODY = 1 << 3
    HEAD_CONTENT = 1 << 4
    NOSCRIPT = 1 << 5
    IN_NOSCRIPT = 1 << 6  # allowed there in the head
    VOID = 1 << 7
    RAW = 1 << 8  # its content is text as it is
    ESCAPED = 1 << 9  # its content is text with references
    LINED = 1 << 10  # a line break at the start of its content is skipped
    CLOSES_P = 1 << 11
    BOUNDARY = 1 << 12  # a paragraph outside of it is not closed by what stands in it
    SPECIAL = 1 << 13  # and an entry of a list outside of it neither
    P = 1 << 14
    LI = 1 << 15
    ITEM = 1 << 16  # dd and dt
    HEADING = 1 << 17
    A = 1 << 18
    BUTTON = 1 << 19
    FORM = 1 << 20
    SELECT = 1 << 21
    OPTION = 1 << 22
    TABLE = 1 << 23
    GROUP = 1 << 24  # of rows
    ROW = 1 << 25
    CELL = 1 << 26
    CAPTION = 1 << 27
    COLGROUP = 1 << 28  # and col, which is void
    FORMATTING = 1 << 29  # a browser opens it again where it was not closed
    SVG = 1 << 30
    OPTGROUP = 0x80000000

cdef uint32_t ROOTS = HTML | HEAD | BODY
cdef uint32_t IN_TABLE = TABLE | GROUP | ROW | COLGROUP  # what holds no text of its own
cdef uint32_t TABLE_PARTS = GROUP | ROW | CELL | CAPTION | COLGROUP
cdef uint32_t IMPLIED_END = P | LI | ITEM | OPTION | OPTGROUP  # end where an outer element ends
cdef uint32_t LEFT_OPEN = FORM | SELECT | FORMATTING  # only the parser can end them without their own tag
cdef uint32_t UNKNOWN = 0xFFFFFFFF

cdef enum Within:  # what an element stands in, where that forbids something
    P_OPEN = 1
    LI_OPEN = 2
    ITEM_OPEN = 4
    A_OPEN = 8
    BUTTON_OPEN = 16
    SELECT_OPEN = 32

cdef enum Foreign:
    NOT_FOREIGN = 0
    IN_SVG = 1
    TEXT_IN_SVG = 2  # in a title or desc, HTML may stand, which is left to the parser

cdef struct Level:  # an element that has not ended
    int32_t node
    int32_t name
    uint32_t traits
    int within
    Foreign foreign

cdef struct Tail:  # a comment behind the body
    const char* data
    Py_ssize_t length
    int32_t parent


def _traits():
    """Collect what the standard says of elements."""
    found = {}

    def mark(trait, names):
        for name in names.split():
            found[name] = found.get(name, 0) | trait

    headings = "h1 h2 h3 h4 h5 h6"
    blocks = (
        "address article aside blockquote center details dir div dl fieldset figcaption figure footer header"
        " hgroup main menu nav ol pre listing search section summary ul"
    )
    mark(
        REFUSED,
        "template math frameset frame image isindex plaintext xmp applet marquee rb rt rtc rp annotation-xml mglyph"
        " malignmark selectedcontent nobr dialog",
    )
    mark(HTML, "html")
    mark(HEAD, "head")
    mark(BODY, "body")
    mark(HEAD_CONTENT, "base basefont bgsound link meta title noframes style script noscript")
    mark(VOID, "area base basefont bgsound br col embed hr img input keygen link meta param source track wbr")
    mark(RAW, "script style iframe noembed noframes")
    mark(ESCAPED, "title textarea")
    mark(LINED, "pre textarea listing")
    mark(CLOSES_P, f"{blocks} {headings} p li dd dt hr form table")
    mark(BOUNDARY, "caption html table td th object button")
    mark(
        SPECIAL,
        f"area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details"
        f" dir dl dt embed fieldset figcaption figure footer form {headings} head header hgroup hr html iframe img"
        " input keygen li link listing main menu meta nav noembed noframes noscript object ol param pre script"
        " search section select source style summary table tbody td textarea tfoot th thead title tr track ul wbr",
    )
    mark(P, "p")
    mark(LI, "li")
    mark(ITEM, "dd dt")
    mark(HEADING, headings)
    mark(A, "a")
    mark(BUTTON, "button")
    mark(FORM, "form")
    mark(SELECT, "select")
    mark(OPTION, "option")
    mark(TABLE, "table")
    mark(GROUP, "tbody thead tfoot")
    mark(ROW, "tr")
    mark(CELL, "td th")
    mark(COLGROUP, "colgroup col")
    mark(FORMATTING, "a b big code em font i s small strike strong tt u")
    mark(OPTGROUP, "optgroup")
    mark(CAPTION, "caption")
    mark(SVG, "svg")
    mark(NOSCRIPT, "noscript")
    mark(IN_NOSCRIPT, "basefont bgsound link meta noframes style")
    return {name.encode(): traits for name, traits in found.items()}


cdef dict TRAITS = _traits()

# In SVG these end it, or lead back to HTML.
cdef frozenset NOT_IN_SVG = frozenset(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing"
    b" menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var font foreignobject script"
    .split()
)
cdef frozenset SVG_TEXTS = frozenset((b"title", b"desc"))


def _mixed_case(names):
    return {name.lower().encode(): name.encode() for name in names.split()}


cdef dict SVG_ELEMENTS = _mixed_case(
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend"
    " feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap"
    " feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge"
    " feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence"
    " glyphRef linearGradient radialGradient textPath"
)
cdef dict SVG_ATTRIBUTES = _mixed_case(
    "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant"
    " edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength"
    " keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth"
    " maskContentUnits maskUnits numOctaves pathLength patternContentUnits patternTransform patternUnits"
    " pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount"
    " repeatDur requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod"
    " startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY"
    " textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan"
)

_DOCTYPE = re.compile(
    rb"<!doctype[ \n\t\f]+([a-z]+)[ \n\t\f]*"
    rb"(?:public[ \n\t\f]+(?:\"([^\">]*)\"|'([^'>]*)')(?:[ \n\t\f]+(?:\"([^\">]*)\"|'([^'>]*)'))?[ \n\t\f]*"
    rb"|system[ \n\t\f]+(?:\"([^\">]*)\"|'([^'>]*)')[ \n\t\f]*)?>",
    re.IGNORECASE,
)

cdef dict REFERENCES = {name.encode(): value.encode() for name, value in html5.items()}
cdef frozenset WITHOUT_SEMICOLON = frozenset(name for name in REFERENCES if not name.endswith(b";"))
cdef Py_ssize_t SHORTEST = min(map(len, WITHOUT_SEMICOLON)), LONGEST = max(map(len, WITHOUT_SEMICOLON))


def _resolve(bytes name, int following, bint in_attribute):
    """Say how much of a reference to a named character is one, and what it stands for; None for an ampersand."""
    cdef Py_ssize_t length
    if following == ord(";"):
        value = REFERENCES.get(name + b";")
        if value is not None:
            return len(name) + 1, value
    for length in range(min(LONGEST, len(name)), SHORTEST - 1, -1):
        if name[:length] in WITHOUT_SEMICOLON:
            if in_attribute and (length < len(name) or following == ord("=")):
                return None
            return length, REFERENCES[name[:length]]
    return None


cdef inline bint is_space(char sign) noexcept nogil:
    return sign == ord(" ") or sign == ord("\n") or sign == ord("\t") or sign == ord("\f")


cdef inline bint is_letter(char sign) noexcept nogil:
    return ord("a") <= (sign | 32) <= ord("z")


cdef inline bint is_digit(char sign) noexcept nogil:
    return ord("0") <= sign <= ord("9")


cdef inline const char* skip_spaces(const char* at) noexcept nogil:
    while is_space(at[0]):
        at += 1
    return at


cdef int write_code_point(char* to, long code) noexcept nogil:
    if code < 0x80:
        to[0] = <char>code
        return 1
    if code < 0x800:
        to[0] = <char>(0xC0 | (code >> 6))
        to[1] = <char>(0x80 | (code & 0x3F))
        return 2
    if code < 0x10000:
        to[0] = <char>(0xE0 | (code >> 12))
        to[1] = <char>(0x80 | ((code >> 6) & 0x3F))
        to[2] = <char>(0x80 | (code & 0x3F))
        return 3
    to[0] = <char>(0xF0 | (code >> 18))
    to[1] = <char>(0x80 | ((code >> 12) & 0x3F))
    to[2] = <char>(0x80 | ((code >> 6) & 0x3F))
    to[3] = <char>(0x80 | (code & 0x3F))
    return 4


cdef const char* read_number(const char* at, char** to) noexcept nogil:
    # Read a reference by number, behind its #; NULL for one that the standard replaces, or without an end.
    cdef long code = 0
    cdef const char* start
    cdef int digit
    if (at[0] | 32) == ord("x"):
        start = at = at + 1
        while is_digit(at[0]) or ord("a") <= (at[0] | 32) <= ord("f"):
            digit = at[0] - ord("0") if is_digit(at[0]) else (at[0] | 32) - ord("a") + 10
            code = code * 16 + digit
            at += 1
            if at - start > 6:
                return NULL
    else:
        start = at
        while is_digit(at[0]):
            code = code * 10 + at[0] - ord("0")
            at += 1
            if at - start > 7:
                return NULL
    if at == start or at[0] != ord(";"):
        return NULL
    if code < 32 and not is_space(<char>code) or 127 <= code < 160 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return NULL
    to[0] += write_code_point(to[0], code)
    return at + 1


cdef const char* read_name(const char* at, char** to, bint in_attribute) except? NULL:
    # Read a reference by name, behind its &; NULL where what it stands for takes more room.
    cdef const char* end = at
    cdef bytes value
    while is_letter(end[0]) or is_digit(end[0]):
        end += 1
    found = _resolve(at[:min(end - at, <Py_ssize_t>MAX_NAME_BYTES)], end[0], in_attribute)
    if found is None:
        to[0][0] = ord("&")
        to[0] += 1
        return at
    value = found[1]
    if len(value) > found[0] + 1:
        return NULL
    memcpy(to[0], <const char*>value, len(value))
    to[0] += len(value)
    return at + <Py_ssize_t>found[0]


cdef const char* read_reference(const char* at, char** to, bint in_attribute) except? NULL:
    # Read what begins with an ampersand.
    if memcmp(at, b"&amp;", 5) == 0:
        to[0][0] = ord("&")
        to[0] += 1
        return at + 5
    if at[1] == ord("#"):
        return read_number(at + 2, to)
    if is_letter(at[1]) or is_digit(at[1]):
        return read_name(at + 1, to, in_attribute)
    to[0][0] = ord("&")
    to[0] += 1
    return at + 1


cdef int keep_text(
    Store* store, const char* data, Py_ssize_t length, bint in_attribute, uint64_t* hashed
) except -1:
    # Put a text of the source behind the others; 0 for a reference that is left to the parser.
    cdef char* start = grow(store, length, 1)
    cdef char* to = start
    cdef const char* end = data + length
    cdef const char* at
    while True:
        at = <const char*>memchr(data, ord("&"), end - data)
        if at == NULL:
            at = end
        memcpy(to, data, at - data)
        to += at - data
        if at == end:
            break
        data = read_reference(at, &to, in_attribute)
        if data == NULL or data > end:
            return 0
    store.count -= length - (to - start)
    hashed[0] = hash_buffer(<const unsigned char*>start, to - start)
    return 1


cdef inline bint follows(unsigned char sign) noexcept nogil:
    return (sign & 0xc0) == 0x80


cdef inline int sign_length(const unsigned char* at, Py_ssize_t left) noexcept nogil:
    # Of a sign that is not in ASCII; 0 for what is not UTF-8: too long, half a surrogate pair, beyond Unicode.
    if at[0] < 0xc2 or left < 2 or not follows(at[1]):
        return 0
    if at[0] < 0xe0:
        return 2
    if left < 3 or not follows(at[2]):
        return 0
    if at[0] < 0xf0:
        return 0 if at[0] == 0xe0 and at[1] < 0xa0 or at[0] == 0xed and at[1] > 0x9f else 3
    if left < 4 or not follows(at[3]) or at[0] > 0xf4:
        return 0
    return 0 if at[0] == 0xf0 and at[1] < 0x90 or at[0] == 0xf4 and at[1] > 0x8f else 4


def is_utf8(bytes data not None):
    """Return whether bytes are valid UTF-8."""
    cdef const unsigned char* at = data
    cdef const unsigned char* end = at + len(data)
    cdef uint64_t word
    cdef int length
    while at < end:
        while end - at >= 8:
            memcpy(&word, at, 8)
            if word & <uint64_t>0x8080808080808080:
                break
            at += 8
        while at < end and at[0] < 0x80:
            at += 1
        while at < end and at[0] >= 0x80:
            length = sign_length(at, end - at)
            if length == 0:
                return False
            at += length
    return True


def read_well_formed(TreeBuilder builder not None, bytes source not None):
    """Read the tree off well-formed markup in UTF-8; False for any other, and the builder is of no use then."""
    cdef const char* data = source
    cdef Py_ssize_t length = len(source)
    if memchr(data, ord("\r"), length) != NULL:
        source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        data, length = source, len(source)
    if memchr(data, 0, length) != NULL or memcmp(data, b"\xef\xbb\xbf", min(3, length + 1)) == 0:
        return False
    return bool(_Reader(builder).read(data, data + length))


@cython.final  # so that its methods are called directly
cdef class _Reader:
    """One pass over one source. Methods return where they stopped, or NULL to give up."""

    cdef TreeBuilder builder
    cdef Store levels, traits, spaces, comments
    cdef Mode mode
    cdef int32_t html, body
    cdef bint form
    cdef int lengthened, walked
    cdef char[128] name  # of the last tag, in lower case
    cdef Py_ssize_t name_length

    def __cinit__(self, TreeBuilder builder):
        self.builder = builder
        self.mode = INITIAL

    def __dealloc__(self):
        free(self.levels.items)
        free(self.traits.items)
        free(self.spaces.items)
        free(self.comments.items)

    cdef int read(self, const char* at, const char* end) except -1:
        self.builder.add(DOCUMENT, 0)
        while at < end:
            if at[0] != ord("<"):
                at = self.read_text(at, end)
            elif at[1] == ord("/"):
                at = self.read_end(at + 2)
            elif at[1] == ord("!"):
                at = self.read_declaration(at, end)
            elif at[1] == ord("?"):  # others are instructions
                at = self.read_odd_comment(at + 1, end) if memcmp(at, b"<?xml ", 6) == 0 else NULL
            elif is_letter(at[1]):
                at = self.read_start(at + 1, end)
            else:
                at = self.read_text(at, end)
            if at == NULL:
                return 0
        self.imply(IN_BODY)
        return self.write_tail()

    cdef Level* top(self) noexcept:
        return <Level*>self.levels.items + self.levels.count - 1

    cdef void pop(self) noexcept:
        if self.top().traits & FORM:
            self.form = False
        self.levels.count -= 1

    cdef uint32_t traits_of(self, int32_t number, const char* name, Py_ssize_t length) except? 0xFFFFFFFF:
        cdef uint32_t* known
        if number >= self.traits.count:
            known = <uint32_t*>grow(&self.traits, number + 1 - self.traits.count, sizeof(uint32_t))
            while known < <uint32_t*>self.traits.items + self.traits.count:
                known[0] = UNKNOWN
                known += 1
        known = <uint32_t*>self.traits.items + number
        if known[0] == UNKNOWN:
            known[0] = TRAITS.get(name[:length], 0)
        return known[0]

    # Elements

    cdef int32_t add_element(self, int32_t number) except -1:
        cdef int32_t parent = self.top().node if self.levels.count else 0
        self.builder.add(ELEMENT, number)
        self.builder.link(parent)
        return self.builder.nodes.count - 1

    cdef int push(self, int32_t node, int32_t number, uint32_t traits, Foreign foreign) except -1:
        cdef int within = self.top().within if self.levels.count else 0
        cdef Level* level
        if traits & BOUNDARY:
            within &= ~(P_OPEN | BUTTON_OPEN)
            if not traits & (HTML | TABLE | BUTTON):  # links outside are forgotten
                within &= ~A_OPEN
        if traits & SPECIAL:
            within &= ~(LI_OPEN | ITEM_OPEN)
        within |= (
            (P_OPEN if traits & P else 0)
            | (LI_OPEN if traits & LI else 0)
            | (ITEM_OPEN if traits & ITEM else 0)
            | (A_OPEN if traits & A else 0)
            | (BUTTON_OPEN if traits & BUTTON else 0)
            | (SELECT_OPEN if traits & SELECT else 0)
        )
        level = <Level*>grow(&self.levels, 1, sizeof(Level))
        level.node = node
        level.name = number
        level.traits = traits
        level.within = within
        level.foreign = foreign
        if traits & FORM:
            self.form = True
        return 0

    cdef int imply(self, Mode until) except -1:
        # Add html, head and body where the source leaves their tags out.
        if self.mode <= BEFORE_HTML and until > BEFORE_HTML:
            self.html = self.imply_element(b"html", 4)
            self.mode = BEFORE_HEAD
        if self.mode == BEFORE_HEAD and until > BEFORE_HEAD:
            self.imply_element(b"head", 4)
            self.mode = IN_HEAD
        if self.mode == IN_HEAD and until > IN_HEAD:
            self.levels.count = 1  # the html element, without the head and a noscript in it
            self.mode = AFTER_HEAD
        if self.mode == AFTER_HEAD and until > AFTER_HEAD:
            self.body = self.imply_element(b"body", 4)
            self.mode = IN_BODY
        return 0

    cdef int32_t imply_element(self, const char* name, Py_ssize_t length) except -1:
        cdef int32_t number = self.builder.number_of(name, length, 0)
        cdef int32_t node = self.add_element(number)
        (<Node*>self.builder.nodes.items)[node].own = finish(
            step(self.builder.hashes.data.as_ulonglongs[number], 0)
        )
        self.push(node, number, self.traits_of(number, name, length), NOT_FOREIGN)
        return node

    cdef const char* read_tag_name(self, const char* at) noexcept:
        # Put the name in lower case; NULL for one that is too long.
        cdef Py_ssize_t length = 0
        cdef char sign
        while True:
            sign = at[length]
            if is_space(sign) or sign == ord(">") or sign == ord("/") or sign == 0:
                break
            if length >= MAX_NAME_BYTES:
                return NULL
            self.name[length] = sign | 32 if ord("A") <= sign <= ord("Z") else sign
            length += 1
        self.name_length = length
        return at + length

    cdef const char* read_start(self, const char* at, const char* end) except? NULL:
        cdef int32_t number
        cdef uint32_t traits
        at = self.read_tag_name(at)
        if at == NULL or self.levels.count > MAX_DEPTH:
            return NULL
        if self.mode == IN_BODY and self.top().foreign:
            return self.read_foreign(at)
        number = self.builder.number_of(self.name, self.name_length, 0)
        traits = self.traits_of(number, self.name, self.name_length)
        if traits & HEAD and self.mode == IN_HEAD and self.top().traits & HEAD:
            return self.skip_attributes(at)  # a second one is ignored
        if traits & REFUSED or not self.prepare(traits):
            return NULL
        if traits & SVG:
            number = self.builder.number_of(self.name, self.name_length, 1)
        return self.read_element(at, end, number, traits)

    cdef int prepare(self, uint32_t traits) except -1:
        # Add and end what the start of an element implies; 0 where it may not stand here.
        if self.mode >= AFTER_BODY and (traits & ROOTS or not self.reopen()):
            return 0
        if self.mode <= BEFORE_HTML:
            if traits & HTML:
                return 1
            self.imply(BEFORE_HEAD)
        if self.mode == BEFORE_HEAD:
            if traits & HEAD:
                return 1
            self.imply(IN_HEAD)
        if self.mode == IN_HEAD:
            if self.top().traits & NOSCRIPT:
                return 1 if traits & IN_NOSCRIPT else 0
            if traits & HEAD_CONTENT:
                return 1
            if traits & HEAD:
                return 0
            self.imply(AFTER_HEAD)
        if self.mode == AFTER_HEAD:
            if traits & BODY:
                return 1
            if traits & HEAD_CONTENT and not traits & NOSCRIPT:
                return 0
            self.imply(IN_BODY)
        if traits & ROOTS:
            return 0
        return self.prepare_in_body(traits)

    cdef int reopen(self) except -1:
        # Go on with the body behind its end tag, as browsers do.
        if self.comments.count:  # these would stand before what is still to come
            return 0
        self.write_tail()
        self.mode = IN_BODY
        return 1

    cdef int prepare_in_body(self, uint32_t traits) except -1:
        if traits & TABLE_PARTS:
            self.leave_cell()
        if self.top().traits & IN_TABLE:
            return self.prepare_in_table(traits)
        if traits & TABLE_PARTS:
            return 0
        if traits & OPTION and self.top().traits & OPTION:
            self.pop()
        if self.top().within & SELECT_OPEN:
            return self.prepare_in_select(traits)
        if traits & OPTGROUP:
            return 0
        if traits & LI and self.top().within & LI_OPEN and not self.pop_through(LI):
            return 0
        if traits & ITEM and self.top().within & ITEM_OPEN and not self.pop_through(ITEM):
            return 0
        if traits & CLOSES_P and self.top().within & P_OPEN:
            if traits & TABLE or not self.pop_through(P):  # whether a table does depends on the doctype
                return 0
        return not (
            (traits & HEADING and self.top().traits & HEADING)
            or (traits & FORM and self.form)
            or (traits & A and self.top().within & A_OPEN)
            or (traits & BUTTON and self.top().within & BUTTON_OPEN)
        )

    cdef int pop_through(self, uint32_t wanted) noexcept:
        # End an element that is known to be open, and all in it; 0 where that has consequences.
        cdef Level* level = self.top()
        while not level.traits & wanted:
            if level.traits & LEFT_OPEN:
                return 0
            level -= 1
        self.levels.count = level - <Level*>self.levels.items
        return 1

    cdef void leave_cell(self) noexcept:
        # End a cell in which nothing is open but what ends with it.
        cdef Level* level = self.top()
        while level.traits & IMPLIED_END:
            level -= 1
        if level.traits & CELL:
            self.levels.count = level - <Level*>self.levels.items

    cdef int prepare_in_table(self, uint32_t traits) except -1:
        if self.top().traits & COLGROUP:
            if traits & COLGROUP and traits & VOID:
                return 1
            self.pop()
        if self.top().traits & ROW:
            if traits & CELL:
                return 1
            if not traits & (ROW | GROUP):
                return 0
            self.pop()
        if self.top().traits & GROUP:
            if traits & ROW:
                return 1
            if not traits & GROUP:
                return 0
            self.pop()
        if traits & ROW:
            self.imply_element(b"tbody", 5)
            return 1
        return 1 if traits & (GROUP | COLGROUP | CAPTION) and not traits & VOID else 0

    cdef int prepare_in_select(self, uint32_t traits) noexcept:
        if not traits & OPTGROUP:
            return 1 if traits & OPTION else 0
        if self.top().traits & OPTION:
            self.pop()
        if self.top().traits & OPTGROUP:
            self.pop()
        return 1

    cdef const char* read_element(
        self, const char* at, const char* end, int32_t number, uint32_t traits
    ) except? NULL:
        cdef int32_t node = self.add_element(number)
        cdef bint closed = False
        at = self.read_attributes(at, node, traits & SVG != 0, &closed)
        if at == NULL:
            return NULL
        if traits & VOID:
            return at
        if traits & LINED and at[0] == ord("&"):  # a reference to a line break is skipped too
            return NULL
        if traits & LINED and at[0] == ord("\n"):
            at += 1
        if traits & (RAW | ESCAPED):
            return self.read_content(at, end, node, traits)
        if traits & SVG:
            if not closed:
                self.push(node, number, traits, IN_SVG)
            return at
        self.push(node, number, traits, NOT_FOREIGN)
        if self.mode < IN_BODY:
            self.enter(node, traits)
        return at

    cdef void enter(self, int32_t node, uint32_t traits) noexcept:
        if traits & HTML:
            self.html = node
            self.mode = BEFORE_HEAD
        elif traits & HEAD:
            self.mode = IN_HEAD
        elif traits & BODY:
            self.body = node
            self.mode = IN_BODY

    cdef const char* read_foreign(self, const char* at) except? NULL:
        # Read the start of an element in SVG.
        cdef bytes name = self.name[:self.name_length]
        cdef bytes written = SVG_ELEMENTS.get(name, name)
        cdef int32_t number, node
        cdef bint closed = False
        if self.top().foreign == TEXT_IN_SVG or name in NOT_IN_SVG:
            return NULL
        number = self.builder.number_of(written, len(written), 1)
        node = self.add_element(number)
        at = self.read_attributes(at, node, True, &closed)
        if at != NULL and not closed:
            self.push(node, number, 0, TEXT_IN_SVG if name in SVG_TEXTS else IN_SVG)
        return at

    cdef const char* read_attributes(self, const char* at, int32_t node, bint foreign, bint* closed) except? NULL:
        # Read up to behind the end of the tag.
        cdef uint64_t mixed = 0
        cdef Py_ssize_t first = self.builder.attributes.count
        cdef int32_t number = (<Node*>self.builder.nodes.items)[node].name
        while True:
            at = skip_spaces(at)
            if at[0] == ord(">"):
                break
            if at[0] == ord("/"):
                at += 1
                closed[0] = at[0] == ord(">")
                continue
            at = self.read_attribute(at, first, foreign, &mixed)
            if at == NULL:
                return NULL
        (<Node*>self.builder.nodes.items)[node].own = finish(
            step(self.builder.hashes.data.as_ulonglongs[number], mixed)
        )
        return at + 1

    cdef const char* skip_attributes(self, const char* at) except? NULL:
        cdef Py_ssize_t attributes = self.builder.attributes.count, values = self.builder.values.count
        cdef bint closed
        self.builder.add(ELEMENT, 0)
        at = self.read_attributes(at, self.builder.nodes.count - 1, False, &closed)
        self.builder.nodes.count -= 1
        self.builder.attributes.count = attributes
        self.builder.values.count = values
        return at

    cdef const char* read_attribute(
        self, const char* at, Py_ssize_t first, bint foreign, uint64_t* mixed
    ) except? NULL:
        cdef char[128] name
        cdef Py_ssize_t length = 0
        cdef char sign
        cdef int32_t number
        cdef const char* value = b""
        cdef Py_ssize_t value_length = 0
        while True:
            sign = at[length]
            if is_space(sign) or sign == ord(">") or sign == ord("/") or sign == ord("=") and length:
                break
            if sign == 0 or length >= MAX_NAME_BYTES:
                return NULL
            name[length] = sign | 32 if ord("A") <= sign <= ord("Z") else sign
            length += 1
        number = self.attribute_number(name, length, foreign)
        at = skip_spaces(at + length)
        if at[0] == ord("="):
            at = read_value(skip_spaces(at + 1), &value, &value_length)
        if at == NULL or not self.keep_attribute(number, value, value_length, first, mixed):
            return NULL
        return at

    cdef int keep_attribute(
        self, int32_t number, const char* value, Py_ssize_t length, Py_ssize_t first, uint64_t* mixed
    ) except -1:
        cdef Attribute* attribute
        cdef uint64_t hashed
        cdef Py_ssize_t index
        if self.builder.attributes.count - first >= MAX_ATTRIBUTES:
            return 0
        for index in range(first, self.builder.attributes.count):
            if (<Attribute*>self.builder.attributes.items)[index].name == number:
                return 1  # the first of a name counts
        attribute = <Attribute*>grow(&self.builder.attributes, 1, sizeof(Attribute))
        attribute.name = number
        attribute.value_start = self.builder.values.count
        if not keep_text(&self.builder.values, value, length, True, &hashed):
            return 0
        mixed[0] += finish(step(step(0, self.builder.hashes.data.as_ulonglongs[number]), hashed))
        return 1

    cdef int32_t attribute_number(self, const char* name, Py_ssize_t length, bint foreign) except -1:
        cdef bytes written
        if foreign:
            written = name[:length]
            written = SVG_ATTRIBUTES.get(written, written)
            return self.builder.number_of(written, len(written), 0)
        return self.builder.number_of(name, length, 0)

    cdef const char* read_content(
        self, const char* at, const char* end, int32_t parent, uint32_t traits
    ) except? NULL:
        # Read the text of a script, style, title and the like, up to its own end tag.
        cdef const char* stop = at
        cdef const char* escaped = at  # until here: in a comment
        while True:
            stop = <const char*>memchr(stop, ord("<"), end - stop)
            if stop == NULL:
                return NULL
            if stop[1] == ord("/") and self.is_name(stop + 2):
                break
            if stop >= escaped and memcmp(stop, b"<!--", 4) == 0:
                escaped = strstr(<char*>stop + 2, b"-->")
                if escaped == NULL:
                    escaped = end
            # A script in a script in a comment has an end tag of its own.
            if stop < escaped and traits & RAW and (stop[1] | 32) == ord("s"):
                return NULL
            stop += 1
        if stop > at and traits & RAW:
            self.builder.add_raw(TEXT, at, stop - at)
            self.builder.link(parent)
        elif stop > at and not self.add_text(at, stop - at, parent):
            return NULL
        stop = skip_spaces(stop + 2 + self.name_length)
        return stop + 1 if stop[0] == ord(">") else NULL

    cdef bint is_name(self, const char* at) noexcept:
        # The end tag of the element that was started last.
        cdef Py_ssize_t index
        for index in range(self.name_length):
            if (at[index] | 32 if is_letter(at[index]) else at[index]) != self.name[index]:
                return False
        at += self.name_length
        return is_space(at[0]) or at[0] == ord(">") or at[0] == ord("/")

    cdef const char* read_end(self, const char* at) except? NULL:
        cdef int32_t number
        cdef uint32_t traits
        cdef bytes name
        if not is_letter(at[0]):
            return NULL
        at = self.read_tag_name(at)
        if at == NULL:
            return NULL
        at = skip_spaces(at)
        if at[0] != ord(">"):
            return NULL
        if self.mode == IN_BODY and self.top().foreign:
            name = self.name[:self.name_length]
            name = SVG_ELEMENTS.get(name, name)
            number = self.builder.number_of(name, len(name), 1)
            if number != self.top().name:
                return NULL
            self.pop()
            return at + 1
        number = self.builder.number_of(self.name, self.name_length, 0)
        traits = self.traits_of(number, self.name, self.name_length)
        return at + 1 if self.end_element(number, traits) else NULL

    cdef int end_element(self, int32_t number, uint32_t traits) except -1:
        if self.mode >= AFTER_BODY and not traits & HTML and not self.reopen():
            return 0
        if traits & (BODY | HTML):
            return self.end_body(traits)
        if self.mode == IN_HEAD:
            if self.top().name != number:
                return 0
            self.pop()
            if traits & HEAD:
                self.mode = AFTER_HEAD
            return 1
        if self.mode != IN_BODY:
            return 0
        if self.top().name == number:
            self.pop()
            return 1
        return self.end_outer(number, traits)

    cdef int end_body(self, uint32_t traits) noexcept:
        # What is open then stays open, if it is not in a table.
        cdef Level* level = self.top()
        if self.mode < IN_BODY or self.mode == AFTER_HTML or level.within & SELECT_OPEN or level.foreign:
            return 0
        while not level.traits & BODY:
            self.walked += 1
            if level.traits & (BOUNDARY & ~BUTTON) or self.walked > MAX_WALKED:
                return 0
            level -= 1
        self.mode = AFTER_HTML if traits & HTML else AFTER_BODY
        return 1

    cdef int end_outer(self, int32_t number, uint32_t traits) except -1:
        # End an element in which others are open, or ignore a tag to which none belongs.
        if traits & REFUSED or (self.top().within & SELECT_OPEN and not traits & (SELECT | OPTGROUP)):
            return 0
        if traits & P and not self.top().within & P_OPEN:
            return self.add_empty_paragraph()
        if traits & (TABLE | GROUP | ROW):
            return self.end_table_part(number, traits)
        if traits & FORM and not self.form:
            return 1
        if traits & (FORM | HEADING | TABLE_PARTS | SELECT | OPTGROUP):
            return self.end_with_implied(number)
        if traits & LI and self.top().within & LI_OPEN:
            return self.pop_through(LI)
        if traits & (FORMATTING | LI | VOID | OPTION):
            return 0 if traits & VOID or self.is_open(number) else 1
        return self.end_in_scope(number, traits)

    cdef int end_in_scope(self, int32_t number, uint32_t traits) noexcept:
        # The standard ends most blocks within cells, objects and the like, other elements only within a block.
        cdef Level* level = self.top()
        cdef bint is_block = traits & (CLOSES_P | BOUNDARY) != 0
        cdef uint32_t scope = BOUNDARY if is_block else SPECIAL | CLOSES_P
        while level.name != number:
            self.walked += 1
            if self.walked > MAX_WALKED:
                return 0
            if level.traits & scope and not (is_block and level.traits & BUTTON and not traits & P):
                return 1
            if level.traits & LEFT_OPEN:
                return 0
            level -= 1
        self.levels.count = level - <Level*>self.levels.items
        return 1

    cdef bint is_open(self, int32_t number) noexcept:
        cdef Level* level = self.top()
        while level >= <Level*>self.levels.items:
            self.walked += 1
            if level.name == number or self.walked > MAX_WALKED:
                return True
            level -= 1
        return False

    cdef int add_empty_paragraph(self) except -1:
        # As browsers do for the end of one that never began.
        if self.top().traits & IN_TABLE:
            return 0
        self.imply_element(b"p", 1)
        self.pop()
        return 1

    cdef int end_with_implied(self, int32_t number) noexcept:
        # End an element in which nothing is open but what ends with it.
        cdef Level* level = self.top()
        while level.traits & IMPLIED_END and level.name != number:
            level -= 1
        if level.name != number:
            return 0
        self.levels.count = level + 1 - <Level*>self.levels.items
        self.pop()
        return 1

    cdef int end_table_part(self, int32_t number, uint32_t traits) noexcept:
        cdef uint32_t inner = GROUP | ROW if traits & TABLE else ROW if traits & GROUP else 0
        self.leave_cell()
        while self.top().traits & inner and self.top().name != number:
            self.pop()
        if self.top().name != number:
            return 0
        self.pop()
        return 1

    # Texts and comments

    cdef int add_text(self, const char* data, Py_ssize_t length, int32_t parent) except -1:
        cdef uint64_t hashed
        cdef Node* last = <Node*>self.builder.nodes.items + self.builder.nodes.count - 1
        if last.kind == TEXT and last.parent == parent:
            return self.lengthen(last, data, length)
        self.builder.add(TEXT, 0)
        self.builder.link(parent)
        if not keep_text(&self.builder.texts, data, length, False, &hashed):
            return 0
        (<Node*>self.builder.nodes.items)[self.builder.nodes.count - 1].own = hashed
        return 1

    cdef int lengthen(self, Node* text, const char* data, Py_ssize_t length) except -1:
        # Go on with the last text of the page, behind a tag that was ignored or a sign that began none.
        cdef uint64_t hashed
        self.lengthened += 1
        if self.lengthened > MAX_LENGTHENED or not keep_text(&self.builder.texts, data, length, False, &hashed):
            return 0
        text.own = hash_buffer(
            <const unsigned char*>self.builder.texts.items + text.text_start,
            self.builder.texts.count - text.text_start,
        )
        return 1

    cdef const char* read_text(self, const char* at, const char* end) except? NULL:
        cdef const char* stop = <const char*>memchr(at + 1, ord("<"), end - at - 1)
        cdef const char* first
        if stop == NULL:
            stop = end
        if self.mode == IN_BODY and not self.top().traits & IN_TABLE:
            return stop if self.add_text(at, stop - at, self.top().node) else NULL
        first = skip_spaces(at)
        if self.mode <= BEFORE_HEAD:
            if first < stop:
                self.imply(IN_BODY)
                return stop if self.add_text(first, stop - first, self.body) else NULL
            return stop
        if first < stop:
            return NULL
        if self.mode >= AFTER_BODY:
            memcpy(grow(&self.spaces, stop - at, 1), at, stop - at)
            return stop
        return stop if self.add_text(at, stop - at, self.top().node) else NULL

    cdef const char* read_declaration(self, const char* at, const char* end) except? NULL:
        cdef const char* stop
        cdef const char* odd
        if memcmp(at, b"<!--", 4):
            if (at[2] | 32) == ord("d"):
                return self.read_doctype(at, end)
            return self.read_odd_comment(at + 2, end)
        if at[4] == ord(">") or at[4] == ord("-") and at[5] == ord(">"):
            return NULL
        stop = strstr(<char*>at + 4, b"-->")
        if stop == NULL:
            return NULL
        odd = <const char*>memchr(at + 4, ord("!"), stop - at - 4)
        while odd != NULL:  # --!> ends a comment too
            if odd[1] == ord(">") and memcmp(odd - 2, b"--", 2) == 0:
                return NULL
            odd = <const char*>memchr(odd + 1, ord("!"), stop - odd - 1)
        self.add_comment(at + 4, stop - at - 4)
        return stop + 3

    cdef const char* read_odd_comment(self, const char* at, const char* end) except? NULL:
        # Read what a browser takes for a comment, such as <?xml …> and <![if …]>.
        cdef const char* stop = <const char*>memchr(at, ord(">"), end - at)
        if stop == NULL or self.mode == IN_BODY and self.top().foreign:
            return NULL
        self.add_comment(at, stop - at)
        return stop + 1

    cdef int add_comment(self, const char* data, Py_ssize_t length) except -1:
        cdef Tail* tail
        if self.mode >= AFTER_BODY:
            tail = <Tail*>grow(&self.comments, 1, sizeof(Tail))
            tail.data = data
            tail.length = length
            tail.parent = self.html if self.mode == AFTER_BODY else 0
            return 0
        self.builder.add_raw(COMMENT, data, length)
        self.builder.link(self.top().node if self.levels.count else 0)
        return 0

    cdef const char* read_doctype(self, const char* at, const char* end) except? NULL:
        cdef const char* stop = <const char*>memchr(at, ord(">"), end - at)
        if stop == NULL or self.mode != INITIAL or stop - at > 1000:
            return NULL
        found = _DOCTYPE.fullmatch(at[:stop + 1 - at])
        if found is None:
            return NULL
        name, *ids = found.groups()
        parts = [name.lower(), *(part for part in ids if part)]
        self.builder.add_text(DOCTYPE, b" ".join(parts).decode("utf-8"))
        self.builder.link(0)
        self.mode = BEFORE_HTML
        return stop + 1

    cdef int write_tail(self) except -1:
        # White space behind the body belongs to it; comments do not.
        cdef Tail* tail
        cdef Py_ssize_t index
        if self.spaces.count:
            self.add_text(self.spaces.items, self.spaces.count, self.top().node)
            self.spaces.count = 0
        for index in range(self.comments.count):
            tail = <Tail*>self.comments.items + index
            self.builder.add_raw(COMMENT, tail.data, tail.length)
            self.builder.link(tail.parent)
        return 1


cdef const char* read_value(const char* at, const char** value, Py_ssize_t* length) noexcept nogil:
    # Find the value of an attribute, and return what comes behind it.
    cdef const char* stop
    if at[0] == ord('"') or at[0] == ord("'"):
        stop = strchr(at + 1, at[0])
        if stop == NULL:
            return NULL
        value[0] = at + 1
        length[0] = stop - at - 1
        return stop + 1
    stop = at
    while not is_space(stop[0]) and stop[0] != ord(">"):
        if stop[0] == 0:
            return NULL
        stop += 1
    value[0] = at
    length[0] = stop - at
    return stop

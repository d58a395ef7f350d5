"""Pages for Hypothesis: made of the pieces that make tokenizers stumble."""

from hypothesis import strategies as st

PIECES = [
    *(b"< > </ ! -- - ? / = \" ' & ; # \n \t \r \f".split(b" ")),
    b" ",
    b"\0",
    *b"a b p div span li ul td tr table option svg math mi title style script".split(),
    *"textarea hidden x-y é 日 amp;".encode().split(),
    *b"<!-- --> --!> <!--> <script> </script> <SCRIPT </script/ <svg> </svg> <math> <mi> <desc> </desc>".split(),
    *b"<![CDATA[ ]]> <textarea> </textarea> <title> </title> <xmp> </xmp> <template> </template>".split(),
    *b"<foreignObject> <plaintext> <noscript> </noscript> <td> <option> <b> </b> <p> </p> <br> <svg/>".split(),
    *b"<div </div> <ul> </ul> <li> class=\"x\" href='y' data-a=b/ <a <html <body <iframe> </iframe>".split(),
    b"<div hidden>",
    b"<p hidden>",
    b"<span style='display: none'>",
    b' style="visibility :hidden"',
    b"<p style='backface-visibility:hidden'>",
    b"<p style=';display:none !important'>",
    b"&amp;",
    b"&#x41;",
    b"&nbsp;",
    b"\xff",
    b"\xc3",
]
pages = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)), max_size=40).map(b"".join)

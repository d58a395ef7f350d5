"""A made-up newspaper in two designs, for tests and examples of redesigns."""

TOPICS = "Council Market Harbour School Bridge Library Theatre Garden Station Museum".split()


def _body(number: int) -> str:
    paragraphs = [
        f"<p>{TOPICS[(number + place) % 10]} news, part {place + 1}.</p>" for place in range(2 + number % 4)
    ]
    return "".join(paragraphs)


def old(number: int) -> bytes:
    """Give an article in the first design."""
    topic = TOPICS[number % 10]
    return f"""<!doctype html><html lang="en"><head><title>{topic} {number}</title><link rel="stylesheet" href="/main.css">
<script src="/jquery.js"></script></head><body class="single"><div id="container"><div id="header" class="site-header">
<h1 class="site-title"><a href="/">City News</a></h1><ul class="menu"><li><a href="/a">Town</a></li><li><a href="/b">Sport</a></li>
</ul></div><div id="content" class="hfeed"><div class="post hentry"><h2 class="entry-title">{topic} {number}</h2>
<div class="entry-meta"><span class="author">A. Writer</span> <span class="date">day {number}</span></div>
<div class="entry-content">{_body(number)}</div><div class="entry-utility"><a class="more" href="/more">More</a></div></div></div>
<div id="sidebar" class="widget-area"><div class="widget"><h3 class="widget-title">Archive</h3><ul><li><a href="/c">May</a></li></ul>
</div></div><div id="footer" class="site-info"><p class="copyright">City News</p></div></div></body></html>""".encode()


def new(number: int) -> bytes:
    """Give an article in the second design."""
    topic = TOPICS[number % 10]
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{topic} {number}</title>
<link rel="stylesheet" href="/assets/theme.css"><script src="/assets/app.js" defer></script></head><body class="layout-post">
<header class="topbar"><nav class="navbar"><a class="navbar-brand" href="/">City News</a><button class="navbar-toggler">Menu</button>
<div class="navbar-links"><a class="nav-link" href="/a">Town</a><a class="nav-link" href="/b">Sport</a></div></nav></header>
<main class="page-grid"><article class="article-card"><header class="article-head"><h1 class="article-title">{topic} {number}</h1>
<p class="byline">A. Writer, <time class="published">day {number}</time></p></header><section class="article-text">{_body(number)}
</section><aside class="share-bar"><button class="share">Share</button></aside></article><section class="related-grid">
<h2 class="related-head">Related</h2><figure class="card"><img class="card-image" src="/i.png"><figcaption class="card-caption">More
</figcaption></figure></section></main><footer class="bottom"><div class="bottom-grid"><span class="legal">City News</span></div>
</footer></body></html>""".encode()

"""Pages that stand in for the one that was asked for, written after what servers and tools answer with."""

FEES = (
    "<!doctype html><html lang=en><head><title>Permit fees | City of Example</title>"
    "<link rel=stylesheet href=/city.css><script src=/city.js></script></head><body class=city>"
    "<header id=top><nav class=menu><ul><li><a href=/>Home</a><li><a href=/permits>Permits</a><li><a href=/news>News</a>"
    "<li><a href=/contact>Contact</a></ul></nav></header><main><h1>Permit fees</h1>"
    "<p>Every building permit has a fee that is due when the application is handed in. The desk in the town hall is open "
    "from Monday to Friday, and on the first Saturday of each month.</p><table class=fees><tr><th>Permit<th>Fee"
    "<tr><td>Fence<td>$40<tr><td>Roof<td>$85<tr><td>Shed<td>$60<tr><td>House<td>$1,450</table>"
    "<p>Applications that are not complete are sent back within ten working days. Whoever builds without a permit pays "
    "twice the fee. Schools, hospitals and the fire brigade pay nothing, and farms pay half of it.</p></main>"
    "<footer><p>City of Example, 1 Main Street. <a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></p></footer>"
)

BLOCKED = {
    "a challenge in a browser": (
        "<!DOCTYPE html><html lang='en-US'><head><title>Just a moment...</title><meta name='robots' content='noindex,nofollow'>"
        "</head><body><div class='main-wrapper'><noscript>Enable JavaScript and cookies to continue</noscript></div>"
        "<script>window._cf_chl_opt={cType:'managed'};</script>"
        "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script>"
    ),
    "an older challenge": (
        "<title>Please Wait... | Shield</title><body><h1><span>Checking your browser before accessing</span> city.example.</h1>"
        "<p>This process is automatic. Your browser will redirect to your requested content shortly."
        "<p>DDoS protection by Shield<div id=cf-browser-verification></div>"
    ),
    "a refusal of an edge network": (
        "<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "
        '"http&#58;&#47;&#47;city&#46;example&#47;fees" on this server.<P>Reference&#32;&#35;18&#46;2d351ab8&#46;1557333295'
        "<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18</BODY></HTML>"
    ),
    "a frame of a firewall": (
        "<html><head><META NAME=robots CONTENT='noindex,nofollow'></head><iframe id=main-iframe src='/_Incapsula_Resource?"
        "CWUDNSAI=23&xinfo=8' frameborder=0>Request unsuccessful. Incident ID: 877000550134</iframe></html>"
    ),
    "a puzzle": (
        "<title>city.example</title><style>#cmsg{animation: A 1.5s}</style><p id=cmsg>Please enable JS and disable any ad blocker"
        "<script data-cfasync=false>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>"
        "<script src='https://ct.captcha-delivery.com/c.js'></script>"
    ),
    "a search engine that suspects": (
        "<title>https://city.example/fees</title><body><form id=captcha-form><h1>Our systems have detected unusual traffic from "
        "your computer network</h1><p>This page checks to see if it's really you sending the requests, and not a robot.</form>"
    ),
    "a press and hold": (
        "<title>Access to this page has been denied.</title><body><h1>Please verify you are a human</h1><p>Access to this page has "
        "been denied because we believe you are using automation tools to browse the website.<div id=px-captcha></div>"
    ),
    "too many requests": "<title>Too Many Requests</title><h1>Too Many Requests</h1><p>You have sent too many requests.",
    "German": "<title>Zugriff verweigert</title><h1>Zugriff verweigert</h1><p>Ihre Anfrage wurde blockiert. Sind Sie ein Mensch?",
    "French": "<title>Accès refusé</title><h1>Accès refusé</h1><p>Vous n'avez pas la permission de voir cette page.",
    "Spanish": "<title>Acceso denegado</title><h1>Acceso denegado</h1><p>Su dirección ha sido bloqueada por seguridad.",
}
ERRORS = {
    "a gateway": "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx",
    "a gateway in time": "<html><head><title>504 Gateway Time-out</title></head><body><center><h1>504 Gateway Time-out</h1></center>",
    "busy servers": (
        "<title>City of Example</title><h1>Sorry!</h1><p>Our servers are currently busy. Please try again in a few minutes."
    ),
    "an edge network": (
        "<title>city.example | 522: Connection timed out</title><div id=cf-error-details><h1>Connection timed out "
        "<span>Error code 522</span></h1><p>2026-11-16 02:00:00 UTC<h2>What happened?</h2><p>The initial connection between the "
        "network and the origin web server timed out. As a result, the web page can not be displayed.</div>"
    ),
    "a database": "<title>Database Error</title><body id=error-page><h1>Error establishing a database connection</h1>",
    "maintenance": (
        "<title>Maintenance</title><body><div class=wp-die-message>Briefly unavailable for scheduled maintenance. Check back in a "
        "minute.</div>"
    ),
    "a default page": (
        "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully "
        "installed and working. Further configuration is required.<p><em>Thank you for using nginx.</em>"
    ),
    "German": "<title>Wartungsarbeiten</title><h1>Wartungsarbeiten</h1><p>Wir sind bald wieder für Sie da. Vielen Dank für Ihre Geduld.",
    "French": "<title>Page introuvable</title><h1>Page introuvable</h1><p>La page que vous cherchez n'existe plus.",
    "Spanish": "<title>Página no encontrada</title><h1>Página no encontrada</h1><p>La dirección que ha pedido no existe.",
}
CONSENT = {
    "English": (
        "<title>Before you continue</title><form action=/save><h1>Before you continue</h1><p>We and our partners use cookies and data "
        "to deliver and maintain our services, track outages and protect against spam, fraud and abuse, and to measure audience "
        "engagement and site statistics.<button>Reject all</button><button>Accept all</button><a href=/more>More options</a></form>"
    ),
    "German": (
        "<title>Example</title><div id=cmp-container><h1>Willkommen bei Example</h1><p>Mit Werbung weiterlesen: Besuchen Sie uns wie "
        "gewohnt mit Werbung und Tracking. Ihre Zustimmung können Sie jederzeit widerrufen. Details in der "
        "Datenschutzerklärung.<button>Akzeptieren und weiter</button><p>… oder das Pur-Abo<button>Jetzt abonnieren</button></div>"
    ),
    "French": (
        "<title>Example</title><div class=didomi><h2>Votre vie privée est importante</h2><p>Nous utilisons des cookies avec nos "
        "partenaires pour mesurer l'audience et personnaliser la publicité.<button>Continuer sans accepter</button>"
        "<button>Paramétrer les cookies</button><button>Tout accepter</button></div>"
    ),
    "Spanish": (
        "<title>Example</title><div><h2>Tu privacidad es importante</h2><p>Usamos cookies propias y de terceros para analizar el uso y "
        "mostrar publicidad.<button>Rechazar todo</button><button>Aceptar todo</button><a href=/c>Configurar cookies</a></div>"
    ),
}
LOGINS = {
    "a blog": (
        "<!DOCTYPE html><html lang=en-US><head><title>Log In &lsaquo; City &#8212; WordPress</title><meta name=robots "
        "content='max-image-preview:large, noindex, noarchive'></head><body class='login no-js'><div id=login><h1><a>Powered by "
        "WordPress</a></h1><form name=loginform id=loginform method=post><p><label>Username or Email Address</label><input name=log>"
        "<p><label>Password</label><input type=password name=pwd><p><input type=checkbox> Remember Me<p><input type=submit value='Log In'>"
        "</form><p id=nav><a>Lost your password?</a></div>"
    ),
    "a single sign-on": (
        "<title>Sign in to your account</title><form><h1>Sign in</h1><input name=user placeholder='Email, phone or name'>"
        "<p>No account? <a>Create one!</a><p><a>Can't access your account?</a><button>Next</button></form>"
    ),
    "German": (
        "<title>Anmelden</title><form><h1>Anmelden</h1><label>Kennwort</label><input type=password><button>Weiter</button></form>"
    ),
    "French": "<title>Connexion</title><form><h1>Se connecter</h1><label>Mot de passe</label><input type=password></form>",
}
EMPTY = {
    "nothing": "",
    "white space": " \n ",
    "a shell": "<!doctype html><html><head><title>City</title></head><body><div id=root></div><script src=/app.js></script>",
    "a shell that waits": "<title>City</title><div id=app>Loading…</div><script src=/app.js></script>",
    "an app without scripts": (
        "<title>City</title><p>You need to enable JavaScript to run this app.</p><div id=root></div><script src=/app.js></script>"
    ),
}
ELSEWHERE = {
    "a domain for sale": (
        "<title>city.example</title><h1>city.example</h1><p>The domain city.example is for sale. Buy this domain.<p>Related searches"
        "<ul><li>Insurance<li>Loans</ul><script src='//sedoparking.com/frmpark/a.js'></script>"
    ),
    "a suspended account": "<title>Account Suspended</title><h1>Account Suspended</h1><p>Contact your hosting provider.",
}

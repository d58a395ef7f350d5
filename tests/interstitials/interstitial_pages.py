"""Sample pages served in place of the watched one, modelled on what real servers and tools answer."""

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
    "a robot check": "<title>Robot Check</title><h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot. For best results, please make sure your browser is accepting cookies.<form><img src=c.jpg><input><button>Continue shopping</button></form>",
    "a rule of a firewall": "<title>Access denied | city.example used Shield to restrict access</title><div id=cf-error-details><h1>Error 1020</h1><h2>Access denied</h2><h2>What happened?</h2><p>This website is using a security service to protect itself from online attacks.</div>",
    "a limit of a firewall": "<title>You are being rate limited</title><h1>Error 1015</h1><h2>You are being rate limited</h2><p>The owner of this website has banned you temporarily from accessing this website.",
    "a distribution": "<title>ERROR: The request could not be satisfied</title><h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked. We can't connect to the server for this app or website at this time.",
    "a checkpoint": "<title>Security Checkpoint</title><p>We're verifying your browser<p>Website owner? Click here to fix<noscript>Enable JavaScript to continue</noscript>",
    "network security": "<title>Blocked</title><p>You've been blocked by network security.<p>To continue, log in to your account or use your developer token",
    "a secondary limit": "<title>Rate limit</title><h1>Whoa there!</h1><p>You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
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
    "an application": "<title>Application Error</title><h1>Application error</h1><p>An error occurred in the application and your page could not be served.",
    "a host": "<title>404 - Page Not Found</title><h1>SORRY!</h1><p>If you are the owner of this website, please contact your hosting provider: webmaster@city.example",
    "another default page": "<title>Apache2 Debian Default Page: It works</title><div>Apache2 Debian Default Page</div><p>It works!<p>This is the default welcome page used to test the correct operation of the Apache2 server after installation on Debian systems.",
    "a page that is gone": "<title>Error 404</title><h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location. Maybe try a search?<form><input type=search></form>",
    "a runtime": "<title>Runtime Error</title><h1>Server Error in '/' Application.</h1><h2>Runtime Error</h2><p>Description: An application error occurred on the server.",
    "a program": "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function foo() in /var/www/html/index.php:12",
    "a blog": "<title>WordPress &rsaquo; Error</title><div class=wp-die-message><p>There has been a critical error on this website.</p><p><a>Learn more about troubleshooting WordPress.</a></p></div>",
    "Japanese": "<title>メンテナンス中</title><h1>ただいまメンテナンス中です</h1><p>しばらくお待ちください。",
    "a waiting room": "<title>Queue</title><h1>You are now in line</h1><p>Due to high demand you have been placed in a waiting room. Your estimated wait time is 10 minutes.",
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
    "German, of a search engine": "<title>Bevor Sie fortfahren</title><form><h1>Bevor Sie zur Suche weitergehen</h1><p>Wir verwenden Cookies und Daten, um Dienste bereitzustellen und zu warten.<button>Alle ablehnen</button><button>Alle akzeptieren</button></form>",
    "Italian": "<title>Esempio</title><div><h2>La tua privacy</h2><p>Noi e i nostri partner utilizziamo i cookie per analizzare il traffico.<button>Rifiuta tutti</button><button>Accetta tutti</button></div>",
    "Dutch": "<title>DPG</title><div><h2>Jouw privacy</h2><p>Wij gebruiken cookies en vergelijkbare technieken.<button>Alles weigeren</button><button>Alles accepteren</button></div>",
    "German, of a portal": "<title>Yahoo ist Teil der Yahoo Markenfamilie</title><form class=consent-form><h1>Yahoo ist Teil der Yahoo Markenfamilie</h1><p>Wenn Sie unsere Apps nutzen, verwenden wir Cookies. Wenn Sie auf Alle akzeptieren klicken, verwenden wir und unsere Partner auch Cookies.<button>Alle akzeptieren</button><button>Alle ablehnen</button><a>Datenschutzeinstellungen verwalten</a></form>",
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
    "a network": "<title>Sign Up | Network</title><h1>Join Network</h1><form><input type=email><input type=password><button>Agree & Join</button></form><p>Already on Network? <a>Sign in</a>",
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
    "an expired account": "<title>Website Expired</title><h1>Website Expired</h1><p>This account has expired. If you are the site owner, click below to login.",
}
